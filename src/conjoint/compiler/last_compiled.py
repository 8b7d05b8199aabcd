"""What a specification was compiled to when it was saved last: while it stays the same, it is not compiled again."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import is_
from typing import Any

import numpy as np

from conjoint.compiler.compile import compile_draft
from conjoint.compiler.draft import NAMED, Draft
from conjoint.lang.memory.layout import Buffer
from conjoint.schema.version import STANDS_FOR
from conjoint.spec import DefaultsClass, Element, Spec
from conjoint.spec.lists import ATTACHED

PLAIN = {int, float, bool, str, bytes, type(None), frozenset}
"""Types of values that cannot be changed in place and hold nothing that can."""

ELSEWHERE = ("place", "places", "last_compiled")
"""Values that say where something was written, and what it was compiled to."""

MOST_BYTES = 1 << 22
"""Larger models are compiled again: memory is worth more."""

Part = tuple[Any, tuple[Any, ...], tuple[Any, ...]]
"""A dictionary or a list, its keys (none of a list) and its values as they were."""


@dataclass
class LastCompiled:
    """A compiled specification.

    Attributes:
        parts: what the specification was made of.
        assets: files that it was given, by name.
        version: whose names and numbers it had.
        draft: which element became what.
        model: the model, which nobody changes.
        texts: what was written of it, by the folder that it was written for.
    """

    parts: list[Part]
    assets: dict[str, Any]
    version: tuple[int, ...]
    draft: Draft
    model: Buffer
    texts: dict[str | None, str] = field(default_factory=dict)

    def holds(self, spec: Spec) -> bool:
        """Whether the specification is as it was: values are replaced, never changed in place."""
        if self.version is not STANDS_FOR.parts or self.assets != spec.assets:
            return False
        own, before = own_values(spec), self.parts[0][2]
        if len(own) != len(before) or not all(map(is_, own, before)):
            return False
        for holder, keys, values in self.parts[1:]:
            if len(holder) != len(values):
                return False
            if keys and not (all(map(is_, holder, keys)) and all(map(is_, holder.values(), values))):
                return False
            if not keys and not all(map(is_, holder, values)):
                return False
        return True


def compiled(spec: Spec) -> LastCompiled:
    """`spec` compiled, now or when it was saved last, if all of it is as it was then. Raises as `compile_draft`."""
    last = spec.last_compiled
    if isinstance(last, LastCompiled) and last.holds(spec):
        return last
    parts = parts_of(spec)
    draft, structure = compile_draft(spec)
    made = LastCompiled(parts or [], dict(spec.assets), STANDS_FOR.parts, draft, structure.model)
    spec.last_compiled = made if parts and made.model.layout.nbytes <= MOST_BYTES else None
    return made


def own_values(spec: Spec) -> list[Any]:
    """Values of a specification itself; the files that it was given are compared by their contents."""
    return [value for name, value in spec.__dict__.items() if name not in ELSEWHERE and name != "assets"]


def parts_of(spec: Spec) -> list[Part] | None:
    """All that a specification consists of, its own values first; None if more decides: files, plugins, arrays."""
    if spec.extensions or spec.models:
        return None
    own = own_values(spec)
    found: list[Part] = [(spec, (), tuple(own))]
    left, seen = [value for value in own if type(value) not in PLAIN], {id(spec)}
    while left:
        item = left.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        holder = item.__dict__ if isinstance(item, Element | DefaultsClass) else item
        if isinstance(holder, dict):
            if holder.get("plugin") is not None or any(map(_names_file, holder.items())):
                return None
            found.append((holder, tuple(holder), tuple(holder.values())))
            left += [value for name, value in holder.items() if type(value) not in PLAIN and name not in ELSEWHERE]
        elif isinstance(holder, list | tuple | set):
            found.append((holder, (), tuple(holder)))
            left += [value for value in holder if type(value) not in PLAIN]
        elif not isinstance(holder, int | float | np.generic):
            return None
    # values that nobody can change are compared where they are
    return [part for part in found if type(part[0]) is not tuple]


def _names_file(item: tuple[Any, Any]) -> bool:
    """Whether a value, by its name, is the name of a file, or several of them."""
    name, value = item
    if not isinstance(name, str) or "file" not in name:
        return False
    return any(value) if isinstance(value, list | tuple) else bool(value)


def copied(draft: Draft) -> Draft:
    """A draft whose elements may be changed: copies of those of `draft`, which share values with them."""
    made = object.__new__(Draft)
    made.__dict__.update(draft.__dict__)
    copies: dict[int, Any] = {}
    for name in NAMED.values():
        elements = getattr(draft, name)
        made.__dict__[name] = [copies.setdefault(id(element), element.copy()) for element in elements]
    for body in made.bodies:
        for name in ATTACHED.values():
            body.__dict__[name] = [copies.get(id(one)) or one.copy() for one in body.__dict__[name]]
    return made
