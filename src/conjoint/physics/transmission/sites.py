"""Transmission through sites: wrenches on a site, and sliders that a rod connects to a crank (stage 10).

Moment arms are the generalized forces of wrenches on two bodies. Dofs that move both bodies do not change their
relative pose, so they are not in the rows of these actuators.
"""

from conjoint.lang import cross, dot, dot6, kernel, load, maximum, mul_quat, sqrt, sub_quat, vec3, where, z_axis
from conjoint.physics.motion.chains import last_dof, next_of_two
from conjoint.physics.motion.support import com_wrench
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtTrn


@kernel
def site_orientation(m, d, site):
    """Return the orientation of a site."""
    return mul_quat(d.xquat[m.site_bodyid[site]], m.site_quat[site])


@kernel
def reversed_orientation(m, d, site):
    """Return the product of the orientations of a site and its body, in the order of MuJoCo 3.3.5.

    It equals the orientation of the site if the site is not rotated relative to its body.
    """
    return mul_quat(m.site_quat[site], d.xquat[m.site_bodyid[site]])


@kernel
def site_transmission(m, d, orientation):
    """Compute lengths and moment arms of actuators on sites and slider-cranks.

    `orientation` is the kernel that returns the orientation of a site.
    """
    for u in range(m.nactuator):
        if m.actuator_trntype[u] == mjtTrn.mjTRN_SITE:
            if m.actuator_trnid[u, 1] < 0:
                wrench_on_site(m, d, u)
            else:
                wrench_between_sites(m, d, u, orientation)
        elif m.actuator_trntype[u] == mjtTrn.mjTRN_SLIDERCRANK:
            slider_crank(m, d, u)


@kernel
def wrench_on_site(m, d, u):
    """Compute moment arms of actuator u, which applies a force and torque in the frame of a site; it has no length."""
    site = m.actuator_trnid[u, 0]
    frame = d.site_xmat[site]
    body = m.site_bodyid[site]
    force = frame @ load(vec3, m.actuator_gear, (m.actuator_outadr[u], 0))
    torque = frame @ load(vec3, m.actuator_gear, (m.actuator_outadr[u], 3))
    wrench = com_wrench(m, d, body, force, torque, d.site_xpos[site])
    d.actuator_length[m.actuator_outadr[u]] = 0.0
    store_moments(m, d, m.actuator_outadr[u], body, wrench, 0, wrench)


@kernel
def wrench_between_sites(m, d, u, orientation):
    """Compute length and moment arms of actuator u, which moves and rotates a site relative to another site."""
    site = m.actuator_trnid[u, 0]
    base = m.actuator_trnid[u, 1]
    body = m.site_bodyid[site]
    other = m.site_bodyid[base]
    frame = d.site_xmat[base]
    push = load(vec3, m.actuator_gear, (m.actuator_outadr[u], 0))
    twist = load(vec3, m.actuator_gear, (m.actuator_outadr[u], 3))
    moved = frame.T @ (d.site_xpos[site] - d.site_xpos[base])
    turned = sub_quat(orientation(m, d, site), orientation(m, d, base))
    d.actuator_length[m.actuator_outadr[u]] = dot(moved, push) + dot(turned, twist)
    force = frame @ push
    torque = frame @ twist
    on_site = com_wrench(m, d, body, force, torque, d.site_xpos[site])
    on_base = com_wrench(m, d, other, -force, -torque, d.site_xpos[base])
    store_moments(m, d, m.actuator_outadr[u], body, on_site, other, on_base)


@kernel
def slider_crank(m, d, u):
    """Compute length and moment arms of actuator u, which moves a slider that a rod connects to a crank.

    The slider moves along the z axis of its site. The length l solves |v - l a| = rod, where a is this axis and v the
    crank's position relative to the slider's site. If the rod is too short, l is the point nearest to the crank.
    """
    crank = m.actuator_trnid[u, 0]
    slider = m.actuator_trnid[u, 1]
    rod = m.actuator_cranklength[u]
    gear = m.actuator_gear[m.actuator_outadr[u], 0]
    a = z_axis(d.site_xmat[slider])
    v = d.site_xpos[crank] - d.site_xpos[slider]
    along = dot(v, a)
    square = along * along + rod * rod - dot(v, v)
    reaches = square > 0.0
    root = sqrt(maximum(square, mjMINVAL))
    d.actuator_length[m.actuator_outadr[u]] = (along - where(reaches, root, 0.0)) * gear
    # derivatives of the length with respect to v and a
    scale = where(reaches, 1.0 - along / root, 1.0)
    by_v = a * scale + v * where(reaches, 1.0 / root, 0.0)
    by_a = v * scale
    body = m.site_bodyid[crank]
    other = m.site_bodyid[slider]
    none = vec3(0.0, 0.0, 0.0)
    on_crank = com_wrench(m, d, body, by_v * gear, none, d.site_xpos[crank])
    on_slider = com_wrench(m, d, other, by_v * (-gear), cross(a, by_a) * gear, d.site_xpos[slider])
    store_moments(m, d, m.actuator_outadr[u], body, on_crank, other, on_slider)


@kernel
def store_moments(m, d, o, body, wrench, other, opposite):
    """Store the moment arms of output o: the com-based forces `wrench` on `body` and `opposite` on `other`."""
    # traverse both chains of dofs upward, always at the larger dof, and fill the row from its end
    a = m.moment_rowadr[o] + m.moment_rownnz[o]
    i = last_dof(m, body)
    j = last_dof(m, other)
    while i != j:
        a -= 1
        d.actuator_moment[a] = dot6(d.cdof[i], wrench) if i > j else dot6(d.cdof[j], opposite)
        i, j = next_of_two(m, i, j)
