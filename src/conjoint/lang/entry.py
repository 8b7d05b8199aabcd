"""Entries: kernels that Python calls with arguments. This is how everything outside of a step reaches the physics.

    jac = Entry(jac_kernel, ("out real[3, nv]", "vec3", "int"), MODEL_ROWS, DATA_ROWS)
    jac(m, d, jacp, point, body)

The arguments are checked once and packed into a frame of eight-byte slots, which the thread keeps; the call releases
the GIL. Uncompiled, the kernel itself runs.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from conjoint.once import MAKING

from .argument_guard import entered
from .argument_rules import MOST_SLOTS
from .compiled import entry_address, jit_enabled
from .fast_call import machine_call
from .kernel import Kernel
from .layout import COMPONENTS, Field
from .parameters import NUMBERS, Parameter, count_of
from .plain_structs import PlainStruct, plain_array
from .realisation import WORLD
from .unit import Unit, rows_of
from .values import Value


class Memory(Protocol):
    """What an entry takes as `m` or `d`: memory that kernels can reach.

    Attributes:
        address: of the table of addresses.
        sizes: named sizes.
    """

    @property
    def address(self) -> int: ...

    @property
    def sizes(self) -> Mapping[str, int]: ...

    def plain(self) -> PlainStruct:
        """The same memory for uncompiled kernels."""
        ...


class _Frame(threading.local):
    """Room for the arguments and results of a call, one for each thread."""

    def __init__(self) -> None:
        self.memory = ctypes.create_string_buffer(8 * MOST_SLOTS)
        self.address = ctypes.addressof(self.memory)


_frame = _Frame()


class Entry:
    """A kernel as a Python function of `m` and `d`, where it has them, and of its other arguments.

    It returns a number, a tuple of numbers for a value, a tuple of these for several results, or None.

    Args:
        kernel: the kernel.
        kinds: of its parameters behind `m` and `d`: "real", "int", "bool", "vec3", ..., for NumPy arrays "real[3, nv]"
            or, of any shape, "int[]"; "out real[nv]" if the kernel writes to it.
        model, data: fields of `m` and `d`.

    Raises:
        TypeError: the kernel has other parameters.
    """

    # a slot of this name is called without a function of Python in between
    __slots__ = ("__call__", "kernel", "parameters", "unit")
    __call__: Callable[..., Any]

    def __init__(
        self, kernel: Kernel, kinds: Sequence[str], model: tuple[Field, ...] = (), data: tuple[Field, ...] = ()
    ):
        names = kernel.parameters[len(kernel.structs) :]
        if len(names) != len(kinds):
            raise TypeError(f"{kernel.__name__} takes {len(names)} arguments, not {len(kinds)}")
        self.kernel = kernel
        self.parameters = tuple(Parameter.declared(name, kind) for name, kind in zip(names, kinds, strict=True))
        self.unit = Unit(kernel, WORLD, model, data, self.parameters)
        self.__call__ = self._prepare

    def __repr__(self) -> str:
        return f"<entry {self.kernel.__module__}.{self.kernel.__name__}>"

    def _prepare(self, *args: Any) -> Any:
        """The first call: compile the kernel, or find it in the cache."""
        if not jit_enabled():
            self.__call__ = self._plain
            return self(*args)
        with MAKING.held:
            # another thread may have come first
            if self.__call__ == self._prepare:
                address, results = entry_address(self.unit)
                caller = _caller(self.kernel, self.parameters, results, address)
                places = rows_of(self.unit.model).places
                self.__call__ = entered(caller, self.kernel.structs, self.parameters, results, address, places)
        return self(*args)

    def _plain(self, *args: Any) -> Any:
        """A call without compiling."""
        count = len(self.kernel.structs)
        memory, given = args[:count], args[count:]
        if len(given) != len(self.parameters):
            raise TypeError(f"{self.kernel.__name__} takes {count + len(self.parameters)} arguments, not {len(args)}")
        sizes = memory[0].sizes if memory else {}
        values = [
            _plain_argument(p, x, sizes, self.kernel.__name__) for p, x in zip(self.parameters, given, strict=True)
        ]
        with np.errstate(all="ignore"):
            result = self.kernel.function(*[part.plain() for part in memory], *values)
        return tuple(_plain_result(x) for x in result) if isinstance(result, tuple) else _plain_result(result)


def _plain_argument(p: Parameter, x: Any, sizes: Mapping[str, int], function: str) -> Any:
    """An argument as an uncompiled kernel takes it."""
    if p.is_array:
        p.refuse(function, x, sizes)
        return plain_array(p.kind, x)
    if p.kind in NUMBERS:
        return {"real": np.float64, "int": int, "bool": bool}[p.kind](x)
    return Value(p.kind, [np.float64(part) for part in x])


def _plain_result(x: Any) -> Any:
    """A result as Python gets it."""
    if isinstance(x, Value):
        return tuple(float(part) for part in x)
    return float(x) if isinstance(x, np.floating) else x


CALLER = """
def {name}({arguments}):
    {checks}
    _pack(_frame.memory, 0{packed})
    _call(_address, {m}, {d}, _frame.address)
    {answer}
"""
"""A Python function made for one signature: packing by a general one would take longer than the call. Names that are
not of the kernel start with an underscore."""


def _caller(
    kernel: Kernel, parameters: Sequence[Parameter], results: Sequence[str], address: int
) -> Callable[..., Any]:
    """The Python function of an entry at `address`; `results` are kinds."""
    letters = "".join("q" if p.is_array or p.kind in ("int", "bool") else "d" * p.count for p in parameters)
    answers = "".join("q" if kind in ("int", "bool") else "d" * count_of(kind) for kind in results)
    if len(letters) + len(answers) > MOST_SLOTS:
        raise TypeError(f"{kernel.__name__} takes and returns more than {MOST_SLOTS} numbers")
    packed = ["id({})" if p.is_array else "{}" if p.count == 1 else "*{}" for p in parameters]
    checks = [_check(kernel, k, p) for k, p in enumerate(parameters) if p.is_array]
    # numbers of Python are packed in a tenth of the time that those of NumPy take
    checks += [f"if {p.name}.__class__ is _ndarray: {p.name} = {p.name}.tolist()" for p in parameters if p.count > 1]
    structs = {name: f"{name}.address" if name in kernel.structs else "0" for name in ("m", "d")}
    source = CALLER.format(
        name=kernel.__name__, arguments=", ".join(kernel.parameters), checks="\n    ".join(checks) or "pass",
        packed="".join(", " + form.format(p.name) for form, p in zip(packed, parameters, strict=True)),
        answer=_answer(results, 8 * len(letters)), **structs,
    )  # fmt: skip
    names: dict[str, Any] = {f"_dtype{k}": p.dtype for k, p in enumerate(parameters)}
    names |= {f"_refuse{k}": p.refuse for k, p in enumerate(parameters)} | {"_frame": _frame, "_ndarray": np.ndarray}
    names |= {"_pack": struct.Struct(letters).pack_into, "_unpack": struct.Struct(answers).unpack_from}
    names |= {"_call": machine_call(), "_address": address}
    exec(compile(source, f"<entry {kernel.__name__}>", "exec"), names)
    return names[kernel.__name__]


def _check(kernel: Kernel, k: int, p: Parameter) -> str:
    """Statement that refuses an array that does not suit parameter k."""
    sizes, flag = "m.sizes" if "m" in kernel.structs else "{}", "carray" if p.output else "c_contiguous"
    wrong = [f"{p.name}.__class__ is not _ndarray", f"{p.name}.dtype is not _dtype{k}", f"not {p.name}.flags.{flag}"]
    if p.shape:
        dims = [f"m.sizes[{n!r}]" if isinstance(n, str) else str(n) for n in p.shape]
        components = [str(COMPONENTS[p.kind])] if COMPONENTS[p.kind] > 1 else []
        wrong.append(f"{p.name}.shape != ({', '.join(dims + components)},)")
    return f"if {' or '.join(wrong)}: _refuse{k}({kernel.__name__!r}, {p.name}, {sizes})"


def _answer(kinds: Sequence[str], start: int) -> str:
    """Statement that returns the results."""
    parts, at = [], 0
    for kind in kinds:
        count = count_of(kind)
        part = f"_r[{at}]" if count == 1 else f"_r[{at}:{at + count}]"
        parts.append(f"{part} != 0" if kind == "bool" else part)
        at += count
    whole = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
    return f"_r = _unpack(_frame.memory, {start})\n    return {whole}" if kinds else "return None"
