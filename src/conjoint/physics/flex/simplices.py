"""Edges of lines, triangles and tetrahedra, and the vertices opposite them."""

import numpy as np

EDGES = {1: ((0, 1),), 2: ((1, 2), (2, 0), (0, 1)), 3: ((0, 1), (1, 2), (2, 0), (2, 3), (0, 3), (1, 3))}
"""Edges of an element: places of their vertices, by dimension."""


def edges(elements: np.ndarray, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges (nedge, 2), lower vertex first, in element order, and each element's edges (nelem, .)."""
    ends = np.sort(elements[:, EDGES[dim]], axis=2).reshape(-1, 2)
    unique, first, inverse = np.unique(ends, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return unique[order], place[inverse.ravel()].reshape(len(elements), -1)


def flaps(elements: np.ndarray, element_edges: np.ndarray, count: int) -> np.ndarray:
    """Return the opposite vertices (count, 2) in the two triangles at each edge; -1 for none."""
    result = np.full((count, 2), -1)
    for triangle, row in zip(elements, element_edges, strict=True):
        for place, edge in enumerate(row):
            side = 0 if result[edge, 0] < 0 else 1
            # the edge at a place is opposite the vertex there
            result[edge, side] = triangle[place]
    return result
