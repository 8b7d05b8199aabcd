"""Numba types of the kernel language and how LLVM stores them."""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.extending import models, register_model

from ..layout import COMPONENTS, Field
from ..realisation import Realisation

BASES = {"float64": ir.DoubleType(), "float32": ir.FloatType()}
BIT = ir.IntType(1)
INT32 = ir.IntType(32)
INT64 = ir.IntType(64)


def vector(scalar: ir.Type, n: int) -> ir.Type:
    """n of `scalar`; the scalar itself for one lane."""
    return scalar if n == 1 else ir.VectorType(scalar, n)


class ConjointType(types.Type):
    """Base of all types of the kernel language."""


class RealType(ConjointType):
    """n lanes of `base` ("float64" or "float32")."""

    def __init__(self, base: str, n: int):
        self.base, self.n = base, n
        super().__init__(f"real<{base}x{n}>")

    def unify(self, typingctx, other):
        if isinstance(other, RealType):
            return self if self.n >= other.n else other
        return self if isinstance(other, (types.Number, IntType)) else None


class IntType(ConjointType):
    """n > 1 lanes of int32, beside reals of `base`."""

    def __init__(self, base: str, n: int):
        self.base, self.n = base, n
        super().__init__(f"ints<{base}x{n}>")

    def unify(self, typingctx, other):
        if isinstance(other, (types.Integer, IntType)):
            return self
        return None


class MaskType(ConjointType):
    """n > 1 lanes of a condition on reals of `base`."""

    def __init__(self, base: str, n: int):
        self.base, self.n = base, n
        super().__init__(f"mask<{base}x{n}>")

    def unify(self, typingctx, other):
        return self if isinstance(other, (types.Boolean, MaskType)) else None


class ValueType(ConjointType):
    """A vec3, quat, ... of reals. The real is `types.float64` while only literals made it."""

    def __init__(self, kind: str, real: types.Type):
        self.kind, self.real, self.count = kind, real, COMPONENTS[kind]
        super().__init__(f"{kind}<{real}>")

    def unify(self, typingctx, other):
        if isinstance(other, ValueType) and other.kind == self.kind:
            return ValueType(self.kind, join(self.real, other.real))
        return None


class FieldType(ConjointType):
    """An array field: the address of its first element (of this world or lane)."""

    def __init__(self, field: Field, realisation: Realisation, uniform: bool, invariant: bool):
        self.field, self.realisation = field, realisation
        self.invariant = invariant
        self.lanes = 1 if uniform else realisation.lanes
        self.stride = 1 if uniform else realisation.stride
        super().__init__(f"field<{field.name},{field.kind},{realisation.name},{uniform},{invariant}>")

    @property
    def is_integer(self) -> bool:
        return self.field.kind in INTEGER_BITS

    @property
    def base(self) -> str:
        """Precision of stored reals: the kind "float" is single at any precision of the others."""
        return "float32" if self.field.kind == "float" else self.realisation.base

    @property
    def scalar(self) -> ir.Type:
        """LLVM type of one stored number."""
        return ir.IntType(INTEGER_BITS[self.field.kind]) if self.is_integer else BASES[self.base]

    @property
    def itemsize(self) -> int:
        """Bytes of one stored number."""
        if self.is_integer:
            return INTEGER_BITS[self.field.kind] // 8
        return 4 if self.base == "float32" else 8

    @property
    def element(self) -> types.Type:
        """Type of an element."""
        if self.is_integer:
            return types.int64 if self.lanes == 1 else IntType(self.realisation.base, self.lanes)
        real = RealType(self.realisation.base, self.lanes)
        return real if self.field.kind in ("real", "float") else ValueType(self.field.kind, real)


INTEGER_BITS = {"int": 32, "byte": 8, "bool": 8, "long": 64}


class StructType(ConjointType):
    """`m` or `d`, or a group of their fields (`m.opt`): the address of the table, the lane of a world view."""

    def __init__(
        self, role: str, fields: tuple[Field, ...], realisation: Realisation, invariant: bool, group: str = ""
    ):
        self.role, self.fields, self.realisation, self.invariant, self.group = (
            role,
            fields,
            realisation,
            invariant,
            group,
        )
        self.uniform = role == "model"
        self.index = {field.name: i for i, field in enumerate(fields)}
        self.groups = {field.name.split(".")[0] for field in fields if "." in field.name}
        super().__init__(f"{role}<{realisation.name},{invariant},{group},{hash(fields)}>")

    def member(self, name: str) -> types.Type | None:
        """Type of attribute `name`: an element for a single field, else the array; None if there is no such field."""
        if not self.group and name in self.groups:
            return StructType(self.role, self.fields, self.realisation, self.invariant, name + ".")
        field_type = self.field_type(name)
        if field_type is None:
            return None
        return field_type if field_type.field.shape else field_type.element

    def field_type(self, name: str) -> FieldType | None:
        """Type of the array behind attribute `name`."""
        i = self.index.get(self.group + name)
        if i is None:
            return None
        return FieldType(self.fields[i], self.realisation, self.uniform, self.invariant)


def join(a: types.Type, b: types.Type) -> types.Type:
    """The real both operands become; a literal (`types.float64`) gives way to any other."""
    if not isinstance(a, RealType):
        return b if isinstance(b, RealType) else types.float64
    if not isinstance(b, RealType):
        return a
    if a.base != b.base:
        raise TypeError(f"mixed precisions {a} and {b}")
    return a if a.n >= b.n else b


def lanes_of(*args: types.Type) -> int:
    """Number of lanes an operation on these types has."""
    return max((getattr(a.real if isinstance(a, ValueType) else a, "n", 1) for a in args), default=1)


def real_llvm(real: types.Type) -> ir.Type:
    """LLVM type of a real."""
    return vector(BASES[real.base], real.n) if isinstance(real, RealType) else BASES["float64"]


@register_model(RealType)
class _RealModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, real_llvm(fe_type))


@register_model(IntType)
class _IntModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, vector(INT32, fe_type.n))


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, vector(BIT, fe_type.n))


@register_model(ValueType)
class _ValueModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, ir.ArrayType(real_llvm(fe_type.real), fe_type.count))


@register_model(FieldType)
class _FieldModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, INT64)


@register_model(StructType)
class _StructModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, ir.ArrayType(INT64, 2))
