"""Forecast of the number of constraint rows in the next step.

A batch groups worlds with similar numbers of rows. The forecast evaluates the limits of hinge and slide joints at the
new positions, and assumes that other limits do not change. It counts a contact if its distance, extrapolated with the
new velocities, is below the margin.
"""

from conjoint.lang import dot, kernel, spatial, vec3, where
from conjoint.physics.collision.listing import dim_of
from conjoint.physics.constraint.count import NO_LIMIT, limit_distances, rows_of
from conjoint.physics.motion.support import has_limits, tree_arm, velocity_of
from conjoint.schema.enums import mjtJoint


@kernel
def forecast_rows(m, d):
    """Set `nefc_forecast`, from the detected contacts of this step, joint limits, and the new velocities."""
    new_velocities(m, d)
    d.nefc_forecast = d.ne + d.nf + d.nl
    if (m.opt.disableflags & NO_LIMIT) == 0:
        d.nefc_forecast = d.nefc_forecast + more_limits(m, d)
    for k in range(d.nnear):
        g1 = d.near_geom1[k]
        g2 = d.near_geom2[k]
        rows = rows_of(m, dim_of(m, d.near_pair[k], g1, g2))
        for i in range(d.found_num[k]):
            if next_distance(m, d, d.found_adr[k] + i, g1, g2) < d.near_acting[k]:
                d.nefc_forecast += rows


@kernel
def more_limits(m, d):
    """Return the change in the number of active hinge and slide joint limits from this step to the new positions."""
    more = 0
    for j in range(m.njnt):
        if has_limits(m, j) and m.jnt_type[j] != mjtJoint.mjJNT_BALL:
            margin = m.jnt_margin[j]
            above, below = limit_distances(m, d, j)
            before = where(d.jnt_limit_dist[j, 0] < margin, 1, 0) + where(d.jnt_limit_dist[j, 1] < margin, 1, 0)
            more = more + where(above < margin, 1, 0) + where(below < margin, 1, 0) - before
    return more


@kernel
def new_velocities(m, d):
    """Set forecast_vel to the body velocities computed from the new qvel and the old positions."""
    d.forecast_vel[0] = spatial(vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0))
    for b in range(1, m.nbody):
        v = d.forecast_vel[m.body_parentid[b]]
        for i in range(m.body_dofadr[b], m.body_dofadr[b] + m.body_dofnum[b]):
            v = v + d.cdof[i] * d.qvel[i]
        d.forecast_vel[b] = v


@kernel
def next_distance(m, d, i, g1, g2):
    """Return the distance between two geoms one timestep later, at detected contact i."""
    pos = d.found_point[i, 0]
    apart = new_velocity(m, d, m.geom_bodyid[g2], pos) - new_velocity(m, d, m.geom_bodyid[g1], pos)
    return d.found_dist[i] + m.opt.timestep * dot(d.found_point[i, 1], apart)


@kernel
def new_velocity(m, d, body, point):
    """Return the new velocity of the material point of a body that is at `point`."""
    if m.body_weldid[body] == 0:
        return vec3(0.0, 0.0, 0.0)
    return velocity_of(d.forecast_vel[body], tree_arm(m, d, body, point))
