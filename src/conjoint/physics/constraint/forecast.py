"""How many constraint rows the next step will have, as far as this one can tell.

A batch puts worlds side by side that will have equally much to solve. Limits of hinge and slide joints are those at the
new positions, other limits are expected to stay as they are; a contact will be there if its distance, changing at the
velocity with which the step has moved the bodies, is below the margin.
"""

from conjoint.lang import dot, kernel, spatial, vec3, where
from conjoint.physics.collision.listing import dim_of
from conjoint.physics.constraint.count import NO_LIMIT, limit_distances, rows_of
from conjoint.physics.motion.support import has_limits, tree_arm, velocity_of
from conjoint.schema.enums import mjtJoint


@kernel
def forecast_rows(m, d):
    """Set `nefc_forecast`, from the contacts of this step, those within reach, and the new velocities."""
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
    """How many more limits of hinge and slide joints are reached at the new positions than in this step."""
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
    """forecast_vel := velocities of the bodies at the new qvel, where they were."""
    d.forecast_vel[0] = spatial(vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0))
    for b in range(1, m.nbody):
        v = d.forecast_vel[m.body_parentid[b]]
        for i in range(m.body_dofadr[b], m.body_dofadr[b] + m.body_dofnum[b]):
            v = v + d.cdof[i] * d.qvel[i]
        d.forecast_vel[b] = v


@kernel
def next_distance(m, d, i, g1, g2):
    """Distance of two geoms one timestep later, where found contact i is."""
    pos = d.found_point[i, 0]
    apart = new_velocity(m, d, m.geom_bodyid[g2], pos) - new_velocity(m, d, m.geom_bodyid[g1], pos)
    return d.found_dist[i] + m.opt.timestep * dot(d.found_point[i, 1], apart)


@kernel
def new_velocity(m, d, body, point):
    """New velocity of the point of a body that is at `point`."""
    if m.body_weldid[body] == 0:
        return vec3(0.0, 0.0, 0.0)
    return velocity_of(d.forecast_vel[body], tree_arm(m, d, body, point))
