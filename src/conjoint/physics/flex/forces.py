"""Passive forces of flexes: springs, dampers and elasticity (mj_passive, stage 15).

Elements consist of a Saint Venant-Kirchhoff material. The energy of an element is a quadratic form in the changes in
its squared edge lengths (Weischedel et al., A discrete geometric view on shear-deformable shell models, 2012). The
bending energy of shells is quadratic in the positions (Bergou et al., A quadratic bending model for inextensible
surfaces, 2006).
"""

from conjoint.lang import kernel, vec3
from conjoint.physics.constants.inverse import ONLY_SLIDES
from conjoint.physics.flex.edges import apply_edge_force, ends_of_edge
from conjoint.physics.motion.support import apply_force
from conjoint.physics.passive_flags import acts, has_dampers, has_passive, has_springs

FORM = 21
"""Number of elements of a tetrahedron's quadratic form: the upper triangle of a 6 x 6 matrix, row by row."""

FLAP = 16
"""Number of elements of the quadratic form of an edge between two triangles, a 4 x 4 matrix."""


@kernel
def flex_forces(m, d):
    """Add the spring and damper forces of edges, and the elastic and bending forces, to qfrc_spring and qfrc_damper."""
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
    """Add the spring and damper forces along all edges of flex f to qfrc_spring and qfrc_damper."""
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
    """Add the elastic forces of the elements of flex f, and their damping, to qfrc_spring, as in MuJoCo."""
    # Damping acts as a strain, too: the change in squared length over the last timestep, times damping over timestep.
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
            # along the world axes, as in MuJoCo, even if the fixed body that carries the flex is rotated
            push_dofs(m, d, body, d.flexvert_force[v], d.qfrc_spring)
        else:
            push_vertex(m, d, v, d.qfrc_spring)


@kernel
def strain_elements(m, d, f, forms, first, size):
    """Compute the forces of all elements of flex f from flexedge_strain, in flexvert_force.

    Args:
        m: model.
        d: data.
        f: index of the flex.
        forms: quadratic forms of elements, upper triangles row by row.
        first: address of the first form of the flex.
        size: number of reals from the start of one form to the next.
    """
    clear_vertex_forces(m, d, f)
    edges = 3
    if m.flex_dim[f] == 3:
        edges = 6
    for e in range(m.flex_elemnum[f]):
        strain_element(m, d, f, e, edges, forms, first + e * size)


@kernel
def push_vertex(m, d, v, qfrc):
    """Add the generalized force of vertex v, whose force is in flexvert_force, to `qfrc`, an array of nv reals."""
    none = vec3(0.0, 0.0, 0.0)
    apply_force(m, d, qfrc, d.flexvert_force[v], none, d.flexvert_xpos[v], m.flex_vertbodyid[v])


@kernel
def clear_vertex_forces(m, d, f):
    """Set the forces on the vertices of flex f to zero."""
    for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
        d.flexvert_force[v] = vec3(0.0, 0.0, 0.0)


@kernel
def strain_element(m, d, f, e, edges, forms, form):
    """Add the forces of element e of flex f to the forces on its vertices in flexvert_force.

    Argument `edges` is the number of the element's edges, and `form` the address of its stiffness form in `forms`.
    """
    first = m.flex_elemedgeadr[f] + e * edges
    for i in range(edges):
        # row i of the symmetric form: elements before the diagonal are stored in the rows above
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
    """Add the bending forces of flex f, without damping, to `qfrc`.

    World axes replace the axes of the vertex dofs, as in MuJoCo. This is inaccurate if the body that carries the flex
    is rotated.

    Args:
        m: model.
        d: data.
        f: index of the flex.
        forms: quadratic forms of edges in the positions of four vertices, row by row.
        form: address of the first form of the flex.
        flaps: the two vertices opposite each edge; the second is -1 if the edge has only one triangle.
        flap: address of the first flap of the flex.
        qfrc: generalized forces, nv reals.
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
    """Add the bending forces of the edge between vertices a and b to the forces on its four vertices.

    Vertices c and o are opposite the edge; `form` is the address of the edge's quadratic form in `forms`.
    """
    for i in range(4):
        at = form + 4 * i
        push = d.flexvert_xpos[a] * forms[at] + d.flexvert_xpos[b] * forms[at + 1]
        push = push + d.flexvert_xpos[c] * forms[at + 2] + d.flexvert_xpos[o] * forms[at + 3]
        v = a if i == 0 else b if i == 1 else c if i == 2 else o
        d.flexvert_force[v] = d.flexvert_force[v] - push


@kernel
def push_dofs(m, d, body, force, qfrc):
    """Add the components of a force to the generalized forces of the first three dofs of a body."""
    if m.body_dofnum[body] >= 3:
        first = m.body_dofadr[body]
        for k in range(3):
            qfrc[first + k] = qfrc[first + k] + force[k]
