"""Fusing of static bodies with their parents (XML Reference, compiler/fusestatic)."""

from collections.abc import Iterator
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.inertia import Part, composed
from conjoint.compiler.kinds import Body
from conjoint.compiler.passes import declared
from conjoint.compiler.volumes import body_volumes
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtSensor
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Element
from conjoint.spec.copier import Reference, references
from conjoint.spec.element import ATTACHED
from conjoint.spec.rotation import IDENTITY, mul_quat, place, rotate, unit_quat

INTERACTION = (mjtSensor.mjSENS_FORCE, mjtSensor.mjSENS_TORQUE)
"""Types of sensors that measure the interaction between a body and its parent."""
XBODY = ("xbody", OBJECT_TYPES["xbody"])


@declared(
    early="sensor: objtype",
    changes=("body: id inertia ipos iquat mass parentid pos quat; camera: pos quat; geom: pos quat; site: pos quat"),
    writes=("camera: bodyid id; draft: spare_volumes; geom: bodyid id; joint: bodyid id; light: id; site: bodyid id"),
)
def fuse_static(draft: Draft) -> None:
    """Fuse bodies without joints with their parents, unless an element refers to the body by name."""
    if not draft.spec.compiler.fusestatic:
        return
    named, volumes = _referenced(draft), body_volumes(draft)
    bodies: list[Any] = [draft.bodies[0]]
    into = {0: draft.bodies[0]}
    for body in draft.bodies[1:]:
        parent = into[body.parentid]
        original = body.parentid
        if parent.id != original:
            # the parent was fused: transform from its frame to the frame of the remaining body
            pos, quat = draft.bodies[original].pos, draft.bodies[original].quat
            body.pos, body.quat = place(pos, quat, body.pos), unit_quat(mul_quat(quat, body.quat))
        if _stays(body) or (body.name and body.name in named):
            body.parentid = parent.id
            bodies.append(body)
            into[body.id] = body
        else:
            into[body.id] = parent
            _fuse(body, parent, draft.newer)
    _number(draft, bodies)
    # MuJoCo's compiler counts the additional volumes of larger trees twice
    draft.spare_volumes = body_volumes(draft) - volumes


def _stays(body: Body) -> bool:
    """Return True if a body must not be fused with its parent: it moves, has a plugin, or has `fuse` disabled."""
    return bool(
        body.joints or body.mocap or not body.__dict__.get("fuse", True) or body.__dict__.get("plugin") is not None
    )


def _fuse(body: Body, parent: Any, exact: bool) -> None:
    """Move the elements of `body` and its mass to `parent`. The world gets no mass.

    `exact` requests exact principal axes.
    """
    if parent.id and body.mass >= mjMINVAL:
        _add_mass(body, parent, exact)
    for name in ATTACHED.values():
        elements = getattr(body, name)
        for element in elements:
            element.pos = place(body.pos, body.quat, element.pos)
            if element.kind == "light":
                element.dir = rotate(body.quat, element.dir)
            else:
                element.quat = unit_quat(mul_quat(body.quat, element.quat))
        getattr(parent, name).extend(elements)


def _add_mass(body: Body, parent: Any, exact: bool) -> None:
    """Add the mass of a body to its parent: total mass, center of mass and principal inertia."""
    ipos, iquat = place(body.pos, body.quat, body.ipos), unit_quat(mul_quat(body.quat, body.iquat))
    parts = (
        Part(parent.mass, parent.inertia, parent.ipos, parent.iquat), Part(body.mass, body.inertia, ipos, iquat),
    )  # fmt: skip
    # without a rotation, the axes are computed as in MuJoCo's compiler
    parent.mass, parent.inertia, parent.ipos, parent.iquat = composed(parts, to_rounding=exact or iquat != IDENTITY)


def _number(draft: Draft, bodies: list[Any]) -> None:
    """Assign ids to the remaining bodies and to their elements."""
    ids = {body.id: i for i, body in enumerate(bodies)}
    draft.bodies = bodies
    for i, body in enumerate(bodies):
        body.parentid = ids[body.parentid]
        for name in ATTACHED.values():
            for element in getattr(body, name):
                element.bodyid = i
    for name in ATTACHED.values():
        setattr(draft, name, [element for body in bodies for element in getattr(body, name)])
    for kind in ("body", *ATTACHED):
        draft.number(kind)


def _referenced(draft: Draft) -> set[str]:
    """Return the names of bodies that elements refer to, and of bodies whose force on the parent is measured."""
    names = {reference.name for reference in _references(draft) if reference.kind == "body"}
    sites = {sensor.__dict__.get("objname") for sensor in draft.sensors if sensor.type in INTERACTION}
    names |= {draft.bodies[site.bodyid].name for site in draft.sites if site.name and site.name in sites}
    return names


def _references(draft: Draft) -> Iterator[Reference]:
    """Yield the references by name in elements. As in MuJoCo, references to bodies as 'xbody' are excluded."""
    users: tuple[Element, ...] = (
        *draft.cameras, *draft.lights, *draft.skins, *draft.pairs, *draft.excludes, *draft.equalities, *draft.tendons,
        *draft.actuators, *draft.sensors, *draft.tuples,
    )  # fmt: skip
    for user in users:
        for reference in references(user):
            typed = reference.attribute.replace("name", "type")
            if reference.element.__dict__.get(typed) not in XBODY:
                yield reference
