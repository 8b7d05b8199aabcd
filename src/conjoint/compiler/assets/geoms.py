"""Geoms made of meshes and height fields, and primitives fitted to meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from conjoint.compiler.draft import Draft
from conjoint.compiler.kinds import Geom
from conjoint.compiler.passes import declared
from conjoint.schema.kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, HFIELD, MESH, SDF, SPHERE
from conjoint.spec.meshes.triangles import dot
from conjoint.spec.rotation import Vector, mul_quat, place, unit_quat

if TYPE_CHECKING:
    from conjoint.compiler.assets.mesh import Mesh

FITTED = (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX)


def needing_hulls(draft: Draft) -> set[str]:
    """Return the names of meshes that need hulls: meshes of sites and of colliding geoms without a fitted primitive."""
    paired = {name for pair in draft.pairs for name in (pair.geomname1, pair.geomname2)}
    inside = {site.meshname for site in draft.sites if site.__dict__.get("meshname")}
    return inside | {
        geom.meshname
        for geom in draft.geoms
        if geom.meshname
        and geom.type in (MESH, SDF)
        and (geom.contype or geom.conaffinity or (geom.name and geom.name in paired))
    }


def needing_octrees(draft: Draft) -> set[str]:
    """Return the names of meshes that geoms use as signed distance fields."""
    return {geom.meshname for geom in draft.geoms if geom.meshname and geom.type == SDF}


@declared(
    reads="geom: fromto hfieldname meshname; hfield: id size; mesh: compiled",
    early="mesh: id",
    changes="geom: pos quat size",
    writes="geom: asset centred_pose dataid mesh_pose written_pose",
)
def resolve_shapes(draft: Draft) -> None:
    """Set `dataid`, `asset`, sizes and poses of geoms that refer to assets."""
    for geom in draft.geoms:
        geom.dataid, geom.asset = -1, None
        if geom.type == HFIELD:
            _hfield_geom(draft, geom)
        elif geom.hfieldname:
            draft.problems.about(geom, "only a geom of type hfield refers to a height field", "hfield")
        if geom.meshname:
            _mesh_geom(draft, geom)
        elif geom.type in (MESH, SDF):
            draft.problems.about(geom, "a geom of type mesh needs the attribute 'mesh'", "mesh")


@declared(
    reads="mesh: compiled; site: meshname",
    early="mesh: id",
    writes="site: dataid size",
)
def resolve_site_shapes(draft: Draft) -> None:
    """Set `dataid` and sizes of sites that refer to meshes. The poses of sites do not change."""
    for site in draft.sites:
        site.dataid = -1
        name = site.__dict__.get("meshname", "")
        if site.type == MESH and not name:
            draft.problems.about(site, "a site of type mesh needs the attribute 'mesh'", "mesh")
        elif name and site.type != MESH:
            draft.problems.about(site, "only a site of type mesh refers to a mesh", "mesh")
        elif name:
            site.dataid = draft.find("mesh", name, site, "mesh")
            mesh: Mesh | None = draft.meshes[site.dataid].compiled if site.dataid >= 0 else None
            if mesh is not None:
                site.size = tuple(np.maximum(np.abs(mesh.lower), np.abs(mesh.upper)).tolist())


def _hfield_geom(draft: Draft, geom: Geom) -> None:
    """Set the asset and the sizes of a height-field geom.

    The sizes are the half sizes of a box from the bottom of the height field to half its maximum elevation.
    """
    if not geom.hfieldname:
        draft.problems.about(geom, "a geom of type hfield needs the attribute 'hfield'", "hfield")
        return
    geom.dataid = draft.find("hfield", geom.hfieldname, geom, "hfield")
    if geom.dataid >= 0:
        geom.asset = draft.hfields[geom.dataid]
        x, y, top, bottom = geom.asset.size
        geom.size = (x, y, 0.25 * top + 0.5 * bottom)


def _mesh_geom(draft: Draft, geom: Geom) -> None:
    """Move a mesh geom so that its mesh keeps the pose that it has in the file. Fit a primitive if one is requested."""
    if geom.fromto is not None:
        draft.problems.about(geom, "fromto cannot be used together with a mesh", "fromto")
    geom.dataid = draft.find("mesh", geom.meshname, geom, "mesh")
    mesh: Mesh | None = draft.meshes[geom.dataid].compiled if geom.dataid >= 0 else None
    if mesh is None:
        return
    if geom.type in (MESH, SDF):
        geom.asset = mesh
        geom.size = tuple(np.maximum(np.abs(mesh.lower), np.abs(mesh.upper)).tolist())
    elif geom.type not in FITTED:
        draft.problems.about(geom, "only a sphere, capsule, cylinder, ellipsoid or box can be fitted to a mesh", "mesh")
        return
    pos = mesh.pos
    if geom.type in FITTED and draft.spec.compiler.fitaabb:
        pos = place(mesh.pos, mesh.mass.quat, _fit_extent(geom, mesh))
    elif geom.type in FITTED:
        _fit_inertia(geom, mesh)
    geom.mesh_pose, geom.written_pose = (pos, mesh.mass.quat), (geom.pos, geom.quat)
    geom.pos = place(geom.pos, geom.quat, pos)
    geom.quat = unit_quat(mul_quat(geom.quat, mesh.mass.quat))
    geom.centred_pose = (geom.pos, geom.quat)


def _fit_inertia(geom: Geom, mesh: Mesh) -> None:
    """Fit the primitive of a geom to the box that has the same inertia as the mesh."""
    x, y, z = mesh.mass.box
    sizes: tuple[float, ...]
    if geom.type == SPHERE:
        sizes = ((x + y + z) / 3,)
    elif geom.type in (CAPSULE, CYLINDER):
        radius = (x + y) / 2
        sizes = (radius, max(0.0, z - radius / 2) if geom.type == CAPSULE else z)
    else:
        sizes = (x, y, z)
    _set_sizes(geom, sizes)


def _fit_extent(geom: Geom, mesh: Mesh) -> Vector:
    """Fit the primitive of a geom to the bounding box of the mesh, and return the center of the box."""
    middle = (mesh.lower + mesh.upper) / 2
    vert = mesh.triangles.vert - middle
    if geom.type in (ELLIPSOID, BOX):
        sizes = tuple((mesh.upper - middle).tolist())
    elif geom.type == SPHERE:
        sizes = (float(np.sqrt(dot(vert, vert)).max()),)
    else:
        across, along = np.sqrt(vert[:, 0] * vert[:, 0] + vert[:, 1] * vert[:, 1]), np.abs(vert[:, 2])
        radius = float(across.max())
        if geom.type == CAPSULE:
            # how far the caps extend at each distance from the axis
            along = along - radius * np.sin(np.arccos(across / radius))
        sizes = (radius, max(0.0, float(along.max())))
    _set_sizes(geom, sizes)
    x, y, z = middle.tolist()
    return x, y, z


def _set_sizes(geom: Geom, sizes: tuple[float, ...]) -> None:
    """Set the sizes that the geom type uses, scaled by `fitscale`. The remaining sizes do not change."""
    x, y, z = (*(size * geom.fitscale for size in sizes), *geom.size[len(sizes) :])
    geom.size = x, y, z


def bounds(geom: Geom) -> tuple[tuple[float, ...], float]:
    """Return the bounding box (center, half sizes) and the bounding radius of a geom that refers to an asset."""
    if geom.type == HFIELD:
        x, y, top, bottom = geom.asset.size
        box = (0.0, 0.0, (top - bottom) / 2, x, y, (top + bottom) / 2)
        return box, float(np.sqrt(x * x + y * y + max(top * top, bottom * bottom)))
    mesh: Mesh = geom.asset
    middle, half = (mesh.lower + mesh.upper) / 2, (mesh.upper - mesh.lower) / 2
    return (*middle.tolist(), *half.tolist()), float(np.linalg.norm(geom.size))
