"""What a specification was compiled to last: while it stays the same, it is not compiled again to be saved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, compress
from operator import is_
from typing import Any
from weakref import ref

import numpy as np

from conjoint.compiler.compile import compile_draft
from conjoint.compiler.draft import NAMED, Draft
from conjoint.lang.memory.layout import Buffer
from conjoint.mjcf.document import Node
from conjoint.schema.memory import copy_buffer
from conjoint.schema.version import STANDS_FOR
from conjoint.spec import DefaultsClass, Element, Spec
from conjoint.spec.lists import ATTACHED

PLAIN = {int, float, bool, str, bytes, type(None), frozenset}
"""Types of values that cannot be changed in place and hold nothing that can."""

SIMPLE = {*PLAIN, list, tuple, Node}
"""Types of values of most elements: what is in their tuples cannot be changed in place, lists hold other elements."""

ELSEWHERE = ("place", "places", "last_compiled")
"""Values that say where something was written, and what it was compiled to."""

MOST_BYTES = 1 << 22
"""Larger models are compiled again: memory is worth more."""

MOST_KEPT = 1 << 18
"""Bytes of a model of which a copy is kept whenever it is compiled."""

WITH_FILES = ("meshes", "hfields", "textures", "skins", "flexes")
"""Lists of a specification whose elements may be read from files."""

Part = tuple[Any, Any]
"""A dictionary, or a list or set, and a copy of it as it was; the latter as a tuple."""


@dataclass
class LastCompiled:
    """A compiled specification.

    Attributes:
        parts: what the specification was made of; nothing if nobody can change it.
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
        if not self.parts:
            return True
        own, before = own_values(spec), self.parts[0][1]
        if len(own) != len(before) or not all(map(is_, own, before)):
            return False
        for holder, copy in self.parts[1:]:
            if len(holder) != len(copy) or not all(map(is_, holder, copy)):
                return False
            if isinstance(copy, dict) and not all(map(is_, holder.values(), copy.values())):
                return False
        return True


def compiled(spec: Spec) -> LastCompiled:
    """`spec` compiled, now or before, if all of it is as it was then. Raises as `compile_draft`."""
    last = spec.last_compiled
    if isinstance(last, LastCompiled) and last.holds(spec):
        return last
    parts = parts_of(spec)
    draft, structure = compile_draft(spec)
    made = LastCompiled(parts or [], dict(spec.assets), STANDS_FOR.parts, draft, structure.model)
    spec.last_compiled = made if parts and made.model.layout.nbytes <= MOST_BYTES else None
    return made


class _Latest:
    """The specification that was compiled last, of which alone `keep` keeps what it became.

    Attributes:
        spec: returns it, or None.
    """

    spec: Any = None


def keep(spec: Spec, draft: Draft, model: Buffer, private: bool = False) -> None:
    """Keep what `spec` has just become, for when it is saved: programs may change `model`, no copy of it.

    Args:
        spec: the specification.
        draft, model: what it was compiled to.
        private: whether nobody can change the specification.
    """
    latest = _Latest.spec and _Latest.spec()
    if latest is not None and latest is not spec:
        latest.last_compiled = None
    spec.last_compiled, _Latest.spec = None, ref(spec)
    if model.layout.nbytes > MOST_KEPT or spec.extensions or spec.models or _reads_files(spec):
        return
    parts = [] if private else parts_of(spec)
    if parts is not None:
        spec.last_compiled = LastCompiled(parts, dict(spec.assets), STANDS_FOR.parts, draft, copy_buffer(model))


def own_values(spec: Spec) -> list[Any]:
    """Values of a specification itself; the files that it was given are compared by their contents."""
    return [value for name, value in spec.__dict__.items() if name not in ELSEWHERE and name != "assets"]


def parts_of(spec: Spec) -> list[Part] | None:
    """All that a specification consists of, its own values first; None if more decides: files, plugins, arrays."""
    if spec.extensions or spec.models:
        return None
    own = own_values(spec)
    found: list[Part] = [(spec, tuple(own))]
    left, seen = [value for value in own if type(value) not in PLAIN], {id(spec)}
    while left:
        item = left.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        holder = item.__dict__ if isinstance(item, Element | DefaultsClass) else item
        if isinstance(holder, dict):
            files, here = _named(tuple(holder))
            if holder.get("plugin") is not None or any(_says(holder[name]) for name in files):
                return None
            found.append((holder, holder.copy()))
            kinds = set(map(type, holder.values()))
            if isinstance(item, Element) and kinds <= SIMPLE:
                # as most are
                if list in kinds:
                    lists = [value for value in holder.values() if type(value) is list]
                    found += [(value, tuple(value)) for value in lists]
                    left += chain.from_iterable(lists)
                continue
            inside: Iterable[Any] = compress(holder.values(), here)
        elif isinstance(holder, list | tuple | set):
            inside = tuple(holder)
            # a value that nobody can change is compared where it is
            if type(holder) is not tuple:
                found.append((holder, inside))
        elif isinstance(holder, int | float | np.generic):
            continue
        else:
            return None
        left += [value for value in inside if type(value) not in PLAIN and id(value) not in seen]
    return found


@lru_cache
def _named(names: tuple[Any, ...]) -> tuple[list[str], list[bool]]:
    """Those of some names that are of files; and for each whether what it names belongs to the model."""
    files = [name for name in names if isinstance(name, str) and "file" in name]
    return files, [name not in ELSEWHERE for name in names]


def _says(value: Any) -> bool:
    """Whether a value is the name of a file, or several of them."""
    return any(value) if isinstance(value, list | tuple) else bool(value)


def _reads_files(spec: Spec) -> bool:
    """Whether an element of a specification is read from files."""
    elements = chain.from_iterable(spec.__dict__[name] for name in WITH_FILES)
    return any(_says(one.__dict__[name]) for one in elements for name in _named(tuple(one.__dict__))[0])


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
