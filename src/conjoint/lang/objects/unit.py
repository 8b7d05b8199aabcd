"""Units: what is compiled into one object file, a stage or an entry, and the key under which it is kept."""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from conjoint.once import derived

from ..language.kernel import Kernel
from ..memory.layout import Field
from ..memory.parameters import Parameter
from ..memory.realisation import Realisation


def entry_name(unit: str) -> str:
    """Name of the function in the object file of a unit: int32 (int64 m, int64 d, int64 lane or frame)."""
    return f"{unit}.entry"


SLOT_START = 8
"""Address of the symbol of the first slot: zero would be a missing symbol."""


def slot_symbol(field: str) -> str:
    """Name of the symbol whose address is `SLOT_START` and the bytes before a field's slot in a table of addresses."""
    return f"slot.{field}"


@dataclass(frozen=True)
class Unit:
    """A kernel to compile.

    Attributes:
        kernel: the kernel.
        realisation: what a real is.
        model, data: fields of `m` and `d`.
        parameters: what Python passes to an entry; None for a stage, a kernel of `(m, d)`.
    """

    kernel: Kernel
    realisation: Realisation
    model: tuple[Field, ...]
    data: tuple[Field, ...]
    parameters: tuple[Parameter, ...] | None = None

    @property
    def title(self) -> str:
        """What it is called in reports."""
        return f"{self.kernel.__name__} ({'entry' if self.parameters is not None else self.realisation.name})"

    @derived
    def key(self) -> str:
        """Name of its object file: a hash of its source, of the fields that it uses, and of the compiler."""
        parts = [compiler_digest(), self.kernel.digest, repr(self.realisation), repr(self.parameters)]
        for struct, fields in (("m", self.model), ("d", self.data)):
            parts += sorted(f"{struct} {row}" for row in rows_of(fields).used(self.kernel.attributes))
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        return f"{self.kernel.__name__}-{self.realisation.name}-{digest[:24]}"

    def slots(self, fields: list[str]) -> list[int]:
        """Addresses of the symbols of fields (`m.nv`, `d.qpos`): where they stand in the tables of addresses."""
        places = {"m": rows_of(self.model).places, "d": rows_of(self.data).places}
        return [SLOT_START + 8 * places[name[0]][name[2:]] for name in fields]


@dataclass(frozen=True)
class Tangents:
    """What must be known of a stage in dual numbers.

    Attributes:
        active: fields that may have tangents other than zero when it has run.
        reads, writes: fields whose elements it may read, and write.
    """

    active: list[str]
    reads: list[str]
    writes: list[str]


@dataclass(frozen=True)
class Description:
    """What must be known of an object file.

    Attributes:
        fields: `m.nv`, `d.qpos`, ... in the order in which it wants their places in the tables of addresses.
        results: kinds of what an entry returns.
        tangents: of a stage in dual numbers, what becomes of tangents.
    """

    fields: list[str]
    results: list[str]
    tangents: Tangents | None = None

    def packed(self, code: bytes) -> bytes:
        """Description and object in one."""
        tangents = self.tangents and vars(self.tangents)
        return json.dumps([self.fields, self.results, tangents]).encode() + b"\n" + code

    @classmethod
    def unpacked(cls, packed: bytes) -> tuple[Description, bytes]:
        """The opposite of `packed`."""
        line, _, code = packed.partition(b"\n")
        fields, results, tangents = json.loads(line)
        return cls(fields, results, tangents and Tangents(**tangents)), code


@functools.cache
def compiler_digest() -> str:
    """Hash of the language's own source."""
    sha = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        sha.update(path.read_bytes())
    return sha.hexdigest()


@dataclass(frozen=True)
class Rows:
    """What compiled code knows of fields.

    Attributes:
        fields: the fields.
        rows: parts of the name of each, and all but its place and its first dimension.
        places: place in the table of addresses, by name.
    """

    fields: tuple[Field, ...]
    rows: list[tuple[list[str], str]]
    places: dict[str, int]

    def used(self, attributes: frozenset[str]) -> list[str]:
        """What compiled code knows of the fields that a kernel with these attributes may use."""
        return [row for name, row in self.rows if attributes.issuperset(name)]

    @derived
    def digest(self) -> str:
        """Hash of all rows."""
        return hashlib.sha256(repr(self.rows).encode()).hexdigest()


_rows: dict[int, Rows] = {}
"""By the identity of fields, which are kept with it."""


def rows_of(fields: tuple[Field, ...]) -> Rows:
    """What compiled code knows of `fields`."""
    found = _rows.get(id(fields))
    if found is None:
        rows = [
            (f.name.split("."), f"{f.name} {f.kind} {bool(f.shape)} {f.shape[1:]} {f.uniform} {f.varied}")
            for f in fields
        ]
        found = _rows[id(fields)] = Rows(fields, rows, {f.name: i for i, f in enumerate(fields)})
    return found
