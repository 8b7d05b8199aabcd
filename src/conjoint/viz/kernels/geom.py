"""Adding geoms to a scene: defaults, poses, shapes between two points, colours (Programming, Scene update)."""

from conjoint.lang import kernel, load, norm, put, quat, vec3
from conjoint.ray_renderer.connectors import identity, turn_to
from conjoint.ray_renderer.listing import DEFAULT_GLOSS, DEFAULT_GREY, is_default
from conjoint.schema.enums import mjtGeom
from conjoint.schema.enums_visual import mjtCatBit

MARKED = 1
"""First byte of the label of a geom whose text is still to be written."""

DEFAULT_SIZE = 0.1
NONE = -1


@kernel
def category_of(m, body):
    """Category of what is fixed to a body: static unless it can move, by joints or as a mocap body."""
    if m.body_weldid[body] == 0 and m.body_mocapid[body] < 0:
        return int(mjtCatBit.mjCAT_STATIC)
    return int(mjtCatBit.mjCAT_DYNAMIC)


@kernel
def add_geom(d, type, category, objtype, objid):
    """Add a geom with default properties; its index."""
    g = add_shapeless(d, type, category, objtype, objid)
    put(d.scn.geoms.size, 3 * g, vec3(DEFAULT_SIZE, DEFAULT_SIZE, DEFAULT_SIZE))
    put(d.scn.geoms.pos, 3 * g, vec3(0.0, 0.0, 0.0))
    put(d.scn.geoms.mat, 9 * g, identity())
    put(d.scn.geoms.rgba, 4 * g, quat(DEFAULT_GREY, DEFAULT_GREY, DEFAULT_GREY, 1.0))
    return g


@kernel
def add_shapeless(d, type, category, objtype, objid):
    """Add a geom that has no size, pose and colour yet; its index.

    One that finds no room goes behind the last, which nobody sees.
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
    """Ask for the text of geom g."""
    d.scn.geoms.label[g, 0] = MARKED


@kernel
def place(d, g, size, pos, mat):
    """Size and pose of geom g."""
    put(d.scn.geoms.size, 3 * g, size)
    put(d.scn.geoms.pos, 3 * g, pos)
    put(d.scn.geoms.mat, 9 * g, mat)


@kernel
def cube(side):
    """The size of what is as large in all directions."""
    return vec3(side, side, side)


@kernel
def paint(d, g, colors, i):
    """Colour of geom g: row i of colours."""
    put(d.scn.geoms.rgba, 4 * g, load(quat, colors, 4 * i))


@kernel
def dress(m, d, g, material, colors, i, textured):
    """Material of geom g, and its colour: that of the element, row i of colours, if it has one."""
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
    """Let geom g reach from one point to another: those of solid shapes lie between, others start at the first."""
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
    """Three cylinders, red, green and blue, for the axes of a frame."""
    size = m.stat.meansize * scale
    for k in range(3):
        g = add_geom(d, mjtGeom.mjGEOM_CYLINDER, mjtCatBit.mjCAT_DECOR, 0, objid)
        axis = vec3(mat[k], mat[k + 3], mat[k + 6])
        connect(d, g, m.vis.scale.framewidth * size, pos, pos + axis * (m.vis.scale.framelength * size))
        put(d.scn.geoms.rgba, 4 * g, quat(0.0, 0.0, 0.0, 1.0))
        d.scn.geoms.rgba[g, k] = AXIS_BRIGHTNESS


AXIS_BRIGHTNESS = 0.9
