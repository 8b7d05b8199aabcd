"""Appearance of elements: textures, materials, targets of cameras and lights, and removal of visual elements."""

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from conjoint.compiler.draft import Draft
from conjoint.compiler.kinds import Camera, Geom
from conjoint.compiler.passes import declared
from conjoint.once import made_once
from conjoint.schema.enums import mjtWrap
from conjoint.schema.mjcf.asset import TEXTURE_ROLES
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Element
from conjoint.spec.rotation import unit

ROLES = len(TEXTURE_ROLES.split())
TEX_2D, SKYBOX = 0, 2
USER = TEXTURE_ROLES.split().index("user")
LINEAR, SRGB = 1, 2


@declared(
    reads="texture: id",
    writes="material: texid",
)
def resolve_assets(draft: Draft) -> None:
    """Set the texture ids of materials."""
    for material in draft.materials:
        check_name(draft, material)
        ids = [-1] * ROLES
        if material.texture:
            ids[1] = draft.find("texture", material.texture, material, "texture")
        for layer in material.layers:
            if layer.role == USER and layer.place is not None:
                # report layers of files only, because a program may set this role
                draft.problems.about(layer, "a material has no texture in the role 'user'", "role")
            ids[layer.role] = draft.find("texture", layer.texture, layer, "texture")
        material.texid = ids


@declared(
    reads=(
        "body: id; camera: focal_length principal_length sensor_size; geom: material meshname; material: id; "
        "mesh: material name; site: material; skin: compiled; tendon: material; texture: id"
    ),
    changes="camera: fovy; light: dir",
    writes=(
        "camera: intrinsic targetbodyid; geom: look matid; light: targetbodyid texid; site: matid; skin: bodyids "
        "matid; tendon: matid"
    ),
)
def resolve_looks(draft: Draft) -> None:
    """Set materials of geoms, sites and tendons, and targets and directions of cameras and lights."""
    own = {mesh.name: mesh.material for mesh in draft.meshes if mesh.material}
    for geom in draft.geoms if own else ():
        # a mesh may define its material
        geom.look = geom.material or own.get(geom.meshname, "")
    for element in (*draft.geoms, *draft.sites, *draft.tendons, *draft.skins):
        name = element.__dict__.get("look", element.material)
        element.matid = draft.find("material", name, element) if name else -1
    for skin in draft.skins:
        bones = skin.compiled.bones if skin.compiled is not None else []
        skin.bodyids = [draft.find("body", bone.bodyname, skin, "bone") for bone in bones]
    for camera in draft.cameras:
        _target(draft, camera)
        _optics(draft, camera)
    for light in draft.lights:
        _target(draft, light)
        light.texid = draft.find("texture", light.texture, light) if light.texture else -1
        try:
            light.dir = unit(light.dir)
        except ValueError:
            draft.problems.about(light, "dir is too short: it needs a length that is not zero", "dir")


def check_name(draft: Draft, material: Element) -> None:
    """Check that a material has a name."""
    if not material.name:
        draft.problems.about(material, "it needs a name")


def _target(draft: Draft, element: Element) -> None:
    """Find the body at which a camera or light is aimed."""
    element.targetbodyid = -1
    if element.targetbody:
        element.targetbodyid = draft.find("body", element.targetbody, element, "target")


def _optics(draft: Draft, camera: Camera) -> None:
    """Set the intrinsic parameters of a camera, and compute its field of view from them (Modeling chapter, Cameras)."""
    znear = draft.spec.visual["map"].znear
    camera.intrinsic = (znear, znear, 0.0, 0.0)
    if camera.fovy >= 180:
        draft.problems.about(camera, "fovy must be below 180", "fovy")
    if min(camera.resolution) < 0:
        draft.problems.about(camera, "resolution cannot be negative", "resolution")
    if min(camera.sensor_size) <= 0:
        return
    focal = _lengths(draft, camera, "focal")
    camera.intrinsic = (*focal, *_lengths(draft, camera, "principal"))
    half = float(np.float32(camera.sensor_size[1]) / np.float32(2))
    camera.fovy = _single_atan2()(half, float(focal[1])) * 360.0 / math.pi


@made_once
def _single_atan2() -> Callable[[float, float], float]:
    """Return the single-precision atan2 of the C library, which MuJoCo uses.

    Its last bit differs from the correctly rounded result in one of fifty cases, and from NumPy's in one of three.
    """
    try:
        function = ctypes.CDLL(None).atan2f
    except (AttributeError, OSError, TypeError):
        # some platforms have no access to the C library through the process
        return lambda y, x: float(np.float32(math.atan2(y, x)))
    function.restype, function.argtypes = ctypes.c_float, (ctypes.c_float, ctypes.c_float)
    return function


def _lengths(draft: Draft, camera: Camera, name: str) -> np.ndarray:
    """Return focal lengths or the principal point in meters, shape (2,), converted from pixels if necessary."""
    lengths, pixels = (np.array(getattr(camera, f"{name}_{unit}"), np.float32) for unit in ("length", "pixel"))
    if np.any((lengths != 0) & (pixels != 0)):
        draft.problems.about(camera, f"{name} and {name}pixel cannot both be given: remove one of them", name)
    with np.errstate(divide="ignore", invalid="ignore"):
        # as in MuJoCo, the result is NaN without pixels
        density = np.array(camera.resolution, np.float32) / np.array(camera.sensor_size, np.float32)
        return pixels / density + lengths


ROUND = (mjtWrap.mjWRAP_SPHERE, mjtWrap.mjWRAP_CYLINDER)


@declared(
    reads="geom: meshname; mesh: name; site: meshname",
    early="sensor: objtype; tendon: wraps; tuple: elements; tupleelement: objtype; wrap: type",
    changes="geom: dataid",
    writes=("geom: id material; material: id; mesh: id material; site: material; tendon: material; texture: id"),
)
def discard_visual(draft: Draft) -> None:
    """Remove materials, textures, unreferenced geoms without contacts, and the meshes of these geoms.

    Masses are already computed, so bodies keep the mass of removed geoms.
    """
    if not draft.spec.compiler.discardvisual:
        return
    used = _referenced(draft)
    for material in draft.materials:
        check_name(draft, material)

    def stays(geom: Geom) -> bool:
        return bool(geom.contype or geom.conaffinity or (geom.name and geom.name in used))

    draft.geoms = [geom for geom in draft.geoms if stays(geom)]
    for body in draft.bodies:
        body.geoms = [geom for geom in body.geoms if stays(geom)]
    shaped: list[Any] = [site for site in draft.sites if site.__dict__.get("meshname")] + draft.geoms
    meshes = {shape.meshname for shape in shaped}
    draft.meshes = [mesh for mesh in draft.meshes if mesh.name in meshes]
    draft.materials, draft.textures = [], []
    for element in (*draft.geoms, *draft.sites, *draft.tendons, *draft.meshes):
        element.material = ""
    for light in draft.lights:
        light.texture = ""
    for kind in ("geom", "mesh", "material", "texture"):
        draft.number(kind)
    for shape in shaped:
        if shape.meshname and shape.dataid >= 0:
            shape.dataid = draft.ids["mesh"][shape.meshname]


def _referenced(draft: Draft) -> set[str]:
    """Return the names of the geoms that pairs, tendons, sensors and tuples refer to."""
    geom = OBJECT_TYPES["geom"]
    names = {name for pair in draft.pairs for name in (pair.geomname1, pair.geomname2)}
    names |= {wrap.target for tendon in draft.tendons for wrap in tendon.wraps if wrap.type in ROUND}
    for sensor in draft.sensors:
        for prefix in ("obj", "ref"):
            if sensor.__dict__.get(prefix + "type") == geom:
                names.add(sensor.__dict__.get(prefix + "name", ""))
    names |= {member.objname for group in draft.tuples for member in group.elements if member.objtype == "geom"}
    return names
