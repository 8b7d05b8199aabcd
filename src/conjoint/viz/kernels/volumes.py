"""Decoration: bounding volumes of bodies, flexes and meshes, octrees, and the boxes that deform trilinear flexes."""

from conjoint.lang import kernel, load, vec3
from conjoint.physics.flex.kinematics import NODES
from conjoint.physics.official.bounding_volumes import DONE
from conjoint.ray_renderer.connectors import identity
from conjoint.ray_renderer.listing import is_shown
from conjoint.schema.enums import mjtGeom
from conjoint.schema.enums_visual import mjtVisFlag
from conjoint.viz.kernels.bodies import DECOR, NO_OBJECT
from conjoint.viz.kernels.geom import add_geom, connect, paint, place

CAGE_WIDTH = 3.0
"""Width (pixels) of the edges of a trilinear flex's box."""


@kernel
def shows_volumes(d):
    """Return True if bounding volumes are visible."""
    return d.opt.flags[mjtVisFlag.mjVIS_BODYBVH] != 0 or d.opt.flags[mjtVisFlag.mjVIS_MESHBVH] != 0


@kernel
def volumes_are_pending(d):
    """Return True if bounding volumes are visible, but have not been tested for activity yet."""
    return shows_volumes(d) and (d.volumes_pending != DONE or d.mesh_volumes_pending != DONE)


@kernel
def add_volumes(m, d):
    """Add the selected bounding volumes, colored if collision detection or rays have reached them."""
    if shows_volumes(d):
        add_body_volumes(m, d)
        add_flex_volumes(m, d)
        add_mesh_volumes(m, d)
        add_octrees(m, d)


@kernel
def add_body_volumes(m, d):
    """Add boxes for the bounding volumes of bodies at the selected depth, and for leaves above that depth."""
    if d.opt.flags[mjtVisFlag.mjVIS_BODYBVH] == 0:
        return
    for b in range(m.nbody):
        for v in range(m.body_bvhadr[b], m.body_bvhadr[b] + m.body_bvhnum[b]):
            geom = m.bvh_nodeid[v]
            if m.bvh_depth[v] == d.opt.bvh_depth or (geom >= 0 and m.bvh_depth[v] < d.opt.bvh_depth):
                if geom >= 0:
                    add_box(m, d, v, m.geom_aabb, 6 * geom, d.geom_xpos[geom], d.geom_xmat[geom])
                else:
                    add_box(m, d, v, m.bvh_aabb, 6 * v, d.xipos[b], d.ximat[b])


@kernel
def add_flex_volumes(m, d):
    """Add boxes for the bounding volumes of flexes at the selected depth, and for leaves above that depth."""
    if d.opt.flags[mjtVisFlag.mjVIS_MESHBVH] == 0:
        return
    for f in range(m.nflex):
        if not is_shown(d.opt.flexgroup, m.flex_group[f]):
            continue
        for v in range(m.flex_bvhadr[f], m.flex_bvhadr[f] + m.flex_bvhnum[f]):
            leaf = m.bvh_nodeid[v] >= 0
            if m.bvh_depth[v] == d.opt.bvh_depth or (leaf and m.bvh_depth[v] < d.opt.bvh_depth):
                row = 6 * (v - m.nbvhstatic)
                add_box(m, d, v, d.bvh_aabb_dyn, row, vec3(0.0, 0.0, 0.0), identity())
        if m.flex_interp[f] != 0:
            add_cage(m, d, f)


@kernel
def add_mesh_volumes(m, d):
    """Add boxes for the active bounding volumes of meshes at the selected depth.

    As in MuJoCo, the data id of any geom is treated as a mesh id.
    """
    if d.opt.flags[mjtVisFlag.mjVIS_MESHBVH] == 0:
        return
    for g in range(m.ngeom):
        mesh = m.geom_dataid[g]
        if mesh >= 0 and mesh < m.nmesh:
            for v in range(m.mesh_bvhadr[mesh], m.mesh_bvhadr[mesh] + m.mesh_bvhnum[mesh]):
                if m.bvh_depth[v] == d.opt.bvh_depth and d.bvh_active[v] != 0:
                    add_box(m, d, v, m.bvh_aabb, 6 * v, d.geom_xpos[g], d.geom_xmat[g])


@kernel
def add_octrees(m, d):
    """Add boxes for the octrees of signed distance fields at the selected depth."""
    if d.opt.flags[mjtVisFlag.mjVIS_MESHBVH] == 0:
        return
    for i in range(m.ngeom):
        mesh = m.geom_dataid[i]
        if m.geom_type[i] == mjtGeom.mjGEOM_SDF and mesh >= 0:
            for v in range(m.mesh_octadr[mesh], m.mesh_octadr[mesh] + m.mesh_octnum[mesh]):
                if m.oct_depth[v] == d.opt.bvh_depth:
                    g = add_geom(d, mjtGeom.mjGEOM_LINEBOX, DECOR, NO_OBJECT, v)
                    middle = d.geom_xpos[i] + d.geom_xmat[i] @ load(vec3, m.oct_aabb, 6 * v)
                    place(d, g, load(vec3, m.oct_aabb, 6 * v + 3), middle, d.geom_xmat[i])
                    paint(d, g, m.vis.rgba.bv, 0)


@kernel
def add_cage(m, d, f):
    """Add the edges of the box that deforms trilinear flex f."""
    first = m.flex_nodeadr[f]
    for node in range(NODES):
        for axis in range(3):
            step = 4 >> axis
            if node & step == 0:
                g = add_geom(d, mjtGeom.mjGEOM_LINE, DECOR, NO_OBJECT, node >> 2)
                start = d.flexnode_xpos[first + node]
                connect(d, g, CAGE_WIDTH, start, d.flexnode_xpos[first + node + step])


@kernel
def add_box(m, d, volume, boxes, row, pos, mat):
    """Add the outline of a box, whose center and half sizes are given in a frame."""
    g = add_geom(d, mjtGeom.mjGEOM_LINEBOX, DECOR, NO_OBJECT, volume)
    place(d, g, load(vec3, boxes, row + 3), pos + mat @ load(vec3, boxes, row), mat)
    if m.vis.global_.bvactive != 0 and d.bvh_active[volume] != 0:
        paint(d, g, m.vis.rgba.bvactive, 0)
    else:
        paint(d, g, m.vis.rgba.bv, 0)
