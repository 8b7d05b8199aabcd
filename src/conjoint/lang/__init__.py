"""The kernel language: real numbers, value types, formulas, structs, kernels, and compilation
(docs/kernel-language.md)."""

from .errors import ArgumentError, ConjointError, FatalError, ModelError
from .language.algebra import (
    KBIP,
    com_inertia,
    conj_quat,
    cross,
    cross_force,
    cross_motion,
    dot,
    dot6,
    friction,
    inertia,
    integrate_quat,
    mat3,
    mat_from_rows,
    mul_inertia,
    mul_mat_vec,
    mul_quat,
    norm,
    normalize3,
    normalize_quat,
    quat,
    quat_from_axis_angle,
    quat_to_mat,
    quat_to_velocity,
    rotate,
    rotate_inv,
    row0,
    row1,
    row2,
    solimp,
    solref,
    spatial,
    sub_quat,
    vec2,
    vec3,
    x_axis,
    y_axis,
    z_axis,
)
from .language.formula import Formula, formula
from .language.functions import abs as abs
from .language.functions import all as all
from .language.functions import any as any
from .language.functions import (
    atan2,
    change,
    clip,
    cos,
    exp,
    floor,
    fma,
    isbad,
    lanes_max,
    log,
    logical_not,
    maximum,
    minimum,
    sign,
    sin,
    sincos,
    sqrt,
    stop_gradient,
    where,
)
from .language.functions import pow as pow
from .language.group import Group, group
from .language.kernel import Kernel, kernel
from .language.plain_structs import PlainStruct
from .language.record import record, struct
from .language.shared_work import shared
from .language.values import Value
from .language.vocabulary import (
    PANEL,
    STRIP,
    TILES,
    integer,
    jam,
    load,
    local,
    panel,
    put,
    real,
    strip,
    tangent,
    tile,
    total,
    uniform,
    unique,
    with_tangent,
)
from .language.world_part import Part, within
from .memory.layout import COMPONENTS, Buffer, Field, Layout

__all__ = [
    # declarations
    "Group", "Kernel", "formula", "group", "kernel", "record", "struct",
    # values
    "vec2", "vec3", "quat", "mat3", "spatial", "inertia", "solref", "solimp", "friction", "KBIP",
    # reals
    "where", "minimum", "maximum", "clip", "sign", "floor", "integer", "real", "isbad", "fma", "uniform", "unique",
    "sqrt", "exp", "log", "sin", "cos", "sincos", "atan2",
    # vectors, rotations, spatial vectors
    "dot", "cross", "norm", "normalize3", "mul_mat_vec",
    "mul_quat", "conj_quat", "rotate", "rotate_inv", "normalize_quat", "quat_from_axis_angle", "quat_to_mat",
    "quat_to_velocity", "sub_quat", "integrate_quat",
    "x_axis", "y_axis", "z_axis", "row0", "row1", "row2", "mat_from_rows",
    "dot6", "mul_inertia", "cross_motion", "cross_force", "com_inertia",
    # memory
    "load", "put", "local",
    # tiles
    "PANEL", "STRIP", "TILES", "jam", "panel", "strip", "tile", "total",
    # derivatives
    "change", "stop_gradient", "tangent", "with_tangent",
    # threads and parts of a world
    "Part", "shared", "within",
]  # fmt: skip
"""Names that `from conjoint.lang import *` imports, by subject.

`abs`, `all`, `any` and `pow` are left out, because they would hide Python's built-in functions.
"""
