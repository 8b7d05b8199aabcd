"""Straight parts of what is drawn between points of the world: tendons, and the cranks of actuators."""

from conjoint.lang import dot, kernel, maximum, sqrt, z_axis
from conjoint.ray_renderer.catenary import draw_cable, is_cable
from conjoint.schema.constants import PULLEY_POINT

WRAPPED_WIDTH = 0.5
"""Width of a tendon inside the geom that it wraps around, relative to its own."""


@kernel
def draw_tendon(m, d, t, draw):
    """Draw spatial tendon t, if it hangs loose as a cable: `draw(m, d, t, width, start, end)` draws a straight part."""
    if is_cable(m, d, t):
        draw_cable(m, d, t, draw)
    else:
        draw_path(m, d, t, t, m.tendon_width[t], draw)


@kernel
def draw_path(m, d, t, owner, width, draw):
    """Draw the path of tendon t, thinner inside of what it wraps around, for a tendon or actuator `owner`."""
    first = d.ten_wrapadr[t]
    for w in range(first, first + d.ten_wrapnum[t] - 1):
        if d.wrap_obj[w] == PULLEY_POINT or d.wrap_obj[w + 1] == PULLEY_POINT:
            continue
        inside = d.wrap_obj[w] >= 0 and d.wrap_obj[w + 1] >= 0
        thin = WRAPPED_WIDTH * width if inside else width
        draw(m, d, owner, thin, d.wrap_xpos[w], d.wrap_xpos[w + 1])


@kernel
def slider_crank(m, d, u):
    """Where slider and crank of actuator u are: the slider's site, its tip, the crank's site, and whether it is broken.

    The slider reaches as far as the crank, of fixed length, does; it is broken where that is nowhere.
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
    """Width of sliders (m); cranks have half of it."""
    return m.vis.scale.slidercrank * m.stat.meansize
