"""Signed distances of a torus and a bowl (I. Quilez, Distance functions, iquilezles.org)."""

from conjoint.lang import abs, formula, sqrt, where


@formula("real", *["real"] * 5)
def torus_distance(x, y, z, radius1, radius2):
    """Return the signed distance from a torus about the z axis, with ring radius `radius1`, tube radius `radius2`."""
    across = sqrt(x * x + y * y) - radius1
    return sqrt(across * across + z * z) - radius2


@formula("real", *["real"] * 6)
def bowl_distance(x, y, z, height, radius, thickness):
    """Return the signed distance from a bowl: a hollow sphere that is cut off at `height` above its center.

    The wall extends by `thickness` to both sides of the sphere with `radius`.
    """
    rim = sqrt(radius * radius - height * height)
    across = sqrt(x * x + y * y)
    from_rim = sqrt((across - rim) * (across - rim) + (z - height) * (z - height))
    from_sphere = abs(sqrt(across * across + z * z) - radius)
    return where(height * across < rim * z, from_rim, from_sphere) - thickness
