"""Decoration of bodies and joints: inertias, frames, labels, axes, centers of mass, skeletons."""

from conjoint.lang import kernel, pow, put, sqrt, vec3
from conjoint.ray_renderer.connectors import identity
from conjoint.ray_renderer.listing import is_shown
from conjoint.schema.enums import mjtGeom, mjtJoint, mjtObj
from conjoint.schema.enums_visual import mjtCatBit, mjtFrame, mjtLabel, mjtVisFlag
from conjoint.viz.kernels.geom import (
    add_frame,
    add_geom,
    category_of,
    connect,
    cube,
    mark,
    paint,
    place,
)

DECOR = int(mjtCatBit.mjCAT_DECOR)
NO_OBJECT = int(mjtObj.mjOBJ_UNKNOWN)

BIG_JOINT = 0.3
"""Size of the geoms that show free and ball joints, relative to the length of joint axes."""

WATER = 1000.0
"""Density of water (kg/m^3), which determines the volume of inertias that are scaled by body mass."""


@kernel
def add_inertias(m, d, categories):
    """Add boxes or ellipsoids with the inertia of bodies; if requested, with the volume of water of equal mass."""
    if d.opt.flags[mjtVisFlag.mjVIS_INERTIA] == 0:
        return
    for b in range(1, m.nbody):
        if m.body_mass[b] > 0.0 and category_of(m, b) & categories:
            round = m.vis.global_.ellipsoidinertia != 0
            type = mjtGeom.mjGEOM_ELLIPSOID if round else mjtGeom.mjGEOM_BOX
            g = add_geom(d, type, DECOR, mjtObj.mjOBJ_BODY, b)
            size = inertia_size(m, b, 2.5 if round else 1.5)
            if d.opt.flags[mjtVisFlag.mjVIS_SCLINERTIA] != 0:
                volume = size.x * size.y * size.z * (4.1887902047863905 if round else 8.0)
                size = size * pow(m.body_mass[b] / (WATER * volume), 1.0 / 3.0)
            place(d, g, size, d.xipos[b], d.ximat[b])
            paint(d, g, m.vis.rgba.inertia, 0)
            if d.pert.select == b:
                d.scn.geoms.emission[g] = m.vis.global_.glow
            if is_labelled(m, d, b):
                mark(d, g)


@kernel
def inertia_size(m, b, factor):
    """Return half sizes of the uniform box (factor 3/2) or radii of the ellipsoid (5/2) with the inertia of body b."""
    inertia = m.body_inertia[b]
    total = inertia.x + inertia.y + inertia.z
    scale = factor / m.body_mass[b]
    return vec3(
        sqrt(scale * (total - 2.0 * inertia.x)),
        sqrt(scale * (total - 2.0 * inertia.y)),
        sqrt(scale * (total - 2.0 * inertia.z)),
    )


@kernel
def is_labelled(m, d, b):
    """Return True if body b has a label, because all bodies have one or because b is selected."""
    return d.opt.label == mjtLabel.mjLABEL_BODY or (d.opt.label == mjtLabel.mjLABEL_SELECTION and d.pert.select == b)


@kernel
def add_body_frames(m, d, categories):
    """Add the frame of the world, or the frames of all other bodies."""
    if d.opt.frame == mjtFrame.mjFRAME_WORLD and category_of(m, 0) & categories:
        add_frame(m, d, 0, d.xpos[0], d.xmat[0], 2.0)
    if d.opt.frame == mjtFrame.mjFRAME_BODY:
        for b in range(1, m.nbody):
            if category_of(m, b) & categories:
                add_frame(m, d, b, d.xpos[b], d.xmat[b], 1.0)


@kernel
def is_body_selected(m, d):
    """Return True if a body of the model is selected."""
    return d.pert.select > 0 and d.pert.select < m.nbody


@kernel
def add_selected_point(m, d):
    """Add a ball at the selected point."""
    if is_body_selected(m, d) and d.opt.flags[mjtVisFlag.mjVIS_SELECT] != 0:
        b = d.pert.select
        g = add_geom(d, mjtGeom.mjGEOM_SPHERE, DECOR, NO_OBJECT, 0)
        size = m.stat.meansize * m.vis.scale.selectpoint
        place(d, g, cube(size), d.xpos[b] + d.xmat[b] @ d.pert.localpos, identity())
        paint(d, g, m.vis.rgba.selectpoint, 0)
        if d.opt.label == mjtLabel.mjLABEL_SELPNT:
            mark(d, g)


@kernel
def add_body_labels(m, d, categories):
    """Add labels of bodies, unless inertias are shown, because the geoms of the inertias then have the labels."""
    if d.opt.label == mjtLabel.mjLABEL_NONE or d.opt.flags[mjtVisFlag.mjVIS_INERTIA] != 0:
        return
    for b in range(1, m.nbody):
        if is_labelled(m, d, b) and category_of(m, b) & categories:
            g = add_geom(d, mjtGeom.mjGEOM_LABEL, DECOR, NO_OBJECT, b)
            put(d.scn.geoms.pos, 3 * g, d.xpos[b])
            put(d.scn.geoms.mat, 9 * g, d.xmat[b])
            mark(d, g)


@kernel
def add_island_labels(m, d, categories):
    """Add labels with the island numbers of bodies, at their centers of mass."""
    if d.opt.label != mjtLabel.mjLABEL_ISLAND:
        return
    for b in range(1, m.nbody):
        if is_in_island(m, d, b) and category_of(m, b) & categories:
            g = add_geom(d, mjtGeom.mjGEOM_LABEL, DECOR, NO_OBJECT, b)
            put(d.scn.geoms.pos, 3 * g, d.xipos[b])
            put(d.scn.geoms.mat, 9 * g, d.ximat[b])
            mark(d, g)


@kernel
def add_joints(m, d):
    """Add the axes of hinge and slide joints, boxes for free joints, and balls for ball joints."""
    if d.opt.flags[mjtVisFlag.mjVIS_JOINT] == 0:
        return
    for j in range(m.njnt):
        if is_shown(d.opt.jointgroup, m.jnt_group[j]):
            g = add_joint(m, d, j, mjtObj.mjOBJ_JOINT, j, 1.0)
            axis = m.vis.scale.jointlength * m.stat.meansize
            stretch_joint(m, d, g, j, m.vis.scale.jointwidth * m.stat.meansize, axis)
            paint(d, g, m.vis.rgba.joint, 0)
            if d.opt.label == mjtLabel.mjLABEL_JOINT:
                mark(d, g)


@kernel
def add_joint(m, d, j, objtype, objid, scale):
    """Add a geom for joint j; `scale` enlarges free and ball joints."""
    kind = m.jnt_type[j]
    type = int(mjtGeom.mjGEOM_ARROW)
    if kind == mjtJoint.mjJNT_FREE:
        type = int(mjtGeom.mjGEOM_BOX)
    if kind == mjtJoint.mjJNT_BALL:
        type = int(mjtGeom.mjGEOM_SPHERE)
    if kind == mjtJoint.mjJNT_HINGE:
        type = int(mjtGeom.mjGEOM_ARROW1)
    g = add_geom(d, type, DECOR, objtype, objid)
    body = m.jnt_bodyid[j]
    size = BIG_JOINT * scale * m.vis.scale.jointlength * m.stat.meansize
    place(d, g, cube(size), d.xanchor[j], d.xmat[body])
    return g


@kernel
def stretch_joint(m, d, g, j, width, length):
    """Set the pose and size of geom g so that it shows the axis of hinge or slide joint j."""
    if m.jnt_type[j] == mjtJoint.mjJNT_HINGE or m.jnt_type[j] == mjtJoint.mjJNT_SLIDE:
        connect(d, g, width, d.xanchor[j], d.xanchor[j] + d.xaxis[j] * length)


@kernel
def add_centers(m, d):
    """Add balls at the centers of mass of kinematic trees."""
    if d.opt.flags[mjtVisFlag.mjVIS_COM] == 0:
        return
    for b in range(1, m.nbody):
        if m.body_rootid[b] == b:
            g = add_geom(d, mjtGeom.mjGEOM_SPHERE, DECOR, NO_OBJECT, b)
            place(d, g, cube(m.vis.scale.com * m.stat.meansize), d.subtree_com[b], identity())
            paint(d, g, m.vis.rgba.com, 0)


@kernel
def add_skeleton(m, d):
    """Add capsules that connect each body with its parent through its joints, beginning with the last joint."""
    if d.opt.flags[mjtVisFlag.mjVIS_AUTOCONNECT] == 0:
        return
    for b in range(1, m.nbody):
        if m.body_parentid[b] > 0:
            point = d.xipos[b]
            count = m.body_jntnum[b]
            for k in range(count):
                anchor = d.xanchor[m.body_jntadr[b] + count - 1 - k]
                add_bone(m, d, b, point, anchor)
                point = anchor
            add_bone(m, d, b, point, d.xipos[m.body_parentid[b]])


@kernel
def add_bone(m, d, b, start, end):
    """Add one capsule of the skeleton."""
    g = add_geom(d, mjtGeom.mjGEOM_CAPSULE, DECOR, NO_OBJECT, b)
    connect(d, g, m.vis.scale.connect * m.stat.meansize, start, end)
    paint(d, g, m.vis.rgba.connect, 0)


@kernel
def is_in_island(m, d, b):
    """Return True if the dofs of body b are in a constraint island."""
    body = m.body_weldid[b]
    if d.nisland == 0 or m.body_dofnum[body] == 0:
        return False
    return d.dof_island[m.body_dofadr[body]] >= 0
