"""Potential and kinetic energy (stages 12 and 16)."""

from conjoint.lang import dot, kernel
from conjoint.physics.flex.edges import edge_energy
from conjoint.physics.forces.springs import spring_energy
from conjoint.physics.inertia_matrix.composite import mul_M
from conjoint.physics.passive_flags import has_springs
from conjoint.schema.enums import mjtDisableBit, mjtEnableBit, mjtSensor


@kernel
def energy_pos(m, d):
    """Compute energy[0], the potential energy of gravity and springs (mj_energyPos)."""
    total = 0.0
    if (m.opt.disableflags & mjtDisableBit.mjDSBL_GRAVITY) == 0:
        for b in range(1, m.nbody):
            total = total - dot(m.opt.gravity, d.xipos[b]) * m.body_mass[b]
    if has_springs(m):
        total = total + spring_energy(m, d)
        for f in range(m.nflex):
            total = total + edge_energy(m, d, f)
    d.energy[0] = total


@kernel
def energy_vel(m, d):
    """Compute energy[1], the kinetic energy qvel' M qvel / 2 (mj_energyVel)."""
    mul_M(m, d, d.momentum, d.qvel)
    total = 0.0
    for i in range(m.nv):
        total = total + d.momentum[i] * d.qvel[i]
    d.energy[1] = 0.5 * total


@kernel
def energy_pos_enabled(m, d):
    """Compute the potential energy if enabled; otherwise zero both energies, unless a sensor computed it (stage 12)."""
    if (m.opt.enableflags & mjtEnableBit.mjENBL_ENERGY) or not sensed(m, mjtSensor.mjSENS_E_POTENTIAL):
        energy_pos_unsensed(m, d)


@kernel
def energy_pos_unsensed(m, d):
    """Compute the potential energy if enabled, else set both energies to zero (stage 12 in a Runge-Kutta step).

    No sensors are read within such a step.
    """
    if m.opt.enableflags & mjtEnableBit.mjENBL_ENERGY:
        energy_pos(m, d)
    else:
        clear_energy(m, d)


@kernel
def clear_energy(m, d):
    """Set both energies to zero."""
    d.energy[0] = 0.0
    d.energy[1] = 0.0


@kernel
def no_energy(m, d):
    """Set both energies to zero, unless a sensor computed the potential energy (stage 12 if energy is not enabled)."""
    if not sensed(m, mjtSensor.mjSENS_E_POTENTIAL):
        clear_energy(m, d)


@kernel
def energy_vel_enabled(m, d):
    """Compute the kinetic energy if enabled (stage 16 of forward dynamics)."""
    if m.opt.enableflags & mjtEnableBit.mjENBL_ENERGY:
        energy_vel(m, d)


@kernel
def sensed(m, kind):
    """Return True if the model has a sensor of this type and sensors are enabled."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return False
    for s in range(m.nsensor):  # noqa: SIM110
        if m.sensor_type[s] == kind:
            return True
    return False
