"""Stages that skip sleeping trees, but need more than a loop over the contiguous ranges of awake elements."""

from conjoint.lang import kernel
from conjoint.physics.motion.com import com_pos, gather, refer, whole_center
from conjoint.physics.sleep.awake import ASLEEP, where_awake
from conjoint.physics.sleep.wake import covers_all


# it changes the part of the world that a kernel works on
@kernel(single=True)
def com_pos_awake(m, d):
    """Compute subtree centers of mass, com-based inertias and motion axes of awake bodies (mj_comPos)."""
    # a part of the subtree of a body that is fixed to the world may be asleep
    if m.sleep_hangs or covers_all(m, d):
        com_pos(m, d)
    else:
        where_awake(m, d, gather)
        whole_center(m, d, current_moment)
        where_awake(m, d, refer)


@kernel
def current_moment(m, d, b):
    """Return the center of mass of the subtree of body b times its mass.

    For an awake body, subtree_com is this product; for a sleeping body, it is the center already.
    """
    if d.body_state[b] == ASLEEP:
        return d.subtree_com[b] * d.subtree_mass[b]
    return d.subtree_com[b]


@kernel
def adds_forces(m):
    """Return True if the model has passive forces that must be summed over the whole world."""
    medium = m.opt.density > 0.0 or m.opt.viscosity > 0.0
    return has_tendons(m) or m.ngravcomp > 0 or m.nflex > 0 or m.nplugin > 0 or medium


@kernel
def has_tendons(m):
    """Return True if the model has tendons, whose armature contributes to the bias and inertia of several trees."""
    return m.ntendon > 0
