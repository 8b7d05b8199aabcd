"""Gradients of signed distances by finite differences."""

from conjoint.lang import kernel, sqrt, vec3

STEP = 1e-8
"""Finite-difference step (m) in double precision, as in MuJoCo."""

PRECISE = 1e-12
"""Machine epsilon up to which `STEP` is large enough."""


@kernel
def difference(m, i, p, distance):
    """Return the gradient of `distance`, a kernel of (m, i, p), with respect to p, by forward differences."""
    step = STEP
    if m.epsilon > PRECISE:
        step = sqrt(m.epsilon)
    here = distance(m, i, p)
    x = (distance(m, i, vec3(p.x + step, p.y, p.z)) - here) / step
    y = (distance(m, i, vec3(p.x, p.y + step, p.z)) - here) / step
    return vec3(x, y, (distance(m, i, vec3(p.x, p.y, p.z + step)) - here) / step)
