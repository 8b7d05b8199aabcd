"""Compilation units, each a stage or an entry, and the key of a unit's object file."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass

from conjoint.once import derived

from ..language.kernel import Kernel
from ..language.name import Name, Work, kernel_of
from ..memory.layout import Field
from ..memory.parameters import Parameter
from ..memory.realisation import Realisation
from .compile_worker import PIPELINE


def entry_name(unit: str) -> str:
    """Return the name of the function in a unit's object file: int32 (int64 m, int64 d, int64 lane or frame)."""
    return f"{unit}.entry"


SLOT_START = 8
"""Address of the symbol of the first slot. It is not zero, which would mean a missing symbol."""


def slot_symbol(field: str) -> str:
    """Return the symbol of a field's slot in an address table.

    Its address is `SLOT_START` plus the slot's offset in bytes.
    """
    return f"slot.{field}"


@dataclass(frozen=True)
class Unit:
    """A kernel to compile.

    Attributes:
        work: the kernel, or its name.
        realisation: compiled variant, which determines precision, lanes and more.
        model, data: fields of `m` and `d`.
        parameters: parameters of an entry that Python passes; None for a stage, which is a kernel of `(m, d)`.
    """

    work: Work
    realisation: Realisation
    model: tuple[Field, ...]
    data: tuple[Field, ...]
    parameters: tuple[Parameter, ...] | None = None

    @property
    def kernel(self) -> Kernel:
        """The kernel. Reading this property imports its module."""
        return kernel_of(self.work)

    @property
    def title(self) -> str:
        """Name of the unit in progress reports."""
        return f"{self.kernel.__name__} ({'entry' if self.parameters is not None else self.realisation.name})"

    @derived
    def place(self) -> str:
        """Identifier of the unit among units with the same fields, for one state of the package's source."""
        # names of active fields would make the file of keys several times as large
        how = self.realisation.name if self.realisation.tangents else self.realisation
        what = self.work if isinstance(self.work, Name) else f"{self.work.__name__} {self.work.digest}"
        return f"{what} {how} {self.parameters}"

    @property
    def may_be_lean(self) -> bool:
        """True if its code may be compiled without optimization passes at first.

        This holds for stages, whose driver counts steps, and for entries without arguments, which do little. Other
        entries may do a lot of work in a single call, and routines run constantly.
        """
        return bool(self.data) and not self.parameters

    def slots(self, fields: list[str]) -> list[int]:
        """Return the addresses of the slot symbols of fields (such as `m.nv`).

        They encode the slots of the fields in the address tables.
        """
        places = {"m": rows_of(self.model).places, "d": rows_of(self.data).places}
        return [SLOT_START + 8 * places[name[0]][name[2:]] for name in fields]


@dataclass(frozen=True)
class Tangents:
    """Fields whose tangents a stage in dual numbers reads, writes or makes nonzero.

    Attributes:
        active: fields that may have nonzero tangents after the stage has run.
        reads, writes: fields whose elements the stage may read, and may write.
    """

    active: list[str]
    reads: list[str]
    writes: list[str]


@dataclass(frozen=True)
class Description:
    """Description of an object file.

    Attributes:
        fields: fields whose indices in the address tables the object needs (`m.nv`, `d.qpos`, ...), in the order of
            use.
        results: types of an entry's results.
        tangents: fields with tangents, for a stage in dual numbers.
    """

    fields: list[str]
    results: list[str]
    tangents: Tangents | None = None

    def packed(self, code: bytes) -> bytes:
        """Return the bytes of the description, followed by the object file `code`."""
        tangents = self.tangents and vars(self.tangents)
        return json.dumps([self.fields, self.results, tangents]).encode() + b"\n" + code

    @classmethod
    def unpacked(cls, packed: bytes) -> tuple[Description, bytes]:
        """Split the result of the method `packed` into the description and the object file."""
        line, _, code = packed.partition(b"\n")
        fields, results, tangents = json.loads(line)
        return cls(fields, results, tangents and Tangents(**tangents)), code


NUMBERED = r"(@\w+\.|!)(\d+)\b"
"""Pattern of LLVM IR names whose numbers depend on kernels compiled before in this process: functions and metadata."""


LINE_TABLE = "\n!llvm.dbg.cu"
"""Start of the line table, which is the last part of LLVM IR."""


def without_line_table(text: str) -> str:
    """Return LLVM IR without its line table, and without the references to it."""
    # a regular expression would take five times as long
    first, *rest = text[: text.index(LINE_TABLE) + 1].split(", !dbg !")
    first, *rest = (first + "".join([part[part.index("\n") :] for part in rest])).split(" !dbg !")
    return first + "".join([part[part.index(" {") :] for part in rest])


def renumbered(text: str) -> str:
    """Return LLVM IR whose functions and metadata are numbered in their order of appearance."""
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        return numbers.setdefault(match[0], f"{match[1]}{len(numbers)}")

    return re.sub(NUMBERED, number, text)


def object_key(label: str, text: str, description: Description) -> str:
    """Return the name of the object file of a unit, which contains a hash of its LLVM IR.

    Line tables are omitted, so that a changed comment does not change the key. Numbers of functions and metadata are
    replaced by their order of appearance.

    Args:
        label: beginning of the name; also the name of the entry in the text.
        text: LLVM IR.
        description: description stored with the object.
    """
    parts = repr(PIPELINE), repr(description), renumbered(without_line_table(text))
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return f"{label}-{digest[:24]}"


@dataclass(frozen=True)
class Rows:
    """Properties of fields that determine compiled code.

    Attributes:
        fields: the fields.
        rows: properties of each field, except its index and its first dimension.
        places: index of each field in the address table, by name.
    """

    fields: tuple[Field, ...]
    rows: list[str]
    places: dict[str, int]

    @derived
    def digest(self) -> str:
        """Hash of the properties of all fields."""
        return hashlib.sha256(repr(self.rows).encode()).hexdigest()


_rows: dict[int, Rows] = {}
"""Results of `rows_of` by the identity of their fields. Entries refer to the fields, so that ids stay valid."""


def rows_of(fields: tuple[Field, ...]) -> Rows:
    """Return the properties of `fields` that determine compiled code."""
    found = _rows.get(id(fields))
    if found is None:
        rows = [f"{f.name} {f.kind} {bool(f.shape)} {f.shape[1:]} {f.uniform} {f.varied}" for f in fields]
        found = _rows[id(fields)] = Rows(fields, rows, {f.name: i for i, f in enumerate(fields)})
    return found
