"""Rotations of what is drawn between two points."""

from conjoint.lang import kernel, mat3, norm, sqrt
from conjoint.schema.constants import mjMINVAL


@kernel
def identity():
    """The rotation that turns nothing."""
    return mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def turn_to(v):
    """The rotation by the least angle that takes the z axis to the direction of v; none if v is tiny."""
    length = norm(v)
    if length < mjMINVAL:
        return identity()
    x = v.x / length
    y = v.y / length
    z = v.z / length
    off = x * x + y * y
    if sqrt(off) < mjMINVAL:
        # along the axis or against it: half a turn about x
        return mat3(1.0, 0.0, 0.0, 0.0, 1.0 if z > 0.0 else -1.0, 0.0, 0.0, 0.0, 1.0 if z > 0.0 else -1.0)
    # 1 / (1 + z) without cancellation
    k = 1.0 / (1.0 + z) if z > 0.0 else (1.0 - z) / off
    return mat3(1.0 - k * x * x, -k * x * y, x, -k * x * y, 1.0 - k * y * y, y, -x, -y, z)
