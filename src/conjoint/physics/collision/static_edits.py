"""Whether a program has changed what decides where geoms that never move are.

Only rows are looked at whose arrays a program holds. In lanes, where worlds may have rows of their own, what a program
holds counts as changed.
"""

from conjoint.lang import kernel, load, vec3
from conjoint.physics.pair_filter import margin_bound
from conjoint.schema.plan import (
    LENT_BODY,
    LENT_GEOM_AABB,
    LENT_GEOM_BOUND,
    LENT_GEOM_FRAME,
    LENT_GEOM_POS,
    LENT_GEOM_QUAT,
    LENT_GEOM_SIZE,
)


@kernel
def is_edited(m, d):
    """Whether geoms that never move may be elsewhere than when they were placed, or have another size."""
    lent = m.static_lent
    if lent == 0:
        return False
    if m.nseen == 0:
        return True
    changed = False
    if (lent & LENT_GEOM_POS) != 0:
        for g in range(m.nseen):
            changed = changed or differ(m.geom_pos[g], d.seen_pos[g])
    if (lent & LENT_GEOM_QUAT) != 0:
        for g in range(m.nseen):
            changed = changed or quats_differ(m.geom_quat[g], d.seen_quat[g])
    if (lent & LENT_GEOM_SIZE) != 0:
        for g in range(m.nseen):
            changed = changed or differ(m.geom_size[g], d.seen_size[g])
    if (lent & LENT_GEOM_AABB) != 0:
        for g in range(m.nseen):
            for k in range(2):
                changed = changed or differ(load(vec3, m.geom_aabb, (g, 3 * k)), load(vec3, d.seen_aabb, (g, 3 * k)))
    if (lent & LENT_GEOM_BOUND) != 0:
        for g in range(m.nseen):
            margin = margin_bound(m, g)
            changed = changed or m.geom_rbound[g] != d.seen_rbound[g] or margin != d.seen_margin[g]
    if (lent & LENT_GEOM_FRAME) != 0:
        for g in range(m.nseen):
            changed = changed or (m.geom_sameframe[g] != d.seen_sameframe[g])
    return changed or ((lent & LENT_BODY) != 0 and are_bodies_elsewhere(m, d))


@kernel
def are_bodies_elsewhere(m, d):
    """Whether bodies that never move have other poses."""
    changed = False
    for k in range(m.nstatic_body):
        b = m.static_body[k]
        changed = changed or differ(d.xpos[b], d.seen_xpos[k]) | differ(d.xipos[b], d.seen_xipos[k])
        changed = changed or quats_differ(d.xquat[b], d.seen_xquat[k])
        for i in range(9):
            changed = changed or (d.ximat[b][i] != d.seen_ximat[k][i])
    return changed


@kernel
def differ(a, b):
    """Whether two vectors are not the same."""
    return (a.x != b.x) | (a.y != b.y) | (a.z != b.z)


@kernel
def quats_differ(a, b):
    """Whether two quaternions are not the same."""
    return (a[0] != b[0]) | (a[1] != b[1]) | (a[2] != b[2]) | (a[3] != b[3])


@kernel
def note_seen(m, d):
    """Note what has decided where geoms are that never move."""
    for g in range(m.nseen):
        d.seen_pos[g] = m.geom_pos[g]
        d.seen_quat[g] = m.geom_quat[g]
        d.seen_size[g] = m.geom_size[g]
        for k in range(6):
            d.seen_aabb[g, k] = m.geom_aabb[g, k]
        d.seen_rbound[g] = m.geom_rbound[g]
        d.seen_margin[g] = margin_bound(m, g)
        d.seen_sameframe[g] = m.geom_sameframe[g]
    for k in range(m.nstatic_body):
        b = m.static_body[k]
        d.seen_xpos[k] = d.xpos[b]
        d.seen_xquat[k] = d.xquat[b]
        d.seen_xipos[k] = d.xipos[b]
        d.seen_ximat[k] = d.ximat[b]
