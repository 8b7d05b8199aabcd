"""Cache of the last compiled model of a specification, which is reused until the specification changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from operator import is_
from typing import Any
from weakref import ref

import numpy as np

from conjoint.compiler.compile import compile_draft
from conjoint.compiler.draft import NAMED, Draft
from conjoint.lang.memory.layout import Buffer
from conjoint.mjcf.document import Node
from conjoint.runtime.structure import Structure
from conjoint.schema.memory import copy_buffer
from conjoint.schema.version import STANDS_FOR
from conjoint.spec import DefaultsClass, Element, Spec
from conjoint.spec.element import ATTACHED, BODY_CONTENTS, PARTS

PLAIN = {int, float, bool, str, bytes, type(None), frozenset}
"""Types of values that are immutable and contain no mutable values."""

FIXED = {*PLAIN, tuple, Node}
"""Types of element values that are never changed in place."""

ANYWHERE = ("frame", "settings")
"""Attributes that refer to other elements, for elements of any type."""

INSIDE = {"body": (*BODY_CONTENTS, "inertial", "frames", *ANYWHERE), "key": ("layout", *ANYWHERE)}
INSIDE |= {kind: (name, *ANYWHERE) for kind, name in PARTS.items()}
"""Names of attributes that may contain mutable values, by element type."""

ELSEWHERE = ("place", "places", "last_compiled")
"""Attributes that are excluded: locations of an element in a file, and compiled forms."""

MOST_BYTES = 1 << 22
"""Maximum size of a cached model in bytes. To save memory, larger models are compiled again."""

WITH_FILES = ("meshes", "hfields", "textures", "skins", "flexes")
"""Element lists of a specification whose elements may be read from files."""

Part = tuple[Any, Any]
"""Part of a specification: a dictionary, list or set, with a copy of its contents (a tuple for lists and sets)."""


@dataclass
class LastCompiled:
    """A specification and the result of its compilation.

    Attributes:
        parts: contents of the specification; empty if they cannot change.
        assets: files of the specification, by name.
        version: the emulated version, which determines names and numbers.
        draft: the draft, which maps elements to ids.
        model: the model, which does not change.
        texts: XML texts of the model, by target folder.
        whole: whether `parts` contains everything that is mutable; None if this was not checked yet.
    """

    parts: list[Part]
    assets: dict[str, Any]
    version: tuple[int, ...]
    draft: Draft
    model: Buffer
    texts: dict[str | None, str] = field(default_factory=dict)
    whole: bool | None = None

    def holds(self, spec: Spec) -> bool:
        """Return True if the specification is unchanged. Its values need no copies: they are never changed in place."""
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
        if self.whole is None:
            self.whole = are_whole(self.parts)
        return self.whole


def unchanged(spec: Spec) -> LastCompiled | None:
    """Return the last compiled model of `spec` if nothing has changed, else None."""
    last = spec.last_compiled
    return last if isinstance(last, LastCompiled) and last.holds(spec) else None


def compiled(spec: Spec) -> LastCompiled:
    """Compile `spec`, or reuse the last result if nothing has changed. Raises the errors of `compile_draft`."""
    last = unchanged(spec)
    if last is not None:
        return last
    parts = parts_of(spec) if _stands_alone(spec) else None
    draft, structure = compile_draft(spec)
    made = LastCompiled(parts or [], dict(spec.assets), STANDS_FOR.parts, draft, structure.model)
    spec.last_compiled = made if parts and made.model.layout.nbytes <= MOST_BYTES else None
    return made


def compile_or_copy(spec: Spec) -> tuple[Draft, Buffer, Structure | None]:
    """Return the draft and the model of `spec`, and its structure if it was compiled again.

    If the specification is unchanged, the result is a copy of its last model, unless it has assets, or warnings that
    must be issued again. Raises the errors of `compile_draft`.
    """
    last = unchanged(spec)
    if last is not None and not last.draft.seconds and not last.draft.problems.warnings:
        return last.draft, copy_buffer(last.model), None
    draft, structure = compile_draft(spec)
    return draft, structure.model, structure


class _Latest:
    """Reference to the specification that was compiled last, which is the only one with a cached model.

    Attributes:
        spec: weak reference to the specification; None before the first compilation.
    """

    spec: Any = None


def keep(spec: Spec, draft: Draft, model: Buffer, private: bool = False) -> None:
    """Cache the compiled form of `spec` for saving. The model is copied, because programs may change `model` itself.

    Args:
        spec: the specification.
        draft, model: results of compiling the specification.
        private: whether the specification cannot change.
    """
    latest = _Latest.spec and _Latest.spec()
    if latest is not None and latest is not spec:
        latest.last_compiled = None
    spec.last_compiled, _Latest.spec = None, ref(spec)
    if model.layout.nbytes > MOST_BYTES or not _stands_alone(spec):
        return
    parts = [] if private else parts_of(spec)
    if parts is not None:
        spec.last_compiled = LastCompiled(parts, dict(spec.assets), STANDS_FOR.parts, draft, copy_buffer(model))


def own_values(spec: Spec) -> list[Any]:
    """Return the values of the specification's own attributes, except files, which are compared by their contents."""
    return [value for name, value in spec.__dict__.items() if name not in ELSEWHERE and name != "assets"]


def parts_of(spec: Spec) -> list[Part] | None:
    """Return the mutable parts of a specification, its own values first, or None if it uses plugins or files."""
    own = own_values(spec)
    found: list[Part] = [(spec, tuple(own))]
    left, seen = [value for value in own if type(value) not in PLAIN], {id(spec)}
    while left:
        item = left.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, Element):
            values = item.__dict__
            if values.get("plugin") is not None:
                return None
            found.append((values, values.copy()))
            for name in INSIDE.get(values["kind"], ANYWHERE):
                inner = values.get(name)
                if type(inner) is list:
                    found.append((inner, tuple(inner)))
                    left += inner
                elif inner is not None:
                    left.append(inner)
            continue
        holder = item.__dict__ if isinstance(item, DefaultsClass) else item
        if isinstance(holder, dict):
            if holder.get("plugin") is not None or _names_files(holder):
                return None
            found.append((holder, holder.copy()))
            left += [value for value in holder.values() if type(value) not in PLAIN]
        elif isinstance(holder, list | tuple | set):
            # a tuple needs no copy: the value that contains it is compared
            if type(holder) is not tuple:
                found.append((holder, tuple(holder)))
            left += [value for value in holder if type(value) not in PLAIN]
    return found


def are_whole(parts: list[Part]) -> bool:
    """Return True if each value in `parts` is immutable, or is itself one of the parts."""
    held = {id(holder) for holder, _ in parts}
    for _, copy in parts:
        values = copy.values() if isinstance(copy, dict) else copy
        if set(map(type, values)) <= FIXED:
            continue
        for name, value in copy.items() if isinstance(copy, dict) else enumerate(copy):
            inner = value.__dict__ if isinstance(value, Element | DefaultsClass) else value
            fixed = type(value) in FIXED or isinstance(value, int | float | np.generic) or name in ELSEWHERE
            if not fixed and id(inner) not in held:
                return False
    return True


def _names_files(values: Mapping[Any, Any]) -> bool:
    """Return True if one of `values` is the name of a file, or a list of file names."""
    named = [value for name, value in values.items() if isinstance(name, str) and "file" in name]
    return any(any(value) if isinstance(value, list | tuple) else bool(value) for value in named)


def _stands_alone(spec: Spec) -> bool:
    """Return True if a specification uses no plugins, no files and no other models."""
    elements = chain.from_iterable(spec.__dict__[name] for name in WITH_FILES)
    return not (spec.extensions or spec.models or any(_names_files(one.__dict__) for one in elements))


def copied(draft: Draft) -> Draft:
    """Return a draft with copies of the elements of `draft`, so that the elements can be changed. Values are shared."""
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
