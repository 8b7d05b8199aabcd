"""Standalone free bodies under `implicitfast`: the matrix of a step with the derivatives of their bias forces.

A free body with which no other joint moves has six dofs that share no inertia with others, so their rows of M - h D can
be unsymmetric, as those of `implicit`. Without them the gyroscopic force feeds energy to fast spins. The official
package does so since version 3.11 (its documentation: Computation, Gyroscopic derivatives for free bodies).

With the body's spin w, mass m, centre of mass c and inertia I about the body's origin, in axes of the body, the bias
force along the angular dofs is w x I w, and along the linear ones m w x (w x c), turned to the world.
"""

from conjoint.lang import cross, kernel, load, mat3, vec3
from conjoint.physics.geometry.matrix import skew
from conjoint.schema.enums import mjtJoint

SIZE = 6
"""Dofs of a free body."""


@kernel
def is_standalone(m, j):
    """Whether joint j is free, and moves no other joint."""
    if m.jnt_type[j] != mjtJoint.mjJNT_FREE:
        return False
    end = m.jnt_dofadr[j] + SIZE
    return end == m.nv or m.dof_parentid[end] < 0


@kernel
def moves_alone(m, b):
    """Whether body b is a standalone free body, or fixed to one."""
    root = m.body_rootid[b]
    return m.body_jntnum[root] == 1 and is_standalone(m, m.body_jntadr[root])


@kernel
def fill_standalone(m, d, j):
    """Rows of qLU := those of M - h D for the dofs of the standalone joint j, D with derivatives of bias forces."""
    b = m.jnt_bodyid[j]
    first = m.jnt_dofadr[j]
    for i in range(first, first + SIZE):
        for a in range(m.D_rowadr[i], m.D_rowadr[i] + SIZE):
            d.qLU[a] = d.qM[m.mapM2D[a]] - m.opt.timestep * d.qDeriv[a]
    frame = d.xmat[b]
    spin = load(vec3, d.qvel, first + 3)
    center = frame.T @ (d.subtree_com[b] - d.xpos[b])
    mass = m.body_subtreemass[b] * m.opt.timestep
    # the inertia about the centre of mass, and what the way to the origin adds to it
    inertia = d.crb[b]
    about = mat3(
        inertia[0], inertia[3], inertia[4], inertia[3], inertia[1], inertia[5], inertia[4], inertia[5], inertia[2]
    )
    across = skew(center)
    about = frame.T @ about @ frame * m.opt.timestep - across @ across * mass
    force = frame @ (skew(cross(spin, center)) + skew(spin) @ across) * mass
    torque = skew(spin) @ about - skew(about @ spin)
    for k in range(3):
        for c in range(3):
            above = m.D_rowadr[first + k] + 3 + c
            below = m.D_rowadr[first + 3 + k] + 3 + c
            d.qLU[above] = d.qLU[above] - force[3 * k + c]
            d.qLU[below] = d.qLU[below] + torque[3 * k + c]
