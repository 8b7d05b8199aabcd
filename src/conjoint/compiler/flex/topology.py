"""Edges, shell, neighbours and layers of the elements of a flex."""

from collections.abc import Sequence
from itertools import count

import numpy as np

SIDES = {1: ((0,), (1,)), 2: ((0, 1), (1, 2), (2, 0)), 3: ((0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2))}
"""Sides of an element: ends, edges or faces; those of a tetrahedron are right-handed seen from outside."""


def orient(elements: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Tetrahedra with their second and third vertex swapped where faces would look inside."""
    first, second, third, fourth = (points[elements[:, i]] for i in range(4))
    normal = np.cross(second - first, third - first)
    wrong = np.einsum("ij,ij->i", normal, fourth - first) > 0
    result = elements.copy()
    result[wrong, 1], result[wrong, 2] = elements[wrong, 2], elements[wrong, 1]
    return result


class Surface:
    """What lies on the surface of a flex.

    Attributes:
        shell: (nshell, dim) vertices of the sides that belong to one element only.
        pairs: (npair, 2) of lines and triangles: an element, and a vertex across one of its sides that is not part of
            it, where one of the two elements there is on the surface.
        layers: (nelem,) of tetrahedra: elements to pass from the surface.
    """

    def __init__(self, elements: np.ndarray, dim: int):
        sides = elements[:, SIDES[dim]].reshape(-1, dim)
        owner = np.repeat(np.arange(len(elements)), len(SIDES[dim]))
        across = elements[:, [_opposite(side, dim) for side in SIDES[dim]]].ravel()
        key = np.sort(sides, axis=1)
        order = np.lexsort((owner, *key.T[::-1]))
        key, sides, owner, across = key[order], sides[order], owner[order], across[order]
        same = (key[1:] == key[:-1]).all(axis=1)
        before, after = np.concatenate([[False], same]), np.concatenate([same, [False]])
        self.shell = sides[~before & ~after]
        on_surface = np.zeros(len(elements), bool)
        on_surface[owner[~before & ~after]] = True
        first = np.flatnonzero(same)
        left, right = owner[first], owner[first + 1]
        self.layers = _layers(on_surface, left, right) if dim == 3 else np.zeros(len(elements), int)
        near = on_surface[left] | on_surface[right]
        pairs = np.stack([right, across[first], left, across[first + 1]], axis=1)[near].reshape(-1, 2)
        self.pairs = pairs if dim < 3 else np.zeros((0, 2), int)


def _opposite(side: Sequence[int], dim: int) -> int:
    """Place of the vertex that is not on a side."""
    (left,) = set(range(dim + 1)) - set(side)
    return left


def _layers(on_surface: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Distance of every element from the surface, through sides; elements that cannot be reached are at 0."""
    layers = np.where(on_surface, 0, -1)
    for layer in count():
        near = np.zeros(len(layers), bool)
        near[right[layers[left] == layer]] = True
        near[left[layers[right] == layer]] = True
        near &= layers < 0
        if not near.any():
            break
        layers[near] = layer + 1
    return np.maximum(layers, 0)
