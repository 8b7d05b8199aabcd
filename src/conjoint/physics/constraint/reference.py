"""The acceleration that each constraint row asks for."""

from conjoint.lang import formula, kernel, lanes_max, minimum, shared
from conjoint.physics.constraint.jacobian import CHUNK, row_times


@formula("real", "real", "real", "real", "real", exact=True)
def spring_damper(stiffness, displacement, damping, velocity):
    """Acceleration of a spring-damper, rounded after every product: the stiffest rows show the last bit."""
    return -damping * velocity - stiffness * displacement


@kernel
def reference_constraint(m, d, J):
    """`efc_vel` and `efc_aref` (mj_referenceConstraint): -B vel - K I (pos - margin), a damped spring."""
    count = lanes_max(d.nefc)
    shared(refer_chunk, m, d, (count + CHUNK - 1) // CHUNK, count, J)


@kernel
def refer_chunk(m, d, chunk, count, J):
    """What `reference_constraint` finds for one chunk of all rows."""
    for r in range(CHUNK * chunk, minimum(count, CHUNK * (chunk + 1))):
        velocity = row_times(m, d, J, r, d.qvel)
        act = d.efc_KBIP[r]
        stiffness = act.K * act.I
        d.efc_vel[r] = velocity
        displacement = d.efc_pos[r] - d.efc_margin[r]
        d.efc_aref[r] = spring_damper(stiffness, displacement, act.B, velocity)
