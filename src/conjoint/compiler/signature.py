"""A number that tells whether two models consist of the same elements (field `signature`)."""

from hashlib import blake2b

from conjoint.lang.memory.layout import Buffer, picker
from conjoint.schema.sizes import SIZES

STRUCTURE = (
    "body_parentid", "jnt_type", "jnt_bodyid", "geom_bodyid", "site_bodyid", "cam_bodyid", "light_bodyid", "names",
)  # fmt: skip
"""Fields that change when an element moves to another body, or gets another name."""
MEMORY = ("narena", "nbuffer")
"""Sizes that say nothing about elements."""
_sizes_of = picker([name for name in SIZES if name not in MEMORY])


def structure_hash(buffer: Buffer) -> int:
    """Hash of all sizes, of the tree and of all names, as a signed number of 64 bits.

    It is the same for models compiled from equal specifications, and another one if an element is added, removed,
    renamed or moved.
    """
    digest = blake2b(digest_size=8)
    digest.update(repr(list(_sizes_of(buffer.layout.sizes))).encode())
    for name in STRUCTURE:
        digest.update(buffer.view(name).tobytes())
    return int.from_bytes(digest.digest(), "little", signed=True)
