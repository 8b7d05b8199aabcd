"""Transmission of orientations: rotation vectors of ball joints, and of sites relative to other sites (stage 10)."""

from conjoint.lang import kernel, mul_quat, put, quat_to_velocity, sub_quat, vec3
from conjoint.physics.motion.support import com_wrench, quat_at
from conjoint.physics.transmission.sites import store_moments
from conjoint.schema.enums import mjtTrn


@kernel
def orientation_transmission(m, d):
    """Compute lengths and moment arms of orientation servos, in the third stage of mj_transmission."""
    for u in range(m.nactuator):
        if m.actuator_trntype[u] == mjtTrn.mjTRN_SO3 and m.actuator_outnum[u] == 3:
            if m.actuator_trnid[u, 1] < 0:
                joint_orientation(m, d, u)
            else:
                site_orientation(m, d, u)


@kernel
def joint_orientation(m, d, u):
    """Set three outputs of actuator u to the rotation vector of its ball joint; the dofs rotate about the same axes."""
    o = m.actuator_outadr[u]
    put(d.actuator_length, o, quat_to_velocity(quat_at(d, m.jnt_qposadr[m.actuator_trnid[u, 0]]), 1.0))
    for k in range(3):
        d.actuator_moment[m.moment_rowadr[o + k]] = 1.0


@kernel
def site_orientation(m, d, u):
    """Set three outputs of actuator u to the rotation vector of its site relative to its reference site.

    The outputs are in the axes of the actuator's site, not of the reference site.
    """
    o = m.actuator_outadr[u]
    site = m.actuator_trnid[u, 0]
    base = m.actuator_trnid[u, 1]
    body = m.site_bodyid[site]
    other = m.site_bodyid[base]
    turned = mul_quat(d.xquat[body], m.site_quat[site])
    put(d.actuator_length, o, sub_quat(turned, mul_quat(d.xquat[other], m.site_quat[base])))
    frame = d.site_xmat[site]
    turn_about(m, d, o, site, base, frame @ vec3(1.0, 0.0, 0.0))
    turn_about(m, d, o + 1, site, base, frame @ vec3(0.0, 1.0, 0.0))
    turn_about(m, d, o + 2, site, base, frame @ vec3(0.0, 0.0, 1.0))


@kernel
def turn_about(m, d, o, site, base, axis):
    """Compute moment arms of output o, which rotates a site about an axis relative to another site."""
    body = m.site_bodyid[site]
    other = m.site_bodyid[base]
    none = vec3(0.0, 0.0, 0.0)
    on_site = com_wrench(m, d, body, none, axis, d.site_xpos[site])
    on_base = com_wrench(m, d, other, none, -axis, d.site_xpos[base])
    store_moments(m, d, o, body, on_site, other, on_base)
