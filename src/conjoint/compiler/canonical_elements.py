"""Conversion of elements to canonical form for saving (see `canonical`). Values that are None are not written."""

from math import inf
from typing import Any

from conjoint.compiler.actuator import LIMITS
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.draft import Draft
from conjoint.compiler.inertia import resolve_body
from conjoint.compiler.joint import AUTO
from conjoint.compiler.scale import multiply
from conjoint.compiler.tendon import JOINT, PULLEY
from conjoint.schema.enums import mjtTrn
from conjoint.schema.kinds import BALL, FREE, HFIELD, HINGE, MESH, SDF, SLIDE
from conjoint.schema.mjcf.grammar import defaults
from conjoint.spec import Element
from conjoint.spec.actuator_size import declared
from conjoint.spec.rotation import conj_quat, mul_quat, rotate, unit_quat

RGB = 1
"""Texture role of the single texture of most materials."""
NEAR = 1e-13
"""Tolerance within which coordinates count as unchanged and are saved exactly as written in the source."""
NOISE = 1e-15
"""Threshold below which moments of inertia are zero up to rounding."""
ALIKE = 1e-9
"""Relative tolerance within which inertias count as equal to the inertias inferred from geoms."""
POSE = ("pos", "quat", "axis", "dir")

ACTUATOR_ROWS = ("forcerange", "actrange", "lengthrange", "gainprm", "biasprm", "dynprm", "gear")
"""Actuator attributes that are copied from the model, because the compiler may have inferred them."""


def authored(element: Element) -> dict[str, Any]:
    """Return the values of an element as written in the file, multiplied by the factors of scaling frames."""
    values: dict[str, Any] = element.origin.__dict__
    scaling = element.__dict__.get("scaling")
    if not scaling:
        return values
    copy = element.origin.copy()
    for name, factor in scaling.items():
        multiply(copy, name, factor)
    return copy.__dict__


def stand(element: Element) -> None:
    """Store the pose of an element relative to its body, with a quaternion.

    Unchanged values are stored exactly as written.
    """
    origin = authored(element)
    plain = origin.get("frame") is None
    for name in POSE:
        value = element.__dict__.get(name)
        if value is None:
            continue
        written = origin.get(name)
        if not plain or written is None or value is written:
            continue
        if value == written or all(abs(a - b) < NEAR for a, b in zip(value, written, strict=True)):
            element.__dict__[name] = tuple(written)
    element.alt = element.fromto = None


def inertial(draft: Draft, body: Any, compiler: Element) -> None:
    """Add an inertial element to `body` if the source has one, or if the inertia differs from that of the geoms."""
    found = {"mass": body.mass, "ipos": body.ipos, "iquat": body.iquat, "inertia": body.inertia}
    origin = body.inertial
    inferred = body.copy()
    inferred.inertial, inferred.settings, inferred.written_pose = None, compiler, (body.pos, body.quat)
    inferred.explicitinertial = 0
    resolve_body(draft, inferred)
    written = origin is not None and origin.ipos is not None and draft.settings(body).inertiafromgeom == AUTO
    body.inertial = None
    explicit = written or compiler.saveinertial or body.__dict__.get("resized")
    if explicit or not all(_alike(value, getattr(inferred, name)) for name, value in found.items()):
        found = {name: value if name == "mass" else tuple(value) for name, value in found.items()}
        body.inertial = Element("inertial", {**defaults("inertial"), **found})


def _alike(first: Any, second: Any) -> bool:
    """Return True if numbers are equal up to rounding."""
    a, b = ((x,) if isinstance(x, float | int) else x for x in (first, second))
    if a == b and inf not in a:
        return True
    largest = max(map(abs, (*a, *b)))
    return all(abs(x - y) <= ALIKE * largest + NOISE for x, y in zip(a, b, strict=True))


def joint(draft: Draft, m: Arrays, joint: Any) -> None:
    """Convert a joint to radians, with explicit stiffness and damping instead of springdamper."""
    kind = joint.type
    _tristate(draft, joint, "limited", "range")
    _tristate(draft, joint, "actfrclimited", "actfrcrange")
    joint.springdamper = (0.0, 0.0)
    joint.stiffness = (float(m.jnt_stiffness[joint.id]), *joint.stiffnesspoly)
    joint.damping = (float(m.dof_damping[joint.dofadr]), *joint.dampingpoly)
    for name in ("armature", "frictionloss"):
        joint.__dict__[name] = float(getattr(m, "dof_" + name)[joint.dofadr])
    for name in ("solref", "solimp"):
        joint.__dict__[name + "_friction"] = tuple(getattr(m, "dof_" + name)[joint.dofadr].tolist())
    stand(joint)
    if kind in (HINGE, SLIDE):
        joint.ref, joint.springref = float(m.qpos0[joint.qposadr]), float(m.qpos_spring[joint.qposadr])
    else:
        joint.ref = joint.springref = joint.axis = None
    if kind == FREE:
        joint.pos = joint.limited = joint.actfrclimited = None
        # do not inherit a rest position from a class with yielding springs
        joint.springyield = 0.0
    if kind in (FREE, BALL):
        joint.actfrclimited = None


def geom(geom: Any) -> None:
    """Restore the mass or density as written, and the pose of a mesh before centering and alignment."""
    values = authored(geom)
    geom.mass, geom.density = values["mass"], values["density"]
    if geom.meshname and geom.__dict__.get("resized") and geom.type not in (MESH, SDF):
        # the geom no longer has the shape that was fitted to the mesh
        geom.meshname = ""
    elif geom.meshname and (geom.pos, geom.quat) == geom.centred_pose:
        (geom.pos, geom.quat), geom.size = geom.written_pose, None
    elif geom.meshname:
        pos, quat = geom.mesh_pose
        geom.quat = unit_quat(mul_quat(geom.quat, conj_quat(quat)))
        geom.pos = tuple(x - y for x, y in zip(geom.pos, rotate(geom.quat, pos), strict=True))
        geom.size = None
    elif geom.type == HFIELD:
        geom.size = None
    stand(geom)


def camera(camera: Any) -> None:
    """Remove the field of view of a camera if its sensor size determines it."""
    if any(camera.sensor_size):
        camera.fovy = None
    stand(camera)


def material(material: Element) -> Any:
    """Convert a material with a single color texture to the short form, the attribute `texture`."""
    if [layer.role for layer in material.layers] == [RGB]:
        material.texture, material.layers = material.layers[0].texture, []
    return material


def tendon(draft: Draft, m: Arrays, tendon: Any) -> Any:
    """Set coefficients of joints and divisors of pulleys in a tendon's path to the values of the model."""
    _tristate(draft, tendon, "limited", "range")
    _tristate(draft, tendon, "actfrclimited", "actfrcrange")
    tendon.stiffness, tendon.damping = (tendon.stiffness, *tendon.stiffnesspoly), (tendon.damping, *tendon.dampingpoly)
    for i, wrap in enumerate(tendon.wraps, tendon.adr):
        if wrap.type in (JOINT, PULLEY):
            wrap.prm = float(m.wrap_prm[i])
    return tendon


def equality(m: Arrays, equality: Any) -> Any:
    """Set the parameters of an equality to the model's values, which include relative poses at `qpos0`."""
    equality.data = tuple(m.eq_data[equality.id].tolist())
    equality.active = int(m.eq_active0[equality.id])
    return equality


def actuator(draft: Draft, m: Arrays, actuator: Any) -> Any:
    """Return the actuator with the model's ranges and parameters, which may be inherited or computed."""
    for name in ACTUATOR_ROWS:
        row = actuator.outadr if name in ("lengthrange", "gear") else actuator.id
        actuator.__dict__[name] = tuple(getattr(m, "actuator_" + name)[row].tolist())
    if actuator.trntype == mjtTrn.mjTRN_SO3:
        actuator.trntype = int(mjtTrn.mjTRN_JOINT if actuator.trnid[1] < 0 else mjtTrn.mjTRN_SITE)
    actuator.inheritrange = 0.0
    actuator.damping = (actuator.damping, *actuator.dampingpoly)
    actuator.ctrlspec = declared(actuator)
    for flag, interval in LIMITS:
        _tristate(draft, actuator, flag, interval)
    return actuator


def _tristate(draft: Draft, element: Element, flag: str, interval: str) -> None:
    """Set a flag to auto if the reader will infer the same value from the range of the element."""
    resolved = int(bool(element.__dict__[flag]))
    low, high = element.__dict__[interval]
    inferred = bool(draft.spec.compiler.autolimits) and low < high
    undecided = (low or high) and not draft.spec.compiler.autolimits
    if element.origin.__dict__[flag] == AUTO and inferred == resolved and not undecided:
        resolved = AUTO
    element.__dict__[flag] = resolved
