"""Names of elements, stored as concatenated zero-terminated strings, and their hash tables."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from conjoint.compiler.arrays import Columns
from conjoint.compiler.draft import Draft, Names
from conjoint.compiler.passes import declared
from conjoint.lang.memory.layout import Buffer
from conjoint.schema.kinds import KINDS

SLOTS = 2
"""Number of hash table slots for each element (mjLOAD_MULTIPLE)."""
START = 5381
"""Initial value in the computation of a hash."""
BITS = (1 << 64) - 1
"""Bit mask that truncates a hash to 64 bits."""
RUN = 16
"""Number of bytes after which a hash is truncated to 64 bits."""
FEW = 64
"""Maximum number of names that are hashed one by one."""


@declared(
    reads=(
        "body: id; camera: id; exclude: id; geom: id; hfield: id name; joint: id; light: id; material: id; mesh: "
        "id name; pair: id; site: id; texture: id"
    ),
    writes="draft: names",
)
def collect_names(draft: Draft) -> None:
    """Collect the names of all elements, their addresses and their hash tables."""
    names = draft.names = Names()
    parts = [draft.spec.modelname.encode()]
    address = len(parts[0]) + 1
    kinds = [kind for kind in KINDS if draft.__dict__[kind.plural]]
    for kind in kinds:
        found = [element.name.encode() for element in draft.__dict__[kind.plural]]
        parts += found
        *names.addresses[kind.names], address = accumulate([len(name) + 1 for name in found], initial=address)
    names.text = b"\0".join(parts) + b"\0"
    hashes = iter(_hashes(parts[1:]))
    for kind in kinds:
        names.table += _hash_table(getattr(draft, kind.plural), hashes)


def fill_names(names: Names, buffer: Buffer, columns: Columns) -> None:
    """Write the names, their addresses and the tables."""
    buffer.view("names")[:] = np.frombuffer(names.text, np.uint8)
    columns.add("names_map", names.table)
    for field, column in names.addresses.items():
        columns.add(field, column)


def _hash_table(elements: Sequence[Any], hashes: Iterator[int]) -> list[int]:
    """Return a hash table from names to ids.

    A name is in the first free slot at or after its hash. Free slots contain -1.
    """
    size = SLOTS * len(elements)
    table = [-1] * size
    # the iterator continues with the hashes of these elements
    for element, value in zip(elements, hashes, strict=False):
        if element.name:
            slot = value % size
            while table[slot] >= 0:
                slot = (slot + 1) % size
            table[slot] = element.id
    return table


def _hashes(names: list[bytes]) -> list[int]:
    """Return 64-bit hashes of names (Bernstein).

    For each byte, the hash is multiplied by 33, and XORed with the signed byte.
    """
    if len(names) <= FEW:
        return [_hash(name) for name in names]
    text = np.frombuffer(b"".join(names), np.int8).astype(np.int64).view(np.uint64)
    length = np.array([len(name) for name in names])
    start = np.cumsum(length) - length
    found = np.full(len(names), START, np.uint64)
    at, left = 0, np.flatnonzero(length)
    while len(left) > FEW:
        found[left] = found[left] * np.uint64(33) ^ text[start[left] + at]
        at += 1
        left = left[length[left] > at]
    hashes: list[int] = found.tolist()
    for i in left.tolist():
        hashes[i] = _continued(hashes[i], names[i][at:])
    return hashes


@lru_cache(maxsize=1 << 14)
def _hash(name: bytes) -> int:
    """Return the hash of one name. Hashes are cached, because models often have the same names."""
    return _continued(START, name)


def _continued(value: int, text: bytes) -> int:
    """Return the hash of a text that ends with `text`. `value` is the hash of the preceding part."""
    signed = memoryview(text).cast("b")
    for first in range(0, len(text), RUN):
        for byte in signed[first : first + RUN]:
            value = value * 33 ^ byte
        # bits above 64 do not affect lower ones
        value &= BITS
    return value
