"""Draft of the model compiler that records which element fields each pass reads and writes."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from conjoint.compiler.draft import NAMED, Draft
from conjoint.spec import Body, Element, Spec
from conjoint.spec.element import BODY_CONTENTS

PARTS = ("wraps", "layers", "elements", "bones")
"""Names of element values that are lists of other elements."""
OF_DRAFT = {
    "nq", "nv", "na", "nu", "nout", "nsensordata", "nhistory", "nplastic", "qpos0", "qpos_spring", "spare_volumes",
    "scales", "frame_scales", "frame_factors", "tree", "names", "sizes", "sleep_policy", "model", "arrays", "structure",
}  # fmt: skip
"""Names of the fields of the draft itself; its lists of elements do not count as fields."""
HIDDEN = {"kind", "place", "copy", "written", "origin", "scaling", "__class__", *BODY_CONTENTS}
"""Names of values that do not count as fields: the type of an element, lists of elements, and the like."""


def is_field(kind: str, name: str) -> bool:
    """Return True if a value counts as a field of elements or of the draft."""
    return name in OF_DRAFT if kind == "draft" else name not in HIDDEN


class Record:
    """Record of the fields that each pass of the compiler reads and writes; `now` is the current pass.

    Attributes:
        reads: by pass, fields that the pass read before it wrote them.
        writes: by pass, fields that the pass wrote.
    """

    def __init__(self) -> None:
        self.now = ""
        self.reads: dict[str, set[str]] = defaultdict(set)
        self.writes: dict[str, set[str]] = defaultdict(set)
        self.own: set[tuple[int, str]] = set()
        self.left: list[Any] = []

    def begin(self, name: str) -> None:
        """Start the record of a pass."""
        self.now, self.own = name, set()

    def read(self, owner: Any, kind: str, name: str) -> None:
        """Record that a field is read, unless the pass wrote it itself."""
        if is_field(kind, name) and (id(owner), name) not in self.own:
            self.reads[self.now].add(f"{kind}.{name}")

    def write(self, owner: Any, kind: str, name: str) -> None:
        """Record that a field is written."""
        if is_field(kind, name):
            self.writes[self.now].add(f"{kind}.{name}")
        self.own.add((id(owner), name))
        # keep the object alive, so that no other object gets its id
        self.left.append(owner)


class Values(dict):
    """Values of an element, by name; every access is recorded."""

    record: Record
    kind: str

    def __getitem__(self, name: str) -> Any:
        self.record.read(self, self.kind, name)
        return dict.__getitem__(self, name)

    def get(self, name: str, default: Any = None) -> Any:
        if name in self:
            self.record.read(self, self.kind, name)
        return dict.get(self, name, default)

    def __setitem__(self, name: str, value: Any) -> None:
        self.record.write(self, self.kind, name)
        dict.__setitem__(self, name, value)

    def setdefault(self, name: str, default: Any = None) -> Any:
        found = self.get(name)
        if name not in self:
            self[name] = found = default
        return found

    def update(self, *values: Any, **more: Any) -> None:
        for name, value in dict(*values, **more).items():
            self[name] = value

    def pop(self, name: str, *default: Any) -> Any:
        self.record.read(self, self.kind, name)
        return dict.pop(self, name, *default)


class Table(dict):
    """Table of the draft; each assignment to an entry is recorded."""

    record: Record
    name: str

    def __setitem__(self, key: Any, value: Any) -> None:
        self.record.write(self, "draft", self.name)
        dict.__setitem__(self, key, value)


def values_of(element: Any) -> Values:
    """Return the values of a recorded element, converting plain values of a new copy first."""
    found = object.__getattribute__(element, "__dict__")
    if type(found) is not Values:
        found = Values(found)
        found.record, found.kind = type(element).record, dict.get(found, "kind", "draft")
        object.__setattr__(element, "__dict__", found)
    return found


def recording(kind: type, record: Record) -> type:
    """Return a subclass of an element class that records accesses to its values."""

    def read(element: Any, name: str) -> Any:
        if name == "__dict__":
            return values_of(element)
        values = values_of(element)
        if name in values:
            record.read(values, values.kind, name)
        return object.__getattribute__(element, name)

    def write(element: Any, name: str, value: Any) -> None:
        values = values_of(element)
        if name != "__dict__":
            record.write(values, values.kind, name)
        object.__setattr__(element, name, value)

    def copy(element: Any) -> Any:
        other = object.__new__(type(element))
        dict.update(values_of(other), dict(values_of(element)))
        values_of(other).kind = values_of(element).kind
        return other

    methods = {"__getattribute__": read, "__setattr__": write, "copy": copy, "record": record}
    return type(kind.__name__, (kind,), methods)


def recorded(spec: Spec, record: Record) -> Draft:
    """Return a draft of `spec` that records accesses to its elements and their parts."""
    draft = Draft(spec)
    classes = {Element: recording(Element, record), Body: recording(Body, record)}
    for name in NAMED.values():
        for element in draft.__dict__[name]:
            inner = [element.__dict__.get("inertial"), element.__dict__.get("plugin")]
            inner += [part for name in PARTS for part in element.__dict__.get(name) or () if isinstance(part, Element)]
            for one in (element, *inner):
                if type(one) in classes:
                    one.__class__ = classes[type(one)]

    class RecordedDraft(recording(Draft, record)):  # type: ignore[misc]
        """Draft that also records the lookups of element ids by name."""

        def find(self, kind: str, *args: Any) -> int:
            record.reads[record.now].add(f"{kind}.id")
            return int(super().find(kind, *args))

        def number(self, kind: str) -> None:
            super().number(kind)
            record.writes[record.now].add(f"{kind}.id")

    for name in ("scales", "frame_scales", "frame_factors"):
        table = draft.__dict__[name] = Table()
        table.record, table.name = record, name
    draft.__class__ = RecordedDraft
    return draft
