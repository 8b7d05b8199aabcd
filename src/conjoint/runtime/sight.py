"""Memory of a picture that is made of rays, and entries that work on it."""

from __future__ import annotations

from collections.abc import Mapping

from conjoint.lang import Kernel, PlainStruct
from conjoint.lang.entry import Entry
from conjoint.lang.layout import Buffer, Layout
from conjoint.physics.sight.view import see
from conjoint.schema.model import MODEL_ROWS
from conjoint.schema.sight import LIGHTS, SIGHT_FIELDS

LARGEST_SIDE = 1 << 14
"""Pixels that the side of a picture has at most."""


def sight_entry(kernel: Kernel, *kinds: str) -> Entry:
    """`kernel` as a Python function of a `Plan`, a `Sight` and its other arguments (`lang.entry.Entry`)."""
    return Entry(kernel, kinds, MODEL_ROWS, SIGHT_FIELDS)


SEE = sight_entry(see, "int", "int", "out float[]", "out int[]", "out float[]", "out byte[]")
"""Pictures of what a sight shows (`physics.sight.view.see`)."""


class Sight:
    """What kernels of pictures work with, for one world at a time.

    Args:
        sizes: of the model.
        height, width: of the picture in pixels.
        nshape: room for shapes.

    Attributes:
        buffer: memory of all fields (`schema.sight.SIGHT_FIELDS`).
        address: of the table of addresses, what kernels receive as `d`.
        sizes: by name.
    """

    def __init__(self, sizes: Mapping[str, int], height: int, width: int, nshape: int):
        room = {"pixelroom": height * width, "shaperoom": nshape, "lightroom": LIGHTS}
        self.sizes = {**sizes, **room}
        self.buffer = Buffer(Layout(SIGHT_FIELDS, self.sizes))
        self.buffer.set_defaults()
        self.buffer.view("height")[...], self.buffer.view("width")[...] = height, width
        self.address = int(self.buffer.table.ctypes.data)

    def plain(self) -> PlainStruct:
        """The memory for uncompiled kernels."""
        return PlainStruct([self.buffer])
