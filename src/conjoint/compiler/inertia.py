"""Masses and inertias of geoms and bodies."""

from collections.abc import Iterable, Sequence
from math import isnan
from typing import Any, NamedTuple

from conjoint.compiler.draft import Draft
from conjoint.compiler.kinds import Body, Geom
from conjoint.compiler.passes import declared
from conjoint.compiler.shape import MEANING, SIZES, area, inertia, shell_inertia, volume
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom
from conjoint.schema.kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, FREE, GEOM_TYPES, HFIELD, MESH, PLANE, SDF, SPHERE
from conjoint.spec.rotation import (
    IDENTITY,
    TO_ROUNDING,
    Quaternion,
    Vector,
    conj_quat,
    dot,
    mul_quat,
    place,
    principal_axes,
    quat_to_mat,
    rotate,
    unit_quat,
)

TINY = 1e-14
CONDIMS = (1, 3, 4, 6)
"""Allowed dimensions of a contact."""
FALSE, ALWAYS, AUTO = 0, 1, 2
"""Values of inertiafromgeom: never, always, or if there is no inertial element."""


@declared(
    reads="geom: asset size; site: size",
    changes="geom: density mass",
    writes="geom: inertia",
)
def resolve_geoms(draft: Draft) -> None:
    """Check the sizes, and set the mass and principal inertia of every geom."""
    drawn = [geom for geom in draft.geoms if geom.type not in GEOM_TYPES]
    for geom in drawn:
        draft.problems.about(geom, f"a geom cannot have the type {mjtGeom(geom.type).name}", "type")
    if drawn:
        # stop here, because the shapes of these geoms are unknown
        draft.problems.check()
    for geom in draft.geoms:
        content = _content(geom)
        # as in MuJoCo, NaN counts as no mass
        if geom.mass is None or isnan(geom.mass) or content <= TINY:
            geom.mass = geom.density * content
        elif geom.mass:
            geom.density = geom.mass / content
        geom.inertia = (0.0, 0.0, 0.0)
        if any(map(isnan, geom.size)):
            draft.problems.about(geom, "a number of size is NaN", "size")
        elif _check_size(draft, geom):
            geom.inertia = _moments(geom)
        if (geom.mass < 0 or geom.density < 0) and _counts(draft, geom):
            draft.problems.about(geom, "mass and density cannot be negative", "mass")
        if geom.typeinertia and geom.type in (MESH, SDF):
            draft.problems.about(geom, "shellinertia of a mesh is set in the mesh: inertia='shell'", "shellinertia")
        if geom.condim not in CONDIMS:
            draft.problems.about(geom, f"condim {geom.condim} is not 1, 3, 4 or 6", "condim")
    for site in draft.sites:
        if site.type not in (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH):
            draft.problems.about(site, "a site is a sphere, capsule, ellipsoid, cylinder, box or mesh", "type")
        elif site.type != MESH:
            _check_size(draft, site)


def _counts(draft: Draft, geom: Geom) -> bool:
    """Return True if the mass of a geom may be part of its body's mass."""
    body = draft.bodies[geom.bodyid]
    settings = draft.settings(body)
    lowest, highest = settings.inertiagrouprange
    inferred = not _placed(body) or settings.inertiafromgeom == ALWAYS
    return bool(geom.bodyid) and inferred and lowest <= geom.group <= highest


def _content(geom: Geom) -> float:
    """Return the volume of a geom, or the area of a shell. A height field counts as a box up to half its height."""
    if geom.asset is not None and geom.type != HFIELD:
        return geom.asset.mass.volume
    return (area if geom.typeinertia else volume)(BOX if geom.type == HFIELD else geom.type, geom.size)


def _moments(geom: Geom) -> Vector:
    """Return the principal moments of inertia of a geom. A mesh is replaced by the box with equal moments."""
    if geom.asset is not None and geom.type != HFIELD:
        return inertia(BOX, geom.asset.mass.box, geom.mass)
    moments = shell_inertia if geom.typeinertia else inertia
    return moments(BOX if geom.type == HFIELD else geom.type, geom.size, geom.mass)


def _check_size(draft: Draft, geom: Any) -> bool:
    """Return True if the sizes that the geom type requires are positive. A plane may be infinite in x and y."""
    size = geom.size
    if geom.type == PLANE:
        if size[2] <= 0:
            message = "the third size of a plane must be positive: it is the distance between the lines drawn on it"
            draft.problems.about(geom, message, "size")
        return bool(size[2] > 0)
    if geom.type in (HFIELD, MESH, SDF):
        return geom.asset is not None
    needed = size[: SIZES[geom.type]]
    if min(needed) <= 0:
        written = " ".join(f"{number:g}" for number in needed)
        official = f"Error: size {next(i for i, number in enumerate(needed) if number <= 0)} must be positive in geom"
        message = f"size {written}: all must be positive ({MEANING[geom.type]})\n{official}"
        draft.problems.about(geom, message, "size")
        return False
    return True


@declared(
    reads="body: inertial written_pose; geom: inertia mass; inertial: inertia ipos iquat mass",
    early="geom: pos quat",
    writes="body: inertia ipos iquat mass",
)
def resolve_bodies(draft: Draft) -> None:
    """Set the mass, principal inertia and inertial frame of every body."""
    world = draft.bodies[0]
    world.mass, world.inertia, world.ipos, world.iquat = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), IDENTITY
    if world.inertial is not None:
        # URDF or an edit of a spec can give the world a mass
        world.written_pose = world.ipos, world.iquat
        _written(draft, world)
    for body in draft.bodies[1:]:
        resolve_body(draft, body)


def resolve_body(draft: Draft, body: Body) -> None:
    """Set the mass, principal inertia and inertial frame of a body, as written or from its geoms."""
    _written(draft, body)
    mode = draft.settings(body).inertiafromgeom
    if mode != FALSE and (mode != AUTO or not _placed(body)):
        _from_geoms(draft, body)
    _bound(draft, body)


def _written(draft: Draft, body: Body) -> None:
    """Set mass, inertia and inertial frame to the values of the inertial element, or to zero mass if there is none."""
    inertial, placed = body.inertial, _placed(body)
    body.mass, body.inertia = (0.0, (0.0, 0.0, 0.0)) if inertial is None else (inertial.mass, inertial.inertia)
    # as in MuJoCo, a missing inertial frame is at the written pose of the body
    body.ipos, body.iquat = (inertial.ipos, inertial.iquat) if inertial is not None and placed else body.written_pose
    if inertial is None or inertial.fullinertia is None:
        return
    if any(inertial.inertia):
        draft.problems.about(
            inertial, "fullinertia and diaginertia cannot both be given: remove one of them", "fullinertia"
        )
    if placed and (inertial.ialt is not None or "iquat" in inertial.written):
        draft.problems.about(
            inertial, "fullinertia and an orientation cannot both be given: remove one of them", "fullinertia"
        )
    body.inertia, axes, _ = principal_axes(inertial.fullinertia, TO_ROUNDING if draft.newer else None)
    if placed:
        body.iquat = unit_quat(mul_quat(body.iquat, axes))
    if body.inertia[2] < TINY:
        draft.problems.about(inertial, "fullinertia must be positive definite", "fullinertia")


def _placed(body: Body) -> bool:
    """Return True if the inertial frame is given. If it is not, a program may still have given mass and inertia."""
    return body.inertial is not None and body.inertial.ipos is not None


def _from_geoms(draft: Draft, body: Body) -> None:
    """Combine mass, center of mass and principal inertia of the geoms in `inertiagrouprange`."""
    settings = draft.settings(body)
    lowest, highest = settings.inertiagrouprange
    parts = [
        Part(geom.mass, geom.inertia, geom.pos, geom.quat) for geom in body.geoms if lowest <= geom.group <= highest
    ]
    if body.__dict__.get("explicitinertial") and settings.inertiafromgeom == AUTO:
        # geoms have no mass if a program gives mass and inertia explicitly
        parts = [part._replace(mass=0.0, inertia=(0.0, 0.0, 0.0)) for part in parts]
    if draft.newer:
        parts = [part for part in parts if part.mass > TINY]
    if not parts:
        return
    if len(parts) == 1:
        body.mass, body.inertia, body.ipos, body.iquat = parts[0]
        return
    if in_order(part.mass for part in parts) < TINY:
        # massless geoms have no center: ignore them, as MuJoCo has done since 3.6; 3.3.5 rejects the model
        return
    body.mass, body.inertia, body.ipos, body.iquat = composed(parts, draft.newer)
    if body.inertia[2] < TINY:
        draft.problems.about(
            body, "the inertia of its geoms is too small: make them larger or denser, or add <inertial>"
        )


class Part(NamedTuple):
    """Mass, principal moments of inertia, and the pose of the principal axes."""

    mass: float
    inertia: Vector
    pos: Vector
    quat: Quaternion


def composed(parts: Sequence[Part], to_rounding: bool = False) -> Part:
    """Combine parts into one. Sums follow MuJoCo's order, because rounding affects the principal axes."""
    mass = in_order(part.mass for part in parts)
    x, y, z = (in_order(part.mass * part.pos[i] for part in parts) / mass for i in range(3))
    total = [0.0] * 6
    for part in parts:
        offset = (part.pos[0] - x, part.pos[1] - y, part.pos[2] - z)
        for numbers in (_turned(part.inertia, part.quat), _shifted(part.mass, offset)):
            total = [a + b for a, b in zip(total, numbers, strict=True)]
    moments, quat, _ = principal_axes(total, TO_ROUNDING if to_rounding else None)
    return Part(mass, moments, (x, y, z), quat)


def in_order(numbers: Iterable[float]) -> float:
    """Return the sum of numbers from left to right, without the compensated summation of newer Python versions."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def _turned(moments: Vector, quat: Quaternion) -> tuple[float, ...]:
    """Return the inertia xx yy zz xy xz yz in the parent frame, given principal moments and the axes' orientation."""
    m = quat_to_mat(quat)
    a, b, c = m[:3], m[3:6], m[6:]
    u, v, w = ((row[0] * moments[0], row[1] * moments[1], row[2] * moments[2]) for row in (a, b, c))
    return dot(a, u), dot(b, v), dot(c, w), dot(a, v), dot(a, w), dot(b, w)


def _shifted(mass: float, offset: Vector) -> tuple[float, ...]:
    """Return the inertia xx yy zz xy xz yz of a point mass at a given offset (parallel axis theorem)."""
    x, y, z = offset
    return (
        mass * (y * y + z * z), mass * (x * x + z * z), mass * (x * x + y * y),
        -mass * x * y, -mass * x * z, -mass * y * z,
    )  # fmt: skip


def _bound(draft: Draft, body: Body) -> None:
    """Apply boundmass, boundinertia and balanceinertia, and check that the result is physically possible."""
    compiler = draft.settings(body)
    least, (a, b, c) = compiler.boundinertia, body.inertia
    body.mass = max(body.mass, compiler.boundmass)
    a, b, c = body.inertia = max(a, least), max(b, least), max(c, least)
    if body.mass < 0 or min(a, b, c) < 0:
        draft.problems.about(body, "mass and inertia cannot be negative")
        return
    if a + b < c or a + c < b or b + c < a:
        if compiler.balanceinertia:
            body.inertia = ((a + b + c) / 3,) * 3
        else:
            message = (
                f"inertia {a:g} {b:g} {c:g}: none may exceed the sum of the others; or set compiler/balanceinertia"
            )
            draft.problems.about(_source(body), message, "inertia")


def _source(body: Body) -> Any:
    """Return the element that specifies the inertia of `body`."""
    return body if body.inertial is None else body.inertial


@declared(
    reads="body: id parentid",
    early="body: inertia mass",
)
def check_moving(draft: Draft) -> None:
    """Check that moving bodies have mass and no planes, and that free bodies are top-level.

    Instead of the moving body itself, bodies fixed to it may have the mass.
    """
    has_mass, moves = [False] * len(draft.bodies), [False] * len(draft.bodies)
    for body in reversed(draft.bodies):
        x, y, z = body.inertia
        if body.mass >= mjMINVAL and x >= mjMINVAL and y >= mjMINVAL and z >= mjMINVAL:
            has_mass[body.id] = True
        if has_mass[body.id] and not body.joints:
            has_mass[body.parentid] = True
    for body in draft.bodies[1:]:
        moves[body.id] = bool(body.joints) or moves[body.parentid]
        for joint in body.joints if body.parentid else ():
            if joint.type == FREE:
                draft.problems.about(joint, "a free joint must be in a child of the world", "type")
        for geom in body.geoms if moves[body.id] else ():
            if geom.type == PLANE:
                draft.problems.about(
                    geom, "a plane cannot be in a body that moves: put it into the world, or use a box", "type"
                )
        if has_mass[body.id] or not body.joints:
            continue
        # if a shape could not be loaded, only that problem is reported
        if all(geom.asset is not None for geom in body.geoms if geom.type in (HFIELD, MESH, SDF)):
            name = f"body '{body.name}'" if body.name else "the body"
            missing = f"{name} moves, but its mass or inertia is missing"
            draft.problems.about(_source(body), f"{missing}: give it a geom, or an inertial above {mjMINVAL:g}")


@declared(
    early="body: id parentid",
    changes="body: ipos iquat pos quat; camera: pos quat; geom: pos quat; light: dir pos; site: pos quat",
)
def align_free_bodies(draft: Draft) -> None:
    """Move the frames of free bodies without children to their inertial frames, if the model requests it."""
    parents = {body.parentid for body in draft.bodies}
    for body in draft.bodies[1:]:
        if body.id in parents or [joint.type for joint in body.joints] != [FREE]:
            continue
        wanted = body.joints[0].__dict__.get("align", AUTO)
        if draft.settings(body).alignfree if wanted == AUTO else wanted:
            _align(body)


def _align(body: Body) -> None:
    """Move the frame of `body` to its inertial frame, and transform its elements accordingly."""
    pos, quat = body.ipos, body.iquat
    body.pos = place(body.pos, body.quat, pos)
    body.quat = unit_quat(mul_quat(body.quat, quat))
    body.ipos, body.iquat = (0.0, 0.0, 0.0), IDENTITY
    back = conj_quat(quat)
    element: Any
    for element in (*body.geoms, *body.sites, *body.cameras, *body.lights):
        element.pos = rotate(back, [x - y for x, y in zip(element.pos, pos, strict=True)])
        if element.kind == "light":
            element.dir = rotate(back, element.dir)
        else:
            element.quat = unit_quat(mul_quat(back, element.quat))


@declared(
    changes="body: inertia mass",
)
def set_total_mass(draft: Draft) -> None:
    """Scale masses and inertias to `settotalmass` if it is positive. The world's mass does not change."""
    total = draft.spec.compiler.settotalmass
    if total <= 0:
        return
    scale = total / max(TINY, sum(body.mass for body in draft.bodies[1:]))
    for body in draft.bodies[1:]:
        x, y, z = body.inertia
        body.mass, body.inertia = body.mass * scale, (x * scale, y * scale, z * scale)
