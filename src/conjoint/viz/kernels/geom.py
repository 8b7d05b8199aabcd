"""Geoms of a scene: adding, placing and coloring them, including the colors of constraint islands."""

from conjoint.lang import kernel, load, norm, put, quat, vec3
from conjoint.ray_renderer.connectors import identity, turn_to
from conjoint.ray_renderer.listing import DEFAULT_GLOSS, DEFAULT_GRAY, is_default
from conjoint.schema.enums import mjtConstraint, mjtEq, mjtGeom
from conjoint.schema.enums_visual import mjtCatBit, mjtVisFlag

MARKED = 1
"""First byte of a geom's label that marks it for `write_labels`."""

DEFAULT_SIZE = 0.1
NONE = -1


@kernel
def category_of(m, body):
    """Return the category of elements on a body: static unless the body can move, by joints or as a mocap body."""
    if m.body_weldid[body] == 0 and m.body_mocapid[body] < 0:
        return int(mjtCatBit.mjCAT_STATIC)
    return int(mjtCatBit.mjCAT_DYNAMIC)


@kernel
def add_geom(d, type, category, objtype, objid):
    """Add a geom with default properties, and return its index."""
    g = add_shapeless(d, type, category, objtype, objid)
    put(d.scn.geoms.size, 3 * g, vec3(DEFAULT_SIZE, DEFAULT_SIZE, DEFAULT_SIZE))
    put(d.scn.geoms.pos, 3 * g, vec3(0.0, 0.0, 0.0))
    put(d.scn.geoms.mat, 9 * g, identity())
    put(d.scn.geoms.rgba, 4 * g, quat(DEFAULT_GRAY, DEFAULT_GRAY, DEFAULT_GRAY, 1.0))
    return g


@kernel
def add_shapeless(d, type, category, objtype, objid):
    """Add a geom whose size, pose and color are not set yet, and return its index.

    If the scene is full, return the index after the last geom, which is never drawn.
    """
    g = d.scn.ngeom
    if g < d.scn.maxgeom:
        d.scn.ngeom = g + 1
    else:
        g = d.scn.maxgeom
        d.tally.missing = 1
    d.scn.geoms.type[g] = type
    d.scn.geoms.dataid[g] = NONE
    d.scn.geoms.objtype[g] = objtype
    d.scn.geoms.objid[g] = objid
    d.scn.geoms.category[g] = category
    d.scn.geoms.matid[g] = NONE
    d.scn.geoms.texcoord[g] = 0
    d.scn.geoms.segid[g] = g
    d.scn.geoms.emission[g] = 0.0
    d.scn.geoms.specular[g] = DEFAULT_GLOSS
    d.scn.geoms.shininess[g] = DEFAULT_GLOSS
    d.scn.geoms.reflectance[g] = 0.0
    d.scn.geoms.label[g, 0] = 0
    d.scn.geoms.camdist[g] = 0.0
    d.scn.geoms.modelrbound[g] = 0.0
    d.scn.geoms.transparent[g] = 0
    return g


@kernel
def mark(d, g):
    """Mark geom g for writing its label text."""
    d.scn.geoms.label[g, 0] = MARKED


@kernel
def place(d, g, size, pos, mat):
    """Set the size and pose of geom g."""
    put(d.scn.geoms.size, 3 * g, size)
    put(d.scn.geoms.pos, 3 * g, pos)
    put(d.scn.geoms.mat, 9 * g, mat)


@kernel
def cube(side):
    """Return a size that is equal in all directions."""
    return vec3(side, side, side)


@kernel
def paint(d, g, colors, i):
    """Set the color of geom g to row i of `colors`."""
    put(d.scn.geoms.rgba, 4 * g, load(quat, colors, 4 * i))


@kernel
def dress(m, d, g, material, colors, i, textured):
    """Set the material and color of geom g: row i of `colors` or, if that is the default gray, the material's color."""
    paint(d, g, colors, i)
    if material >= 0:
        if textured:
            d.scn.geoms.matid[g] = material
        d.scn.geoms.emission[g] = m.mat_emission[material]
        d.scn.geoms.specular[g] = m.mat_specular[material]
        d.scn.geoms.shininess[g] = m.mat_shininess[material]
        d.scn.geoms.reflectance[g] = m.mat_reflectance[material]
        if is_default(colors, i):
            paint(d, g, m.mat_rgba, material)


@kernel
def connect(d, g, width, start, end):
    """Set the size and pose of geom g so that it connects two points.

    The position of capsules, cylinders, boxes and ellipsoids is the midpoint; that of other geoms is the start.
    """
    span = end - start
    length = norm(span)
    type = d.scn.geoms.type[g]
    solid = type == mjtGeom.mjGEOM_CAPSULE or type == mjtGeom.mjGEOM_CYLINDER or type == mjtGeom.mjGEOM_BOX
    solid = solid or type == mjtGeom.mjGEOM_ELLIPSOID
    if solid:
        place(d, g, vec3(width, width, 0.5 * length), (start + end) * 0.5, turn_to(span))
    else:
        place(d, g, vec3(width, width, length), start, turn_to(span))


@kernel
def add_frame(m, d, objid, pos, mat, scale):
    """Add three cylinders, red, green and blue, for the axes of a frame."""
    size = m.stat.meansize * scale
    for k in range(3):
        g = add_geom(d, mjtGeom.mjGEOM_CYLINDER, mjtCatBit.mjCAT_DECOR, 0, objid)
        axis = vec3(mat[k], mat[k + 3], mat[k + 6])
        connect(d, g, m.vis.scale.framewidth * size, pos, pos + axis * (m.vis.scale.framelength * size))
        put(d.scn.geoms.rgba, 4 * g, quat(0.0, 0.0, 0.0, 1.0))
        d.scn.geoms.rgba[g, k] = AXIS_BRIGHTNESS


AXIS_BRIGHTNESS = 0.9


DARKEST = 0.1
BRIGHTNESS = 0.9


@kernel
def are_islands_shown(d):
    """Return True if islands exist and are shown."""
    return d.opt.flags[mjtVisFlag.mjVIS_ISLAND] != 0 and d.nisland > 0


@kernel
def show_island(m, d, g, body):
    """Color geom g by the island of a body, if islands are shown and the body is in one."""
    if not are_islands_shown(d) or m.body_dofnum[body] == 0:
        return
    paint_island(d, g, d.dof_island[m.body_dofadr[body]])


@kernel
def show_tendon_island(m, d, g, t):
    """Color geom g by the island of the first constraint row of tendon t, if there is one."""
    for row in range(d.nefc):
        if constrains_tendon(m, d, row, t):
            paint_island(d, g, d.efc_island[row])
            return


@kernel
def constrains_tendon(m, d, row, t):
    """Return True if a constraint row belongs to tendon t."""
    kind = d.efc_type[row]
    id = d.efc_id[row]
    if kind == mjtConstraint.mjCNSTR_FRICTION_TENDON or kind == mjtConstraint.mjCNSTR_LIMIT_TENDON:
        return id == t
    if kind == mjtConstraint.mjCNSTR_EQUALITY and m.eq_type[id] == mjtEq.mjEQ_TENDON:
        return m.eq_obj1id[id] == t or m.eq_obj2id[id] == t
    return False


@kernel
def paint_island(d, g, island):
    """Set the color of geom g to that of an island; -1 leaves it unchanged."""
    if island >= 0:
        index = d.island_dofadr[island] + 1
        d.scn.geoms.rgba[g, 0] = DARKEST + BRIGHTNESS * halton(index, 2)
        d.scn.geoms.rgba[g, 1] = DARKEST + BRIGHTNESS * halton(index, 3)
        d.scn.geoms.rgba[g, 2] = DARKEST + BRIGHTNESS * halton(index, 5)


@kernel
def halton(index, base):
    """Return an element of the Halton sequence, which fills the unit interval evenly (Halton 1960)."""
    found = 0.0
    share = 1.0 / base
    while index > 0:
        found += share * (index % base)
        index = index // base
        share = share / base
    return found
