"""Stages of a step without what sleeps, where going through the runs is not all there is to do."""

from conjoint.lang import any, inertia, kernel, maximum, where, within
from conjoint.physics.actuation.forces import accelerate_share, add_applied_wrenches, forces_of_share
from conjoint.physics.dynamics.bias import rne
from conjoint.physics.forces.passive import spring_dampers, sum_passive
from conjoint.physics.inertia_matrix.composite import inertia_of_share, make_M, order_M
from conjoint.physics.inertia_matrix.factors import warn_of_shares
from conjoint.physics.integration.integrate import (
    advance_activation,
    advance_share,
    damp_by_slopes,
    damp_share,
    implicit_damping,
)
from conjoint.physics.motion.com import com_pos, gather_share, refer_share
from conjoint.physics.sleep.awake import ASLEEP, RUN, awake_unless
from conjoint.physics.sleep.wake import covers_all
from conjoint.schema.constants import mjMINVAL


@kernel(single=True)
def in_runs(m, d, work):
    """Do the work of a share of the world with every run of what is awake."""
    for k in range(d.nawake_run):
        d.awake_run = k
        within(RUN, work, m, d, 0)


@kernel(single=True)
def com_pos_awake(m, d):
    """Subtree centres of mass, body inertias and motion axes of what is awake (mj_comPos)."""
    # a body that is fixed to the world may have a subtree that sleeps in part
    if m.sleep_hangs or covers_all(m, d):
        com_pos(m, d)
        return
    in_runs(m, d, gather_share)
    centre_of_world(m, d)
    d.cinert[0] = inertia(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    in_runs(m, d, refer_share)


@kernel(single=True)
def centre_of_world(m, d):
    """Centre of mass of the world, of subtrees that are gathered or, where they sleep, finished."""
    centre = d.xipos[0] * m.body_mass[0]
    mass = m.body_mass[0]
    for b in range(m.nbody - 1, 0, -1):
        if m.body_parentid[b] == 0:
            share = d.subtree_com[b]
            if d.body_state[b] == ASLEEP:
                share = share * d.subtree_mass[b]
            centre = centre + share
            mass = mass + d.subtree_mass[b]
    d.subtree_mass[0] = mass
    d.subtree_com[0] = where(mass < mjMINVAL, d.xipos[0], centre * (1.0 / maximum(mass, mjMINVAL)))


@kernel(single=True)
def make_M_awake(m, d):
    """Inertia matrix of what is awake (mj_makeM)."""
    # what tendons add to it is added to all of it
    if m.ntendon > 0 or covers_all(m, d):
        make_M(m, d)
        return
    d.crb[0] = d.cinert[0]
    in_runs(m, d, inertia_of_share)
    in_runs(m, d, order_M)


@kernel
def adds_forces(m):
    """Whether some passive forces are added up over the whole world."""
    medium = any(m.opt.density > 0.0) or any(m.opt.viscosity > 0.0)
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
    in_runs(m, d, forces_of_share)
    add_applied_wrenches(m, d, d.qfrc_smooth)
    in_runs(m, d, accelerate_share)


@kernel(single=True)
def euler_awake(m, d):
    """One step of what is awake (mj_Euler)."""
    if any(implicit_damping(m)):
        in_runs(m, d, damp_run)
    else:
        in_runs(m, d, take_acceleration)
    advance_awake(m, d)


@kernel(single=True)
def damp_run(m, d, s):
    """`damp_share` of a run, with its warnings: those of the next run have the same place."""
    damp_share(m, d, s)
    warn_of_shares(m, d)


@kernel(single=True)
def take_acceleration(m, d, s):
    """advance_acc of share s of the world: qacc as it is."""
    for i in range(m.share_dof[s], m.share_dof[s + 1]):
        d.advance_acc[i] = d.qacc[i]


@kernel(single=True)
def euler_nonlinear_awake(m, d):
    """One step of what is awake where dampers are of higher order or of motors (mj_Euler)."""
    damp_by_slopes(m, d)
    advance_awake(m, d)


@kernel(single=True)
def advance_awake(m, d):
    """The state of what is awake one timestep later."""
    advance_activation(m, d, d.act_dot)
    in_runs(m, d, advance_share)
    d.time = d.time + m.opt.timestep
