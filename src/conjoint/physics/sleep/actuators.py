"""Actuators on sleeping trees: they exert no force, and activations change at the rates of their last awake step."""

from conjoint.lang import kernel
from conjoint.physics.actuation.forces import actuator_disabled, next_activation
from conjoint.physics.sleep.awake import ASLEEP, sleeps
from conjoint.physics.sleep.readings import moved_body, state_of_actuator
from conjoint.physics.sleep.wake import first_tree_of_tendon, last_tree_of_tendon
from conjoint.schema.enums import mjtDisableBit, mjtTrn


@kernel
def rest_actuators(m, d):
    """Zero the forces of actuators on sleeping trees, and restore the activation rates of their last awake step."""
    for u in range(m.nactuator):
        resting = state_of_actuator(m, d, u) == ASLEEP
        if resting:
            for o in range(m.actuator_outadr[u], m.actuator_outadr[u] + m.actuator_outnum[u]):
                d.actuator_force[o] = 0.0
        first = m.actuator_actadr[u]
        for a in range(first, first + (m.actuator_actnum[u] if first >= 0 else 0)):
            if resting:
                d.act_dot[a] = d.rest_act_dot[a]
            d.rest_act_dot[a] = d.act_dot[a]


@kernel
def keep_activations(m, d):
    """Set rest_act to the activations, after this step, of actuators on trees that sleep or are falling asleep."""
    for u in range(m.nactuator):
        first = m.actuator_actadr[u]
        if first >= 0 and falls_asleep(m, d, u):
            awake = state_of_actuator(m, d, u) != ASLEEP
            stopped = actuator_disabled(m, u) or (m.opt.disableflags & mjtDisableBit.mjDSBL_ACTUATION) != 0
            for a in range(first, first + m.actuator_actnum[u]):
                d.rest_act[a] = next_activation(m, d, u, a, 0.0 if stopped else d.act_dot[a])
            # forces on trees that fall asleep are computed again, with activations at the end of the step
            for a in range(first, first + (m.actuator_actnum[u] if awake else 0)):
                d.act[a] = d.rest_act[a]


@kernel
def hold_activations(m, d):
    """Restore the saved activations of actuators on sleeping trees, so that they are not integrated twice."""
    for u in range(m.nactuator):
        first = m.actuator_actadr[u]
        if first >= 0 and state_of_actuator(m, d, u) == ASLEEP:
            for a in range(first, first + m.actuator_actnum[u]):
                d.act[a] = d.rest_act[a]


@kernel
def falls_asleep(m, d, u):
    """Return True if the target of actuator u will sleep after this step, according to `tree_rest`.

    Unlike `state_of_actuator`, this includes trees that are falling asleep.
    """
    kind = m.actuator_trntype[u]
    if kind == mjtTrn.mjTRN_TENDON:
        s, t = first_tree_of_tendon(m, m.actuator_trnid[u, 0]), last_tree_of_tendon(m, m.actuator_trnid[u, 0])
        return s >= 0 and sleeps(d, s) and sleeps(d, t)
    if kind == mjtTrn.mjTRN_SLIDERCRANK:
        slider = m.site_bodyid[m.actuator_trnid[u, 1]]
        if m.body_treeid[slider] >= 0 and not body_sleeps(m, d, slider):
            return False
    b = moved_body(m, u)
    return b >= 0 and body_sleeps(m, d, b)


@kernel
def body_sleeps(m, d, body):
    """Return True if a body belongs to a tree that sleeps or is falling asleep."""
    t = m.body_treeid[body]
    return t >= 0 and sleeps(d, t)
