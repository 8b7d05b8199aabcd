"""Keyframes whose numbers belong to elements: to vectors of the whole model."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from conjoint.compiler.draft import Draft
from conjoint.compiler.scale_keys import scaled_numbers
from conjoint.spec import Element
from conjoint.spec.keyframes import Owners, moved


def place_states(draft: Draft, found: Owners, initial: Mapping[str, Sequence[float]]) -> None:
    """Write the vectors of keyframes that hold states, or whose elements are elsewhere by now.

    What has no number keeps its initial value. `placed` are the names of the vectors that were written.

    Args:
        found: owners of the numbers of each vector, elements of the draft.
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
    """One vector of a keyframe: `initial`, with the numbers of elements at their `places`."""
    values = list(initial)
    for element, numbers in states:
        # what was removed since has no place, and what is of another type now starts as initially
        start, count = places.get(id(element), (0, -1))
        if count == len(numbers):
            values[start : start + count] = scaled_numbers(draft, name, start, numbers)
    return tuple(values)
