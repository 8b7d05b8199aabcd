"""Names, stored as zero-terminated text one after the other."""

from __future__ import annotations

import numpy as np

from conjoint.compiler.draft import Draft
from conjoint.lang.layout import Buffer

ORDER = {
    "body": "bodies", "jnt": "joints", "geom": "geoms", "site": "sites", "cam": "cameras", "light": "lights",
    "flex": "flexes", "mesh": "meshes", "skin": "skins", "hfield": "hfields", "tex": "textures", "mat": "materials",
    "pair": "pairs", "exclude": "excludes", "eq": "equalities", "tendon": "tendons", "actuator": "actuators",
    "sensor": "sensors", "numeric": "numerics", "text": "texts", "tuple": "tuples", "key": "keys",
    "plugin": "plugins",
}  # fmt: skip
"""Order of kinds in `names` and `names_map`, as in the field `name_*adr`, and the lists of the draft."""

SLOTS = 2
"""Slots of a hash table for each element (mjLOAD_MULTIPLE)."""
START = 5381
"""What hashes start from."""
BITS = (1 << 64) - 1
"""Mask of 64 bits."""
FEW = 64
"""So few names are hashed one by one."""


def names_bytes(draft: Draft) -> tuple[bytes, dict[str, list[int]]]:
    """All names, the model's first, and the addresses of those of each kind."""
    parts = [draft.spec.modelname.encode() + b"\0"]
    address = len(parts[0])
    addresses: dict[str, list[int]] = {}
    for prefix, elements in ORDER.items():
        column = addresses[prefix] = []
        for element in getattr(draft, elements):
            part = element.name.encode() + b"\0"
            parts.append(part)
            column.append(address)
            address += len(part)
    return b"".join(parts), addresses


def write_names(draft: Draft, buffer: Buffer) -> None:
    """Fill `names` and the addresses."""
    names, addresses = names_bytes(draft)
    buffer.view("names")[:] = np.frombuffer(names, np.uint8)
    buffer.view("names_map")[:] = _hash_tables(draft)
    for prefix, column in addresses.items():
        if column:
            buffer.view(f"name_{prefix}adr")[:] = column


def _hash_tables(draft: Draft) -> list[int]:
    """Tables from names to ids, one for each kind: a name is in the first slot that is free from its hash on."""
    tables: list[int] = []
    hashes = iter(_hashes([element.name.encode() for kind in ORDER.values() for element in getattr(draft, kind)]))
    for kind in ORDER.values():
        elements = getattr(draft, kind)
        size = SLOTS * len(elements)
        table = [-1] * size
        for element in elements:
            slot = next(hashes) % size
            if element.name:
                while table[slot] >= 0:
                    slot = (slot + 1) % size
                table[slot] = element.id
        tables += table
    return tables


def _hashes(names: list[bytes]) -> list[int]:
    """Hashes of names in 64 bits: times 33, exclusive or with a signed byte, for every byte (Bernstein)."""
    if len(names) <= FEW:
        return [_continued(START, name) for name in names]
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


def _continued(value: int, text: bytes) -> int:
    """The hash `value` of what comes before `text`, with `text`."""
    for byte in text:
        # bytes are signed
        value = value * 33 & BITS ^ (byte if byte < 128 else byte + BITS - 255)
    return value
