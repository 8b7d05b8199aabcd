"""Poses of elements: orientations, fromto, and frames (Modeling chapter, Frame orientations)."""

from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.passes import declared
from conjoint.schema.kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID
from conjoint.spec import Element
from conjoint.spec.rotation import (
    IDENTITY,
    SHORT,
    Quaternion,
    distance,
    mul_quat,
    orientation,
    place,
    quat_from_z,
    rotate,
    unit_quat,
)


@declared(
    reads="draft: frame_factors; geom: fromto",
    changes=(
        "body: inertial pos quat; camera: pos quat; geom: alt pos quat size; inertial: iquat; joint: axis pos; "
        "light: dir pos; site: alt pos quat size"
    ),
    writes="body: written_pose",
)
def resolve_poses(draft: Draft) -> None:
    """Set `pos` and unit `quat` of all elements relative to their bodies, and directions of joints and lights."""
    frames: dict[int, tuple[tuple[float, ...], Quaternion]] = {}
    for body in draft.bodies[1:]:
        _resolve(draft, body, frames)
        if body.inertial is not None:
            body.inertial = body.inertial.copy()
            body.inertial.iquat = own_quat(draft, body.inertial, "iquat", "ialt")
    shape: Any
    for shape in (*draft.geoms, *draft.sites):
        if shape.fromto is not None:
            stretch_between(draft, shape)
        _resolve(draft, shape, frames)
    for camera in draft.cameras:
        _resolve(draft, camera, frames)
    element: Any
    for element in (*draft.joints, *draft.lights):
        if element.frame is not None:
            pos, quat = frame_pose(draft, element.frame, frames)
            element.pos = place(pos, quat, element.pos)
            name = "axis" if element.kind == "joint" else "dir"
            setattr(element, name, rotate(quat, getattr(element, name)))


def own_quat(draft: Draft, element: Element, quat: str, alt: str) -> Quaternion:
    """Return the unit quaternion of an element, converted from any form of orientation."""
    written = getattr(element, alt)
    if written is None:
        value = getattr(element, quat)
        return IDENTITY if value == IDENTITY else unit_quat(value)
    compiler = draft.settings(element)
    form, values = written
    try:
        return orientation(form, values, bool(compiler.degree), compiler.eulerseq)
    except ValueError as error:
        draft.problems.about(element, f"{form}: {error}", form)
        return IDENTITY


def _resolve(draft: Draft, element: Element, frames: dict) -> None:
    """Set the unit quaternion of `element`, and convert its pose from its frame to its body."""
    if element.alt is not None or element.quat != IDENTITY:
        element.quat = own_quat(draft, element, "quat", "alt")
    else:
        # use the constant itself, because equal rotations may have different numbers
        element.quat = IDENTITY
    if element.kind == "body":
        # pose in its frame
        element.written_pose = element.pos, element.quat
    if element.frame is not None:
        pos, quat = frame_pose(draft, element.frame, frames)
        element.pos = place(pos, quat, element.pos)
        element.quat = unit_quat(mul_quat(quat, element.quat))


def frame_pose(draft: Draft, frame: Any, frames: dict, scaled: bool = True) -> tuple[tuple[float, ...], Quaternion]:
    """Return the pose of a frame relative to its body.

    If `scaled` is false, the scale factors of frames are ignored.
    """
    known = frames.get(id(frame))
    if known is None:
        known = (frame.pos, own_quat(draft, frame, "quat", "alt"))
        if scaled and id(frame) in draft.frame_factors:
            # enclosing frames scale its position
            known = (draft.frame_factors[id(frame)].moved(frame.pos), known[1])
        if frame.frame is not None:
            pos, quat = frame_pose(draft, frame.frame, frames, scaled)
            known = (place(pos, quat, known[0]), unit_quat(mul_quat(quat, known[1])))
        frames[id(frame)] = known
    return known


def stretch_between(draft: Draft, element: Element) -> None:
    """Set size, position and orientation of a geom or site that is defined by its two end points (fromto)."""
    start, end = element.fromto[:3], element.fromto[3:]
    if element.type not in (CAPSULE, CYLINDER, ELLIPSOID, BOX):
        draft.problems.about(element, "fromto needs a capsule, cylinder, ellipsoid or box", "fromto")
        return
    if any(element.pos):
        draft.problems.about(element, "pos and fromto cannot both be given: remove one of them", "fromto")
    half = distance(start, end) / 2
    if 4 * half * half < SHORT:
        draft.problems.about(element, "the two points of fromto are too close", "fromto")
        return
    radius = element.size[0]
    element.size = (radius, radius, half) if element.type in (ELLIPSOID, BOX) else (radius, half, element.size[2])
    element.pos = tuple((a + b) / 2 for a, b in zip(start, end, strict=True))
    element.quat = quat_from_z([a - b for a, b in zip(start, end, strict=True)])
    element.alt = None
