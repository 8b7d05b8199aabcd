"""Chains of dofs from one or several bodies up to the root of their tree.

The index of a dof is larger than those of its ancestors, so chains are merged by comparing indices.
"""

from conjoint.lang import kernel, maximum


@kernel
def last_dof(m, body):
    """Return the last dof that moves a body, or -1 if none does; the other dofs that move it are its ancestors."""
    b = m.body_weldid[body]
    if m.body_dofnum[b] == 0:
        return -1
    return m.body_dofadr[b] + m.body_dofnum[b] - 1


@kernel
def depth_of(m, i):
    """Return the number of dofs from dof i up to the root, which is the length of row i of `qM`; 0 if i is -1."""
    if i < 0:
        return 0
    if i == m.nv - 1:
        return m.nM - m.dof_Madr[i]
    return m.dof_Madr[i + 1] - m.dof_Madr[i]


@kernel
def first_of_tree(m, i):
    """Return the first dof of the tree of dof i."""
    while m.dof_parentid[i] >= 0:
        i = m.dof_parentid[i]
    return i


@kernel
def end_of_tree(m, i):
    """Return the index after the last dof of the tree of dof i."""
    for k in range(i + 1, m.nv):
        if m.dof_parentid[k] < 0:
            return k
    return m.nv


@kernel
def next_of_two(m, i, j):
    """Replace the larger of dofs i and j by its parent, or both if they are equal, and return both."""
    k = maximum(i, j)
    return m.dof_parentid[k] if i == k else i, m.dof_parentid[k] if j == k else j


@kernel
def chain_length(m, i, j):
    """Return the number of dofs that are i, j or an ancestor of either; i and j may be -1 (no dof)."""
    if i < 0 or j < 0 or m.dof_treeid[i] != m.dof_treeid[j]:
        return depth_of(m, i) + depth_of(m, j)
    n = 0
    while i >= 0 or j >= 0:
        n += 1
        i, j = next_of_two(m, i, j)
    return n


@kernel
def begin_chains(m, bodies, dofs, n):
    """Set `dofs` to the last dof that moves each body, and return the largest of them, or -1 if there are none."""
    k = -1
    for i in range(n):
        dofs[i] = last_dof(m, bodies[i])
        k = maximum(k, dofs[i])
    return k


@kernel
def next_of_chains(m, dofs, n, k):
    """Replace dof k in `dofs` by its parent, and return the largest element of `dofs`, or -1 if there are none."""
    last = -1
    for i in range(n):
        if dofs[i] == k:
            dofs[i] = m.dof_parentid[k]
        last = maximum(last, dofs[i])
    return last


@kernel
def length_of_chains(m, bodies, dofs, n):
    """Return the number of dofs that move at least one of the bodies."""
    length = 0
    k = begin_chains(m, bodies, dofs, n)
    while k >= 0:
        length += 1
        k = next_of_chains(m, dofs, n, k)
    return length
