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
"""Order of kinds in `names`, as in the field `name_*adr`, and the lists of the draft."""


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
    buffer.view("names_map")[:] = -1
    for prefix, column in addresses.items():
        if column:
            buffer.view(f"name_{prefix}adr")[:] = column
