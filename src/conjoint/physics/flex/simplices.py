"""Edges of lines, triangles and tetrahedra, and the vertices opposite them."""

import numpy as np

EDGES = {1: ((0, 1),), 2: ((1, 2), (2, 0), (0, 1)), 3: ((0, 1), (1, 2), (2, 0), (2, 3), (0, 3), (1, 3))}
"""Edges of an element by its dimension; each edge is a pair of vertex indices within the element."""


def edges(elements: np.ndarray, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct edges of elements, and the edges of each element.

    Returns:
        vertices of the edges (nedge, 2), the lower one first, in the order of the elements; indices of each element's
        edges (nelem, .).
    """
    ends = np.sort(elements[:, EDGES[dim]], axis=2).reshape(-1, 2)
    unique, first, inverse = np.unique(ends, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return unique[order], place[inverse.ravel()].reshape(len(elements), -1)


def flaps(elements: np.ndarray, element_edges: np.ndarray, count: int) -> np.ndarray:
    """Return the vertices (count, 2) opposite each edge in its two triangles; -1 if there is no such triangle."""
    result = np.full((count, 2), -1)
    for triangle, row in zip(elements, element_edges, strict=True):
        for place, edge in enumerate(row):
            side = 0 if result[edge, 0] < 0 else 1
            # edge k of a triangle is opposite its vertex k
            result[edge, side] = triangle[place]
    return result
