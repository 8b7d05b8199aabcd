"""Conversion of keyframes that store numbers by element, or belong to scaled models, to vectors of the whole model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.kinds import Body
from conjoint.compiler.pose import frame_pose
from conjoint.compiler.scale import ONE, Scale
from conjoint.compiler.scale_relations import Measure, control_factor
from conjoint.compiler.stretch import in_frame
from conjoint.schema.kinds import FREE, NQ, NV, SLIDE
from conjoint.spec import Element
from conjoint.spec.actuator_size import activations, controls
from conjoint.spec.keyframes import Owners, moved, rest_size
from conjoint.spec.rotation import conj_quat

NOWHERE = (0.0, 0.0, 0.0)


class KeyMap:
    """Scaling of the numbers in one vector of keyframes, such as qpos.

    Attributes:
        factors: scale factor of each number.
        places: positions in the vector that are scaled as 3-vectors, each as start index, scale and shift.
    """

    def __init__(self) -> None:
        self.factors: list[float] = []
        self.places: list[tuple[int, Scale, tuple[float, ...]]] = []

    def place(self, scale: Scale, shift: tuple[float, ...]) -> None:
        """Append a position to the vector, with its scale and shift."""
        self.places.append((len(self.factors), scale, shift))
        self.factors += [1.0] * 3

    def of(self, start: int, numbers: Sequence[float]) -> tuple[float, ...]:
        """Return scaled `numbers`, which are the part of the vector that starts at index `start`."""
        factors = self.factors[start:]
        scaled = [x * factor for x, factor in zip(numbers, factors, strict=False)] + list(numbers[len(factors) :])
        for first, scale, shift in self.places:
            at = first - start
            if 0 <= at <= len(numbers) - 3:
                scaled[at : at + 3] = [a + b for a, b in zip(scale.moved(numbers[at : at + 3]), shift, strict=True)]
        return tuple(scaled)


def scaled_numbers(draft: Draft, name: str, start: int, numbers: Sequence[float]) -> Sequence[float]:
    """Return scaled numbers of a keyframe. They are the part of vector `name` that starts at index `start`."""
    if not draft.scales:
        return numbers
    known: dict[str, KeyMap] = draft.__dict__.setdefault("key_maps", {})
    if name not in known:
        known[name] = _key_map(draft, name)
    return known[name].of(start, numbers)


def _key_map(draft: Draft, name: str) -> KeyMap:
    """Return the scaling of a keyframe's vector. Body positions are scaled about the frames that contain the bodies."""
    found = KeyMap()
    if name in ("qpos", "qvel"):
        for joint in draft.joints:
            count = (NQ if name == "qpos" else NV)[joint.type]
            if joint.type == FREE:
                scale, shift = _place(draft, draft.bodies[joint.bodyid])
                found.place(scale, shift if name == "qpos" else NOWHERE)
                found.factors += [1.0] * (count - 3)
            else:
                found.factors += [_position_factor(draft, joint)] * count
    elif name in ("act", "ctrl"):
        for actuator in draft.actuators:
            measure = actuator.__dict__.get("measure", Measure(ONE, 0))
            if name == "act":
                found.factors += [control_factor(actuator, measure, 0)] * activations(actuator)
            else:
                found.factors += [control_factor(actuator, measure, i) for i in range(controls(actuator))]
    elif name == "plastic":
        for element in (*draft.joints, *draft.tendons):
            found.factors += [_position_factor(draft, element)] * rest_size(element)
    else:
        for body in draft.bodies:
            if body.mocap and name == "mpos":
                found.place(*_place(draft, body))
            elif body.mocap:
                found.factors += [1.0] * 4
    return found


def _position_factor(draft: Draft, element: Element) -> float:
    """Return the scale factor of a joint's position (except for free joints), or of a tendon's length."""
    scale = draft.scales.get(id(element), ONE)
    power = element.__dict__.get("power", 0) if element.kind == "tendon" else int(element.type == SLIDE)
    return (scale.along or scale.length) ** power


def _place(draft: Draft, body: Body) -> tuple[Scale, tuple[float, ...]]:
    """Return the scale of a body's position in world coordinates, and the shift added after scaling."""
    scale = draft.frame_scales.get(id(body.frame), ONE) if body.frame is not None else ONE
    if scale is ONE:
        return ONE, NOWHERE
    new, quat = frame_pose(draft, body.frame, {})
    old, _ = frame_pose(draft, body.frame, {}, scaled=False)
    if scale.stretch is not None:
        scale = scale._replace(stretch=in_frame(scale.stretch, 1.0, conj_quat(quat)))
    return scale, tuple(a - b for a, b in zip(new, scale.moved(old), strict=True))


def place_states(draft: Draft, found: Owners, initial: Mapping[str, Sequence[float]]) -> None:
    """Write the vectors of keyframes that store numbers by element, or whose elements have new addresses.

    Elements without numbers keep their initial values. A keyframe's attribute `placed` receives the names of the
    written vectors.

    Args:
        draft: the draft.
        found: elements of the draft that own the numbers of each vector.
        initial: vectors of the initial configuration.
    """
    current: Owners = {}
    places: dict[str, dict[int, tuple[int, int]]] = {}
    for key in draft.keys:
        if not (key.__dict__.get("states") or key.__dict__.get("layout")):
            continue
        if not places:
            for name, owned in found.items():
                current[name] = [(element.__dict__.get("origin", element), count) for element, count in owned]
                starts = accumulate((count for _, count in owned), initial=0)
                pairs = zip(current[name], starts, strict=False)
                places[name] = {id(element): (start, count) for (element, count), start in pairs}
        states = {**key.__dict__.get("states", {}), **moved(key, current)}
        for name, pairs in states.items():
            setattr(key, name, _vector(draft, name, initial[name], pairs, places[name]))
        key.placed = tuple(states)


def _vector(
    draft: Draft,
    name: str,
    initial: Sequence[float],
    states: Sequence[tuple[Element, Any]],
    places: Mapping[int, tuple[int, int]],
) -> tuple[float, ...]:
    """Return one vector of a keyframe: a copy of `initial` in which elements' numbers are stored at their addresses.

    `places` maps the Python id of an element to the start and the count of its numbers.
    """
    values = list(initial)
    for element, numbers in states:
        # removed elements have no address, and elements with a changed type keep initial values
        start, count = places.get(id(element), (0, -1))
        if count == len(numbers):
            values[start : start + count] = scaled_numbers(draft, name, start, numbers)
    return tuple(values)
