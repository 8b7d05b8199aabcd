"""Stages of a step without what sleeps, where going through the runs is not all there is to do."""

from conjoint.lang import kernel
from conjoint.physics.actuation.forces import fwd_acceleration_in
from conjoint.physics.dynamics.bias import rne
from conjoint.physics.forces.passive import spring_dampers, sum_passive
from conjoint.physics.inertia_matrix.composite import make_M_in
from conjoint.physics.integration.integrate import euler_in
from conjoint.physics.motion.com import com_pos, com_pos_in
from conjoint.physics.sleep.awake import ASLEEP, awake_unless, where_awake
from conjoint.physics.sleep.wake import covers_all
from conjoint.physics.world_parts import everywhere

# what is `single` here works with parts of a world


@kernel(single=True)
def com_pos_awake(m, d):
    """Subtree centers of mass, body inertias and motion axes of what is awake (mj_comPos)."""
    # a body that is fixed to the world may have a subtree that sleeps in part
    if m.sleep_hangs or covers_all(m, d):
        com_pos(m, d)
    else:
        com_pos_in(m, d, where_awake, known_moment)


@kernel
def known_moment(m, d, b):
    """Center of mass of the subtree of body b times its mass: it is gathered or, if it sleeps, finished."""
    if d.body_state[b] == ASLEEP:
        return d.subtree_com[b] * d.subtree_mass[b]
    return d.subtree_com[b]


@kernel(single=True)
def make_M_awake(m, d):
    """Inertia matrix of what is awake (mj_makeM)."""
    # what tendons add to it is added to all of it
    if m.ntendon > 0 or covers_all(m, d):
        make_M_in(m, d, everywhere)
    else:
        make_M_in(m, d, where_awake)


@kernel
def adds_forces(m):
    """Whether some passive forces are added up over the whole world."""
    medium = m.opt.density > 0.0 or m.opt.viscosity > 0.0
    return m.ntendon > 0 or m.ngravcomp > 0 or m.nflex > 0 or m.nplugin > 0 or medium


@kernel
def has_tendons(m):
    """Whether there are tendons: with armature they add to bias forces."""
    return m.ntendon > 0


spring_dampers_awake = awake_unless(spring_dampers, adds_forces)
sum_passive_awake = awake_unless(sum_passive, adds_forces)
rne_awake = awake_unless(rne, has_tendons)


@kernel(single=True)
def fwd_acceleration_awake(m, d):
    """qfrc_smooth and qacc_smooth of what is awake (mj_fwdAcceleration)."""
    fwd_acceleration_in(m, d, where_awake)


@kernel(single=True)
def euler_awake(m, d, dampers):
    """One step of what is awake (mj_Euler)."""
    euler_in(m, d, where_awake, dampers)
