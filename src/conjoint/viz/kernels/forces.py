"""Decoration of what acts: perturbations, external forces, equality constraints, contacts and their forces."""

from conjoint.lang import kernel, load, mat3, maximum, norm, quat_to_mat, vec3
from conjoint.physics.constraint.equality import held
from conjoint.physics.motion.support import contact_wrench
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtEq, mjtGeom, mjtObj
from conjoint.schema.enums_visual import mjtFrame, mjtLabel, mjtPertBit, mjtVisFlag
from conjoint.viz.kernels.bodies import DECOR, NO_OBJECT, is_body_selected
from conjoint.viz.kernels.geom import add_frame, add_geom, connect, cube, mark, paint, place
from conjoint.viz.kernels.island import are_islands_shown, paint_island

HALF_FRAME = 0.5
"""Size of the frames of contacts, relative to others."""


@kernel
def add_perturbation(m, d):
    """Where a user wants the selected body: a string from the selected point, and the bounds of the body turned."""
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
        # a body without geoms is a cube of the mean size
        if m.body_bvhnum[b] > 0:
            volume = m.body_bvhadr[b]
            pos = d.xipos[b] + d.ximat[b] @ load(vec3, m.bvh_aabb, (volume, 0))
            place(d, g, load(vec3, m.bvh_aabb, (volume, 3)), pos, turned)
        else:
            place(d, g, cube(m.stat.meansize), d.xipos[b], turned)
        paint(d, g, m.vis.rgba.inertia, 0)
    if d.pert.active2 != 0:
        # the second set is green
        for g in range(first, d.scn.ngeom):
            red = d.scn.geoms.rgba[g, 0]
            d.scn.geoms.rgba[g, 0] = d.scn.geoms.rgba[g, 1]
            d.scn.geoms.rgba[g, 1] = red


@kernel
def add_external_forces(m, d):
    """Arrows for the forces that users apply to bodies."""
    if d.opt.flags[mjtVisFlag.mjVIS_PERTFORCE] == 0:
        return
    for b in range(1, m.nbody):
        # users give the force first, where spatial vectors have their angular part
        force = d.xfrc_applied[b].angular
        if norm(force) > mjMINVAL:
            g = add_geom(d, mjtGeom.mjGEOM_ARROW, DECOR, NO_OBJECT, b)
            reach = force * (m.vis.map.force / m.stat.meanmass)
            connect(d, g, m.vis.scale.forcewidth * m.stat.meansize, d.xipos[b], d.xipos[b] + reach)
            paint(d, g, m.vis.rgba.force, 0)


@kernel
def add_constraints(m, d):
    """Two balls for each connect and weld: they are apart as far as it is violated."""
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
    """Contact points, frames and forces."""
    points = d.opt.flags[mjtVisFlag.mjVIS_CONTACTPOINT] != 0
    forces = d.opt.flags[mjtVisFlag.mjVIS_CONTACTFORCE] != 0
    frames = d.opt.frame == mjtFrame.mjFRAME_CONTACT
    if not (points or forces or frames):
        return
    for c in range(d.ncon):
        frame = d.contact_frame[c]
        # the normal, first in a contact frame, is the z axis of what shows it
        mat = mat3(frame[3], frame[6], frame[0], frame[4], frame[7], frame[1], frame[5], frame[8], frame[2])
        if points:
            add_contact_point(m, d, c, mat)
        if frames:
            add_frame(m, d, c, d.contact_pos[c], frame.T, HALF_FRAME)
        if forces and d.contact_efc_address[c] >= 0:
            add_contact_force(m, d, c)


@kernel
def add_contact_point(m, d, c, mat):
    """A flat cylinder, as high as the surfaces overlap."""
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
    """Arrows for the force of a contact on its second geom: as one, or its normal and its tangential part."""
    wrench = contact_wrench(m, d, c)
    frame = d.contact_frame[c]
    force = wrench.linear
    # officially arrows show the force on the body that comes later in the model
    if is_reversed(m, d, c):
        force = -force
    if d.opt.flags[mjtVisFlag.mjVIS_CONTACTSPLIT] != 0:
        add_arrow(m, d, c, frame.T @ vec3(force.x, 0.0, 0.0), m.vis.rgba.contactforce, True)
        add_arrow(m, d, c, frame.T @ vec3(0.0, force.y, force.z), m.vis.rgba.contactfriction, False)
    else:
        add_arrow(m, d, c, frame.T @ force, m.vis.rgba.contactforce, True)


@kernel
def add_arrow(m, d, c, vector, colors, labelled):
    """An arrow for a force at contact c; the tangential part has no label of its own."""
    if norm(vector) > mjMINVAL:
        # two heads where two bodies push each other
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
    """True if the first geom of contact c is of a body that comes after that of the second."""
    first = d.contact_geom[c, 0]
    second = d.contact_geom[c, 1]
    if first < 0 or second < 0:
        return False
    return m.geom_bodyid[first] > m.geom_bodyid[second]


@kernel
def is_of_body(m, geom):
    """True if a geom, -1 for a flexible body, is of any body but the world."""
    if geom < 0:
        return True
    return m.geom_bodyid[geom] > 0
