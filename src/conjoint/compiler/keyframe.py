"""Keyframes of attached models: states of their joints, actuators and mocap bodies to vectors of the whole model."""

from collections.abc import Sequence
from itertools import accumulate

from conjoint.compiler.draft import Draft
from conjoint.spec.keyframes import owners


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
    places: dict[str, dict[int, int]] = {}
    for name, found in owners(draft.joints, draft.actuators, draft.bodies).items():
        starts = accumulate((count for _, count in found), initial=0)
        places[name] = {id(element.origin): start for (element, _), start in zip(found, starts, strict=False)}
    return places
