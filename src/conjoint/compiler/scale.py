"""Frames that scale their contents (XML Reference, body/frame: scale, scaling, massscale).

Scaling is a change of units: a quantity of dimension length^a mass^b is multiplied by s^a m^b. Lengths, masses and
inertias are always scaled. Forces, stiffnesses and other quantities with mass in their dimension are scaled by frames
with `scaling` set to `similar`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cbrt, isfinite, sqrt
from typing import Any, NamedTuple

from conjoint.compiler.draft import Draft
from conjoint.compiler.kinds import Joint
from conjoint.compiler.passes import declared
from conjoint.compiler.pose import own_quat, stretch_between
from conjoint.compiler.stretch import (
    Stretch,
    along,
    diagonal,
    full_inertia,
    in_frame,
    inertia,
    local,
    moved,
    shape_factors,
)
from conjoint.schema.enums import mjtMeshInertia
from conjoint.schema.kinds import (
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    FREE,
    HFIELD,
    HINGE,
    MESH,
    PLANE,
    SDF,
    SLIDE,
    SPHERE,
)
from conjoint.spec import Element
from conjoint.spec.rotation import IDENTITY

SIMILAR = 0
"""Number that represents the keyword `similar`."""
UNIT = (1.0, 1.0, 1.0)

SIZES = {SPHERE: 1, CAPSULE: 2, CYLINDER: 2, ELLIPSOID: 3, BOX: 3, PLANE: 3}
"""Number of size parameters of each shape type."""

PLACES = ("pos", "fromto", "surfacevel")
"""Values that are transformed as vectors by frames with different factors along their axes.

Surface velocities are vectors along the axes of their geom.
"""

WIDTH = (0, 0, 1, 0, 0)
"""Exponents of length in the dimensions of the impedance parameters. Only the third parameter, a width, is a length."""

LENGTHS: dict[str, dict[str, Any]] = {
    "body": {"pos": 1},
    "geom": {
        "pos": 1, "fromto": 1, "margin": 1, "gap": 1, "friction": (0, 1, 1), "solimp": WIDTH,
        "surfacevel": (1, 1, 1, 0, 0, 0),
    },
    "site": {"pos": 1, "fromto": 1},
    "joint": {"pos": 1},
    "camera": {"pos": 1, "ipd": 1, "sensor_size": 1, "focal_length": 1, "principal_length": 1},
    "light": {"pos": 1, "bulbradius": 1, "range": 1, "attenuation": (0, -1, -2)},
}  # fmt: skip
"""Exponents of length in the dimensions of the values of elements in bodies."""


class Scale(NamedTuple):
    """Scale factors of the contents of a frame.

    Attributes:
        length, mass: products of the length and mass factors of all enclosing frames.
        unit_length, unit_mass: products over the enclosing frames with scaling `similar`.
        along: length factor along the axis of a joint; 0 if it equals `length`.
        stretch: linear map of positions, if the factors differ between directions; `length` is then the mean factor.
    """

    length: float = 1.0
    mass: float = 1.0
    unit_length: float = 1.0
    unit_mass: float = 1.0
    along: float = 0.0
    stretch: Stretch | None = None

    @property
    def factors(self) -> tuple[float, ...]:
        """Factors for length, mass, unit length and unit mass; two scales are equal if these factors are equal."""
        return self[:4]

    def moved(self, vector: Sequence[float]) -> tuple[float, ...]:
        """Return a scaled position, or several concatenated scaled positions."""
        if self.stretch is not None:
            return moved(self.stretch, vector)
        return tuple(self.length * x for x in vector)

    def unit(self, power: float) -> float:
        """Return the scale factor for a quantity of dimension mass x length^power."""
        return self.unit_mass * self.unit_length**power


ONE = Scale()


@declared(
    early="body: parentid; camera: bodyid; geom: bodyid; joint: bodyid; site: bodyid",
    changes=(
        "body: inertial pos; camera: focal_length ipd pos principal_length sensor_size; draft: frame_factors "
        "frame_scales scales; geom: adhesion density friction fromto gap hfieldname margin mass meshname pos size "
        "solimp surfacevel; hfield: name size; inertial: inertia ipos mass; joint: actfrcrange armature damping "
        "frictionloss margin pos range ref solimp_friction solimp_limit springref springyield stiffness; light: "
        "attenuation bulbradius pos range; mesh: name scale; site: meshname pos size"
    ),
    writes="hfield: id; mesh: id",
)
def resolve_scales(draft: Draft) -> None:
    """Scale the elements of bodies.

    Store the scale of each element in `draft.scales`, by the Python id of the element.
    """
    if not _any_frame(draft):
        return
    contents = [ONE]
    for body in draft.bodies[1:]:
        scale = _within(draft, body.frame, contents[body.parentid])
        _scale(draft, body, scale)
        if scale.stretch is not None:
            # the contents of the body are in its coordinates
            turned = in_frame(scale.stretch, 1.0, own_quat(draft, body, "quat", "alt"))
            scale = draft.scales[id(body)] = scale._replace(stretch=turned)
        contents.append(scale)
        if body.inertial is not None:
            body.inertial = body.inertial.copy()
            _inertial(draft, body.inertial, scale)
            body.__dict__.setdefault("scaling", {}).update(body.inertial.__dict__.get("scaling", {}))
    element: Any
    for element in (*draft.geoms, *draft.sites, *draft.joints, *draft.cameras, *draft.lights):
        scale = _within(draft, element.frame, contents[element.bodyid])
        _scale(draft, element, scale)
        if scale is not ONE and element.kind == "joint":
            _joint(draft, element, scale)
        elif scale is not ONE and element.kind in ("geom", "site"):
            _shape(draft, element, scale)
    _instances(draft)


def _any_frame(draft: Draft) -> bool:
    """Return True if any frame scales its contents."""
    known: set[int] = set()
    for element in (*draft.bodies[1:], *draft.geoms, *draft.sites, *draft.joints, *draft.cameras, *draft.lights):
        frame = element.frame
        while frame is not None and id(frame) not in known:
            known.add(id(frame))
            values = frame.__dict__
            if values.get("massscale") or tuple(values.get("scale", UNIT)) != UNIT:
                return True
            frame = values.get("frame")
    return False


def _within(draft: Draft, frame: Element | None, outer: Scale) -> Scale:
    """Return the scale of the contents of a frame. `outer` is the scale of the contents of its body."""
    if frame is None:
        return outer
    known: Scale | None = draft.frame_scales.get(id(frame))
    if known is None:
        around = _within(draft, frame.frame, outer)
        if around is not ONE:
            draft.frame_factors[id(frame)] = around
        known = draft.frame_scales[id(frame)] = _inside(draft, frame, around)
    return known


def _inside(draft: Draft, frame: Element, around: Scale) -> Scale:
    """Return the scale of the contents of a frame, given the scale outside the frame."""
    values = frame.__dict__
    sizes, mass = tuple(values.get("scale", UNIT)), values.get("massscale", 0.0)
    if sizes == UNIT and not mass:
        return around
    if not all(isfinite(x) and x > 0 for x in sizes):
        draft.problems.about(frame, "scale must be finite and positive", "scale")
        return around
    if not (isfinite(mass) and mass >= 0):
        draft.problems.about(frame, "massscale must be finite, and not negative", "massscale")
        return around
    similar, alike = values.get("scaling", SIMILAR) == SIMILAR, len(set(sizes)) == 1
    if similar and not alike:
        draft.problems.about(frame, "different factors of scale need scaling='geometry'", "scale")
        return around
    volume = sizes[0] * sizes[1] * sizes[2]
    length, mass = sizes[0] if alike else cbrt(volume), mass or volume
    unit = (length, mass) if similar else (1.0, 1.0)
    stretch = None
    if not alike or around.stretch is not None:
        stretch = in_frame(around.stretch, around.length, own_quat(draft, frame, "quat", "alt"), sizes)
    units = around.unit_length * unit[0], around.unit_mass * unit[1]
    return Scale(around.length * length, around.mass * mass, *units, 0.0, stretch)


# --- elements ---


def multiply(element: Element, name: str, factor: Any) -> None:
    """Multiply an element's value, if it exists, by one factor, or by one factor for each of its numbers.

    The factors are recorded in `element.scaling`.
    """
    value = element.__dict__.get(name)
    if value is None or factor == 1.0:
        return
    scaling = element.__dict__.setdefault("scaling", {})
    if isinstance(value, int | float):
        element.__dict__[name], scaling[name] = value * factor, factor
        return
    factors = tuple(factor) if isinstance(factor, tuple) else (factor,) * len(value)
    factors += (1.0,) * (len(value) - len(factors))
    element.__dict__[name] = tuple(number * one for number, one in zip(value, factors, strict=False))
    scaling[name] = factors


def powers(base: float, exponents: Any) -> Any:
    """Return `base` to the power of `exponents`, or a tuple of powers if `exponents` is a tuple."""
    return tuple(base**one for one in exponents) if isinstance(exponents, tuple) else base**exponents


def _scale(draft: Draft, element: Element, scale: Scale) -> None:
    """Scale the lengths in the values of an element of a body."""
    if scale is ONE:
        return
    draft.scales[id(element)] = scale
    if element.__dict__.get("plugin") is not None:
        draft.problems.about(element, "an element with a plugin cannot be scaled by a frame")
    for name, exponents in LENGTHS[element.kind].items():
        if scale.stretch is None or name not in PLACES:
            multiply(element, name, powers(scale.length, exponents))
        elif name != "surfacevel" and element.__dict__.get(name) is not None:
            element.__dict__[name] = scale.moved(element.__dict__[name])


def _inertial(draft: Draft, inertial: Element, scale: Scale) -> None:
    """Scale the mass, center of mass and moments of inertia of an inertial element."""
    if scale is ONE:
        return
    multiply(inertial, "mass", scale.mass)
    if scale.stretch is not None:
        quat = own_quat(draft, inertial, "iquat", "ialt")
        full = inertia(scale.stretch, scale.mass, full_inertia(inertial, quat))
        if inertial.ipos is not None:
            inertial.ipos = scale.moved(inertial.ipos)
        inertial.fullinertia = tuple(float(full[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
        inertial.inertia, inertial.iquat, inertial.ialt = (0.0,) * 3, IDENTITY, None
        inertial.written = inertial.written - {"iquat"}
        return
    multiply(inertial, "ipos", scale.length)
    for name in ("inertia", "fullinertia"):
        multiply(inertial, name, scale.mass * scale.length**2)


def _shape(draft: Draft, element: Element, scale: Scale) -> None:
    """Scale the mass, the adhesion force, and the size parameters that the type of a geom or site uses."""
    count = SIZES.get(element.type, 0)
    factors: tuple[float, ...] = (scale.length,) * 3
    if scale.stretch is not None:
        factors = _stretched(draft, element, scale)
    multiply(element, "size", factors[:count])
    if element.kind == "geom":
        multiply(element, "mass", scale.mass)
        multiply(element, "density", scale.mass / scale.length ** (2 if _is_shell(draft, element) else 3))
        multiply(element, "adhesion", scale.unit(1))


def _is_shell(draft: Draft, geom: Element) -> bool:
    """Return True if the mass of a geom is on its surface, so that its density is a mass per area."""
    if geom.type not in (MESH, SDF):
        return bool(geom.typeinertia)
    mesh = draft.ids["mesh"].get(geom.meshname)
    return mesh is not None and draft.meshes[mesh].inertia == mjtMeshInertia.mjMESH_INERTIA_SHELL


def _stretched(draft: Draft, element: Element, scale: Scale) -> tuple[float, ...]:
    """Return the factors of a shape's size parameters in a frame with different factors along its axes."""
    assert scale.stretch is not None
    ends = element.fromto is not None
    if ends:
        # the shape gets the length and orientation of the mapped axis
        stretch_between(draft, element)
        element.fromto = None
    quat = own_quat(draft, element, "quat", "alt")
    (x, y, z), wrong = shape_factors(scale.stretch, quat, element.type)
    mean = scale.length
    if element.kind == "geom" and any(element.surfacevel[:3]):
        multiply(element, "surfacevel", (x, y, z))
    if element.type in (MESH, SDF):
        element.stretch = local(scale.stretch, quat)
    elif wrong and element.kind == "geom":
        draft.problems.about(element, f"{wrong}: a frame stretches it")
    elif element.type == HFIELD:
        element.stretch = ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))
    elif element.__dict__.get("meshname"):
        draft.problems.about(element, "a shape that is fitted to a mesh cannot be stretched by a frame")
    if element.type == SPHERE:
        return mean, mean, mean
    length = 1.0 if ends else z
    if element.type in (CAPSULE, CYLINDER):
        return sqrt(x * y), length, 1.0
    return x, y, mean if element.type == PLANE else length


def _joint(draft: Draft, joint: Joint, scale: Scale) -> None:
    """Scale a joint. The position of a slide joint is a length."""
    if joint.type == FREE:
        return
    power = int(joint.type == SLIDE)
    if scale.stretch is not None and joint.type in (SLIDE, HINGE):
        factor, stays = along(scale.stretch, joint.axis)
        if not stays:
            draft.problems.about(joint, "its axis is not one of those of the scale: a frame stretches it", "axis")
        scale = draft.scales[id(joint)] = scale._replace(along=factor)
    length = scale.along or scale.length
    for name in ("range", "ref", "springref", "margin"):
        multiply(joint, name, length**power)
    spring_like(joint, scale, power)


def spring_like(element: Element, scale: Scale, power: int) -> None:
    """Scale stiffness, damping and similar values of a joint or tendon. Its position has dimension length^power."""
    length = (scale.along or scale.length) ** power
    for name in ("solimp_limit", "solimp_friction"):
        multiply(element, name, powers(length, WIDTH))
    multiply(element, "springyield", length)
    for name in ("stiffness", "damping"):
        polynomial(element, name, scale, power)
    multiply(element, "armature", scale.unit(2 - 2 * power))
    for name in ("frictionloss", "actfrcrange"):
        multiply(element, name, scale.unit(2 - power))


def polynomial(element: Element, name: str, scale: Scale, power: int) -> None:
    """Scale the coefficients of a force that is a polynomial of a position or velocity of dimension length^power."""
    multiply(element, name, tuple(scale.unit(2 - power - power * order) for order in (1, 2, 3)))


# --- assets ---


def _instances(draft: Draft) -> None:
    """Create a copy of each mesh and height field for every scale in use. The first copy keeps the name."""
    for kind, attribute, elements, size in (
        ("mesh", "meshname", "meshes", "scale"), ("hfield", "hfieldname", "hfields", "size"),
    ):  # fmt: skip
        uses: dict[str, dict[Any, list[Any]]] = {}
        for element in (*draft.geoms, *(draft.sites if kind == "mesh" else ())):
            name = element.__dict__.get(attribute)
            if name in draft.ids[kind]:
                scale: Any = element.__dict__.get("stretch") or draft.scales.get(id(element), ONE).length
                uses.setdefault(name, {}).setdefault(scale, []).append(element)
        assets: list[Any] = getattr(draft, elements)
        for asset in list(assets):
            given = asset.copy()
            for number, (scale, users) in enumerate(uses.get(asset.name, {}).items()):
                made = given.copy() if number else asset
                if number:
                    made.name, made.origin = f"{asset.name}@{number}", made
                    assets.append(made)
                multiply(made, size, _factor(draft, made, scale))
                if scale != 1.0 and made.__dict__.get("plugin") is not None:
                    draft.problems.about(made, "an element with a plugin cannot be scaled by a frame")
                for user in users:
                    user.__dict__[attribute] = made.name
        draft.number(kind)


def _factor(draft: Draft, asset: Element, scale: Any) -> Any:
    """Return the factors of an asset's sizes under a scale factor or linear map."""
    if isinstance(scale, float):
        return scale
    factors = diagonal(scale)
    if factors is None:
        draft.problems.about(asset, "a frame stretches it along axes other than its own, which is not implemented")
        return 1.0
    return factors if asset.kind == "mesh" else (*factors, factors[2])
