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
    require,
)
from conjoint.lang import algebra
from conjoint.schema.constants import mjMINVAL


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
    res[:] = vec * scl


@checked
def mju_add3(res: OutVector3, vec1: Vector3, vec2: Vector3) -> None:
    """res := vec1 + vec2."""
    res[:] = vec1 + vec2


@checked
def mju_sub3(res: OutVector3, vec1: Vector3, vec2: Vector3) -> None:
    """res := vec1 - vec2."""
    res[:] = vec1 - vec2


@checked
def mju_addTo3(res: OutVector3, vec: Vector3) -> None:
    """res := res + vec."""
    res += vec


@checked
def mju_subFrom3(res: OutVector3, vec: Vector3) -> None:
    """res := res - vec."""
    res -= vec


@checked
def mju_addToScl3(res: OutVector3, vec: Vector3, scl: float) -> None:
    """res := res + vec scl."""
    res += vec * scl


@checked
def mju_addScl3(res: OutVector3, vec1: Vector3, vec2: Vector3, scl: float) -> None:
    """res := vec1 + vec2 scl."""
    res[:] = vec1 + vec2 * scl


@checked
def mju_normalize3(vec: OutVector3) -> float:
    """Scale vec to unit length, or make it the x axis if it is nearly zero; returns its length before."""
    return _normalize(vec)


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
    res[:] = algebra.cross(a.tolist(), b.tolist()).parts


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
    length = math.sqrt(vec @ vec)
    if length < mjMINVAL:
        vec[:] = (1.0, 0.0, 0.0, 0.0)
    elif abs(length - 1.0) > mjMINVAL:
        vec *= 1.0 / length
    return length


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
    res[:] = vec


@checked
def mju_sum(vec: Vector) -> float:
    """Sum of the elements."""
    return float(np.sum(vec))


@checked
def mju_L1(vec: Vector) -> float:
    """Sum of the magnitudes."""
    return float(np.sum(np.abs(vec)))


@checked
def mju_scl(res: OutVector, vec: Vector, scl: float) -> None:
    """res := vec scl."""
    _same_size("mju_scl", res, vec)
    res[:] = vec * scl


@checked
def mju_add(res: OutVector, vec1: Vector, vec2: Vector) -> None:
    """res := vec1 + vec2."""
    _same_size("mju_add", res, vec1, vec2)
    res[:] = vec1 + vec2


@checked
def mju_sub(res: OutVector, vec1: Vector, vec2: Vector) -> None:
    """res := vec1 - vec2."""
    _same_size("mju_sub", res, vec1, vec2)
    res[:] = vec1 - vec2


@checked
def mju_addTo(res: OutVector, vec: Vector) -> None:
    """res := res + vec."""
    _same_size("mju_addTo", res, vec)
    res += vec


@checked
def mju_subFrom(res: OutVector, vec: Vector) -> None:
    """res := res - vec."""
    _same_size("mju_subFrom", res, vec)
    res -= vec


@checked
def mju_addToScl(res: OutVector, vec: Vector, scl: float) -> None:
    """res := res + vec scl."""
    _same_size("mju_addToScl", res, vec)
    res += vec * scl


@checked
def mju_addScl(res: OutVector, vec1: Vector, vec2: Vector, scl: float) -> None:
    """res := vec1 + vec2 scl."""
    _same_size("mju_addScl", res, vec1, vec2)
    res[:] = vec1 + vec2 * scl


@checked
def mju_normalize(res: OutVector) -> float:
    """Scale res to unit length, or make it (1, 0, ...) if it is nearly zero; returns its length before."""
    return _normalize(res)


@checked
def mju_norm(res: Vector) -> float:
    """Length of res."""
    # `@` takes twice as long for vectors of some elements
    return math.sqrt(res.dot(res))


@checked
def mju_dot(vec1: Vector, vec2: Vector) -> float:
    """Scalar product."""
    _same_size("mju_dot", vec1, vec2)
    return float(vec1 @ vec2)


@checked
def mju_isZero(vec: Vector) -> int:
    """1 if all elements are zero, else 0."""
    return int(not vec.any())


@checked
def mju_f2n(res: OutVector, vec: Floats) -> None:
    """res := vec, from single to double precision."""
    _same_size("mju_f2n", res, vec)
    res[:] = vec


@checked
def mju_n2f(res: OutFloats, vec: Vector) -> None:
    """res := vec, from double to single precision."""
    _same_size("mju_n2f", res, vec)
    res[:] = vec


@checked
def mju_d2n(res: OutVector, vec: Vector) -> None:
    """res := vec, from double precision."""
    _same_size("mju_d2n", res, vec)
    res[:] = vec


@checked
def mju_n2d(res: OutVector, vec: Vector) -> None:
    """res := vec, to double precision."""
    _same_size("mju_n2d", res, vec)
    res[:] = vec


@checked
def mju_insertionSort(list: OutVector) -> None:
    """Sort in place, ascending."""
    list.sort()


@checked
def mju_insertionSortInt(list: OutIntegers) -> None:
    """Sort in place, ascending."""
    list.sort()


def _normalize(vec: np.ndarray) -> float:
    """Scale to unit length; the first axis if nearly zero."""
    length = math.sqrt(vec @ vec)
    if length < mjMINVAL:
        vec[:] = 0.0
        vec[:1] = 1.0
    else:
        vec *= 1.0 / length
    return length


def _same_size(function: str, *vectors: np.ndarray) -> None:
    sizes = [len(vector) for vector in vectors]
    require(len(set(sizes)) == 1, f"{function}: the vectors should have the same size, not {sizes}")
