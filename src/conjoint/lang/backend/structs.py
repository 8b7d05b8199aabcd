"""`m` and `d` in compiled code: attributes, array elements, and what may alias what."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.imputils import lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import lower_builtin

from ..layout import ALIGNMENT
from .operators import as_real, symbols_of
from .symbols import FAST, constant, splat
from .types import INT32, INT64, FieldType, IntType, StructType, ValueType, real_llvm, vector


@infer_getattr
class _StructAttributes(AttributeTemplate):
    key = StructType

    def generic_resolve(self, kind, name):
        return kind.member(name)


@lower_getattr_generic(StructType)
def _get_attribute(context, builder, kind, value, name):
    member = kind.member(name)
    if isinstance(member, StructType):
        return value
    field = kind.field_type(name)
    address = field_address(builder, kind, value, field)
    if field.field.shape:
        return address
    return load_element(builder, field, address, ir.Constant(INT64, 0))


@lower_setattr_generic(StructType)
def _set_attribute(context, builder, sig, args, name):
    kind, value_kind = sig.args
    field = kind.field_type(name)
    if kind.invariant or field.field.shape:
        raise TypeError(
            f"cannot assign {kind.group}{name}: " + ("it is an array" if field.field.shape else "the model is constant")
        )
    address = field_address(builder, kind, args[0], field)
    store_element(context, builder, field, address, ir.Constant(INT64, 0), args[1], value_kind)


def field_address(builder: ir.IRBuilder, kind: StructType, value: ir.Value, field: FieldType) -> ir.Value:
    """Address of a field's first number, in this world's lane."""
    table = builder.inttoptr(builder.extract_value(value, 0), INT64.as_pointer())
    entry = builder.gep(table, [ir.Constant(INT32, kind.index[field.field.name])])
    address = builder.load(entry, align=8)
    # the table never changes while a kernel runs: lets LLVM hoist it out of loops
    mark_invariant(builder, address)
    if field.stride > field.lanes:
        lane = builder.extract_value(value, 1)
        address = builder.add(address, builder.mul(lane, ir.Constant(INT64, field.itemsize)))
    return address


def mark_invariant(builder: ir.IRBuilder, load: ir.Instruction) -> None:
    """Promise LLVM that the loaded memory never changes."""
    load.set_metadata("invariant.load", builder.module.add_metadata([]))


def mark_field(builder: ir.IRBuilder, instruction: ir.Instruction, field: FieldType) -> None:
    """Tell LLVM that different fields never overlap (type-based alias information, one type per field)."""
    module = builder.module
    root = module.add_metadata(["conjoint"])
    kind = module.add_metadata([field.field.name, root, ir.Constant(INT64, 0)])
    instruction.set_metadata("tbaa", module.add_metadata([kind, kind, ir.Constant(INT64, 0)]))


def pointers(builder: ir.IRBuilder, field: FieldType, address: ir.Value, index: ir.Value, count: int) -> list[ir.Value]:
    """Pointers to the numbers of element `index`."""
    llvm = vector(field.scalar, field.lanes)
    base = builder.inttoptr(address, llvm.as_pointer())
    # in units of one loaded number: lanes step by whole vectors, a world view by its stride
    step = field.stride if field.lanes == 1 else 1
    first = builder.mul(index, ir.Constant(INT64, count * step)) if count * step != 1 else index
    start = builder.gep(base, [first])
    return [builder.gep(start, [ir.Constant(INT64, k * step)]) if k else start for k in range(count)]


def alignment(field: FieldType) -> int:
    """Bytes an element is aligned to."""
    return min(field.itemsize * field.lanes, ALIGNMENT)


def load_element(builder: ir.IRBuilder, field: FieldType, address: ir.Value, index: ir.Value) -> ir.Value:
    """Element `index` of a field."""
    kind = field.element
    count = kind.count if isinstance(kind, ValueType) else 1
    loads = []
    for pointer in pointers(builder, field, address, index, count):
        load = builder.load(pointer, align=alignment(field))
        mark_field(builder, load, field)
        if field.invariant:
            mark_invariant(builder, load)
        loads.append(load)
    if isinstance(kind, ValueType):
        array: ir.Value = ir.Constant(ir.ArrayType(loads[0].type, count), ir.Undefined)
        for i, load in enumerate(loads):
            array = builder.insert_value(array, load, i)
        return array
    if not field.is_integer:
        wide = real_llvm(kind)
        return loads[0] if loads[0].type == wide else builder.fpext(loads[0], wide)
    return widened(builder, loads[0], field)


def widened(builder: ir.IRBuilder, number: ir.Value, field: FieldType) -> ir.Value:
    """A stored integer as kernels see it: int64, or lanes of int32."""
    target = INT64 if field.lanes == 1 else vector(INT32, field.lanes)
    if number.type == target:
        return number
    if field.field.kind == "long":
        return builder.trunc(number, target)
    extend = builder.zext if field.field.kind in ("byte", "bool") else builder.sext
    return extend(number, target)


def store_element(
    context: Any,
    builder: ir.IRBuilder,
    field: FieldType,
    address: ir.Value,
    index: ir.Value,
    value: ir.Value,
    kind: Any,
) -> None:
    """Write element `index` of a field."""
    element = field.element
    count = element.count if isinstance(element, ValueType) else 1
    if isinstance(element, ValueType):
        parts = [s.value for s in symbols_of(context, builder, value, kind, element.real, FAST)]
    elif field.is_integer:
        parts = [narrowed(context, builder, field, value, kind)]
    else:
        part, stored = as_real(context, builder, value, kind, element), vector(field.scalar, field.lanes)
        parts = [part if part.type == stored else builder.fptrunc(part, stored)]
    for part, pointer in zip(parts, pointers(builder, field, address, index, count), strict=True):
        mark_field(builder, builder.store(part, pointer, align=alignment(field)), field)


def narrowed(context: Any, builder: ir.IRBuilder, field: FieldType, value: ir.Value, kind: Any) -> ir.Value:
    """An integer as it is stored."""
    stored = vector(field.scalar, field.lanes)
    if not isinstance(kind, IntType):
        value = splat(builder, context.cast(builder, value, kind, types.int64), field.lanes)
    if value.type == stored:
        return value
    if isinstance(value, ir.Constant):
        scalar = value.constant[0] if isinstance(value.constant, list) else value.constant
        return constant(stored, getattr(scalar, "constant", scalar))
    wider = field.scalar.width > (value.type.element if field.lanes > 1 else value.type).width
    return builder.sext(value, stored) if wider else builder.trunc(value, stored)


@infer_global(operator.getitem)
class _GetElement(AbstractTemplate):
    def generic(self, args, kws):
        if len(args) == 2 and isinstance(args[0], FieldType) and isinstance(args[1], types.Integer):
            return signature(args[0].element, args[0], types.intp)
        return None


@lower_builtin(operator.getitem, FieldType, types.Integer)
def _get_element(context, builder, sig, args):
    return load_element(builder, sig.args[0], args[0], args[1])


@infer_global(operator.setitem)
class _SetElement(AbstractTemplate):
    def generic(self, args, kws):
        if len(args) != 3 or not isinstance(args[0], FieldType) or not isinstance(args[1], types.Integer):
            return None
        field, value = args[0], args[2]
        if isinstance(field.element, ValueType):
            fits = isinstance(value, ValueType) and value.kind == field.element.kind
        elif field.is_integer:
            fits = isinstance(value, (types.Integer, types.IntEnumMember, IntType))
        else:
            fits = not isinstance(value, (ValueType, types.Boolean))
        return signature(types.none, field, types.intp, value) if fits and not field.invariant else None


@lower_builtin(operator.setitem, FieldType, types.Integer, types.Any)
def _set_element(context, builder, sig, args):
    store_element(context, builder, sig.args[0], args[0], args[1], args[2], sig.args[2])
