"""Lighting per pixel, as in fixed-function OpenGL (OpenGL 2.1 specification, 2.14), and shadows."""

from conjoint.lang import clip, cos, dot, kernel, load, maximum, norm, normalize3, pow, vec2, vec3
from conjoint.ray_renderer.shapes import meet, shape_box
from conjoint.ray_renderer.surfaces import bound_flex, bound_skin, flex_hides, passes, skin_hides
from conjoint.ray_renderer.window import DEGREE
from conjoint.schema.constants import mjMAXLIGHT
from conjoint.schema.enums import mjtGeom, mjtLightType
from conjoint.schema.ray_picture import CLUSTER

NO_END = -1.0

ROUNDING = 1e-6
"""Relative enlargement of bounding spheres of clusters, to allow for rounding errors."""


@kernel
def bound_shapes(m, d):
    """Find bounding spheres of all shapes and of clusters of shapes."""
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
    for c in range(clusters(d)):
        bound_cluster(d, c)


@kernel
def clusters(d):
    """Return the number of clusters, each of which consists of consecutive shapes."""
    return (d.nshape + CLUSTER - 1) // CLUSTER


@kernel
def cluster_end(d, c):
    """Return the end of a cluster: the index after its last shape."""
    end = (c + 1) * CLUSTER
    if end > d.nshape:
        end = d.nshape
    return end


@kernel
def bound_cluster(d, c):
    """Find the bounding sphere of a cluster from those of its shapes."""
    total = vec3(0.0, 0.0, 0.0)
    count = 0
    for s in range(c * CLUSTER, cluster_end(d, c)):
        if d.shape_radius[s] >= 0.0:
            total = total + d.shape_center[s]
            count = count + 1
    d.cluster_radius[c] = NO_END
    if count > 0:
        center = total / count
        radius = 0.0
        for s in range(c * CLUSTER, cluster_end(d, c)):
            if d.shape_radius[s] >= 0.0:
                radius = maximum(radius, norm(d.shape_center[s] - center) + d.shape_radius[s])
        d.cluster_center[c] = center
        d.cluster_radius[c] = radius * (1.0 + ROUNDING)


@kernel
def is_hidden(m, d, start, way):
    """Return True if any shape blocks the segment `way` from a point to a lamp."""
    for c in range(clusters(d)):
        if d.cluster_radius[c] >= 0.0 and passes(d.cluster_center[c], d.cluster_radius[c], start, way):
            for s in range(c * CLUSTER, cluster_end(d, c)):
                # infinite planes cast no shadows
                near = d.shape_radius[s] >= 0.0 and passes(d.shape_center[s], d.shape_radius[s], start, way)
                if near and hides(m, d, s, start, way):
                    return True
    return False


@kernel
def hides(m, d, s, start, way):
    """Return True if shape s blocks the segment `way` from a point to a lamp."""
    if d.shape_type[s] == mjtGeom.mjGEOM_FLEX:
        return flex_hides(m, d, d.shape_objid[s], start, way)
    if d.shape_type[s] == mjtGeom.mjGEOM_SKIN:
        return skin_hides(m, d, d.shape_objid[s], start, way)
    p = d.shape_frame[s].T @ (start - d.shape_pos[s])
    v = d.shape_frame[s].T @ way
    if d.shape_type[s] == mjtGeom.mjGEOM_PLANE and v.z > 0.0:
        # planes cast shadows on both sides
        p = vec3(p.x, p.y, -p.z)
        v = vec3(v.x, v.y, -v.z)
    x, _ = meet(m, d, d.shape_type[s], d.shape_data[s], d.shape_size[s], p, v, 1.0)
    return x >= 0.0 and x <= 1.0


NO_CONE = -2.0

SHININESS = 128.0
"""Exponent of highlights for a shininess of 1."""

OFF = 5e-4
"""Distance from a surface at which shadow rays to lamps start, relative to the extent of the model."""

FAR_AWAY = 1e10
"""Distance assumed for directional lights."""


@kernel
def list_lamps(m, d):
    """List the headlight and the active lights of the model as lamps."""
    d.nlamp = 0
    if m.vis.headlight.active != 0:
        k = add_lamp(d, mjtLightType.mjLIGHT_DIRECTIONAL, d.eye_pos, d.eye_forward, 0)
        d.lamp_ambient[k] = load(vec3, m.vis.headlight.ambient, 0)
        d.lamp_diffuse[k] = load(vec3, m.vis.headlight.diffuse, 0)
        d.lamp_specular[k] = load(vec3, m.vis.headlight.specular, 0)
    for i in range(m.nlight):
        if m.light_active[i] != 0 and d.nlamp < mjMAXLIGHT:
            k = add_lamp(d, m.light_type[i], d.light_xpos[i], normalize3(d.light_xdir[i]), m.light_castshadow[i])
            d.lamp_ambient[k] = load(vec3, m.light_ambient, 3 * i)
            d.lamp_diffuse[k] = load(vec3, m.light_diffuse, 3 * i)
            d.lamp_specular[k] = load(vec3, m.light_specular, 3 * i)
            if m.light_type[i] == mjtLightType.mjLIGHT_SPOT:
                # as in MuJoCo, only spotlights have attenuation
                d.lamp_attenuation[k] = load(vec3, m.light_attenuation, 3 * i)
                if m.light_cutoff[i] <= 90.0:
                    d.lamp_cone[k] = vec2(cos(DEGREE * m.light_cutoff[i]), m.light_exponent[i])


@kernel
def add_lamp(d, kind, pos, way, shadows):
    """Add a lamp without attenuation, and return its index."""
    k = d.nlamp
    d.nlamp = k + 1
    d.lamp_kind[k] = kind
    d.lamp_pos[k] = pos
    d.lamp_dir[k] = way
    d.lamp_shadows[k] = shadows
    d.lamp_attenuation[k] = vec3(1.0, 0.0, 0.0)
    d.lamp_cone[k] = vec2(NO_CONE, 0.0)
    return k


@kernel
def lit(m, d, s, base, point, normal, shadows):
    """Return the color of a point of shape s with base color `base`, lit by all lamps.

    As in MuJoCo, lamps with shadows are added one by one, each clamped to white. The sum of the other lamps is clamped
    to white, too.
    """
    total = base * d.shape_finish[s, 0]
    apart = vec3(0.0, 0.0, 0.0)
    view = -d.eye_forward
    if d.eye_parallel == 0:
        view = normalize3(d.eye_pos - point)
    for k in range(d.nlamp):
        light = lit_by(m, d, s, k, base, point, normal, view, shadows)
        if d.lamp_shadows[k] != 0:
            apart = apart + at_most_white(light)
        else:
            total = total + light
    return at_most_white(total) + apart


@kernel
def at_most_white(color):
    """Return a color with all channels clamped to the range from 0 to 1."""
    return vec3(clip(color.x, 0.0, 1.0), clip(color.y, 0.0, 1.0), clip(color.z, 0.0, 1.0))


@kernel
def lit_by(m, d, s, k, base, point, normal, view, shadows):
    """Return the color that lamp k adds to a point."""
    away = d.lamp_dir[k] * -FAR_AWAY
    strength = 1.0
    if d.lamp_kind[k] != mjtLightType.mjLIGHT_DIRECTIONAL:
        away = d.lamp_pos[k] - point
        strength = strength_at(d, k, away)
    distance = maximum(norm(away), 1e-9)
    to_lamp = away / distance
    found = times(d.lamp_ambient[k], base)
    facing = dot(normal, to_lamp)
    if strength <= 0.0 or facing <= 0.0:
        return found * strength
    if shadows and d.lamp_shadows[k] != 0 and is_hidden(m, d, point + normal * (OFF * m.stat.extent), away):
        return found * strength
    glance = maximum(dot(normal, normalize3(to_lamp + view)), 0.0)
    shine = pow(glance, maximum(SHININESS * d.shape_finish[s, 2], 1e-3))
    found = found + times(d.lamp_diffuse[k], base) * facing
    return (found + d.lamp_specular[k] * (d.shape_finish[s, 1] * shine)) * strength


@kernel
def strength_at(d, k, away):
    """Return the strength of lamp k at a point; `away` is the vector from the point to the lamp."""
    distance = norm(away)
    fading = d.lamp_attenuation[k]
    strength = 1.0 / maximum(fading.x + fading.y * distance + fading.z * distance * distance, 1e-9)
    cone = d.lamp_cone[k]
    if cone.x > NO_CONE:
        along = -dot(away, d.lamp_dir[k]) / maximum(distance, 1e-9)
        if along < cone.x:
            return 0.0
        strength = strength * pow(maximum(along, 0.0), cone.y)
    return strength


@kernel
def times(a, b):
    """Return the product of two colors, channel by channel."""
    return vec3(a.x * b.x, a.y * b.y, a.z * b.z)
