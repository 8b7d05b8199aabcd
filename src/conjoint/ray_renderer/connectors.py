"""Shapes between two points: straight segments of tendons, hanging cables, sliders and cranks of actuators."""

from conjoint.lang import dot, exp, kernel, log, mat3, maximum, norm, sqrt, z_axis
from conjoint.schema.constants import PULLEY_POINT, mjMINVAL
from conjoint.schema.enums import mjtTrn


@kernel
def identity():
    """Return the identity rotation."""
    return mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def turn_to(v):
    """Return the smallest rotation from the z axis to the direction of v; the identity if v is tiny."""
    length = norm(v)
    if length < mjMINVAL:
        return identity()
    x = v.x / length
    y = v.y / length
    z = v.z / length
    off = x * x + y * y
    if sqrt(off) < mjMINVAL:
        # along the axis, or against it: a rotation by 180 degrees about x
        return mat3(1.0, 0.0, 0.0, 0.0, 1.0 if z > 0.0 else -1.0, 0.0, 0.0, 0.0, 1.0 if z > 0.0 else -1.0)
    # 1 / (1 + z) without cancellation
    k = 1.0 / (1.0 + z) if z > 0.0 else (1.0 - z) / off
    return mat3(1.0 - k * x * x, -k * x * y, x, -k * x * y, 1.0 - k * y * y, y, -x, -y, z)


MOST_STEPS = 50
"""Maximum number of Newton steps. The iteration ends at changes below `CLOSE_ENOUGH`."""
CLOSE_ENOUGH = 1e-9

STEEP = 0.01
"""Horizontal span, relative to the length, below which a cable is drawn as two straight segments."""


@kernel
def loose_length(m, t):
    """Return the length at which the limit or spring of a tendon starts to pull; 0 for other tendons."""
    limit = m.tendon_limited[t] != 0 and m.tendon_range[t, 0] == 0.0 and m.tendon_range[t, 1] > 0.0
    spring = m.tendon_lengthspring[t, 0] == 0.0 and m.tendon_lengthspring[t, 1] > 0.0
    if m.tendon_stiffness[t] == 0.0:
        return m.tendon_range[t, 1] if limit else 0.0
    return m.tendon_lengthspring[t, 1] if spring and not limit else 0.0


@kernel
def is_cable(m, d, t):
    """Return True if tendon t hangs loosely between two points and has no actuator.

    As in MuJoCo, this includes fixed tendons of two joints, which are drawn at the first points of spatial tendons.
    """
    if m.tendon_num[t] != 2:
        return False
    loose = loose_length(m, t)
    if loose == 0.0 or d.ten_length[t] >= loose or norm(m.opt.gravity) < mjMINVAL:
        return False
    pulled = False
    for u in range(m.nactuator):
        pulled = pulled or (m.actuator_trntype[u] == mjtTrn.mjTRN_TENDON and m.actuator_trnid[u, 0] == t)
    return not pulled


@kernel
def cosh(x):
    """Return the hyperbolic cosine."""
    return 0.5 * (exp(x) + exp(-x))


@kernel
def half_angle(ratio):
    """Return the positive x with sinh(x) / x = ratio, by Newton's method starting above the root."""
    # both are upper bounds: sinh(x) / x > 1 + x^2 / 6, and for large x, sinh(x) / x is about exp(x) / 2x
    x = sqrt(6.0 * (ratio - 1.0))
    if ratio > 3.0:
        x = log(2.0 * ratio) + log(log(2.0 * ratio)) + 1.0
    for _ in range(MOST_STEPS):
        s = 0.5 * (exp(x) - exp(-x))
        step = (s - ratio * x) / maximum(cosh(x) - ratio, mjMINVAL)
        x = x - step
        if step < CLOSE_ENOUGH:
            return x
    return x


@kernel
def draw_cable(m, d, t, draw):
    """Draw tendon t as a catenary that consists of straight segments, as many as a round shape has slices.

    `draw(m, d, t, width, start, end)` draws one segment.
    """
    width = m.tendon_width[t]
    first = d.ten_wrapadr[t]
    start = d.wrap_xpos[first]
    end = d.wrap_xpos[first + 1]
    up = m.opt.gravity * (-1.0 / norm(m.opt.gravity))
    rise = dot(end - start, up)
    level = end - start - up * rise
    span = norm(level)
    length = loose_length(m, t)
    count = m.vis.quality.numslices
    if span < STEEP * length:
        # down and up again, with equal slopes
        lean = level * (1.0 / length)
        slope = sqrt(1.0 - dot(lean, lean))
        bottom = start + (lean - up * slope) * (0.5 * (length - rise / slope))
        draw(m, d, t, width, start, bottom)
        draw(m, d, t, width, bottom, end)
        return
    x = half_angle(sqrt(length * length - rise * rise) / span)
    a = 0.5 * span / x
    lowest = 0.5 * span - 0.5 * a * log((length + rise) / (length - rise))
    depth = a * cosh(lowest / a)
    before = start
    for k in range(1, count):
        # as in MuJoCo, the last segment is twice as wide as the others
        share = k / (count + 1.0)
        after = start + level * share + up * (a * cosh((share * span - lowest) / a) - depth)
        draw(m, d, t, width, before, after)
        before = after
    draw(m, d, t, width, before, end)


WRAPPED_WIDTH = 0.5
"""Width of a tendon inside a wrapped geom, relative to its usual width."""


@kernel
def draw_tendon(m, d, t, draw):
    """Draw spatial tendon t, as a cable if loose; `draw(m, d, t, width, start, end)` draws a straight segment."""
    if is_cable(m, d, t):
        draw_cable(m, d, t, draw)
    else:
        draw_path(m, d, t, t, m.tendon_width[t], draw)


@kernel
def draw_path(m, d, t, owner, width, draw):
    """Draw the path of tendon t for `owner`, a tendon or an actuator; it is thinner inside wrapped geoms."""
    first = d.ten_wrapadr[t]
    for w in range(first, first + d.ten_wrapnum[t] - 1):
        if d.wrap_obj[w] == PULLEY_POINT or d.wrap_obj[w + 1] == PULLEY_POINT:
            continue
        inside = d.wrap_obj[w] >= 0 and d.wrap_obj[w + 1] >= 0
        thin = WRAPPED_WIDTH * width if inside else width
        draw(m, d, owner, thin, d.wrap_xpos[w], d.wrap_xpos[w + 1])


@kernel
def slider_crank(m, d, u):
    """Return, for actuator u, the positions of slider site, slider tip and crank site, and True if the crank is broken.

    The slider extends to the end of the crank, which has a fixed length. The crank is broken if it cannot reach the
    slider.
    """
    crank = d.site_xpos[m.actuator_trnid[u, 0]]
    slider = d.site_xpos[m.actuator_trnid[u, 1]]
    axis = z_axis(d.site_xmat[m.actuator_trnid[u, 1]])
    across = crank - slider
    along = dot(across, axis)
    rod = m.actuator_cranklength[u]
    rest = along * along + rod * rod - dot(across, across)
    return slider, slider + axis * (along - sqrt(maximum(rest, 0.0))), crank, rest < 0.0


@kernel
def crank_width(m):
    """Return the width of sliders (m); cranks have half this width."""
    return m.vis.scale.slidercrank * m.stat.meansize
