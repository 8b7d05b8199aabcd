"""The kernel language: reals, value types, formulas, structs, kernels, compilation (docs/kernel-language.md)."""

from .errors import ConjointError, FatalError, ModelError
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
from .language.functions import (
    abs,
    all,
    any,
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
    pow,
    sign,
    sin,
    sincos,
    sqrt,
    stop_gradient,
    where,
)
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
    with_tangent,
)
from .language.world_part import Part, within
from .memory.layout import COMPONENTS, Buffer, Field, Layout
