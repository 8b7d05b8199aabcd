"""Rangefinders: distances along rays (stage 12)."""

from conjoint.lang import kernel, local, z_axis
from conjoint.physics.rays.scene import ray_geom
from conjoint.physics.rays.static_tree import Chosen, first_geom_by_tree, is_tree_known
from conjoint.physics.sensor.store import cut_off
from conjoint.schema.constants import mjMAXVAL, mjNGROUP
from conjoint.schema.enums import mjtDisableBit, mjtSensor


@kernel(per_world=True)
def sensor_range(m, d):
    """Read all rangefinders: along the z axis of the site to the first geom of another body, -1 if there is none."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_SENSOR:
        return
    groups = local(int, mjNGROUP)
    for k in range(mjNGROUP):
        groups[k] = 1
    known = is_tree_known(m, d)
    for s in range(m.nsensor):
        if m.sensor_type[s] == mjtSensor.mjSENS_RANGEFINDER:
            i = m.sensor_objid[s]
            way = z_axis(d.site_xmat[i])
            chosen = Chosen(groups, True, m.site_bodyid[i], mjMAXVAL)
            distance, _ = first_geom_by_tree(m, d, ray_geom, known, d.site_xpos[i], way, chosen)
            d.sensordata[m.sensor_adr[s]] = distance
            cut_off(m, d, s)
