"""Signed distances from triangle meshes.

The sign comes from the pseudonormal of the nearest feature. For a face, this is the normal, for an edge, the sum of the
normals of its faces. For a vertex, the normals are weighted by the angles of the faces there (Baerentzen & Aanaes,
Signed distance computation using the angle weighted pseudonormal, IEEE TVCG 11, 2005).
"""

import numpy as np
from numpy.typing import NDArray

from conjoint.compiler.bounding import Trees
from conjoint.spec.meshes.triangles import Integers, Reals, cross, dot

Indices = NDArray[np.int64]

MOST = 1 << 11
"""Maximum number of points processed at once."""
ROUNDING = 1e-12
"""Relative rounding error of squared distances that are used as upper bounds."""
NEAR_MIDDLE = 0.1
"""Weight of the distance to a box's center when the search for a nearby triangle chooses between boxes."""
FACE = 6
"""Feature code of a face.

Codes of corners are 0 to 2; codes of edges are 3 to 5, for the edge from corner `code - 3`.
"""


class MeshDistance:
    """Triangle mesh prepared for signed distance queries.

    Args:
        vert, face: vertices and triangles.
        volumes: bounding volumes of the triangles, in one tree.
    """

    def __init__(self, vert: Reals, face: Integers, volumes: Trees):
        self.corners = [vert[face[:, i]] for i in range(3)]
        self.edges = [self.corners[(i + 1) % 3] - self.corners[i] for i in range(3)]
        self.square = [dot(edge, edge) for edge in self.edges]
        self.normal = cross(self.edges[0], self.edges[1])
        self.pseudonormals = self._pseudonormals(vert, face)
        self.child, self.element = volumes.child.astype(np.int64), volumes.element.astype(np.int64)
        self.center, self.half = _columns(volumes.aabb[:, :3]), _columns(volumes.aabb[:, 3:])
        self.columns = self._columns()

    def _columns(self) -> list[Reals]:
        """Return columns of values for each triangle, precomputed for `_squares`.

        They are a corner of each triangle, the edges from this corner, their dual vectors, the normal, and the dot
        products of the edges.
        """
        u, v, normal = self.edges[0], -self.edges[2], self.normal
        size = dot(normal, normal)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            # NaN for a degenerate triangle, which has no interior
            toward = cross(v, normal) / size, cross(normal, u) / size, normal / np.sqrt(size)
        rows = (self.corners[0], u, v, *toward)
        return [*(column for part in rows for column in _columns(part)), dot(u, u), dot(u, v), dot(v, v)]

    def _pseudonormals(self, vert: Reals, face: Integers) -> Reals:
        """Return the pseudonormals (nface, 7, 3) of corners, edges and faces."""
        with np.errstate(divide="ignore", invalid="ignore"):
            unit = self.normal / np.sqrt(dot(self.normal, self.normal))[:, None]
            toward = [edge / np.sqrt(square)[:, None] for edge, square in zip(self.edges, self.square, strict=True)]
        out = np.empty((len(face), 7, 3))
        out[:, FACE] = unit
        total = np.zeros(vert.shape)
        for i in range(3):
            angle = np.arccos(np.clip(-dot(toward[i], toward[i - 1]), -1.0, 1.0))
            np.add.at(total, face[:, i], angle[:, None] * unit)
        out[:, :3] = total[face]
        start, end = face.astype(np.int64), np.roll(face, -1, axis=1).astype(np.int64)
        key = np.minimum(start, end) * len(vert) + np.maximum(start, end)
        _, edge = np.unique(key, return_inverse=True)
        edge = edge.reshape(key.shape)
        sums = np.zeros((edge.max() + 1, 3))
        np.add.at(sums, edge, unit[:, None])
        out[:, 3:FACE] = sums[edge]
        return out

    def signed(self, points: Reals, near: Reals) -> tuple[Reals, Reals]:
        """Return signed distances of points, negative inside, and the nearest points of the surface.

        Args:
            points: (n, 3) the points.
            near: (n, k, 3) surface points that may be near each point, for any number k.
        """
        distance, foot = np.empty(len(points)), np.empty(points.shape)
        for start in range(0, len(points), MOST):
            part = slice(start, start + MOST)
            distance[part], foot[part] = self._signed(points[part], near[part])
        return distance, foot

    def _signed(self, points: Reals, near: Reals) -> tuple[Reals, Reals]:
        columns = _columns(points)
        bound = self._bound(columns)
        for i in range(near.shape[1]):
            away = points - near[:, i]
            np.minimum(bound, dot(away, away), out=bound)
        rows, triangle = self._candidates(columns, bound)
        square = self._squares(columns, rows, triangle)
        least = np.full(len(points), np.inf)
        np.minimum.at(least, rows, square)
        best = square == least[rows]
        nearest = np.empty(len(points), np.int64)
        nearest[rows[best]] = triangle[best]
        offset, feature = self._offset(points, nearest)
        outside = dot(offset, self.pseudonormals[nearest, feature]) >= 0
        return np.where(outside, 1.0, -1.0) * np.sqrt(dot(offset, offset)), points - offset

    def _bound(self, points: Reals) -> Reals:
        """Return an upper bound for each point's squared distance from the mesh.

        It is the squared distance from one triangle, which is found by descending to the nearer box at each node.
        """
        node = np.zeros(points.shape[1], np.int64)
        rows = np.flatnonzero(self.element[node] < 0)
        while len(rows):
            left, right = self.child[node[rows]].T
            at = points[:, rows]
            node[rows] = np.where(self._near(at, left) <= self._near(at, right), left, right)
            rows = rows[self.element[node[rows]] < 0]
        triangle = self.element[node]
        away = points.T - self.corners[0][triangle]
        # compensate for rounding of the square
        return self._squares(points, np.arange(len(node)), triangle) + ROUNDING * dot(away, away)

    def _near(self, points: Reals, node: Indices) -> Reals:
        """Return squared distances of points to boxes, plus a fraction of the squared distances to box centers."""
        square = np.zeros(len(node))
        for axis in range(3):
            away = np.abs(points[axis] - self.center[axis][node])
            square += NEAR_MIDDLE * away * away + np.maximum(away - self.half[axis][node], 0.0) ** 2
        return square

    def _candidates(self, points: Reals, bound: Reals) -> tuple[Indices, Indices]:
        """Return the pairs of a point and a triangle whose squared distance may be at most the point's `bound`.

        The squared distance from the point to the triangle's bounding box is at most `bound`.
        """
        bound = bound * (1 + ROUNDING)
        row, node = np.arange(len(bound)), np.zeros(len(bound), np.int64)
        rows, triangles = [], []
        while len(row):
            square = np.zeros(len(row))
            for axis in range(3):
                away = np.abs(points[axis][row] - self.center[axis][node]) - self.half[axis][node]
                np.maximum(away, 0.0, out=away)
                square += away * away
            near = square <= bound[row]
            row, node = row[near], node[near]
            element = self.element[node]
            leaf = element >= 0
            rows.append(row[leaf])
            triangles.append(element[leaf])
            row, node = np.repeat(row[~leaf], 2), self.child[node[~leaf]].ravel()
        return np.concatenate(rows), np.concatenate(triangles)

    def _squares(self, points: Reals, rows: Indices, triangle: Indices) -> Reals:
        """Return the squared distances between the points `rows` and triangles.

        The absolute error is up to the rounding error of the squared distance to a corner of the triangle.
        """
        columns = iter(self.columns)
        offset = [points[axis][rows] - next(columns)[triangle] for axis in range(3)]
        # products with the vectors of `_columns`
        u, v, s, t, height = (sum(part * next(columns)[triangle] for part in offset) for _ in range(5))
        uu, uv, vv = (column[triangle] for column in columns)
        # positions along the edges; the third edge connects the ends of the other two
        across, length = v - u - uv + uu, uu + vv - 2 * uv
        a, b, c = _share(u, uu), _share(v, vv), _share(across, length)
        least = np.minimum(a * (a * uu - 2 * u), b * (b * vv - 2 * v))
        least = np.minimum(least, uu - 2 * u + c * (c * length - 2 * across))
        inside = (s >= 0) & (t >= 0) & (s + t <= 1)
        x, y, z = offset
        return np.where(inside, height * height, x * x + y * y + z * z + least)

    def _offset(self, points: Reals, triangle: Indices) -> tuple[Reals, Indices]:
        """Return vectors from the nearest points on triangles to `points`, and the codes of the nearest features."""
        offsets = [points - corner[triangle] for corner in self.corners]
        normal = self.normal[triangle]
        size = dot(normal, normal)
        above = size > 0
        best, feature = np.full(len(points), np.inf), np.full(len(points), FACE)
        offset = np.zeros(points.shape)
        for i in range(3):
            edge = self.edges[i][triangle]
            above &= dot(cross(edge, offsets[i]), normal) >= 0
            share = _share(dot(offsets[i], edge), self.square[i][triangle])
            away = offsets[i] - share[:, None] * edge
            square = dot(away, away)
            nearer = square < best
            best[nearer], offset[nearer] = square[nearer], away[nearer]
            part = np.where(share <= 0, i, np.where(share >= 1, (i + 1) % 3, 3 + i))
            feature[nearer] = part[nearer]
        offset[above] = (dot(offsets[0], normal) / np.where(above, size, 1.0))[above, None] * normal[above]
        feature[above] = FACE
        return offset, feature


def _columns(rows: Reals) -> Reals:
    """Return the transpose of `rows`, so that each coordinate is contiguous."""
    return np.ascontiguousarray(rows.T)


def _share(along: Reals, square: Reals) -> Reals:
    """Return the position of a point along an edge, from 0 to 1, or 0 for an edge without length."""
    return np.clip(along / np.where(square > 0, square, 1.0), 0.0, 1.0)
