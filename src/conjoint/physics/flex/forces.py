"""Springs, dampers and elasticity of flexes: the part of passive forces that is about them (mj_passive, stage 15).

Elements are of Saint Venant and Kirchhoff's material: the energy of an element is a quadratic form in the changes of
its squared edge lengths (Weischedel et al., A discrete geometric view on shear-deformable shell models, 2012). Shells
bend with an energy quadratic in positions (Bergou et al., A quadratic bending model for inextensible surfaces, 2006).
"""

from conjoint.lang import kernel, vec3
from conjoint.physics.flex.edges import apply_edge_force, ends_of_edge
from conjoint.physics.support import apply_force
from conjoint.schema.enums import mjtDisableBit

FORM = 21
"""Elements of the form of a tetrahedron, the upper triangle of 6 x 6, row by row."""


@kernel
def flex_forces(m, d):
    """Add forces along edges, in elements and of bending to qfrc_spring and qfrc_damper."""
    if m.opt.disableflags & mjtDisableBit.mjDSBL_PASSIVE:
        return
    for f in range(m.nflex):
        if m.flex_rigid[f] == 0 and m.flex_interp[f] == 0:
            edge_forces(m, d, f)
            if m.flex_dim[f] > 1 and m.flex_stiffness[m.flex_elemadr[f], 0] != 0.0:
                element_forces(m, d, f)
            if m.flex_dim[f] == 2 and bends(m, f):
                bending_forces(m, d, f)


@kernel
def edge_forces(m, d, f):
    """Spring and damper along every edge of flex f."""
    stiffness = m.flex_edgestiffness[f]
    damping = m.flex_edgedamping[f]
    if stiffness != 0.0 or damping != 0.0:
        for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
            if m.flexedge_rigid[e] == 0:
                stretch = d.flexedge_length[e] - m.flexedge_length0[e]
                if stiffness != 0.0:
                    apply_edge_force(m, d, f, e, stretch * (-stiffness), d.qfrc_spring)
                if damping != 0.0:
                    apply_edge_force(m, d, f, e, d.flexedge_velocity[e] * (-damping), d.qfrc_damper)


@kernel
def element_forces(m, d, f):
    """Elasticity and its damping in the elements of flex f, all of it in qfrc_spring as in the official engine."""
    # damping is a strain, too: what the last time step added, times damping over its length
    rate = m.flex_damping[f] / m.opt.timestep
    for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        now = d.flexedge_length[e] * d.flexedge_length[e]
        before = d.flexedge_length[e] - d.flexedge_velocity[e] * m.opt.timestep
        d.flexedge_strain[e] = now - m.flexedge_length0[e] * m.flexedge_length0[e] + (now - before * before) * rate
    clear_vertex_forces(m, d, f)
    edges = 3
    if m.flex_dim[f] == 3:
        edges = 6
    for e in range(m.flex_elemnum[f]):
        strain_element(m, d, f, e, edges)
    for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
        none = vec3(0.0, 0.0, 0.0)
        apply_force(m, d, d.qfrc_spring, d.flexvert_force[v], none, d.flexvert_xpos[v], m.flex_vertbodyid[v])


@kernel
def clear_vertex_forces(m, d, f):
    """No force on the vertices of flex f yet."""
    for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
        d.flexvert_force[v] = vec3(0.0, 0.0, 0.0)


@kernel
def strain_element(m, d, f, e, edges):
    """Add the forces of element e of flex f, which has so many edges, to those of its vertices."""
    first = m.flex_elemedgeadr[f] + e * edges
    form = (m.flex_elemadr[f] + e) * FORM
    for i in range(edges):
        # row i of the form: its columns before the diagonal are the rows' above
        tension = 0.0
        for j in range(edges):
            low = i
            high = j
            if j < i:
                low = j
                high = i
            place = form + low * edges - low * (low + 1) // 2 + high
            other = m.flex_edgeadr[f] + m.flex_elemedge[first + j]
            tension = tension + m.flex_stiffness[place] * d.flexedge_strain[other]
        v, w = ends_of_edge(m, f, m.flex_edgeadr[f] + m.flex_elemedge[first + i])
        push = (d.flexvert_xpos[v] - d.flexvert_xpos[w]) * tension
        d.flexvert_force[v] = d.flexvert_force[v] - push
        d.flexvert_force[w] = d.flexvert_force[w] + push


@kernel
def bends(m, f):
    """Whether an inner edge of flex f resists bending."""
    for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        if m.flex_edgeflap[e, 1] >= 0 and m.flex_bending[e, 0] != 0.0:
            return True
    return False


@kernel
def bending_forces(m, d, f):
    """Forces of bending, without damping, along the axes of the world taken for those of the dofs of vertices.

    So does the official engine: it differs where the body that holds a flex is turned.
    """
    clear_vertex_forces(m, d, f)
    for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        if m.flex_edgeflap[e, 1] >= 0:
            for i in range(4):
                push = vec3(0.0, 0.0, 0.0)
                for j in range(4):
                    push = push + d.flexvert_xpos[vertex_of_stencil(m, f, e, j)] * m.flex_bending[e, 4 * i + j]
                v = vertex_of_stencil(m, f, e, i)
                d.flexvert_force[v] = d.flexvert_force[v] - push
    for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
        push_dofs(m, d, m.flex_vertbodyid[v], d.flexvert_force[v], d.qfrc_spring)


@kernel
def vertex_of_stencil(m, f, e, k):
    """Of the two vertices of edge e of flex f and the ones opposite in its two triangles number k."""
    if k < 2:
        return m.flex_vertadr[f] + m.flex_edge[e, k]
    return m.flex_vertadr[f] + m.flex_edgeflap[e, k - 2]


@kernel
def push_dofs(m, d, body, force, qfrc):
    """Add the components of a force to the first three dofs of a body."""
    if m.body_dofnum[body] >= 3:
        first = m.body_dofadr[body]
        for k in range(3):
            qfrc[first + k] = qfrc[first + k] + force[k]
