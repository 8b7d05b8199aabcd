"""Springs, dampers and elasticity of flexes: the part of passive forces that is about them (mj_passive, stage 15).

Elements have Saint Venant and Kirchhoff's material. The energy of an element is a quadratic form in the changes of its
squared edge lengths (Weischedel et al., A discrete geometric view on shear-deformable shell models, 2012). Shells bend
with an energy quadratic in positions (Bergou et al., A quadratic bending model for inextensible surfaces, 2006).
"""

from conjoint.lang import kernel, vec3
from conjoint.physics.constants.inverse import ONLY_SLIDES
from conjoint.physics.flex.edges import apply_edge_force, ends_of_edge
from conjoint.physics.motion.support import apply_force
from conjoint.physics.passive_flags import acts, has_dampers, has_passive, has_springs

FORM = 21
"""Elements of the form of a tetrahedron, the upper triangle of 6 x 6, row by row."""

FLAP = 16
"""Elements of the form of an edge between two triangles, 4 x 4."""


@kernel
def flex_forces(m, d):
    """Add forces along edges, in elements and of bending to qfrc_spring and qfrc_damper."""
    if not has_passive(m):
        return
    for f in range(m.nflex):
        if m.flex_rigid[f] == 0 and m.flex_interp[f] == 0:
            edge_forces(m, d, f)
            if m.flex_dim[f] > 1 and acts(m.flex_stiffness[m.flex_elemadr[f], 0]):
                element_forces(m, d, f)
            if m.flex_dim[f] == 2 and has_springs(m) and bends(m, f):
                first = m.flex_edgeadr[f]
                bending_forces(m, d, f, m.flex_bending, first * FLAP, m.flex_edgeflap, 2 * first, d.qfrc_spring)


@kernel
def edge_forces(m, d, f):
    """Spring and damper along every edge of flex f."""
    stiffness = m.flex_edgestiffness[f]
    damping = m.flex_edgedamping[f]
    if not has_springs(m):
        stiffness = 0.0
    if not has_dampers(m):
        damping = 0.0
    pulls, brakes = acts(stiffness), acts(damping)
    if pulls or brakes:
        for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
            if m.flexedge_rigid[e] == 0:
                stretch = d.flexedge_length[e] - m.flexedge_length0[e]
                if pulls:
                    apply_edge_force(m, d, f, e, stretch * (-stiffness), d.qfrc_spring)
                if brakes:
                    apply_edge_force(m, d, f, e, d.flexedge_velocity[e] * (-damping), d.qfrc_damper)


@kernel
def element_forces(m, d, f):
    """Add elasticity and its damping in the elements of flex f to qfrc_spring, as in MuJoCo."""
    # damping is a strain, too: what the last timestep added, times damping over its length
    rate = m.flex_damping[f] / m.opt.timestep
    share = 1.0
    if not has_dampers(m):
        rate = 0.0
    if not has_springs(m):
        share = 0.0
    for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        now = d.flexedge_length[e] * d.flexedge_length[e]
        before = d.flexedge_length[e] - d.flexedge_velocity[e] * m.opt.timestep
        strain = now - m.flexedge_length0[e] * m.flexedge_length0[e]
        d.flexedge_strain[e] = strain * share + (now - before * before) * rate
    strain_elements(m, d, f, m.flex_stiffness, m.flex_elemadr[f] * FORM, FORM)
    for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
        body = m.flex_vertbodyid[v]
        if m.body_simple[body] == ONLY_SLIDES:
            # along the axes of the world, as in MuJoCo, even if a fixed body that holds the flex is rotated
            push_dofs(m, d, body, d.flexvert_force[v], d.qfrc_spring)
        else:
            push_vertex(m, d, v, d.qfrc_spring)


@kernel
def strain_elements(m, d, f, forms, first, size):
    """Compute the forces of all elements of flex f from flexedge_strain, in flexvert_force.

    Args:
        m: model.
        d: data.
        f: flex.
        forms: quadratic forms of elements, upper triangles by rows.
        first: address of the first form of this flex.
        size: number of numbers from one form to the next.
    """
    clear_vertex_forces(m, d, f)
    edges = 3
    if m.flex_dim[f] == 3:
        edges = 6
    for e in range(m.flex_elemnum[f]):
        strain_element(m, d, f, e, edges, forms, first + e * size)


@kernel
def push_vertex(m, d, v, qfrc):
    """Add the generalized force of flexvert_force of vertex v to a field of nv reals."""
    none = vec3(0.0, 0.0, 0.0)
    apply_force(m, d, qfrc, d.flexvert_force[v], none, d.flexvert_xpos[v], m.flex_vertbodyid[v])


@kernel
def clear_vertex_forces(m, d, f):
    """Zero the forces on the vertices of flex f."""
    for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
        d.flexvert_force[v] = vec3(0.0, 0.0, 0.0)


@kernel
def strain_element(m, d, f, e, edges, forms, form):
    """Add the forces of element e of flex f, with the given number of edges and stiffness form, to the forces of
    its vertices."""
    first = m.flex_elemedgeadr[f] + e * edges
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
            tension = tension + forms[place] * d.flexedge_strain[other]
        v, w = ends_of_edge(m, f, m.flex_edgeadr[f] + m.flex_elemedge[first + i])
        push = (d.flexvert_xpos[v] - d.flexvert_xpos[w]) * tension
        d.flexvert_force[v] = d.flexvert_force[v] - push
        d.flexvert_force[w] = d.flexvert_force[w] + push


@kernel
def bends(m, f):
    """Return True if an inner edge of flex f resists bending."""
    for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        if m.flex_edgeflap[e, 1] >= 0 and acts(m.flex_bending[e, 0]):
            return True
    return False


@kernel
def bending_forces(m, d, f, forms, form, flaps, flap, qfrc):
    """Compute bending forces, without damping; world axes stand for the axes of the vertex dofs.

    This is as in MuJoCo. It is inaccurate if the body that holds a flex is rotated.

    Args:
        m: model.
        d: data.
        f: flex.
        forms: quadratic forms of edges in the positions of four vertices, by rows.
        form: address of the first form of this flex.
        flaps: the two vertices opposite each edge; the second is -1 if there is only one triangle.
        flap: address of the first flap of this flex.
        qfrc: receives generalized forces.
    """
    clear_vertex_forces(m, d, f)
    for k in range(m.flex_edgenum[f]):
        if flaps[flap + 2 * k + 1] >= 0:
            e = m.flex_edgeadr[f] + k
            a, b = ends_of_edge(m, f, e)
            c = m.flex_vertadr[f] + flaps[flap + 2 * k]
            o = m.flex_vertadr[f] + flaps[flap + 2 * k + 1]
            bend_edge(d, a, b, c, o, forms, form + k * FLAP)
    for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
        push_dofs(m, d, m.flex_vertbodyid[v], d.flexvert_force[v], qfrc)


@kernel
def bend_edge(d, a, b, c, o, forms, form):
    """Add the forces of an edge between the vertices a and b, opposite which c and o lie, with its form there."""
    for i in range(4):
        at = form + 4 * i
        push = d.flexvert_xpos[a] * forms[at] + d.flexvert_xpos[b] * forms[at + 1]
        push = push + d.flexvert_xpos[c] * forms[at + 2] + d.flexvert_xpos[o] * forms[at + 3]
        v = a if i == 0 else b if i == 1 else c if i == 2 else o
        d.flexvert_force[v] = d.flexvert_force[v] - push


@kernel
def push_dofs(m, d, body, force, qfrc):
    """Add the components of a force to the first three dofs of a body."""
    if m.body_dofnum[body] >= 3:
        first = m.body_dofadr[body]
        for k in range(3):
            qfrc[first + k] = qfrc[first + k] + force[k]
