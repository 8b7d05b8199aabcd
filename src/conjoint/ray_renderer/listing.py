"""List of visible shapes: geoms, sites, tendons, sliders and cranks, flexes and skins of a world."""

from conjoint.lang import kernel, load, norm, put, quat, vec3
from conjoint.physics.flex.skin import update_skin
from conjoint.physics.geometry.shape import shape_of_site
from conjoint.ray_renderer.connectors import crank_width, draw_tendon, slider_crank, turn_to
from conjoint.schema.constants import mjNGROUP
from conjoint.schema.enums import mjtGeom, mjtObj, mjtTrn

DEFAULT_GRAY = 0.5
DEFAULT_GLOSS = 0.5


@kernel
def is_shown(groups, group):
    """Return True if a group is visible; group numbers out of range are clamped."""
    if group < 0:
        group = 0
    if group >= mjNGROUP:
        group = mjNGROUP - 1
    return groups[group] != 0


@kernel
def is_default(colors, i):
    """Return True if row i of `colors` is the default gray, so that the material's color applies."""
    gray = colors[4 * i] == DEFAULT_GRAY and colors[4 * i + 1] == DEFAULT_GRAY and colors[4 * i + 2] == DEFAULT_GRAY
    return gray and colors[4 * i + 3] == 1.0


@kernel
def is_invisible(m, material, colors, i):
    """Return True if an element is fully transparent, and therefore skipped."""
    if material >= 0 and is_default(colors, i):
        return m.mat_rgba[material, 3] == 0.0
    return colors[4 * i + 3] == 0.0


DEFAULT_SIZE = 0.1
"""Size of scene geoms whose type has no size (m); uniform textures on skins depend on it."""


@kernel
def list_shapes(m, d):
    """List all visible shapes, in MuJoCo's order."""
    d.nshape = 0
    list_flexes(m, d)
    list_skins(m, d)
    list_geoms(m, d)
    list_sites(m, d)
    list_tendons(m, d)
    list_slider_cranks(m, d)


@kernel
def list_geoms(m, d):
    """List the geoms."""
    for g in range(m.ngeom):
        if is_shown(d.geomgroup, m.geom_group[g]) and not is_invisible(m, m.geom_matid[g], m.geom_rgba, g):
            s = add_shape(d, m.geom_type[g], mjtObj.mjOBJ_GEOM, g)
            d.shape_data[s] = m.geom_dataid[g]
            place(d, s, m.geom_size[g], d.geom_xpos[g], d.geom_xmat[g])
            dress(m, d, s, m.geom_matid[g], m.geom_rgba, g)


@kernel
def list_sites(m, d):
    """List the sites."""
    for i in range(m.nsite):
        if is_shown(d.sitegroup, m.site_group[i]) and not is_invisible(m, m.site_matid[i], m.site_rgba, i):
            s = add_shape(d, shape_of_site(m, i), mjtObj.mjOBJ_SITE, i)
            place(d, s, m.site_size[i], d.site_xpos[i], d.site_xmat[i])
            dress(m, d, s, m.site_matid[i], m.site_rgba, i)


@kernel
def list_tendons(m, d):
    """List the spatial tendons, with a capsule for each straight segment."""
    for t in range(m.ntendon):
        if is_shown(d.tendongroup, m.tendon_group[t]) and not is_invisible(m, m.tendon_matid[t], m.tendon_rgba, t):
            draw_tendon(m, d, t, add_part)


@kernel
def add_part(m, d, t, width, start, end):
    """Add a capsule for one straight segment of tendon t."""
    s = connect(d, mjtGeom.mjGEOM_CAPSULE, mjtObj.mjOBJ_TENDON, t, width, start, end)
    dress(m, d, s, m.tendon_matid[t], m.tendon_rgba, t)


@kernel
def list_slider_cranks(m, d):
    """List the sliders and cranks of all groups, as in MuJoCo."""
    for u in range(m.nactuator):
        if m.actuator_trntype[u] == mjtTrn.mjTRN_SLIDERCRANK:
            width = crank_width(m)
            slider, tip, crank, broken = slider_crank(m, d, u)
            s = connect(d, mjtGeom.mjGEOM_CYLINDER, mjtObj.mjOBJ_ACTUATOR, u, width, slider, tip)
            dress(m, d, s, -1, m.vis.rgba.slidercrank, 0)
            s = connect(d, mjtGeom.mjGEOM_CAPSULE, mjtObj.mjOBJ_ACTUATOR, u, 0.5 * width, tip, crank)
            if broken:
                dress(m, d, s, -1, m.vis.rgba.crankbroken, 0)
            else:
                dress(m, d, s, -1, m.vis.rgba.slidercrank, 0)


@kernel
def list_flexes(m, d):
    """List the flexes."""
    for f in range(m.nflex):
        if is_shown(d.flexgroup, m.flex_group[f]) and not is_invisible(m, m.flex_matid[f], m.flex_rgba, f):
            s = add_shape(d, mjtGeom.mjGEOM_FLEX, mjtObj.mjOBJ_FLEX, f)
            d.shape_pos[s] = d.flexvert_xpos[m.flex_vertadr[f]]
            d.shape_size[s] = vec3(m.flex_radius[f], DEFAULT_SIZE, DEFAULT_SIZE)
            dress(m, d, s, m.flex_matid[f], m.flex_rgba, f)


@kernel
def list_skins(m, d):
    """List the skins, posed by their bones."""
    for k in range(m.nskin):
        if is_shown(d.skingroup, m.skin_group[k]) and not is_invisible(m, m.skin_matid[k], m.skin_rgba, k):
            s = add_shape(d, mjtGeom.mjGEOM_SKIN, mjtObj.mjOBJ_SKIN, k)
            d.shape_pos[s] = d.xpos[m.skin_bonebodyid[m.skin_boneadr[k]]]
            d.shape_size[s] = vec3(DEFAULT_SIZE, DEFAULT_SIZE, DEFAULT_SIZE)
            dress(m, d, s, m.skin_matid[k], m.skin_rgba, k)
            update_skin(m, d, k, d.skin_point, d.skin_normal)


@kernel
def add_shape(d, kind, objtype, objid):
    """Add a shape, and return its index."""
    s = d.nshape
    d.nshape = s + 1
    d.shape_type[s] = kind
    d.shape_objtype[s] = objtype
    d.shape_objid[s] = objid
    d.shape_data[s] = -1
    return s


@kernel
def place(d, s, size, pos, frame):
    """Set the size and pose of shape s."""
    d.shape_size[s] = size
    d.shape_pos[s] = pos
    d.shape_frame[s] = frame


@kernel
def connect(d, kind, objtype, objid, width, start, end):
    """Add a capsule or cylinder between two points, and return its index."""
    s = add_shape(d, kind, objtype, objid)
    span = end - start
    place(d, s, vec3(width, 0.5 * norm(span), 0.0), (start + end) * 0.5, turn_to(span))
    return s


@kernel
def dress(m, d, s, material, colors, i):
    """Set the material and color of shape s: row i of `colors`, or the material's color if this is the default."""
    d.shape_matid[s] = material
    put(d.shape_rgba, 4 * s, load(quat, colors, 4 * i))
    put(d.shape_finish, 3 * s, vec3(0.0, DEFAULT_GLOSS, DEFAULT_GLOSS))
    if material >= 0:
        put(d.shape_finish, 3 * s, vec3(m.mat_emission[material], m.mat_specular[material], m.mat_shininess[material]))
        if is_default(colors, i):
            put(d.shape_rgba, 4 * s, load(quat, m.mat_rgba, 4 * material))
