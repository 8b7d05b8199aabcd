"""Forces of spatial tendons on bodies, where each straight segment of a path pulls the bodies at its ends."""

from conjoint.lang import kernel, normalize3, vec3
from conjoint.schema.enums import mjtWrap


@kernel
def pull_path(m, d, t, tension, feel):
    """Apply a force along spatial tendon t to the bodies on its path, positive if it pushes them apart.

    `feel` is a kernel of (m, d, body, force, torque, point) that applies a force to a body.
    """
    share = 1.0
    first = m.tendon_adr[t]
    for w in range(first, first + m.tendon_num[t] - 1):
        if m.wrap_type[w] == mjtWrap.mjWRAP_PULLEY:
            share = 1.0 / m.wrap_prm[w]
        elif m.wrap_type[w] == mjtWrap.mjWRAP_SITE and m.wrap_type[w + 1] != mjtWrap.mjWRAP_PULLEY:
            force = share * tension
            a = m.wrap_objid[w]
            if m.wrap_type[w + 1] == mjtWrap.mjWRAP_SITE:
                b = m.wrap_objid[w + 1]
                pull_piece(m, d, m.site_bodyid[a], d.site_xpos[a], m.site_bodyid[b], d.site_xpos[b], force, feel)
            else:
                b = m.wrap_objid[w + 2]
                pull_around(m, d, w + 1, a, b, force, feel)


@kernel
def pull_around(m, d, w, a, b, force, feel):
    """Apply a force along the path from site a to site b past the geom with path index w, which it may not touch."""
    if d.wrap_curve[w] >= 0.0:
        body = m.geom_bodyid[m.wrap_objid[w]]
        pull_piece(m, d, m.site_bodyid[a], d.site_xpos[a], body, d.wrap_enter[w], force, feel)
        pull_piece(m, d, body, d.wrap_leave[w], m.site_bodyid[b], d.site_xpos[b], force, feel)
    else:
        pull_piece(m, d, m.site_bodyid[a], d.site_xpos[a], m.site_bodyid[b], d.site_xpos[b], force, feel)


@kernel
def pull_piece(m, d, body, start, other, end, force, feel):
    """Apply a force along a straight segment from a point of `body` to a point of `other` to both bodies."""
    none = vec3(0.0, 0.0, 0.0)
    push = normalize3(end - start) * force
    feel(m, d, body, -push, none, start)
    feel(m, d, other, push, none, end)
