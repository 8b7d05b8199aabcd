"""Vectors (API reference, Vector math and Utility functions): results go to the first argument."""

import math

import numpy as np

from conjoint.api.arguments import (
    Floats,
    OutFloats,
    OutIntegers,
    OutVector,
    OutVector3,
    OutVector4,
    Vector,
    Vector3,
    Vector4,
    checked,
)
from conjoint.lang import cross
from conjoint.physics.arrays import vectors
from conjoint.physics.arrays.rotation import of_values
from conjoint.runtime.entry import entry

_copy = entry(vectors.write_copy, "out real[]", "real[]", "int")
_from_single = entry(vectors.write_copy, "out real[]", "float[]", "int")
_to_single = entry(vectors.write_copy, "out float[]", "real[]", "int")
_scaled = entry(vectors.write_scaled, "out real[]", "real[]", "real", "int")
_sum = entry(vectors.write_sum, "out real[]", "real[]", "real[]", "int")
_difference = entry(vectors.write_difference, "out real[]", "real[]", "real[]", "int")
_scaled_sum = entry(vectors.write_scaled_sum, "out real[]", "real[]", "real[]", "real", "int")
_cross = entry(of_values(cross), "out vec3[]", "vec3[]", "vec3[]")
_sum_of = entry(vectors.sum_of, "real[]", "int")
_magnitude_of = entry(vectors.magnitude_of, "real[]", "int")
_dot_product = entry(vectors.dot_product, "real[]", "real[]", "int")
_is_zero = entry(vectors.is_zero, "real[]", "int")
_normalize = entry(vectors.normalize, "out real[]", "int", "int")


@checked
def mju_zero3(res: OutVector3) -> None:
    """res := 0."""
    res[:] = 0.0


@checked
def mju_copy3(res: OutVector3, data: Vector3) -> None:
    """res := data."""
    res[:] = data


@checked
def mju_scl3(res: OutVector3, vec: Vector3, scl: float) -> None:
    """res := vec scl."""
    _scaled(res, vec, scl, 3)


@checked
def mju_add3(res: OutVector3, vec1: Vector3, vec2: Vector3) -> None:
    """res := vec1 + vec2."""
    _sum(res, vec1, vec2, 3)


@checked
def mju_sub3(res: OutVector3, vec1: Vector3, vec2: Vector3) -> None:
    """res := vec1 - vec2."""
    _difference(res, vec1, vec2, 3)


@checked
def mju_addTo3(res: OutVector3, vec: Vector3) -> None:
    """res := res + vec."""
    _sum(res, res, vec, 3)


@checked
def mju_subFrom3(res: OutVector3, vec: Vector3) -> None:
    """res := res - vec."""
    _difference(res, res, vec, 3)


@checked
def mju_addToScl3(res: OutVector3, vec: Vector3, scl: float) -> None:
    """res := res + vec scl."""
    _scaled_sum(res, res, vec, scl, 3)


@checked
def mju_addScl3(res: OutVector3, vec1: Vector3, vec2: Vector3, scl: float) -> None:
    """res := vec1 + vec2 scl."""
    _scaled_sum(res, vec1, vec2, scl, 3)


@checked
def mju_normalize3(vec: OutVector3) -> float:
    """Scale vec to unit length, or make it the x axis if it is nearly zero; returns its length before."""
    return _normalize(vec, 3, 0)


@checked
def mju_norm3(vec: Vector3) -> float:
    """Length of vec."""
    # numbers of Python: a product of short arrays takes ten times as long
    x, y, z = vec.tolist()
    return math.sqrt(x * x + y * y + z * z)


@checked
def mju_dot3(vec1: Vector3, vec2: Vector3) -> float:
    """Scalar product."""
    (ax, ay, az), (bx, by, bz) = vec1.tolist(), vec2.tolist()
    return float(ax * bx + ay * by + az * bz)


@checked
def mju_dist3(pos1: Vector3, pos2: Vector3) -> float:
    """Distance of two points."""
    (ax, ay, az), (bx, by, bz) = pos1.tolist(), pos2.tolist()
    x, y, z = ax - bx, ay - by, az - bz
    return math.sqrt(x * x + y * y + z * z)


@checked
def mju_cross(res: OutVector3, a: Vector3, b: Vector3) -> None:
    """res := a x b."""
    _cross(res, a, b)


@checked
def mju_zero4(res: OutVector4) -> None:
    """res := 0."""
    res[:] = 0.0


@checked
def mju_unit4(res: OutVector4) -> None:
    """res := (1, 0, 0, 0), the quaternion of no rotation."""
    res[:] = (1.0, 0.0, 0.0, 0.0)


@checked
def mju_copy4(res: OutVector4, data: Vector4) -> None:
    """res := data."""
    res[:] = data


@checked
def mju_normalize4(vec: OutVector4) -> float:
    """Scale vec to unit length, or make it (1, 0, 0, 0) if it is nearly zero; returns its length before."""
    return _normalize(vec, 4, 1)


@checked
def mju_zero(res: OutVector) -> None:
    """res := 0."""
    res[:] = 0.0


@checked
def mju_fill(res: OutVector, val: float) -> None:
    """All elements of res := val."""
    res[:] = val


@checked
def mju_copy(res: OutVector, vec: Vector) -> None:
    """res := vec."""
    _same_size("mju_copy", res, vec)
    _copy(res, vec, len(res))


@checked
def mju_sum(vec: Vector) -> float:
    """Sum of the elements."""
    return _sum_of(vec, len(vec))


@checked
def mju_L1(vec: Vector) -> float:
    """Sum of the magnitudes."""
    return _magnitude_of(vec, len(vec))


@checked
def mju_scl(res: OutVector, vec: Vector, scl: float) -> None:
    """res := vec scl."""
    _same_size("mju_scl", res, vec)
    _scaled(res, vec, scl, len(res))


@checked
def mju_add(res: OutVector, vec1: Vector, vec2: Vector) -> None:
    """res := vec1 + vec2."""
    _same_size("mju_add", res, vec1, vec2)
    _sum(res, vec1, vec2, len(res))


@checked
def mju_sub(res: OutVector, vec1: Vector, vec2: Vector) -> None:
    """res := vec1 - vec2."""
    _same_size("mju_sub", res, vec1, vec2)
    _difference(res, vec1, vec2, len(res))


@checked
def mju_addTo(res: OutVector, vec: Vector) -> None:
    """res := res + vec."""
    _same_size("mju_addTo", res, vec)
    _sum(res, res, vec, len(res))


@checked
def mju_subFrom(res: OutVector, vec: Vector) -> None:
    """res := res - vec."""
    _same_size("mju_subFrom", res, vec)
    _difference(res, res, vec, len(res))


@checked
def mju_addToScl(res: OutVector, vec: Vector, scl: float) -> None:
    """res := res + vec scl."""
    _same_size("mju_addToScl", res, vec)
    _scaled_sum(res, res, vec, scl, len(res))


@checked
def mju_addScl(res: OutVector, vec1: Vector, vec2: Vector, scl: float) -> None:
    """res := vec1 + vec2 scl."""
    _same_size("mju_addScl", res, vec1, vec2)
    _scaled_sum(res, vec1, vec2, scl, len(res))


@checked
def mju_normalize(res: OutVector) -> float:
    """Scale res to unit length, or make it (1, 0, ...) if it is nearly zero; returns its length before."""
    return _normalize(res, len(res), 0)


@checked
def mju_norm(res: Vector) -> float:
    """Length of res."""
    return math.sqrt(_dot_product(res, res, len(res)))


@checked
def mju_dot(vec1: Vector, vec2: Vector) -> float:
    """Scalar product."""
    _same_size("mju_dot", vec1, vec2)
    return _dot_product(vec1, vec2, len(vec1))


@checked
def mju_isZero(vec: Vector) -> int:
    """1 if all elements are zero, else 0."""
    return _is_zero(vec, len(vec))


@checked
def mju_f2n(res: OutVector, vec: Floats) -> None:
    """res := vec, from single to double precision."""
    _same_size("mju_f2n", res, vec)
    _from_single(res, vec, len(res))


@checked
def mju_n2f(res: OutFloats, vec: Vector) -> None:
    """res := vec, from double to single precision."""
    _same_size("mju_n2f", res, vec)
    _to_single(res, vec, len(res))


@checked
def mju_d2n(res: OutVector, vec: Vector) -> None:
    """res := vec, from double precision."""
    _same_size("mju_d2n", res, vec)
    _copy(res, vec, len(res))


@checked
def mju_n2d(res: OutVector, vec: Vector) -> None:
    """res := vec, to double precision."""
    _same_size("mju_n2d", res, vec)
    _copy(res, vec, len(res))


@checked
def mju_insertionSort(list: OutVector) -> None:
    """Sort in place, ascending."""
    list.sort()


@checked
def mju_insertionSortInt(list: OutIntegers) -> None:
    """Sort in place, ascending."""
    list.sort()


def _same_size(function: str, a: np.ndarray, b: np.ndarray, *others: np.ndarray) -> None:
    if len(a) != len(b) or (others and len(a) != len(others[0])):
        sizes = [len(vector) for vector in (a, b, *others)]
        raise TypeError(f"{function}: the vectors should have the same size, not {sizes}")
