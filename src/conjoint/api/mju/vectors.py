"""Operations on vectors, which write to their first argument (API reference, Vector math and Utility functions)."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from conjoint.api.arguments import Vector3, checked
from conjoint.api.mju.table import Row, define
from conjoint.lang import cross
from conjoint.physics.arrays import vectors
from conjoint.physics.arrays.rotation import of_values
from conjoint.runtime.entry import entry

copied = entry(vectors.write_copy, "out real[]", "real[]", "int")
from_single = entry(vectors.write_copy, "out real[]", "float[]", "int")
to_single = entry(vectors.write_copy, "out float[]", "real[]", "int")
scaled = entry(vectors.write_scaled, "out real[]", "real[]", "real", "int")
added = entry(vectors.write_sum, "out real[]", "real[]", "real[]", "int")
subtracted = entry(vectors.write_difference, "out real[]", "real[]", "real[]", "int")
added_scaled = entry(vectors.write_scaled_sum, "out real[]", "real[]", "real[]", "real", "int")
crossed = entry(of_values(cross), "out vec3[]", "vec3[]", "vec3[]")
sum_of = entry(vectors.sum_of, "real[]", "int")
magnitude_of = entry(vectors.magnitude_of, "real[]", "int")
dot = entry(vectors.dot_product, "real[]", "real[]", "int")
is_zero = entry(vectors.is_zero, "real[]", "int")
normalized = entry(vectors.normalize, "out real[]", "int", "int")

UNIT = np.array([1.0, 0.0, 0.0, 0.0])

TABLE: dict[str, Row] = {
    # vectors of three numbers
    "mju_zero3": ("out 3", lambda res: res.fill(0.0), "Compute res := 0."),
    "mju_copy3": ("out 3, 3", lambda res, data: copied(res, data, 3), "Compute res := data."),
    "mju_scl3": ("out 3, 3, real", lambda res, vec, scl: scaled(res, vec, scl, 3), "Compute res := vec scl."),
    "mju_add3": ("out 3, 3, 3", lambda res, vec1, vec2: added(res, vec1, vec2, 3), "Compute res := vec1 + vec2."),
    "mju_sub3": ("out 3, 3, 3", lambda res, vec1, vec2: subtracted(res, vec1, vec2, 3), "Compute res := vec1 - vec2."),
    "mju_addTo3": ("out 3, 3", lambda res, vec: added(res, res, vec, 3), "Compute res := res + vec."),
    "mju_subFrom3": ("out 3, 3", lambda res, vec: subtracted(res, res, vec, 3), "Compute res := res - vec."),
    "mju_addToScl3": (
        "out 3, 3, real",
        lambda res, vec, scl: added_scaled(res, res, vec, scl, 3),
        "Compute res := res + vec scl.",
    ),
    "mju_addScl3": (
        "out 3, 3, 3, real",
        lambda res, vec1, vec2, scl: added_scaled(res, vec1, vec2, scl, 3),
        "Compute res := vec1 + vec2 scl.",
    ),
    "mju_normalize3": (
        "out 3 -> real",
        lambda vec: normalized(vec, 3, 0),
        "Scale vec to unit length, or set it to the x axis if it is nearly zero; return its previous length.",
    ),
    "mju_cross": ("out 3, 3, 3", lambda res, a, b: crossed(res, a, b), "Compute res := a x b."),
    # vectors of four numbers
    "mju_zero4": ("out 4", lambda res: res.fill(0.0), "Compute res := 0."),
    "mju_unit4": ("out 4", lambda res: copied(res, UNIT, 4), "Compute res := (1, 0, 0, 0), the identity rotation."),
    "mju_copy4": ("out 4, 4", lambda res, data: copied(res, data, 4), "Compute res := data."),
    "mju_normalize4": (
        "out 4 -> real",
        lambda vec: normalized(vec, 4, 1),
        "Scale vec to unit length, or set it to (1, 0, 0, 0) if it is nearly zero; return its previous length.",
    ),
    # vectors of any length
    "mju_zero": ("out n", lambda res: res.fill(0.0), "Compute res := 0."),
    "mju_fill": ("out n, real", lambda res, val: res.fill(val), "Set all elements of res to val."),
    "mju_copy": ("out n, n", lambda res, vec: copied(res, vec, len(res)), "Compute res := vec."),
    "mju_sum": ("n -> real", lambda vec: sum_of(vec, len(vec)), "Return the sum of the elements."),
    "mju_L1": (
        "n -> real",
        lambda vec: magnitude_of(vec, len(vec)),
        "Return the sum of the magnitudes of the elements.",
    ),
    "mju_scl": ("out n, n, real", lambda res, vec, scl: scaled(res, vec, scl, len(res)), "Compute res := vec scl."),
    "mju_add": ("out n, n, n", lambda res, vec1, vec2: added(res, vec1, vec2, len(res)), "Compute res := vec1 + vec2."),
    "mju_sub": (
        "out n, n, n",
        lambda res, vec1, vec2: subtracted(res, vec1, vec2, len(res)),
        "Compute res := vec1 - vec2.",
    ),
    "mju_addTo": ("out n, n", lambda res, vec: added(res, res, vec, len(res)), "Compute res := res + vec."),
    "mju_subFrom": ("out n, n", lambda res, vec: subtracted(res, res, vec, len(res)), "Compute res := res - vec."),
    "mju_addToScl": (
        "out n, n, real",
        lambda res, vec, scl: added_scaled(res, res, vec, scl, len(res)),
        "Compute res := res + vec scl.",
    ),
    "mju_addScl": (
        "out n, n, n, real",
        lambda res, vec1, vec2, scl: added_scaled(res, vec1, vec2, scl, len(res)),
        "Compute res := vec1 + vec2 scl.",
    ),
    "mju_normalize": (
        "out n -> real",
        lambda res: normalized(res, len(res), 0),
        "Scale res to unit length, or set it to (1, 0, ...) if it is nearly zero; return its previous length.",
    ),
    "mju_norm": ("n -> real", lambda res: math.sqrt(dot(res, res, len(res))), "Return the length of vec."),
    "mju_dot": (
        "n, n -> real",
        lambda vec1, vec2: dot(vec1, vec2, len(vec1)),
        "Return the scalar product of two vectors.",
    ),
    "mju_isZero": ("n -> int", lambda vec: is_zero(vec, len(vec)), "Return 1 if all elements are zero, else 0."),
    "mju_f2n": (
        "out n, float n",
        lambda res, vec: from_single(res, vec, len(res)),
        "Compute res := vec, converted from single precision.",
    ),
    "mju_n2f": (
        "out float n, n",
        lambda res, vec: to_single(res, vec, len(res)),
        "Compute res := vec, converted to single precision.",
    ),
    "mju_d2n": (
        "out n, n",
        lambda res, vec: copied(res, vec, len(res)),
        "Compute res := vec, converted from double precision.",
    ),
    "mju_n2d": (
        "out n, n",
        lambda res, vec: copied(res, vec, len(res)),
        "Compute res := vec, converted to double precision.",
    ),
    "mju_insertionSort": ("out n", lambda list: list.sort(), "Sort the elements in place, ascending."),
    "mju_insertionSortInt": ("out int n", lambda list: list.sort(), "Sort the elements in place, ascending."),
}

define(TABLE, globals())
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


# these functions use Python floats, because a product of short arrays takes ten times as long


@checked
def mju_norm3(vec: Vector3) -> float:
    """Return the length of vec."""
    x, y, z = vec.tolist()
    return math.sqrt(x * x + y * y + z * z)


@checked
def mju_dot3(vec1: Vector3, vec2: Vector3) -> float:
    """Return the scalar product of vec1 and vec2."""
    (ax, ay, az), (bx, by, bz) = vec1.tolist(), vec2.tolist()
    return float(ax * bx + ay * by + az * bz)


@checked
def mju_dist3(pos1: Vector3, pos2: Vector3) -> float:
    """Return the distance between two points."""
    (ax, ay, az), (bx, by, bz) = pos1.tolist(), pos2.tolist()
    x, y, z = ax - bx, ay - by, az - bz
    return math.sqrt(x * x + y * y + z * z)
