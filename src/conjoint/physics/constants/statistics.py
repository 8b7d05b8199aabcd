"""Statistics of a model in its initial configuration (XML Reference, statistic)."""

from conjoint.lang import formula, kernel, maximum, minimum, norm, vec3, where
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGeom

LEAST_SIZE = 1e-5
"""Minimum size of a body (m)."""
DEFAULT_SIZE = 0.2
DEFAULT_EXTENT = 2.0
"""Mean body size (m) for models without bodies, and extent (m) for models without an extent."""
FAR = 1e30
"""Coordinate (m) of the initial corners of an empty bounding box."""


@formula(("vec3", "vec3"), "vec3", "vec3", "vec3", "real")
def around(low, high, point, radius):
    """Return the corners of a box, extended to contain a sphere."""
    low = tuple(minimum(low[k], point[k] - radius) for k in range(3))
    return low, tuple(maximum(high[k], point[k] + radius) for k in range(3))


@kernel(writes_model=True)
def statistics(m, d):
    """Compute m.stat, after all other constants."""
    body_sizes(m, d)
    size = 0.0
    mass = 0.0
    for b in range(1, m.nbody):
        size = size + maximum(d.body_size[b], LEAST_SIZE)
        mass = mass + m.body_mass[b]
    if m.nbody > 1:
        size = size / (m.nbody - 1)
        mass = mass / (m.nbody - 1)
    else:
        size = DEFAULT_SIZE
        mass = mass + 1.0
    inertia = 0.0
    for i in range(m.nv):
        inertia = inertia + d.qM[m.dof_Madr[i]]
    if m.nv > 0:
        inertia = inertia / m.nv
    else:
        inertia = inertia + 1.0
    low, high = box(m, d)
    m.stat.meansize = size
    m.stat.meanmass = mass
    m.stat.meaninertia = inertia
    m.stat.center = (low + high) * 0.5
    extent = maximum(high.x - low.x, maximum(high.y - low.y, high.z - low.z))
    # a model without extent along x has no extent, as in MuJoCo's compiler
    m.stat.extent = maximum(where(high.x - low.x > mjMINVAL, extent, DEFAULT_EXTENT), 2.0 * size)


@kernel
def box(m, d):
    """Return the corners of the bounding box of bodies, joints, sites and geoms, or the origin if there are none."""
    low = vec3(FAR, FAR, FAR)
    high = vec3(-FAR, -FAR, -FAR)
    for b in range(1, m.nbody):
        low, high = around(low, high, d.xpos[b], 0.0)
        low, high = around(low, high, d.xipos[b], 0.0)
    for j in range(m.njnt):
        low, high = around(low, high, d.xanchor[j], 0.0)
    for s in range(m.nsite):
        low, high = around(low, high, d.site_xpos[s], 0.0)
    for g in range(m.ngeom):
        low, high = around(low, high, d.geom_xpos[g], radius_of_geom(m, g))
    if m.nbody == 1 and m.nsite == 0 and m.ngeom == 0:
        low = vec3(0.0, 0.0, 0.0)
        high = vec3(0.0, 0.0, 0.0)
    return low, high


@kernel
def radius_of_geom(m, g):
    """Return the bounding radius of geom g: for a plane, a tenth of its size, or 1 m if it is infinite."""
    if m.geom_type[g] != mjtGeom.mjGEOM_PLANE:
        return m.geom_rbound[g]
    size = maximum(m.geom_size[g].x, m.geom_size[g].y)
    return where(size > 0.0, size * 0.1, 1.0)


@kernel
def body_sizes(m, d):
    """Set body_size, the largest distance of joints, geoms and flexes from the center of mass of each body."""
    for b in range(m.nbody):
        d.body_size[b] = 0.0
    for j in range(m.njnt):
        b = m.jnt_bodyid[j]
        enlarge(d, b, norm(d.xanchor[j] - d.xipos[b]))
        p = m.body_parentid[b]
        enlarge(d, p, norm(d.xanchor[j] - d.xipos[p]))
    for g in range(m.ngeom):
        if m.geom_rbound[g] > 0.0:
            b = m.geom_bodyid[g]
            enlarge(d, b, m.geom_rbound[g] + norm(d.geom_xpos[g] - d.xipos[b]))
    for f in range(m.nflex):
        if m.flex_interp[f] == 0:
            for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
                for k in range(2):
                    v = m.flex_vertadr[f] + m.flex_edge[e, k]
                    enlarge(d, m.flex_vertbodyid[v], m.flexedge_length0[e])
        else:
            node_sizes(m, d, m.flex_nodeadr[f], m.flex_nodenum[f])


@kernel
def node_sizes(m, d, first, count):
    """Raise the size of each node body of a trilinear flex to its largest distance from another node."""
    for k in range(first, first + count):
        a = m.flex_nodebodyid[k]
        for i in range(first, first + count):
            enlarge(d, a, norm(d.xpos[m.flex_nodebodyid[i]] - d.xpos[a]))


@kernel
def enlarge(d, b, size):
    """Raise the size of body b to at least `size`."""
    d.body_size[b] = maximum(d.body_size[b], size)
