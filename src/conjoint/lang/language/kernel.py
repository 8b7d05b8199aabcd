"""Kernels: Python functions that can be compiled in several variants, such as precisions, lanes and dual numbers.

Called from Python, a kernel simply runs, on plain structs. `compiled.stage_addresses` compiles it.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import inspect
import linecache
import marshal
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conjoint.once import derived

from ..memory.layout import field_name
from .builtin_words import is_language, members, names_in
from .formula import Formula, exact_by_default
from .group import Group, unfolded
from .old_words import warn_of_old_words
from .record import StructKind
from .shared_work import TEAM, shared
from .world_part import Part

FOLDER = str(Path(__file__).parents[2])
"""Folder of this package's source."""


OPTIONS = "one_by_one", "few", "writes_model", "single", "exact", "rare", "label"
"""Names of the options of kernels."""


class Kernel:
    """A function of the kernel language.

    Attributes:
        function: the Python body.
        one_by_one: reason why blocks run the kernel one world at a time instead of in lanes; "" if they do not.
        few: True if the kernel runs one world at a time whenever at most half of the lanes are active.
        writes_model: True if the kernel writes to `m`.
        single: True if the kernel works only on blocks of one world, because it writes fields that are stored once per
            block, or solves parts of a world. Stages must declare it; the kernels that they call need not.
        exact: True if every product is rounded: `a * b + c` is not one fused multiply-add.
        rare: True if the kernel hardly ever runs. It is not inlined, to keep the code of its callers small.
        label: name under which profiles list the time of its calls; "" adds the time to that of its caller.
        version: number of times that the values of names in the kernel have changed since its declaration
            (`captured.Versions`).
    """

    __name__: str
    version = 0

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        per_world: bool = False,
        one_by_one: str = "",
        writes_model: bool = False,
        single: bool = False,
        exact: bool | None = None,
        rare: bool = False,
        few: bool = False,
        label: str = "",
    ):
        if not isinstance(one_by_one, str):
            raise TypeError(f"kernel {function.__name__}: one_by_one must be a reason (text), not {one_by_one!r}")
        self.function = function
        self.few = few
        self.one_by_one = one_by_one or ("per_world=True" if per_world else "")
        self.single = single
        self.writes_model = writes_model
        self.exact = exact_by_default(function) if exact is None else exact
        self.rare = rare
        self.label = label
        functools.update_wrapper(self, function)

    def __repr__(self) -> str:
        return f"<kernel {self.__module__}.{self.__name__}>"

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.function(*args, **keywords)

    def again(self) -> Kernel:
        """Return a copy of the kernel without cached derived values."""
        made = Kernel(self.function, **{name: getattr(self, name) for name in OPTIONS})
        made.__name__ = self.__name__
        return made

    def forget(self) -> None:
        """Drop all cached data that depends on the values of names, so that it is recomputed on demand."""
        for name in ("names", "attributes", "digest"):
            self.__dict__.pop(name, None)
        self.version += 1

    @property
    def per_world(self) -> bool:
        """True if blocks run the kernel one world at a time.

        This is either declared, or necessary because the kernel uses fields that all worlds of a block share.
        """
        return bool(self.one_by_one) or self.single or self.writes_model

    @derived
    def names(self) -> dict[str, Any]:
        """All globals to which the body refers, by name."""
        return _globals_of(self.function)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the kernel's parameters."""
        code = self.function.__code__
        return code.co_varnames[: code.co_argcount]

    @derived
    def structs(self) -> tuple[str, ...]:
        """Names of the kernel's struct parameters (`m`, `d`), which come first."""
        return structs_among(self.parameters)

    @derived
    def attributes(self) -> frozenset[str]:
        """All attributes that this kernel, or a kernel that it calls, may read or write.

        They include all fields used.
        """
        return frozenset(_attributes(self, set()))

    @property
    def labels(self) -> list[str]:
        """Labels of this kernel and of the kernels to which it refers."""
        return sorted({item.label for item in _mentioned(self, {}) if item.label})

    @property
    def foreign(self) -> list[str]:
        """Names of user-defined kernels among this kernel and those to which it refers."""
        package = __name__.partition(".")[0]
        return [item.__name__ for item in _mentioned(self, {}) if (item.__module__ or "").partition(".")[0] != package]

    @derived
    def digest(self) -> str:
        """Hash of the source of this kernel and of everything it calls.

        For functions of this package, file name and line stand for the source.
        """
        return _digest(self, {})


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Declare a kernel (docs/kernel-language.md); see `Kernel` for the options.

    By default, a kernel is exact if its module, or a package that contains it, has `EXACT_KERNELS = True`.
    """
    if function is None:
        return functools.partial(kernel, **options)
    made = Kernel(function, **options)
    warn_of_old_words(function, options)
    return made


def structs_among(parameters: tuple[str, ...]) -> tuple[str, ...]:
    """Return the struct names (`m`, `d`) among the first two parameters of a kernel."""
    return tuple(name for name in parameters[:2] if name in ("m", "d"))


def _globals_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the globals and the variables of outer functions to which a function refers, by name.

    Members of the language module that it may refer to have names with a dot: "cj.where".
    """
    names = names_in(function.__code__)
    found = {name: function.__globals__[name] for name in names if name in function.__globals__} | _captured(function)
    for name, value in list(found.items()):
        if is_language(value):
            found |= {f"{name}.{attribute}": meaning for attribute, meaning in members(value, names)}
    return found


def _captured(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the variables of outer functions that a function uses, by name."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells}


def _attributes(item: Kernel, seen: set[int]) -> set[str]:
    """Return the names of all globals and attributes in a kernel and in the kernels to which it refers."""
    seen.add(id(item))
    found = {field_name(name) for name in item.function.__code__.co_names}
    for other in unfolded(item.names.values()):
        if isinstance(other, Part):
            found |= {word for name in other.names for word in name.split(".")}
        if other is shared:
            found.add(TEAM)
        if isinstance(other, Kernel) and id(other) not in seen:
            found |= _attributes(other, seen)
    return found


def _mentioned(item: Kernel, seen: dict[int, Kernel]) -> list[Kernel]:
    """Return a kernel and all kernels to which it refers, directly or indirectly."""
    seen[id(item)] = item
    for other in unfolded(item.names.values()):
        if isinstance(other, Kernel) and id(other) not in seen:
            _mentioned(other, seen)
    return list(seen.values())


def _source(code: types.CodeType) -> bytes:
    """Return the source text of a function; its bytecode if there is no text. (`inspect` would tokenize the text.)"""
    lines, first = linecache.getlines(code.co_filename), code.co_firstlineno - 1
    if first >= len(lines):
        return marshal.dumps(code)
    # Python versions report different lines for the last expression, so the text extends to the end of the block
    last = max(line for _, _, line in code.co_lines() if line is not None)
    margin = _margin(lines[first])
    while last < len(lines) and (not lines[last].strip() or _margin(lines[last]) > margin):
        last += 1
    return "".join(lines[first:last]).rstrip().encode()


def _margin(line: str) -> int:
    """Return the number of blanks before the text of a line."""
    return len(line) - len(line.lstrip())


def _digest(item: Any, seen: dict[int, str]) -> str:
    if id(item) in seen:
        return seen[id(item)]
    seen[id(item)] = "recursive"
    sha = hashlib.sha256()
    function = getattr(item, "function", item)
    if isinstance(item, Kernel):
        sha.update(repr([getattr(item, name) for name in OPTIONS]).encode())
    if isinstance(item, Formula):
        sha.update(repr(item.exact).encode())
    if isinstance(item, (Kernel, Formula)) or inspect.isfunction(item):
        code = function.__code__
        own = code.co_filename.startswith(FOLDER)
        sha.update(f"{code.co_filename[len(FOLDER) :]}:{code.co_firstlineno}".encode() if own else _source(code))
        captured = _captured(function) if own else _globals_of(function)
        for name, value in sorted(captured.items()):
            sha.update(name.encode() + _digest(value, seen).encode())
    elif isinstance(item, type) and issubclass(item, enum.Enum):
        sha.update(repr([(member.name, member.value) for member in item]).encode())
    elif isinstance(item, Group):
        for name, value in item.members.items():
            sha.update(name.encode() + _digest(value, seen).encode())
    elif isinstance(item, Part):
        sha.update(repr((item.number, item.fields)).encode())
    elif isinstance(item, type) and issubclass(item, Group):
        sha.update(repr([field.name for field in dataclasses.fields(item)]).encode())  # type: ignore[arg-type]
    elif isinstance(item, (int, float, str, bool, tuple, StructKind)):
        sha.update(repr(item).encode())
    else:
        # for modules and other objects, hash the name: their source belongs to the package version
        sha.update(getattr(item, "__name__", type(item).__name__).encode())
    seen[id(item)] = sha.hexdigest()
    return seen[id(item)]
