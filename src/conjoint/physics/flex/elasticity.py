"""Elasticity of flexes: quadratic forms in squared edge lengths, bending of shells, and trilinear elements."""

from itertools import combinations_with_replacement

import numpy as np

from conjoint.physics.flex.simplices import EDGES
from conjoint.schema.sizes import STRAIN_MODES

_SHELL_SCALE = 0.25
"""Factor by which MuJoCo's compiler scales the stiffness of shells."""

GAUSS = 4
"""Number of Gauss points along each axis for which the integral of the stiffness is exact."""

EMPTY = 1e-6
"""Stiffness of empty space, relative to the stiffness of filled space."""

MATERIAL = 10.0, 0.3
"""Young's modulus (Pa) and Poisson's ratio for the computation of deformation modes, as in MuJoCo's compiler."""


def lame(young: float, poisson: float) -> tuple[float, float]:
    """Return the shear modulus mu and Lamé's first parameter lambda, in Pa."""
    return young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))


def stiffness(corners: np.ndarray, young: float, poisson: float, thickness: float = 1.0) -> np.ndarray:
    """Return the energy of elements as quadratic forms in the changes in their squared edge lengths.

    The strain of a linear element is a sum over its edges ij: the change in squared length, times the symmetric product
    of the gradients of barycentric coordinates i and j. See Weischedel et al. 2012, A discrete geometric view on
    shear-deformable shell models. The Saint Venant-Kirchhoff energy of strain E is mu tr(E^2) + lambda/2 tr(E)^2. The
    form is four times mu tr(E^2) + lambda tr(E)^2, because MuJoCo counts Lamé's first parameter twice.

    Args:
        corners: vertices of the elements (nelem, dim + 1, 3), in m.
        young: Young's modulus, in Pa.
        poisson: Poisson's ratio.
        thickness: thickness of a shell, in m.

    Returns:
        upper triangles of the forms, row by row (nelem, n (n + 1) / 2), where n is 3 for triangles and 6 for
        tetrahedra.
    """
    dim = corners.shape[1] - 1
    gradients, content = _gradients(corners)
    mu, la = lame(young, poisson)
    scale = content if dim == 3 else _SHELL_SCALE * thickness * content
    basis = np.stack([_symmetric(gradients[:, i], gradients[:, j]) for i, j in EDGES[dim]], axis=1)
    trace = np.trace(basis, axis1=2, axis2=3)
    columns = [
        scale * (mu * np.einsum("eij,eji->e", basis[:, a], basis[:, b]) + la * trace[:, a] * trace[:, b])
        for a, b in combinations_with_replacement(range(basis.shape[1]), 2)
    ]
    return np.stack(columns, axis=1)


def _gradients(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the gradients (nelem, dim + 1, 3) of the barycentric coordinates, and the areas or volumes (nelem,)."""
    sides = corners[:, 1:] - corners[:, :1]
    gram = sides @ sides.transpose(0, 2, 1)
    content = np.sqrt(np.linalg.det(gram)) / (2 if corners.shape[1] == 3 else 6)
    if not content.all():
        raise ValueError("an element has no area or volume")
    others = np.linalg.solve(gram, sides)
    return np.concatenate([-others.sum(axis=1, keepdims=True), others], axis=1), content


def _symmetric(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the symmetric products of vectors, one for each element."""
    product = np.einsum("ei,ej->eij", a, b)
    return (product + product.transpose(0, 2, 1)) / 2


def bending(stencil: np.ndarray, young: float, poisson: float, thickness: float) -> np.ndarray:
    """Return the bending energy at inner edges as quadratic forms in the positions of vertices.

    See Bergou et al., A quadratic bending model for inextensible surfaces, 2006.

    Args:
        stencil: the two vertices of every edge, and the opposite vertices in its two triangles (nedge, 4, 3), in m.
        young: Young's modulus, in Pa.
        poisson: Poisson's ratio.
        thickness: thickness of the shell, in m.

    Returns:
        forms in the positions of the four vertices, row by row (nedge, 16).
    """
    first, second, left, right = (stencil[:, i] for i in range(4))
    area = _area(first, second, left) + _area(first, second, right)
    at_second = _cotangent(second, left, first), _cotangent(second, first, right)
    at_first = _cotangent(first, second, left), _cotangent(first, right, second)
    weight = np.stack([
        at_second[0] + at_second[1], at_first[0] + at_first[1],
        -(at_second[0] + at_first[0]), -(at_second[1] + at_first[1]),
    ], axis=1)  # fmt: skip
    scale = 3 * lame(young, poisson)[0] * thickness**3 / (24 * area)
    return (scale[:, None, None] * weight[:, :, None] * weight[:, None, :]).reshape(-1, 16)


def _area(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return the areas of triangles."""
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def _cotangent(corner: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the cotangents of the angles at `corner` in triangles."""
    return np.einsum("ei,ei->e", a - corner, b - corner) / np.linalg.norm(np.cross(a - corner, b - corner), axis=1)


def trilinear_stiffness(nodes: np.ndarray, young: float, poisson: float) -> np.ndarray:
    """Return the stiffness matrix (24, 24) of the eight corners of a box, in N/m.

    The box is linearly elastic. Its stiffness is integrated with two Gauss points along each axis, which is exact here.
    The edges of the box are measured along the world axes, even if the box is rotated, as in MuJoCo's compiler. If the
    length of an edge becomes zero, the result contains NaN.

    Args:
        nodes: corners of the box (8, 3), with the z coordinate changing fastest, in m.
        young: Young's modulus, in Pa.
        poisson: Poisson's ratio.
    """
    size = np.diag(nodes[[4, 2, 1]] - nodes[0])
    mu, la = lame(young, poisson)
    corners = np.array([(i, j, k) for i in range(2) for j in range(2) for k in range(2)])
    result = np.zeros((8, 3, 8, 3))
    gauss = 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3)
    with np.errstate(invalid="ignore", divide="ignore"):
        slopes = np.where(corners, 1.0, -1.0) / size
        for place in np.stack(np.meshgrid(gauss, gauss, gauss, indexing="ij"), axis=-1).reshape(-1, 3):
            parts = np.where(corners, place, 1 - place)
            gradient = slopes * parts[:, [1, 2, 0]] * parts[:, [2, 0, 1]]
            product = np.einsum("ia,jb->iajb", gradient, gradient)
            isotropic = np.einsum("ic,jc,ab->iajb", gradient, gradient, np.eye(3))
            result += size.prod() / 8 * (mu / 2 * (isotropic + product.transpose(0, 3, 2, 1)) + la * product)
    return -result.reshape(24, 24)


def strain_modes(nodes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return the node motions (8, 54) in the deformation modes of a box, three components for each mode.

    The modes are the eigenvectors of the stiffness of a linear elastic box, with lengths equal to the square roots of
    the eigenvalues. Tetrahedra fill the box. Where the box is empty, it is a million times softer, as in the finite
    cell method (Düster, Parvizian, Yang and Rank, 2008). Modes with equal eigenvalues are not unique.

    Args:
        nodes: corners of the box along the world axes (8, 3), with the z coordinate changing fastest, in m.
        corners: vertices of the tetrahedra (nelem, 4, 3), in m.

    Raises:
        ValueError: the box is flat.
    """
    low, size = nodes.min(axis=0), np.ptp(nodes, axis=0)
    if not size.all():
        raise ValueError("a box without a volume has no strain")
    points, weights = _conical_points(corners)
    unit, cubes = np.polynomial.legendre.leggauss(GAUSS)
    grid = np.stack(np.meshgrid(*[(unit + 1) / 2] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    whole = _box_stiffness(size, grid, size.prod() * np.einsum("i,j,k->ijk", *[cubes / 2] * 3).ravel())
    filled = _box_stiffness(size, (points - low) / size, weights)
    values, vectors = np.linalg.eigh(filled + EMPTY * (whole - filled))
    modes = vectors * np.sqrt(np.maximum(values, 0.0))
    return modes[:, ::-1][:, :STRAIN_MODES].reshape(8, 3, STRAIN_MODES).transpose(0, 2, 1).reshape(8, -1)


def _conical_points(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points and weights for integration over tetrahedra, from the Gauss points of a collapsed cube."""
    unit, part = np.polynomial.legendre.leggauss(GAUSS)
    unit, part = (unit + 1) / 2, part / 2
    x, y, z = (axis.ravel() for axis in np.meshgrid(unit, unit, unit, indexing="ij"))
    weight = np.einsum("i,j,k->ijk", part, part, part).ravel() * (1 - x) ** 2 * (1 - y)
    y, z = y * (1 - x), z * (1 - x) * (1 - y)
    places = np.stack([1 - x - y - z, x, y, z], axis=1)
    volumes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1]))
    return np.einsum("qc,eci->eqi", places, corners).reshape(-1, 3), np.outer(volumes, weight).ravel()


def _box_stiffness(size: np.ndarray, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the stiffness (24, 24) of trilinear displacements in a box, integrated over points of the unit box."""
    mu, la = lame(*MATERIAL)
    corners = np.array([(i, j, k) for i in range(2) for j in range(2) for k in range(2)])
    parts = np.where(corners, places[:, None], 1 - places[:, None])
    gradient = np.where(corners, 1.0, -1.0) / size * parts[:, :, [1, 2, 0]] * parts[:, :, [2, 0, 1]]
    product = np.einsum("p,pia,pjb->iajb", weights, gradient, gradient)
    isotropic = np.einsum("icjc,ab->iajb", product, np.eye(3))
    return (mu * (isotropic + product.transpose(0, 3, 2, 1)) + la * product).reshape(24, 24)
