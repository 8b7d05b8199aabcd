"""Order in which the contents of a body are written. Frames stay together unless that would change ids."""

from collections.abc import Iterator
from typing import Any

from conjoint.spec import Body, Element
from conjoint.spec.element import ATTACHED

Plan = list[tuple[str, Any, "Plan | None"]]
"""Contents in the order of writing: tag, element, and, if the element is a frame, the plan for its contents."""

CONTENTS = {**ATTACHED, "body": "bodies"}
"""Element lists of a body, by tag, in the order in which they are written."""


def arrange(body: Body) -> Plan:
    """Return the contents of `body` in the order in which they are written.

    Elements of a type are numbered in the order of the file. Each frame is written once with all its contents if that
    keeps the order. Otherwise it is opened again for every sequence of consecutive elements.
    """
    frames: list[Element] = body.__dict__.get("frames", [])
    elements = {tag: getattr(body, name) for tag, name in CONTENTS.items()}
    if not frames and all(one.__dict__.get("frame") is None for group in elements.values() for one in group):
        return [(tag, one, None) for tag, group in elements.items() for one in group]
    plan = _Grouping(elements, frames).inside(None)
    if all([*_order(plan, tag)] == group for tag, group in elements.items()):
        return plan
    return _in_runs(elements)


class _Grouping:
    """Contents of a body, grouped by frame. None stands for the body itself."""

    def __init__(self, elements: dict[str, list[Any]], frames: list[Element]):
        self.elements: dict[int, Plan] = {}
        self.frames: dict[int, list[Element]] = {}
        self.known: set[int] = set()
        self.first_body: dict[int, int] = {}
        for tag, group in elements.items():
            for i, one in enumerate(group):
                frame = one.__dict__.get("frame")
                self.elements.setdefault(id(frame), []).append((tag, one, None))
                self._add(frame)
                if tag == "body":
                    self._holds(frame, i)
                    self.first_body[id(one)] = i
        for frame in frames:
            self._add(frame)

    def _add(self, frame: Element | None) -> None:
        """Record `frame` as a child of its enclosing frame, after recording the enclosing frames."""
        if frame is None or id(frame) in self.known:
            return
        self.known.add(id(frame))
        outer = frame.__dict__.get("frame")
        self._add(outer)
        self.frames.setdefault(id(outer), []).append(frame)

    def _holds(self, frame: Element | None, number: int) -> None:
        """Record that `frame` and its enclosing frames contain body number `number`."""
        while frame is not None:
            self.first_body.setdefault(id(frame), number)
            frame = frame.__dict__.get("frame")

    def inside(self, frame: Element | None) -> Plan:
        """Return the plan for the contents of `frame`: elements, bodies and frames with bodies, then other frames."""
        own = self.elements.get(id(frame), [])
        plan = [item for item in own if item[0] != "body"]
        later = [item for item in own if item[0] == "body"]
        later += [("frame", inner, self.inside(inner)) for inner in self.frames.get(id(frame), [])]
        return plan + sorted(later, key=lambda item: self.first_body.get(id(item[1]), len(self.first_body)))


def _order(plan: Plan, tag: str) -> Iterator[Any]:
    """Yield the elements of one type in the order of `plan`."""
    for name, element, inner in plan:
        if inner is not None:
            yield from _order(inner, tag)
        elif name == tag:
            yield element


def _in_runs(elements: dict[str, list[Any]]) -> Plan:
    """Return a plan in which elements are ordered by type, and a frame is opened for each sequence of its elements.

    Only the first part of a frame has its name.
    """
    plan: Plan = []
    named: set[int] = set()
    for tag, group in elements.items():
        holder, current = plan, None
        for one in group:
            frame = one.__dict__.get("frame")
            if frame is not current:
                holder, current = _open(plan, frame, named), frame
            holder.append((tag, one, None))
    return plan


def _open(plan: Plan, frame: Element | None, named: set[int]) -> Plan:
    """Append `frame` and its enclosing frames to `plan`, and return the (empty) plan for the contents of `frame`."""
    if frame is None:
        return plan
    outer = _open(plan, frame.__dict__.get("frame"), named)
    shown = frame
    if id(frame) in named:
        # the first part of the frame already has the name
        if not frame.childclass:
            return outer
        shown = frame.copy()
        shown.name = ""
    named.add(id(frame))
    inside: Plan = []
    outer.append(("frame", shown, inside))
    return inside
