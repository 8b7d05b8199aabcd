"""Touch sensors: the normal forces of contacts inside a site (stage 22)."""

from conjoint.lang import kernel, row0
from conjoint.physics.motion.support import body_of_side, contact_wrench
from conjoint.physics.rays.geoms import ray_shape
from conjoint.physics.sensor.store import cut_off
from conjoint.schema.enums import mjtDisableBit, mjtSensor


@kernel(per_world=True)
def sensor_touch(m, d):
    """Read all touch sensors."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_TOUCH:
            d.sensordata[m.sensor_adr[s]] = touch_force(m, d, m.sensor_objid[s])
            cut_off(m, d, s)


@kernel(per_world=True)
def touch_force(m, d, site):
    """Sum of the normal forces of the contacts of the site's body whose force passes through the site."""
    body = m.site_bodyid[site]
    total = 0.0
    for c in range(d.ncon):
        first = body_of_side(m, d, c, 0)
        second = body_of_side(m, d, c, 1)
        if d.contact_efc_address[c] >= 0 and (first == body or second == body):
            normal = contact_wrench(m, d, c).linear.x
            if normal > 0.0:
                # the ray of the force on the body, from the contact inwards
                ray = row0(d.contact_frame[c])
                if second == body:
                    ray = -ray
                pos = d.site_xpos[site]
                start = d.contact_pos[c]
                if ray_shape(m.site_type[site], pos, d.site_xmat[site], m.site_size[site], start, ray) >= 0.0:
                    total = total + normal
    return total
