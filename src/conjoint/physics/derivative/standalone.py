"""Standalone free bodies under `implicitfast`: matrices that include the derivatives of their bias forces.

If a free body carries no other joint, its six dofs share no inertia with other dofs. Therefore their rows of M - h D
may be asymmetric, as in `implicit`. Without the derivatives, the gyroscopic force adds energy to fast spins. MuJoCo has
included the derivatives since version 3.11 (its documentation: Computation, Gyroscopic derivatives for free bodies).

Let w be the body's spin, m its mass, c its center of mass and I its inertia about the body's origin, in body axes. The
bias force along the angular dofs is w x I w. Along the linear dofs it is m w x (w x c), rotated to the world.
"""

from conjoint.lang import cross, kernel, load, mat3, put, vec3
from conjoint.physics.geometry.matrix import inverse, skew
from conjoint.schema.enums import mjtJoint

SIZE = 6
"""Number of dofs of a free body."""


@kernel
def is_standalone(m, j):
    """Return True if joint j is a free joint whose dofs have no descendants."""
    if m.jnt_type[j] != mjtJoint.mjJNT_FREE:
        return False
    end = m.jnt_dofadr[j] + SIZE
    return end == m.nv or m.dof_parentid[end] < 0


@kernel
def moves_alone(m, b):
    """Return True if body b is a standalone free body, or welded to one."""
    root = m.body_rootid[b]
    return m.body_jntnum[root] == 1 and is_standalone(m, m.body_jntadr[root])


@kernel
def element(m, d, a):
    """Return the element of M - h D at address a in the sparse rows of D."""
    return d.qM[m.mapM2D[a]] - m.opt.timestep * d.qDeriv[a]


@kernel
def slope(m, d, a):
    """Return the element of -h D at address a in the sparse rows of D."""
    return -(m.opt.timestep * d.qDeriv[a])


@kernel
def block(m, d, first, k, entry):
    """Return the 3x3 block of a matrix at rows `first` to first + 2 and columns k to k + 2 of the body's six dofs.

    See `linear_rows` for `entry`.
    """
    a, b, c = m.D_rowadr[first] + k, m.D_rowadr[first + 1] + k, m.D_rowadr[first + 2] + k
    return mat3(
        entry(m, d, a), entry(m, d, a + 1), entry(m, d, a + 2),
        entry(m, d, b), entry(m, d, b + 1), entry(m, d, b + 2),
        entry(m, d, c), entry(m, d, c + 1), entry(m, d, c + 2),
    )  # fmt: skip


@kernel
def linear_rows(m, d, j, entry):
    """Return the rows of the linear dofs of standalone joint j in M - h D: two blocks, for linear and angular dofs.

    D includes the derivatives of bias forces in addition to qDeriv. `entry` is `element`, or `slope` for -h D alone.
    """
    b, first = m.jnt_bodyid[j], m.jnt_dofadr[j]
    frame, spin, center = d.xmat[b], load(vec3, d.qvel, first + 3), center_of_mass(d, b)
    force = frame @ (skew(cross(spin, center)) + skew(spin) @ skew(center))
    mass = m.body_subtreemass[b] * m.opt.timestep
    return block(m, d, first, 0, entry), block(m, d, first, 3, entry) - force * mass


@kernel
def angular_rows(m, d, j, entry):
    """Return the rows of the angular dofs of standalone joint j in M - h D, in the same form as `linear_rows`."""
    b, first = m.jnt_bodyid[j], m.jnt_dofadr[j]
    frame, spin, across = d.xmat[b], load(vec3, d.qvel, first + 3), skew(center_of_mass(d, b))
    # inertia about the center of mass, and the parallel-axis term of the offset to the origin
    i = d.crb[b]
    about = frame.T @ mat3(i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]) @ frame
    about = about - across @ across * m.body_subtreemass[b]
    torque = skew(spin) @ about - skew(about @ spin)
    return block(m, d, first + 3, 0, entry), block(m, d, first + 3, 3, entry) + torque * m.opt.timestep


@kernel
def center_of_mass(d, b):
    """Return the center of mass of standalone body b, in its body frame."""
    return d.xmat[b].T @ (d.subtree_com[b] - d.xpos[b])


@kernel
def solve_standalone(m, d, j, x):
    """Replace x by (M - h D)^-1 x in the six dofs of standalone joint j, by eliminating the linear dofs."""
    first = m.jnt_dofadr[j]
    A, B = linear_rows(m, d, j, element)
    C, E = angular_rows(m, d, j, element)
    inverse_A = inverse(A)
    linear, angular = load(vec3, x, first), load(vec3, x, first + 3)
    angular = inverse(E - C @ inverse_A @ B) @ (angular - C @ (inverse_A @ linear))
    put(x, first, inverse_A @ (linear - B @ angular))
    put(x, first + 3, angular)


@kernel
def times_standalone(m, d, j, x, result, entry):
    """Set result to (M - h D) x in the six dofs of standalone joint j; for another `entry`, see `linear_rows`."""
    first = m.jnt_dofadr[j]
    A, B = linear_rows(m, d, j, entry)
    C, E = angular_rows(m, d, j, entry)
    linear, angular = load(vec3, x, first), load(vec3, x, first + 3)
    put(result, first, A @ linear + B @ angular)
    put(result, first + 3, C @ linear + E @ angular)
