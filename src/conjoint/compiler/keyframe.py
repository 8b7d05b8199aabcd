"""Keyframes of attached models: states of their joints, actuators and mocap bodies to vectors of the whole model."""

from collections.abc import Sequence
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.schema.joints import NQ, NV


def place_states(draft: Draft, initial: dict[str, Sequence[float]]) -> None:
    """Write the vectors of keyframes that are given as states; what has no state keeps its initial value."""
    keys = [key for key in draft.keys if key.__dict__.get("states")]
    if not keys:
        return
    where = _places(draft)
    for key in keys:
        for name, states in key.states.items():
            values = list(initial[name])
            for element, numbers in states:
                # what was removed after the attachment has no place
                start = where[name].get(id(element))
                if start is not None:
                    values[start : start + len(numbers)] = numbers
            setattr(key, name, tuple(values))


def _places(draft: Draft) -> dict[str, dict[int, int]]:
    """Where the numbers of each element start in each vector, by the id of the element of the Spec."""
    mocaps = [body for body in draft.bodies if body.mocap]
    return {
        "qpos": _starts(draft.joints, [NQ[joint.type] for joint in draft.joints]),
        "qvel": _starts(draft.joints, [NV[joint.type] for joint in draft.joints]),
        "act": _starts(draft.actuators, [actuator.actnum for actuator in draft.actuators]),
        "ctrl": _starts(draft.actuators, [1] * len(draft.actuators)),
        "mpos": _starts(mocaps, [3] * len(mocaps)),
        "mquat": _starts(mocaps, [4] * len(mocaps)),
    }


def _starts(elements: Sequence[Any], counts: Sequence[int]) -> dict[int, int]:
    """First index of the numbers of each element."""
    starts, start = {}, 0
    for element, count in zip(elements, counts, strict=True):
        starts[id(element.origin)] = start
        start += count
    return starts
