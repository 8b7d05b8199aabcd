"""Jacobian rows of contacts with flexes, which move several bodies on each side."""

from conjoint.lang import kernel, local, maximum, real, vec3
from conjoint.physics.collision.flex.bodies import MOST_BODIES, contact_bodies
from conjoint.physics.constraint.columns import begin_rows, put_column
from conjoint.physics.constraint.jacobian import element_of, row_length
from conjoint.physics.motion.support import last_dof, tree_arm, velocity_of


@kernel
def flex_contact_jacobian(m, d, J, c, r, count, write_column):
    """The `count` rows of contact c from row r on; `write_column` is what writes one column of a contact's rows."""
    bodies = local(int, MOST_BODIES)
    weights = local(real, MOST_BODIES)
    dofs = local(int, MOST_BODIES)
    n = contact_bodies(m, d, c, bodies, weights)
    if J.compressed:
        total = 0
        k = begin_chains(m, bodies, dofs, n)
        while k >= 0:
            total += 1
            k = next_of_chains(m, dofs, n, k)
        begin_rows(d, r, count, total)
        k = begin_chains(m, bodies, dofs, n)
        while k >= 0:
            total -= 1
            put_column(d, r, count, total, k)
            k = next_of_chains(m, dofs, n, k)
    step = row_length(m, d, J, r)
    k = begin_chains(m, bodies, dofs, n)
    while k >= 0:
        move = vec3(0.0, 0.0, 0.0)
        turn = move
        for i in range(n):
            if dofs[i] == k:
                arm = tree_arm(m, d, bodies[i], d.contact_pos[c])
                move = move + velocity_of(d.cdof[k], arm) * weights[i]
                turn = turn + d.cdof[k].angular * weights[i]
        at = element_of(m, d, J, r, k)
        write_column(m, d, at, step, d.contact_dim[c], d.contact_friction[c], d.contact_frame[c], move, turn)
        k = next_of_chains(m, dofs, n, k)


@kernel
def begin_chains(m, bodies, dofs, n):
    """Let `dofs` be the nearest dof above each body; the last of them, or -1."""
    k = -1
    for i in range(n):
        dofs[i] = last_dof(m, bodies[i])
        k = maximum(k, dofs[i])
    return k


@kernel
def next_of_chains(m, dofs, n, k):
    """Go on from dof k wherever it is to the one above it; the last dof then, or -1."""
    last = -1
    for i in range(n):
        if dofs[i] == k:
            dofs[i] = m.dof_parentid[k]
        last = maximum(last, dofs[i])
    return last
