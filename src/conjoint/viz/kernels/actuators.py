"""Actuators, coloured by how strongly they are driven."""

from conjoint.lang import kernel, load, maximum, minimum, put, quat
from conjoint.physics.actuation.forces import actuator_disabled
from conjoint.physics.geometry.shape import shape_of_site
from conjoint.ray_renderer.connectors import draw_path
from conjoint.ray_renderer.listing import is_shown
from conjoint.ray_renderer.shapes import full_size
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom, mjtObj, mjtTrn
from conjoint.schema.enums_visual import mjtLabel, mjtVisFlag
from conjoint.viz.kernels.bodies import DECOR, add_joint, stretch_joint
from conjoint.viz.kernels.geom import add_geom, connect, mark, place

LARGER = 1.05
"""Size of what shows an actuator of a site or body, relative to the site or to geoms of the body."""

LARGER_JOINT = 1.1
"""Size of what shows an actuator of a free or ball joint, relative to what shows the joint."""


@kernel
def add_actuators(m, d):
    """What actuators act on, in the colour of their control or activation."""
    if d.opt.flags[mjtVisFlag.mjVIS_ACTUATOR] == 0:
        return
    for u in range(m.nactuator):
        if actuator_disabled(m, u) or not is_shown(d.opt.actuatorgroup, m.actuator_group[u]):
            continue
        first = d.scn.ngeom
        add_actuator(m, d, u)
        for g in range(first, d.scn.ngeom):
            paint_drive(m, d, g, drive(m, d, u))
        # officially those that act on bodies are not labelled
        labelled = d.opt.label == mjtLabel.mjLABEL_ACTUATOR and m.actuator_trntype[u] != mjtTrn.mjTRN_BODY
        if labelled and d.scn.ngeom > first:
            mark(d, first)


@kernel
def add_actuator(m, d, u):
    """The joint, tendon, site or body that actuator u acts on; sliders and cranks are shown anyway."""
    kind = m.actuator_trntype[u]
    target = m.actuator_trnid[u, 0]
    if kind == mjtTrn.mjTRN_JOINT or kind == mjtTrn.mjTRN_JOINTINPARENT:
        g = add_joint(m, d, target, mjtObj.mjOBJ_ACTUATOR, u, LARGER_JOINT)
        unit = m.stat.meansize
        stretch_joint(m, d, g, target, m.vis.scale.actuatorwidth * unit, m.vis.scale.actuatorlength * unit)
    if kind == mjtTrn.mjTRN_TENDON:
        width = m.tendon_width[target] * m.vis.map.actuatortendon
        draw_path(m, d, target, u, width, add_part)
    if kind == mjtTrn.mjTRN_SITE:
        g = add_geom(d, shape_of_site(m, target), DECOR, mjtObj.mjOBJ_ACTUATOR, u)
        size = full_size(shape_of_site(m, target), m.site_size[target]) * LARGER
        place(d, g, size, d.site_xpos[target], d.site_xmat[target])
    if kind == mjtTrn.mjTRN_BODY:
        for i in range(m.body_geomadr[target], m.body_geomadr[target] + m.body_geomnum[target]):
            if mjtGeom.mjGEOM_SPHERE <= m.geom_type[i] and m.geom_type[i] <= mjtGeom.mjGEOM_BOX:
                g = add_geom(d, m.geom_type[i], DECOR, mjtObj.mjOBJ_ACTUATOR, u)
                size = full_size(m.geom_type[i], m.geom_size[i]) * LARGER
                place(d, g, size, d.geom_xpos[i], d.geom_xmat[i])


@kernel
def add_part(m, d, u, width, start, end):
    """One straight part of the tendon that actuator u acts on."""
    g = add_geom(d, mjtGeom.mjGEOM_CAPSULE, DECOR, mjtObj.mjOBJ_ACTUATOR, u)
    connect(d, g, width, start, end)


@kernel
def drive(m, d, u):
    """How strongly actuator u is driven: its control or activation in its range, from -1 to 1, where 0 is at rest.

    A range that has one sign ends on the other side at -1 or 1.
    """
    c = m.actuator_ctrladr[u]
    if c < 0:
        return 0.0
    value = d.ctrl[c]
    if d.opt.flags[mjtVisFlag.mjVIS_ACTIVATION] != 0 and m.actuator_actadr[u] >= 0:
        value = d.act[m.actuator_actadr[u] + m.actuator_actnum[u] - 1]
    low = -1.0
    high = 1.0
    if m.actuator_ctrllimited[c] != 0:
        low = m.actuator_ctrlrange[c, 0]
        high = m.actuator_ctrlrange[c, 1]
    rest = minimum(maximum(0.0, low), high)
    if low >= rest:
        low = -1.0
    if high <= rest:
        high = 1.0
    if value > rest:
        return minimum(1.0, (value - rest) / maximum(high - rest, mjMINVAL))
    return -minimum(1.0, (rest - value) / maximum(rest - low, mjMINVAL))


@kernel
def paint_drive(m, d, g, share):
    """Colour of geom g between those of rest and of the end of the range."""
    color = load(quat, m.vis.rgba.actuatorpositive, 0)
    part = share
    if share < 0.0:
        color = load(quat, m.vis.rgba.actuatornegative, 0)
        part = -share
    put(d.scn.geoms.rgba, 4 * g, load(quat, m.vis.rgba.actuator, 0) * (1.0 - part) + color * part)
