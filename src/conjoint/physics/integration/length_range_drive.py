"""Stages before and after each step that drive an actuator to one end of its length range (XML Reference, lengthrange).

Velocities decay before every step, and a force along the actuator's moment arms replaces all applied forces. Lengths
are recorded in the last part of the simulation.
"""

from conjoint.lang import kernel, maximum, minimum, sqrt, where
from conjoint.physics.inertia_matrix.factors import solve_M
from conjoint.schema.constants import mjMINVAL


@kernel
def slow_down(m, d):
    """Scale down all velocities, as in a highly viscous medium."""
    for i in range(m.nv):
        d.qvel[i] = d.qvel[i] * d.drive.decay


@kernel
def drive(m, d):
    """Set qfrc_applied along the moment arms so that the unconstrained acceleration has the norm `drive.accel`."""
    start = m.moment_rowadr[m.actuator_outadr[d.drive.actuator]]
    end = start + m.moment_rownnz[m.actuator_outadr[d.drive.actuator]]
    for i in range(m.nv):
        d.advance_acc[i] = 0.0
        d.qfrc_applied[i] = 0.0
    force = 0.0
    for a in range(start, end):
        moment = d.actuator_moment[a]
        d.advance_acc[m.moment_colind[a]] = moment
        force = force + moment * moment
    solve_M(m, d, d.advance_acc)
    acceleration = 0.0
    for i in range(m.nv):
        acceleration = acceleration + d.advance_acc[i] * d.advance_acc[i]
    scale = d.drive.accel / maximum(mjMINVAL, sqrt(acceleration))
    size = sqrt(force * scale * scale)
    limited = (d.drive.maxforce > 0.0) & (size > d.drive.maxforce)
    scale = scale * where(limited, d.drive.maxforce / where(limited, size, 1.0), 1.0)
    for a in range(start, end):
        d.qfrc_applied[m.moment_colind[a]] = d.actuator_moment[a] * scale


@kernel
def watch(m, d):
    """Update the minimum and maximum length, if the time is after `drive.watched`."""
    if d.time > d.drive.watched:
        length = d.actuator_length[m.actuator_outadr[d.drive.actuator]]
        d.drive.least = minimum(d.drive.least, length)
        d.drive.greatest = maximum(d.drive.greatest, length)
