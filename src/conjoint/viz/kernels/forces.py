"""Decoration of forces: perturbations, external forces, equality constraints, contacts, actuators."""

from conjoint.lang import kernel, load, mat3, maximum, minimum, norm, put, quat, quat_to_mat, vec3
from conjoint.physics.actuation.forces import actuator_disabled
from conjoint.physics.constraint.equality import held
from conjoint.physics.geometry.shape import shape_of_site
from conjoint.physics.motion.support import contact_wrench
from conjoint.ray_renderer.connectors import draw_path
from conjoint.ray_renderer.listing import is_shown
from conjoint.ray_renderer.shapes import full_size
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtEq, mjtGeom, mjtObj, mjtTrn
from conjoint.schema.enums_visual import mjtFrame, mjtLabel, mjtPertBit, mjtVisFlag
from conjoint.viz.kernels.bodies import DECOR, NO_OBJECT, add_joint, is_body_selected, stretch_joint
from conjoint.viz.kernels.geom import (
    add_frame,
    add_geom,
    are_islands_shown,
    connect,
    cube,
    mark,
    paint,
    paint_island,
    place,
)

HALF_FRAME = 0.5
"""Size of contact frames, relative to other frames."""


@kernel
def add_perturbation(m, d):
    """Show the target pose of the selected body: a line from the selected point, and a rotated bounding box."""
    if d.opt.flags[mjtVisFlag.mjVIS_PERTOBJ] == 0 or not is_body_selected(m, d):
        return
    active = d.pert.active | d.pert.active2
    b = d.pert.select
    first = d.scn.ngeom
    turned = quat_to_mat(d.pert.refquat)
    if active & mjtPertBit.mjPERT_TRANSLATE:
        size = m.stat.meansize
        g = add_geom(d, mjtGeom.mjGEOM_CAPSULE, DECOR, NO_OBJECT, b)
        connect(d, g, m.vis.scale.constraint * size, d.xpos[b] + d.xmat[b] @ d.pert.localpos, d.pert.refselpos)
        paint(d, g, m.vis.rgba.constraint, 0)
        g = add_geom(d, mjtGeom.mjGEOM_SPHERE, DECOR, NO_OBJECT, b)
        place(d, g, cube(2.0 * m.vis.scale.constraint * size), d.pert.refselpos, turned)
        paint(d, g, m.vis.rgba.constraint, 0)
    if active & mjtPertBit.mjPERT_ROTATE:
        g = add_geom(d, mjtGeom.mjGEOM_BOX, DECOR, NO_OBJECT, b)
        # a body without bounding volumes is shown as a cube of the mean size
        if m.body_bvhnum[b] > 0:
            volume = m.body_bvhadr[b]
            pos = d.xipos[b] + d.ximat[b] @ load(vec3, m.bvh_aabb, (volume, 0))
            place(d, g, load(vec3, m.bvh_aabb, (volume, 3)), pos, turned)
        else:
            place(d, g, cube(m.stat.meansize), d.xipos[b], turned)
        paint(d, g, m.vis.rgba.inertia, 0)
    if d.pert.active2 != 0:
        # swap red and green for the second set of flags
        for g in range(first, d.scn.ngeom):
            red = d.scn.geoms.rgba[g, 0]
            d.scn.geoms.rgba[g, 0] = d.scn.geoms.rgba[g, 1]
            d.scn.geoms.rgba[g, 1] = red


@kernel
def add_external_forces(m, d):
    """Add arrows for the external forces on bodies (`xfrc_applied`)."""
    if d.opt.flags[mjtVisFlag.mjVIS_PERTFORCE] == 0:
        return
    for b in range(1, m.nbody):
        # `xfrc_applied` contains the force first, where spatial vectors have the angular part
        force = d.xfrc_applied[b].angular
        if norm(force) > mjMINVAL:
            g = add_geom(d, mjtGeom.mjGEOM_ARROW, DECOR, NO_OBJECT, b)
            reach = force * (m.vis.map.force / m.stat.meanmass)
            connect(d, g, m.vis.scale.forcewidth * m.stat.meansize, d.xipos[b], d.xipos[b] + reach)
            paint(d, g, m.vis.rgba.force, 0)


@kernel
def add_constraints(m, d):
    """Add two balls for each connect and weld constraint; their distance is the constraint's violation."""
    if d.opt.flags[mjtVisFlag.mjVIS_CONSTRAINT] == 0:
        return
    for e in range(m.neq):
        kind = m.eq_type[e]
        if d.eq_active[e] != 0 and (kind == mjtEq.mjEQ_CONNECT or kind == mjtEq.mjEQ_WELD):
            for side in range(2):
                i = m.eq_obj1id[e] if side == 0 else m.eq_obj2id[e]
                g = add_geom(d, mjtGeom.mjGEOM_SPHERE, DECOR, mjtObj.mjOBJ_EQUALITY, e)
                size = m.vis.scale.constraint * m.stat.meansize
                if m.eq_objtype[e] == mjtObj.mjOBJ_SITE:
                    place(d, g, cube(size), d.site_xpos[i], d.site_xmat[i])
                else:
                    _, point = held(m, d, e, side)
                    place(d, g, cube(size), point, d.xmat[i])
                if side == 0:
                    paint(d, g, m.vis.rgba.connect, 0)
                else:
                    paint(d, g, m.vis.rgba.constraint, 0)
                if d.opt.label == mjtLabel.mjLABEL_CONSTRAINT:
                    mark(d, g)


@kernel
def add_contacts(m, d):
    """Add contact points, contact frames and contact forces."""
    points = d.opt.flags[mjtVisFlag.mjVIS_CONTACTPOINT] != 0
    forces = d.opt.flags[mjtVisFlag.mjVIS_CONTACTFORCE] != 0
    frames = d.opt.frame == mjtFrame.mjFRAME_CONTACT
    if not (points or forces or frames):
        return
    for c in range(d.ncon):
        frame = d.contact_frame[c]
        # the normal, the first axis of a contact frame, is the z axis of the geom
        mat = mat3(frame[3], frame[6], frame[0], frame[4], frame[7], frame[1], frame[5], frame[8], frame[2])
        if points:
            add_contact_point(m, d, c, mat)
        if frames:
            add_frame(m, d, c, d.contact_pos[c], frame.T, HALF_FRAME)
        if forces and d.contact_efc_address[c] >= 0:
            add_contact_force(m, d, c)


@kernel
def add_contact_point(m, d, c, mat):
    """Add a flat cylinder for contact c, at least as high as the penetration depth."""
    g = add_geom(d, mjtGeom.mjGEOM_CYLINDER, DECOR, NO_OBJECT, c)
    width = m.vis.scale.contactwidth * m.stat.meansize
    height = maximum(m.vis.scale.contactheight * m.stat.meansize, -0.5 * d.contact_dist[c])
    place(d, g, vec3(width, width, height), d.contact_pos[c], mat)
    if d.contact_efc_address[c] >= 0:
        paint(d, g, m.vis.rgba.contactpoint, 0)
        if are_islands_shown(d):
            paint_island(d, g, d.efc_island[d.contact_efc_address[c]])
    else:
        paint(d, g, m.vis.rgba.contactgap, 0)
    if d.opt.label == mjtLabel.mjLABEL_CONTACTPOINT:
        mark(d, g)


@kernel
def add_contact_force(m, d, c):
    """Add arrows for the force of a contact: one for the whole force, or one each for normal and tangential force."""
    wrench = contact_wrench(m, d, c)
    frame = d.contact_frame[c]
    force = wrench.linear
    # as in MuJoCo, arrows show the force on the body with the larger id
    if is_reversed(m, d, c):
        force = -force
    if d.opt.flags[mjtVisFlag.mjVIS_CONTACTSPLIT] != 0:
        add_arrow(m, d, c, frame.T @ vec3(force.x, 0.0, 0.0), m.vis.rgba.contactforce, True)
        add_arrow(m, d, c, frame.T @ vec3(0.0, force.y, force.z), m.vis.rgba.contactfriction, False)
    else:
        add_arrow(m, d, c, frame.T @ force, m.vis.rgba.contactforce, True)


@kernel
def add_arrow(m, d, c, vector, colors, labelled):
    """Add an arrow for a force at contact c. It has a label only if `labelled`."""
    if norm(vector) > mjMINVAL:
        # two heads if neither geom belongs to the world
        first = is_of_body(m, d.contact_geom[c, 0])
        type = mjtGeom.mjGEOM_ARROW2 if first and is_of_body(m, d.contact_geom[c, 1]) else mjtGeom.mjGEOM_ARROW
        g = add_geom(d, type, DECOR, NO_OBJECT, c)
        reach = vector * (m.vis.map.force / m.stat.meanmass)
        connect(d, g, m.vis.scale.forcewidth * m.stat.meansize, d.contact_pos[c], d.contact_pos[c] + reach)
        paint(d, g, colors, 0)
        if labelled and d.opt.label == mjtLabel.mjLABEL_CONTACTFORCE:
            mark(d, g)


@kernel
def is_reversed(m, d, c):
    """Return True if the body of the first geom of contact c has a larger id than the body of the second geom."""
    first = d.contact_geom[c, 0]
    second = d.contact_geom[c, 1]
    if first < 0 or second < 0:
        return False
    return m.geom_bodyid[first] > m.geom_bodyid[second]


@kernel
def is_of_body(m, geom):
    """Return True if the geom of a contact (-1 for a flex) belongs to a body other than the world."""
    if geom < 0:
        return True
    return m.geom_bodyid[geom] > 0


LARGER = 1.05
"""Size of the geoms that show an actuator of a site or body, relative to the site or the body's geoms."""

LARGER_JOINT = 1.1
"""Size of the geoms that show an actuator of a free or ball joint, relative to those that show the joint."""


@kernel
def add_actuators(m, d):
    """Add geoms for the elements on which actuators act, colored by control or activation."""
    if d.opt.flags[mjtVisFlag.mjVIS_ACTUATOR] == 0:
        return
    for u in range(m.nactuator):
        if actuator_disabled(m, u) or not is_shown(d.opt.actuatorgroup, m.actuator_group[u]):
            continue
        first = d.scn.ngeom
        add_actuator(m, d, u)
        for g in range(first, d.scn.ngeom):
            paint_drive(m, d, g, drive(m, d, u))
        # as in MuJoCo, actuators of bodies have no labels
        labelled = d.opt.label == mjtLabel.mjLABEL_ACTUATOR and m.actuator_trntype[u] != mjtTrn.mjTRN_BODY
        if labelled and d.scn.ngeom > first:
            mark(d, first)


@kernel
def add_actuator(m, d, u):
    """Add geoms for the joint, tendon, site or body on which actuator u acts; sliders and cranks are always drawn."""
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
    """Add one straight segment of the tendon on which actuator u acts."""
    g = add_geom(d, mjtGeom.mjGEOM_CAPSULE, DECOR, mjtObj.mjOBJ_ACTUATOR, u)
    connect(d, g, width, start, end)


@kernel
def drive(m, d, u):
    """Return the control or activation of actuator u, mapped from its range to -1 to 1, with 0 at rest.

    A range that contains only one sign is extended to -1 or 1 on the other side.
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
    """Set the color of geom g by interpolating between the color at rest and the color at the end of the range."""
    color = load(quat, m.vis.rgba.actuatorpositive, 0)
    part = share
    if share < 0.0:
        color = load(quat, m.vis.rgba.actuatornegative, 0)
        part = -share
    put(d.scn.geoms.rgba, 4 * g, load(quat, m.vis.rgba.actuator, 0) * (1.0 - part) + color * part)
