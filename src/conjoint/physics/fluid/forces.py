"""Fluid forces on bodies, by one of two models (Computation chapter, Fluid forces; stage 15)."""

from conjoint.lang import kernel, spatial, vec3
from conjoint.physics.fluid.box import box_force
from conjoint.physics.fluid.ellipsoid import INTERACTION, ellipsoid_force
from conjoint.physics.motion.support import com_wrench, project_body_wrenches, velocity_at
from conjoint.physics.passive_flags import has_passive
from conjoint.schema.constants import mjMINVAL


@kernel
def fluid_forces(m, d):
    """Compute qfrc_fluid and add it to qfrc_passive, in the last stage of mj_passive if there is a fluid."""
    if not has_passive(m):
        return
    none = vec3(0.0, 0.0, 0.0)
    d.body_wrench[0] = spatial(none, none)
    for b in range(1, m.nbody):
        d.body_wrench[b] = spatial(none, none)
        if m.body_mass[b] >= mjMINVAL:
            if not has_ellipsoids(m, b):
                v = relative_velocity(m, d, b, d.xipos[b], d.ximat[b])
                force = box_force(m, b, v.angular, v.linear)
                d.body_wrench[b] = placed(m, d, b, force, d.xipos[b], d.ximat[b])
            else:
                for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]):
                    if m.geom_fluid[g, INTERACTION] != 0.0:
                        v = relative_velocity(m, d, b, d.geom_xpos[g], d.geom_xmat[g])
                        force = ellipsoid_force(m, g, v.angular, v.linear)
                        wrench = placed(m, d, b, force, d.geom_xpos[g], d.geom_xmat[g])
                        d.body_wrench[b] = d.body_wrench[b] + wrench
    project_body_wrenches(m, d, d.qfrc_fluid)
    for i in range(m.nv):
        d.qfrc_passive[i] = d.qfrc_passive[i] + d.qfrc_fluid[i]


@kernel
def has_ellipsoids(m, b):
    """Return True if a geom of body b uses the ellipsoid model, which replaces the box model of the body."""
    for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]):
        if m.geom_fluid[g, INTERACTION] > 0.0:
            return True
    return False


@kernel
def relative_velocity(m, d, b, position, frame):
    """Return the velocity of a frame of body b relative to the fluid, in the axes of the frame."""
    v = velocity_at(m, d, b, position)
    return spatial(frame.T @ v.angular, frame.T @ (v.linear - m.opt.wind))


@kernel
def placed(m, d, b, force, position, frame):
    """Return a torque and a force in a frame of body b as a com-based spatial force."""
    return com_wrench(m, d, b, frame @ force.linear, frame @ force.angular, position)
