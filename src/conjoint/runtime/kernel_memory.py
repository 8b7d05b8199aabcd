"""Memory that kernels receive as one argument, `m` or `d`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from conjoint.lang import PlainStruct
from conjoint.lang.memory.layout import Buffer


class KernelMemory:
    """Fields of several buffers, accessed through a table of field addresses.

    Attributes:
        buffers: the buffers, in the order of the table.
        table: addresses of all fields.
        address: address of `table`, which is passed to kernels.
    """

    def show(self, *buffers: Buffer, table: np.ndarray | None = None) -> None:
        """Expose buffers to kernels, through their address tables or through `table`, which may contain more fields."""
        self.buffers = buffers
        self.table = np.concatenate([buffer.table for buffer in buffers]) if table is None else table
        self.address = int(self.table.ctypes.data)

    @property
    def sizes(self) -> Mapping[str, int]:
        """Sizes by name, such as the number of bodies."""
        return self.buffers[0].layout.sizes

    def plain(self, active: set[str] | None = None) -> PlainStruct:
        """Return the memory for uncompiled kernels.

        Args:
            active: fields whose reals are dual numbers; None if the kernels use no dual numbers.
        """
        return PlainStruct(self.buffers, active=active)

    def worlds(self) -> list[PlainStruct]:
        """Return the memory of each lane's world, for uncompiled kernels."""
        return [PlainStruct(self.buffers, lane) for lane in range(self.buffers[0].layout.lanes)]

    def view(self, name: str) -> np.ndarray:
        """Return a NumPy view of a field that kernels can access."""
        for buffer in self.buffers:
            if name in buffer.layout.index:
                return buffer.view(name)
        raise KeyError(name)
