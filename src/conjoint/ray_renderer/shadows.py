"""Shadows: whether a shape lies between a point and a lamp."""

from conjoint.lang import kernel, norm, vec3
from conjoint.ray_renderer.flexes import bound_flex, flex_hides
from conjoint.ray_renderer.shapes import meet, shape_box
from conjoint.ray_renderer.skins import bound_skin, skin_hides
from conjoint.ray_renderer.triangles import passes
from conjoint.schema.enums import mjtGeom

NO_END = -1.0


@kernel
def bound_shapes(m, d):
    """Find a ball around each shape."""
    for s in range(d.nshape):
        d.shape_radius[s] = NO_END
        if d.shape_type[s] == mjtGeom.mjGEOM_FLEX:
            bound_flex(m, d, s)
        elif d.shape_type[s] == mjtGeom.mjGEOM_SKIN:
            bound_skin(m, d, s)
        else:
            middle, half, bounded = shape_box(m, d, s)
            if bounded:
                d.shape_center[s] = d.shape_pos[s] + d.shape_frame[s] @ middle
                d.shape_radius[s] = norm(half)


@kernel
def is_hidden(m, d, start, way):
    """True if some shape lies on the way to a lamp, of which `way` is the whole."""
    for s in range(d.nshape):
        # what has no end casts no shadows
        near = d.shape_radius[s] >= 0.0 and passes(d.shape_center[s], d.shape_radius[s], start, way)
        if near and hides(m, d, s, start, way):
            return True
    return False


@kernel
def hides(m, d, s, start, way):
    """True if shape s lies on the way to a lamp."""
    if d.shape_type[s] == mjtGeom.mjGEOM_FLEX:
        return flex_hides(m, d, d.shape_objid[s], start, way)
    if d.shape_type[s] == mjtGeom.mjGEOM_SKIN:
        return skin_hides(m, d, d.shape_objid[s], start, way)
    p = d.shape_frame[s].T @ (start - d.shape_pos[s])
    v = d.shape_frame[s].T @ way
    if d.shape_type[s] == mjtGeom.mjGEOM_PLANE and v.z > 0.0:
        # planes cast shadows on either side
        p = vec3(p.x, p.y, -p.z)
        v = vec3(v.x, v.y, -v.z)
    x, _ = meet(m, d, d.shape_type[s], d.shape_data[s], d.shape_size[s], p, v, 1.0)
    return x >= 0.0 and x <= 1.0
