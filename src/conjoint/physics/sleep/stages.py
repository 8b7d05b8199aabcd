"""What stages need to know to leave out what sleeps, where going through the runs is not all there is to do."""

from conjoint.lang import kernel
from conjoint.physics.motion.com import com_pos, gather, refer, whole_center
from conjoint.physics.sleep.awake import ASLEEP, where_awake
from conjoint.physics.sleep.wake import covers_all


# it works with parts of a world
@kernel(single=True)
def com_pos_awake(m, d):
    """Subtree centers of mass, body inertias and motion axes of what is awake (mj_comPos)."""
    # a body that is fixed to the world may have a subtree that sleeps in part
    if m.sleep_hangs or covers_all(m, d):
        com_pos(m, d)
    else:
        where_awake(m, d, gather)
        whole_center(m, d, known_moment)
        where_awake(m, d, refer)


@kernel
def known_moment(m, d, b):
    """Center of mass of the subtree of body b times its mass: it is gathered or, if it sleeps, finished."""
    if d.body_state[b] == ASLEEP:
        return d.subtree_com[b] * d.subtree_mass[b]
    return d.subtree_com[b]


@kernel
def adds_forces(m):
    """Whether some passive forces are added up over the whole world."""
    medium = m.opt.density > 0.0 or m.opt.viscosity > 0.0
    return has_tendons(m) or m.ngravcomp > 0 or m.nflex > 0 or m.nplugin > 0 or medium


@kernel
def has_tendons(m):
    """Whether there are tendons: with armature they add to bias forces, and to the inertia of several trees."""
    return m.ntendon > 0
