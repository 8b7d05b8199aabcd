"""Value types in plain Python: small fixed tuples of floating-point numbers with operators.

Kernels and formulas use them. In compiled code, their components are symbolic numbers that emit instructions. A value
is immutable. Its components may be any objects that behave like a real number: Python floats, NumPy scalars, or the
symbols of a compilation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..memory.layout import COMPONENTS
from .kernel_error import KernelError

Real = Any
"""Any object with the arithmetic of a real number."""

MEMBERS: dict[str, tuple[str, ...]] = {}
"""Names of the components of each value type that a record declares."""


class Value:
    """A value of type `kind` (vec3, quat, mat3, solref, ...) with components `parts`."""

    __array_ufunc__ = None
    __slots__ = ("kind", "parts")

    def __init__(self, kind: str, parts: Sequence[Real]):
        if len(parts) != COMPONENTS[kind]:
            raise ValueError(f"a {kind} has {COMPONENTS[kind]} components, not {len(parts)}")
        self.kind = kind
        self.parts = tuple(parts)

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(format(p, 'g') for p in self.parts)})"

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[Real]:
        return iter(self.parts)

    def __getitem__(self, i: int | slice) -> Real:
        return self.parts[i]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.kind == other.kind and self.parts == other.parts

    def __hash__(self) -> int:
        return hash((self.kind, self.parts))

    def __getattr__(self, name: str) -> Any:
        members = MEMBERS.get(self.kind, ())
        if name in members:
            return self.parts[members.index(name)]
        if self.kind == "spatial" and name in ("angular", "linear"):
            return Value("vec3", self.parts[:3] if name == "angular" else self.parts[3:])
        if self.kind == "mat3" and name == "T":
            return Value("mat3", [self.parts[3 * j + i] for i in range(3) for j in range(3)])
        raise AttributeError(f"a {self.kind} has no attribute {name!r}")

    def _like(self, other: object) -> Value:
        if not isinstance(other, Value) or other.kind != self.kind:
            raise KernelError(f"expected a {self.kind}, got {other!r}")
        return other

    def __add__(self, other: Value) -> Value:
        return Value(self.kind, [a + b for a, b in zip(self.parts, self._like(other).parts, strict=True)])

    def __sub__(self, other: Value) -> Value:
        return Value(self.kind, [a - b for a, b in zip(self.parts, self._like(other).parts, strict=True)])

    def __mul__(self, real: Real) -> Value:
        return Value(self.kind, [a * real for a in self.parts])

    __rmul__ = __mul__

    def __truediv__(self, real: Real) -> Value:
        return Value(self.kind, [a / real for a in self.parts])

    def __neg__(self) -> Value:
        return Value(self.kind, [-a for a in self.parts])

    def __matmul__(self, other: Value) -> Value:
        if self.kind != "mat3" or other.kind not in ("vec3", "mat3"):
            raise KernelError(f"cannot multiply a {self.kind} with a {other.kind}")
        return Value(other.kind, matrix_product(self.parts, other.parts))


def matrix_product(r: Sequence[Real], b: Sequence[Real]) -> tuple[Real, ...]:
    """Return the components of R b for a vector or matrix b, row-major."""
    n = len(b) // 3
    return tuple(
        r[3 * i] * b[j] + r[3 * i + 1] * b[n + j] + r[3 * i + 2] * b[2 * n + j] for i in range(3) for j in range(n)
    )
