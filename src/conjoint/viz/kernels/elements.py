"""Elements of a model as scene geoms: geoms, sites and tendons, and the sliders and cranks of actuators."""

from conjoint.lang import floor, kernel, put, quat, vec3
from conjoint.physics.geometry.shape import shape_of_site
from conjoint.ray_renderer.connectors import crank_width, draw_tendon, is_cable, slider_crank
from conjoint.ray_renderer.listing import is_invisible, is_shown
from conjoint.ray_renderer.shapes import full_size
from conjoint.schema.constants import PULLEY_POINT, mjMAXPLANEGRID
from conjoint.schema.enums import mjtGeom, mjtObj, mjtTrn
from conjoint.schema.enums_visual import mjtCatBit, mjtFrame, mjtLabel, mjtVisFlag
from conjoint.viz.kernels.camera import head_position
from conjoint.viz.kernels.geom import (
    DEFAULT_GRAY,
    add_frame,
    add_geom,
    add_shapeless,
    are_islands_shown,
    category_of,
    connect,
    dress,
    mark,
    paint,
    place,
    show_island,
    show_tendon_island,
)

GRID_REACH = 2.1
"""Size of the drawn part of an infinite plane, relative to the distance of the far clipping plane."""

TEXTURE_PERIOD = 2.0
"""Half the step by which an infinite plane is moved if its texture repeats once per unit."""


@kernel
def add_geoms(m, d, categories):
    """Add the model's geoms in the given categories, with their frames."""
    planes = 0
    for i in range(m.ngeom):
        if m.geom_type[i] == mjtGeom.mjGEOM_PLANE:
            planes += 1
        body = m.geom_bodyid[i]
        category = category_of(m, body)
        if not is_shown(d.opt.geomgroup, m.geom_group[i]) or not is_wanted(d, category, categories):
            continue
        # as in MuJoCo, island colors (gray without an island) replace all other colors
        colored = not are_islands_shown(d)
        if colored and is_invisible(m, m.geom_matid[i], m.geom_rgba, i):
            continue
        g = add_shapeless(d, m.geom_type[i], category, mjtObj.mjOBJ_GEOM, i)
        place(d, g, full_size(m.geom_type[i], m.geom_size[i]), d.geom_xpos[i], d.geom_xmat[i])
        if colored:
            dress(m, d, g, m.geom_matid[i], m.geom_rgba, i, d.opt.flags[mjtVisFlag.mjVIS_TEXTURE] != 0)
        else:
            put(d.scn.geoms.rgba, 4 * g, quat(DEFAULT_GRAY, DEFAULT_GRAY, DEFAULT_GRAY, 1.0))
        d.scn.geoms.modelrbound[g] = m.geom_rbound[i]
        give_data(m, d, g, i, planes - 1)
        if m.geom_type[i] == mjtGeom.mjGEOM_PLANE:
            bring_plane(m, d, g, i)
        show_body(m, d, g, body, category)
        if d.opt.label == mjtLabel.mjLABEL_GEOM:
            mark(d, g)
        if d.opt.frame == mjtFrame.mjFRAME_GEOM and categories & mjtCatBit.mjCAT_DECOR:
            add_frame(m, d, i, d.geom_xpos[i], d.geom_xmat[i], 1.0)


@kernel
def is_wanted(d, category, categories):
    """Return True if elements of a category are visible."""
    if (category & categories) == 0:
        return False
    return category != mjtCatBit.mjCAT_STATIC or d.opt.flags[mjtVisFlag.mjVIS_STATIC] != 0


@kernel
def give_data(m, d, g, i, plane):
    """Write the data id of scene geom g, which shows geom i: a mesh, height field or plane."""
    type = m.geom_type[i]
    data = m.geom_dataid[i]
    if type == mjtGeom.mjGEOM_PLANE:
        d.scn.geoms.dataid[g] = plane
    elif (type == mjtGeom.mjGEOM_MESH or type == mjtGeom.mjGEOM_SDF) and data >= 0:
        # only colliding geoms are shown as convex hulls
        hull = d.opt.flags[mjtVisFlag.mjVIS_CONVEXHULL] != 0 and m.mesh_graphadr[data] >= 0
        hull = hull and (m.geom_contype[i] != 0 or m.geom_conaffinity[i] != 0)
        d.scn.geoms.dataid[g] = 2 * data + (1 if hull else 0)
        if m.mesh_texcoordadr[data] >= 0:
            d.scn.geoms.texcoord[g] = 1
    else:
        # height fields, and primitives that were fitted to a mesh
        d.scn.geoms.dataid[g] = data


@kernel
def bring_plane(m, d, g, i):
    """Move an infinite plane below the cameras by whole periods of its texture or grid. Only a part of it is drawn."""
    away = d.geom_xmat[i].T @ (head_position(d) - d.geom_xpos[i])
    pos = d.geom_xpos[i]
    for k in range(2):
        if m.geom_size[i][k] <= 0.0:
            period = GRID_REACH * m.vis.map.zfar * m.stat.extent / (mjMAXPLANEGRID - 2)
            material = m.geom_matid[i]
            if material >= 0 and m.mat_texrepeat[material, k] > 0.0:
                period = TEXTURE_PERIOD / m.mat_texrepeat[material, k]
            axis = vec3(d.geom_xmat[i][k], d.geom_xmat[i][k + 3], d.geom_xmat[i][k + 6])
            pos = pos + axis * (2.0 * period * floor(0.5 * away[k] / period + 0.5))
    put(d.scn.geoms.pos, 3 * g, pos)


@kernel
def show_body(m, d, g, body, category):
    """Show the state of a body on geom g: the color of its island, transparency, and the glow of a selection."""
    show_island(m, d, g, m.body_weldid[body])
    make_transparent(m, d, g, category)
    glow(m, d, g, body)


@kernel
def glow(m, d, g, body):
    """Increase the emission of geom g if its body is selected."""
    if body > 0 and d.pert.select == body:
        d.scn.geoms.emission[g] = d.scn.geoms.emission[g] + m.vis.global_.glow


@kernel
def make_transparent(m, d, g, category):
    """Lower the opacity of geom g if dynamic elements are drawn transparent."""
    if category == mjtCatBit.mjCAT_DYNAMIC and d.opt.flags[mjtVisFlag.mjVIS_TRANSPARENT] != 0:
        d.scn.geoms.rgba[g, 3] = d.scn.geoms.rgba[g, 3] * m.vis.map.alpha


@kernel
def add_sites(m, d, categories):
    """Add the model's sites in the given categories, with their frames."""
    for i in range(m.nsite):
        body = m.site_bodyid[i]
        category = category_of(m, body)
        if not is_shown(d.opt.sitegroup, m.site_group[i]) or not is_wanted(d, category, categories):
            continue
        if is_invisible(m, m.site_matid[i], m.site_rgba, i):
            continue
        g = add_shapeless(d, shape_of_site(m, i), category, mjtObj.mjOBJ_SITE, i)
        place(d, g, full_size(shape_of_site(m, i), m.site_size[i]), d.site_xpos[i], d.site_xmat[i])
        dress(m, d, g, m.site_matid[i], m.site_rgba, i, d.opt.flags[mjtVisFlag.mjVIS_TEXTURE] != 0)
        make_transparent(m, d, g, category)
        glow(m, d, g, body)
        if d.opt.label == mjtLabel.mjLABEL_SITE:
            mark(d, g)
        if d.opt.frame == mjtFrame.mjFRAME_SITE and categories & mjtCatBit.mjCAT_DECOR:
            add_frame(m, d, i, d.site_xpos[i], d.site_xmat[i], 1.0)


@kernel
def add_tendons(m, d, categories):
    """Add the paths of spatial tendons; slack tendons are drawn as hanging cables."""
    if d.opt.flags[mjtVisFlag.mjVIS_TENDON] == 0 or (categories & mjtCatBit.mjCAT_DYNAMIC) == 0:
        return
    for t in range(m.ntendon):
        if not is_shown(d.opt.tendongroup, m.tendon_group[t]):
            continue
        colored = not are_islands_shown(d)
        if colored and is_invisible(m, m.tendon_matid[t], m.tendon_rgba, t):
            continue
        first = d.scn.ngeom
        draw_tendon(m, d, t, add_part)
        cable = is_cable(m, d, t)
        for g in range(first, d.scn.ngeom):
            if colored:
                dress(m, d, g, m.tendon_matid[t], m.tendon_rgba, t, d.opt.flags[mjtVisFlag.mjVIS_TEXTURE] != 0)
            else:
                show_tendon_island(m, d, g, t)
            make_transparent(m, d, g, mjtCatBit.mjCAT_DYNAMIC)
            # as in MuJoCo, each segment of a cable has a label, but only the first segment of a path
            if d.opt.label == mjtLabel.mjLABEL_TENDON and (cable or (g == first and not begins_at_pulley(d, t))):
                mark(d, g)


@kernel
def begins_at_pulley(d, t):
    """Return True if the path of tendon t starts with a pulley."""
    return d.wrap_obj[d.ten_wrapadr[t]] == PULLEY_POINT


@kernel
def add_part(m, d, t, width, start, end):
    """Add one straight segment of tendon t."""
    g = add_geom(d, mjtGeom.mjGEOM_CAPSULE, mjtCatBit.mjCAT_DYNAMIC, mjtObj.mjOBJ_TENDON, t)
    connect(d, g, width, start, end)


@kernel
def add_slider_cranks(m, d, categories):
    """Add the sliders and cranks of actuators."""
    if (categories & mjtCatBit.mjCAT_DYNAMIC) == 0:
        return
    for u in range(m.nactuator):
        # as in MuJoCo, actuators in hidden groups are drawn, too
        if m.actuator_trntype[u] != mjtTrn.mjTRN_SLIDERCRANK:
            continue
        width = crank_width(m)
        slider, tip, crank, broken = slider_crank(m, d, u)
        g = add_geom(d, mjtGeom.mjGEOM_CYLINDER, mjtCatBit.mjCAT_DYNAMIC, mjtObj.mjOBJ_ACTUATOR, u)
        connect(d, g, width, slider, tip)
        paint(d, g, m.vis.rgba.slidercrank, 0)
        if d.opt.label == mjtLabel.mjLABEL_ACTUATOR:
            mark(d, g)
        g = add_geom(d, mjtGeom.mjGEOM_CAPSULE, mjtCatBit.mjCAT_DYNAMIC, mjtObj.mjOBJ_ACTUATOR, u)
        connect(d, g, 0.5 * width, tip, crank)
        if broken:
            paint(d, g, m.vis.rgba.crankbroken, 0)
        else:
            paint(d, g, m.vis.rgba.slidercrank, 0)


@kernel
def add_flexes(m, d, categories):
    """Add a geom for each flex, whose vertices, edges and faces are stored in the scene (`viz.flexes`)."""
    if (categories & mjtCatBit.mjCAT_DYNAMIC) == 0:
        return
    for f in range(m.nflex):
        if not is_shown(d.opt.flexgroup, m.flex_group[f]) or is_invisible(m, m.flex_matid[f], m.flex_rgba, f):
            continue
        g = add_geom(d, mjtGeom.mjGEOM_FLEX, mjtCatBit.mjCAT_DYNAMIC, mjtObj.mjOBJ_FLEX, f)
        put(d.scn.geoms.pos, 3 * g, d.flexvert_xpos[m.flex_vertadr[f]])
        d.scn.geoms.size[g, 0] = m.flex_radius[f]
        mapped = m.flex_texcoordadr[f] >= 0
        dress(m, d, g, m.flex_matid[f], m.flex_rgba, f, mapped and d.opt.flags[mjtVisFlag.mjVIS_TEXTURE] != 0)
        if mapped:
            d.scn.geoms.texcoord[g] = 1
        make_transparent(m, d, g, mjtCatBit.mjCAT_DYNAMIC)
        if d.pert.flexselect == f:
            d.scn.geoms.emission[g] = d.scn.geoms.emission[g] + m.vis.global_.glow
        if d.opt.label == mjtLabel.mjLABEL_FLEX:
            mark(d, g)


@kernel
def add_skins(m, d, categories):
    """Add a geom for each skin, whose vertices are stored in the scene (`mjv_updateSkin`)."""
    if d.opt.flags[mjtVisFlag.mjVIS_SKIN] == 0 or (categories & mjtCatBit.mjCAT_DYNAMIC) == 0:
        return
    for s in range(m.nskin):
        if not is_shown(d.opt.skingroup, m.skin_group[s]) or is_invisible(m, m.skin_matid[s], m.skin_rgba, s):
            continue
        g = add_geom(d, mjtGeom.mjGEOM_SKIN, mjtCatBit.mjCAT_DYNAMIC, mjtObj.mjOBJ_SKIN, s)
        put(d.scn.geoms.pos, 3 * g, d.xpos[m.skin_bonebodyid[m.skin_boneadr[s]]])
        dress(m, d, g, m.skin_matid[s], m.skin_rgba, s, d.opt.flags[mjtVisFlag.mjVIS_TEXTURE] != 0)
        if m.skin_texcoordadr[s] >= 0:
            d.scn.geoms.texcoord[g] = 1
        make_transparent(m, d, g, mjtCatBit.mjCAT_DYNAMIC)
        if d.pert.skinselect == s:
            d.scn.geoms.emission[g] = d.scn.geoms.emission[g] + m.vis.global_.glow
        if d.opt.label == mjtLabel.mjLABEL_SKIN:
            mark(d, g)
