"""Checks of assets: unused ones, and meshes that are too fine, not convex, or in millimeters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conjoint.doctor.finding import Finding, finding, worst_first
from conjoint.doctor.subject import Subject
from conjoint.schema.enums import mjtGeom, mjtTexture
from conjoint.spec import Spec
from conjoint.spec.element import bodies

FINE = 100_000
"""Number of triangles above which a collision mesh is flagged, because it takes a long time to load."""
FINE_HULL = 1000
"""Number of hull vertices above which a collision mesh is flagged, because collision detection searches them."""
HOLLOW = 0.35
"""Distance between a mesh and its convex hull above which the mesh is flagged, relative to the mesh's radius."""
HULL_POINTS, SURFACE_POINTS = 300, 4000
"""Numbers of points on the hull and on the mesh that are sampled to measure their distance."""
LARGE = 30.0
"""Mesh size above which a mesh is flagged, relative to the span of the robot's joints.

Such a mesh is probably in millimeters and was read as meters.
"""


def check_unused(subject: Subject) -> Iterator[Finding]:
    """Find unused meshes, height fields and textures, and unused materials that the model's own file defines."""
    model = subject.model
    solid = np.isin(model.geom_type, (mjtGeom.mjGEOM_MESH, mjtGeom.mjGEOM_SDF))
    fields = model.geom_type == mjtGeom.mjGEOM_HFIELD
    names = fitted_meshes(subject.spec) if subject.spec else set()
    meshes = set(map(int, model.geom_dataid[solid])) | {m for m in range(model.nmesh) if model.mesh(m).name in names}
    materials = {
        int(material)
        for array in (model.geom_matid, model.site_matid, model.skin_matid, model.tendon_matid, model.flex_matid)
        for material in array
    }
    textures = set(map(int, model.mat_texid.ravel()))
    textures |= {t for t in range(model.ntex) if model.tex_type[t] == mjtTexture.mjTEXTURE_SKYBOX}
    unused = [
        *(("mesh", k) for k in range(model.nmesh) if k not in meshes),
        *(("hfield", k) for k in range(model.nhfield) if k not in set(map(int, model.geom_dataid[fields]))),
        *(("texture", k) for k in range(model.ntex) if k not in textures),
        *(("material", k) for k in range(model.nmat) if k not in materials and _own(subject, k)),
    ]
    if unused:
        yield finding(
            "unused-assets",
            "Some assets are loaded but not used.",
            [f"{subject.label(kind, k)}{_size(subject, kind, k)}" for kind, k in unused],
            "Delete them, or refer to them where they are missing: geom mesh=..., material=..., texture=...",
            "meshes",
        )


def fitted_meshes(spec: Spec) -> set[str]:
    """Return the names of meshes that geoms refer to, including meshes to which primitives are fitted."""
    geoms = [geom for body in bodies(spec.worldbody) for geom in body.geoms]
    return {str(geom.__dict__.get("meshname") or geom.__dict__.get("mesh") or "") for geom in geoms} - {""}


def _own(subject: Subject, material: int) -> bool:
    """Return True if the model's own file defines a material; included files often are collections."""
    place = subject.place("material", subject.model.mat(material).name)
    return bool(subject.file) and place.rpartition(":")[0] == subject.file


def _size(subject: Subject, kind: str, index: int) -> str:
    """Return the size of a mesh or texture as text for a finding; "" for other assets."""
    model = subject.model
    if kind == "mesh":
        return f": {int(model.mesh_facenum[index])} triangles"
    if kind == "texture":
        return f": {int(model.tex_width[index])} x {int(model.tex_height[index])} pixels"
    return ""


def collision_meshes(subject: Subject) -> list[int]:
    """Return the ids of the meshes of colliding geoms."""
    solid = subject.collides & (subject.model.geom_type == mjtGeom.mjGEOM_MESH)
    return sorted(set(map(int, subject.model.geom_dataid[solid])))


def check_meshes(subject: Subject) -> Iterator[Finding]:
    """Find collision meshes with too many triangles, or with a convex hull that fills hollows."""
    model = subject.model
    fine, hollow = [], []
    for mesh in collision_meshes(subject):
        faces, points = int(model.mesh_facenum[mesh]), hull_vertices(subject, mesh)
        if faces > FINE or points > FINE_HULL:
            text = f"{subject.label('mesh', mesh)}: {faces} triangles, {points} vertices of the hull"
            fine.append((faces + points, text))
        gap = hull_gap(subject, mesh)
        if gap > HOLLOW:
            text = f"{subject.label('mesh', mesh)}: its convex hull deviates by up to {100 * gap:.0f} % of its radius"
            hollow.append((gap, text))
    if fine:
        yield finding(
            "fine-mesh",
            "Meshes that collide are finer than contacts need.",
            worst_first(fine),
            'Set maxhullvert="64" of the mesh, reduce it, or collide with primitives: geom type="capsule" mesh=...',
            "meshes",
        )
    if hollow:
        yield finding(
            "convex-hull",
            "Meshes collide as their convex hulls, which fill openings and hollows.",
            worst_first(hollow),
            "Cut the mesh into convex parts, each with a geom, or collide with primitives.",
            "meshes",
        )


def hull_vertices(subject: Subject, mesh: int) -> int:
    """Return the number of vertices of a mesh's convex hull; 0 if it has none."""
    address = int(subject.model.mesh_graphadr[mesh])
    return int(subject.model.mesh_graph[address]) if address >= 0 else 0


def hull_gap(subject: Subject, mesh: int) -> float:
    """Return the largest distance between a mesh's convex hull and its surface, relative to the mesh's radius."""
    model = subject.model
    address = int(model.mesh_graphadr[mesh])
    if address < 0:
        return 0.0
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    points = np.asarray(model.mesh_vert[first : first + count], float)
    start = int(model.mesh_faceadr[mesh])
    faces = np.asarray(model.mesh_face[start : start + int(model.mesh_facenum[mesh])])
    vertices, triangles = (int(number) for number in model.mesh_graph[address : address + 2])
    ends = address + 2 + 3 * vertices + 3 * triangles
    hull = np.asarray(model.mesh_graph[ends : ends + 3 * triangles]).reshape(-1, 3)
    outer, surface = scattered(points, hull, HULL_POINTS), scattered(points, faces, SURFACE_POINTS)
    gaps = [float(np.linalg.norm(surface - point, axis=1).min()) for point in outer]
    return max(gaps) / float(np.linalg.norm(np.ptp(points, axis=0)) / 2)


def scattered(points: np.ndarray, faces: np.ndarray, count: int) -> np.ndarray:
    """Return random points (m) that are uniformly distributed on triangles; they are the same in every call."""
    rng = np.random.default_rng(0)
    a, b, c = (points[faces[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    chosen = rng.choice(len(faces), count, p=areas / areas.sum())
    u, v = rng.random((2, count, 1))
    flip = u + v > 1
    u, v = np.where(flip, 1 - u, u), np.where(flip, 1 - v, v)
    return a[chosen] + u * (b - a)[chosen] + v * (c - a)[chosen]


def check_mesh_scale(subject: Subject) -> Iterator[Finding]:
    """Find meshes in millimeters, which are much larger than the distances between bodies."""
    model = subject.model
    data = subject.begin()
    odd = []
    for g in np.flatnonzero(model.geom_type == mjtGeom.mjGEOM_MESH):
        body = int(model.geom_bodyid[g])
        root = int(model.body_rootid[body])
        tree = np.flatnonzero(model.body_rootid == root)
        reach = float(np.ptp(data.xpos[tree], axis=0).max()) if subject.moves[body] and len(tree) > 1 else 0.0
        radius = float(model.geom_rbound[g])
        if reach > 0 and radius > LARGE * reach:
            odd.append(
                (radius, f"{subject.label('geom', int(g))}: {radius:.3g} m, the robot's joints span {reach:.2g} m")
            )
    if odd:
        yield finding(
            "mesh-scale",
            "Meshes are much larger than the robot.",
            worst_first(odd),
            'Meshes in millimeters need scale="0.001 0.001 0.001", in MJCF and in URDF.',
            "meshes",
        )
