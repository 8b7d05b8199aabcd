"""Arguments that Python may pass to a kernel: numbers, values, and NumPy arrays of declared shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .layout import COMPONENTS, INTEGERS

NUMBERS = ("real", "int", "bool")
"""Parameter types that are a single number in Python, too."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an entry.

    Attributes:
        name: name of the parameter in the kernel.
        kind: type of the number or value, or of the elements of an array.
        shape: dimensions of an array, as numbers or names of model sizes; empty for any shape.
        is_array: True if the argument is an array.
        output: True if the kernel may write to the array.
    """

    name: str
    kind: str
    shape: tuple[int | str, ...] = ()
    is_array: bool = False
    output: bool = False

    @classmethod
    def declared(cls, name: str, text: str) -> Parameter:
        """Create a parameter from its declaration: "real", "vec3", "int[]", "real[3, nv]", "out real[nv]".

        Raises:
            TypeError: the declaration does not name a known type.
        """
        found = re.fullmatch(r"(out )?(\w+)(\[([\w, ]*)\])?", text)
        if found is None or found[2] not in COMPONENTS or (found[1] and not found[3]):
            raise TypeError(f"{name}: {text!r} declares no parameter: write 'real', 'vec3' or 'out real[3, nv]'")
        sizes = [size.strip() for size in (found[4] or "").split(",") if size.strip()]
        shape = tuple(int(size) if size.isdigit() else size for size in sizes)
        return cls(name, found[2], shape, found[3] is not None, found[1] is not None)

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy type of the numbers of an array."""
        return INTEGERS.get(self.kind, np.dtype(np.float64))

    @property
    def count(self) -> int:
        """Number of frame slots that the argument occupies."""
        return 1 if self.is_array else COMPONENTS[self.kind]

    def expected(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape that an array must have for a model with these sizes."""
        shape = tuple(sizes[n] if isinstance(n, str) else n for n in self.shape)
        components = COMPONENTS[self.kind]
        return shape if components == 1 else (*shape, components)

    def refuse(self, function: str, value: Any, sizes: Mapping[str, int]) -> None:
        """Raise an error if the argument is an invalid array.

        Raises:
            TypeError: the value is not an array, has a wrong type or shape, or cannot be read or written in place.
        """
        if not isinstance(value, np.ndarray):
            raise TypeError(f"{function}: {self.name} must be an array, not {type(value).__name__}")
        if value.dtype != self.dtype:
            raise TypeError(f"{function}: {self.name} must be an array of {self.dtype}, not of {value.dtype}")
        if self.shape and value.shape != self.expected(sizes):
            raise TypeError(f"{function}: {self.name} must have shape {self.expected(sizes)}, not {value.shape}")
        if self.output and not value.flags.writeable:
            raise TypeError(f"{function}: {self.name} is written to, and the array is read-only")
        if not value.flags.c_contiguous or not value.flags.aligned:
            raise TypeError(f"{function}: {self.name} must be contiguous and row-major")
