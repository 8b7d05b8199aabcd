"""discardvisual: a model without what is only seen (XML Reference, compiler)."""

from typing import Any

from conjoint.compiler.asset import check_name
from conjoint.compiler.draft import Draft
from conjoint.schema.enums import mjtWrap
from conjoint.schema.mjcf.shared import OBJECT_TYPES

ROUND = (mjtWrap.mjWRAP_SPHERE, mjtWrap.mjWRAP_CYLINDER)


def discard_visual(draft: Draft) -> None:
    """Leave out materials, textures, geoms that touch nothing and that nothing refers to, and their meshes.

    Masses are known by now, so that bodies keep the mass of the geoms that they lose.
    """
    if not draft.spec.compiler.discardvisual:
        return
    used = _referenced(draft)
    for material in draft.materials:
        check_name(draft, material)

    def stays(geom: Any) -> bool:
        return bool(geom.contype or geom.conaffinity or (geom.name and geom.name in used))

    draft.geoms = [geom for geom in draft.geoms if stays(geom)]
    for body in draft.bodies:
        body.geoms = [geom for geom in body.geoms if stays(geom)]
    shaped = [site for site in draft.sites if site.__dict__.get("meshname")]
    meshes = {element.meshname for element in (*draft.geoms, *shaped)}
    draft.meshes = [mesh for mesh in draft.meshes if mesh.name in meshes]
    draft.materials, draft.textures = [], []
    for element in (*draft.geoms, *draft.sites, *draft.tendons, *draft.meshes):
        element.material = ""
    for light in draft.lights:
        light.texture = ""
    for kind in ("geom", "mesh", "material", "texture"):
        draft.number(kind)
    for element in (*draft.geoms, *shaped):
        if element.meshname and element.dataid >= 0:
            element.dataid = draft.ids["mesh"][element.meshname]


def _referenced(draft: Draft) -> set[str]:
    """Names of the geoms that pairs, tendons, sensors and tuples refer to."""
    geom = OBJECT_TYPES["geom"]
    names = {name for pair in draft.pairs for name in (pair.geomname1, pair.geomname2)}
    names |= {wrap.target for tendon in draft.tendons for wrap in tendon.wraps if wrap.type in ROUND}
    for sensor in draft.sensors:
        for prefix in ("obj", "ref"):
            if sensor.__dict__.get(prefix + "type") == geom:
                names.add(sensor.__dict__.get(prefix + "name", ""))
    names |= {member.objname for group in draft.tuples for member in group.elements if member.objtype == "geom"}
    return names
