"""fusestatic: bodies that cannot move become part of their parents (XML Reference, compiler)."""

from __future__ import annotations

from typing import Any

from conjoint.compiler.draft import LISTS, Draft
from conjoint.compiler.inertia import about
from conjoint.schema.enums import mjtEq, mjtObj, mjtTrn
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec.rotation import mul_quat, place, principal_axes, rotate, unit_quat

MINVAL = 1e-15
BODY_TYPES = ("body", "xbody")


def fuse_static(draft: Draft) -> None:
    """Give what is in bodies without joints to their parents, unless something refers to the body by name."""
    if not draft.spec.compiler.fusestatic:
        return
    named = _referenced(draft)
    bodies: list[Any] = [draft.bodies[0]]
    into = {0: draft.bodies[0]}
    for body in draft.bodies[1:]:
        parent = into[body.parentid]
        original = body.parentid
        if parent.id != original:
            # the parent was fused: from its frame to that of the body it is part of now
            pos, quat = draft.bodies[original].pos, draft.bodies[original].quat
            body.pos, body.quat = place(pos, quat, body.pos), unit_quat(mul_quat(quat, body.quat))
        if body.joints or body.mocap or body.name in named or body.__dict__.get("plugin") is not None:
            body.parentid = parent.id
            bodies.append(body)
            into[body.id] = body
        else:
            into[body.id] = parent
            _fuse(body, parent)
    _number(draft, bodies)


def _fuse(body: Any, parent: Any) -> None:
    """Move what is attached to `body` to `parent`, and its mass, unless that is the world."""
    if parent.id and body.mass >= MINVAL:
        _add_mass(body, parent)
    for name in LISTS.values():
        elements = getattr(body, name)
        for element in elements:
            element.pos = place(body.pos, body.quat, element.pos)
            if element.kind == "light":
                element.dir = rotate(body.quat, element.dir)
            else:
                element.quat = unit_quat(mul_quat(body.quat, element.quat))
        getattr(parent, name).extend(elements)


def _add_mass(body: Any, parent: Any) -> None:
    """Mass, center and principal inertia of two bodies together."""
    ipos, iquat = place(body.pos, body.quat, body.ipos), mul_quat(body.quat, body.iquat)
    parts = ((parent.mass, parent.inertia, parent.ipos, parent.iquat), (body.mass, body.inertia, ipos, iquat))
    mass = parent.mass + body.mass
    center = tuple(sum(part[0] * part[2][i] for part in parts) / mass for i in range(3))
    total = [0.0] * 6
    for part_mass, inertia, pos, quat in parts:
        offset = tuple(pos[i] - center[i] for i in range(3))
        total = [a + b for a, b in zip(total, about(inertia, quat, part_mass, offset), strict=True)]
    parent.mass, parent.ipos = mass, center
    parent.inertia, parent.iquat = principal_axes(total)


def _number(draft: Draft, bodies: list[Any]) -> None:
    """Number what is left of the tree."""
    ids = {body.id: i for i, body in enumerate(bodies)}
    draft.bodies = bodies
    for i, body in enumerate(bodies):
        body.parentid = ids[body.parentid]
        for name in LISTS.values():
            for element in getattr(body, name):
                element.bodyid = i
    for name in LISTS.values():
        setattr(draft, name, [element for body in bodies for element in getattr(body, name)])
    for kind in ("body", *LISTS):
        draft.number(kind)


def _referenced(draft: Draft) -> set[str]:
    """Names of the bodies that other elements refer to."""
    types = {OBJECT_TYPES[kind] for kind in BODY_TYPES}
    names = {name for exclude in draft.excludes for name in (exclude.bodyname1, exclude.bodyname2)}
    for equality in draft.equalities:
        if equality.objtype == mjtObj.mjOBJ_BODY and equality.type in (mjtEq.mjEQ_CONNECT, mjtEq.mjEQ_WELD):
            names |= {equality.name1, equality.name2}
    for actuator in draft.actuators:
        if actuator.__dict__.get("trntype") == mjtTrn.mjTRN_BODY:
            names.add(actuator.target)
    for sensor in draft.sensors:
        values = sensor.__dict__
        names |= {values.get(p + "name", "") for p in ("obj", "ref") if values.get(p + "type") in types}
    names |= {e.objname for group in draft.tuples for e in group.elements if e.objtype in BODY_TYPES}
    names |= {element.targetbody for element in (*draft.cameras, *draft.lights)}
    for skin in draft.skins:
        names |= set(skin.__dict__.get("bodyname", ()))
    return names - {""}
