"""Stages that skip sleeping trees but need more than an iteration over awake runs."""

from conjoint.lang import kernel
from conjoint.physics.motion.com import com_pos, gather, refer, whole_center
from conjoint.physics.sleep.awake import ASLEEP, where_awake
from conjoint.physics.sleep.wake import covers_all


# it works with parts of a world
@kernel(single=True)
def com_pos_awake(m, d):
    """Compute subtree centers of mass, body inertias and motion axes of awake bodies (mj_comPos)."""
    # part of the subtree of a body that is fixed to the world may sleep
    if m.sleep_hangs or covers_all(m, d):
        com_pos(m, d)
    else:
        where_awake(m, d, gather)
        whole_center(m, d, known_moment)
        where_awake(m, d, refer)


@kernel
def known_moment(m, d, b):
    """Return the center of mass of the subtree of body b times its mass; a sleeping body has the center already."""
    if d.body_state[b] == ASLEEP:
        return d.subtree_com[b] * d.subtree_mass[b]
    return d.subtree_com[b]


@kernel
def adds_forces(m):
    """Return True if some passive forces are summed over the whole world."""
    medium = m.opt.density > 0.0 or m.opt.viscosity > 0.0
    return has_tendons(m) or m.ngravcomp > 0 or m.nflex > 0 or m.nplugin > 0 or medium


@kernel
def has_tendons(m):
    """Return True if the model has tendons: their armature adds to bias forces and to the inertia of several trees."""
    return m.ntendon > 0
