"""Entries: kernels that Python calls with arguments.

    jac = Entry(jac_kernel, ("out real[3, nv]", "vec3", "int"), MODEL_ROWS, DATA_ROWS)
    jac(m, d, jacp, point, body)

Outside of steps, Python code calls the physics only through entries. The arguments are checked once and packed into a
frame of eight-byte slots, which each thread reuses. The call releases the GIL. If kernels are not compiled, the Python
function of the kernel runs instead.
"""

from __future__ import annotations

import ctypes
import inspect
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from conjoint.once import MAKING, derived

from ..language.kernel import Kernel, structs_among
from ..language.name import Work, kernel_of, name_of
from ..language.plain_structs import PlainField, PlainStruct
from ..language.values import Value
from ..memory.layout import COMPONENTS, Field
from ..memory.parameters import NUMBERS, Parameter
from ..memory.realisation import WORLD
from ..objects.cache_keys import parameters_of
from ..objects.unit import Unit, rows_of
from ..routines.argument_rules import MOST_SLOTS
from .argument_guard import entered
from .compiled import entry_address, jit_enabled
from .fast_call import machine_call


class Memory(Protocol):
    """Memory that kernels can access: argument `m` or `d` of an entry.

    Attributes:
        address: address of the table of field addresses.
        sizes: values of the named sizes.
    """

    @property
    def address(self) -> int: ...

    @property
    def sizes(self) -> Mapping[str, int]: ...

    def plain(self) -> PlainStruct:
        """Return this memory in the form that uncompiled kernels use."""
        ...


class _Frame(threading.local):
    """Frame for the arguments and results of a call; each thread has one."""

    def __init__(self) -> None:
        self.memory = ctypes.create_string_buffer(8 * MOST_SLOTS)
        self.address = ctypes.addressof(self.memory)


_frame = _Frame()


class Entry:
    """Python function that calls a kernel with `m` and `d` (if the kernel has these parameters) and other arguments.

    A call returns None, a number, a tuple of numbers (for a vector or other value), or a tuple of several such results.

    Args:
        work: the kernel, or its name.
        kinds: types of its parameters after `m` and `d`, such as "real", "int", "bool" or "vec3". NumPy arrays are
            declared as "real[3, nv]", or as "int[]" for any shape; "out real[nv]" if the kernel writes to the array.
        model, data: fields of `m` and `d`.

    Raises:
        TypeError: the parameters of the kernel do not match `kinds`.
    """

    # Python calls a slot of this name directly, without a Python function in between
    __slots__ = ("__call__", "__dict__", "fields", "kinds", "work")
    __call__: Callable[..., Any]

    def __init__(self, work: Work, kinds: Sequence[str], model: tuple[Field, ...] = (), data: tuple[Field, ...] = ()):
        self.work, self.kinds, self.fields = work, kinds, (model, data)
        self.__call__ = self._prepare
        if isinstance(work, Kernel):
            # an entry given by name is checked on first use
            _ = self.parameters

    def __repr__(self) -> str:
        return f"<entry {self.work}>"

    @property
    def kernel(self) -> Kernel:
        """The kernel. Reading this property imports its module."""
        return kernel_of(self.work)

    @derived
    def names(self) -> tuple[str, ...]:
        """Names of all parameters of the kernel."""
        return parameters_of(self.work)

    @derived
    def structs(self) -> tuple[str, ...]:
        """Names of the kernel's struct parameters (`m`, `d`), which come first."""
        return structs_among(self.names)

    @derived
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters of the kernel after the structs."""
        names = self.names[len(self.structs) :]
        if len(names) != len(self.kinds):
            raise TypeError(f"{self.kernel.__name__} takes {len(names)} arguments, not {len(self.kinds)}")
        return tuple(Parameter.declared(name, kind) for name, kind in zip(names, self.kinds, strict=True))

    @derived
    def unit(self) -> Unit:
        """The compilation unit of this entry."""
        return Unit(self.work, WORLD, *self.fields, self.parameters)

    def _prepare(self, *args: Any) -> Any:
        """On the first call, compile the kernel or load it from the cache; then call it."""
        if not jit_enabled():
            self.__call__ = self._plain
            return self(*args)
        with MAKING.held:
            # another thread may have prepared it first
            if self.__call__ == self._prepare:
                address, results = entry_address(self.unit)
                caller = _caller(self, results, address)
                places = rows_of(self.unit.model).places
                self.__call__ = entered(caller, self.structs, self.parameters, results, address, places)
        return self(*args)

    def _plain(self, *args: Any) -> Any:
        """Call the kernel without compiling it."""
        count = len(self.structs)
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
    """Convert the argument of an entry to the form that an uncompiled kernel expects."""
    if p.is_array:
        p.refuse(function, x, sizes)
        return PlainField(p.kind, x)
    if p.kind in NUMBERS:
        return {"real": np.float64, "int": int, "bool": bool}[p.kind](x)
    return Value(p.kind, [np.float64(part) for part in x])


def _plain_result(x: Any) -> Any:
    """Convert the result of an uncompiled kernel to the form in which an entry returns it."""
    if isinstance(x, Value):
        return tuple(float(part) for part in x)
    return float(x) if isinstance(x, np.floating) else x


def _caller(entry: Entry, results: Sequence[str], address: int) -> Callable[..., Any]:
    """Return the Python function of an entry, for calls that the guard rejects.

    Args:
        entry: the entry.
        results: types of its results.
        address: address of its machine code.
    """
    parameters, structs, name = entry.parameters, entry.structs, name_of(entry.work)
    letters = "".join("q" if p.is_array or p.kind in ("int", "bool") else "d" * p.count for p in parameters)
    answers = "".join("q" if kind in ("int", "bool") else "d" * COMPONENTS[kind] for kind in results)
    if len(letters) + len(answers) > MOST_SLOTS:
        raise TypeError(f"{name} has more than {MOST_SLOTS} parameters and results")
    pack, unpack = struct.Struct(letters).pack_into, struct.Struct(answers).unpack_from
    call = machine_call()
    signature = inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in entry.names])

    def caller(*args: Any, **named: Any) -> Any:
        try:
            given = signature.bind(*args, **named).arguments
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
        sizes = given["m"].sizes if "m" in structs else {}
        numbers: list[Any] = []
        for p in parameters:
            x = given[p.name]
            if p.is_array:
                p.refuse(name, x, sizes)
            numbers.extend([id(x)] if p.is_array else [x] if p.count == 1 else x)
        pack(_frame.memory, 0, *numbers)
        m, d = (given[struct].address if struct in structs else 0 for struct in ("m", "d"))
        call(address, m, d, _frame.address)
        return _answer(results, unpack(_frame.memory, 8 * len(letters)))

    caller.__name__ = name
    return caller


def _answer(kinds: Sequence[str], numbers: Sequence[Any]) -> Any:
    """Return the result of an entry, built from the numbers that its kernel wrote to the frame."""
    parts, at = [], 0
    for kind in kinds:
        count = COMPONENTS[kind]
        part = numbers[at] if count == 1 else tuple(numbers[at : at + count])
        parts.append(part != 0 if kind == "bool" else part)
        at += count
    return tuple(parts) if len(parts) > 1 else parts[0] if parts else None
