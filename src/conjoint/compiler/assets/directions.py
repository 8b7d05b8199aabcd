"""Grouping unit vectors by direction, as the official compiler does: in an ordered set whose order has a tolerance.

Vectors less than 0.09 degrees apart count as equal. That is no equivalence, and whether a vector is found in the set
depends on which ones it is compared with on its way: on the shape of the search tree. So this is the red-black tree
that is used there (Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, ch. 13), which gives the same groups.
"""

from collections.abc import Iterator

NEAR = 0.99999872
"""Cosine above which two directions are the same."""
WIDE = 0.0017
"""The same directions differ by less than this in every coordinate."""
SAME = 1e-14
"""Coordinates that differ less do not decide about the order (mjEPS)."""
NONE, FULL = -1, -2


class Directions:
    """Unit vectors in descending order of x, then y, then z; nodes of the tree are numbers.

    Attributes:
        members: of every node, the numbers of the vectors that were found to be equal to it, itself first.
    """

    def __init__(self) -> None:
        self.x: list[float] = []
        self.y: list[float] = []
        self.z: list[float] = []
        self.members: list[list[int]] = []
        self.children: tuple[list[int], list[int]] = ([], [])
        self.parent: list[int] = []
        self.red: list[bool] = []
        self.root = NONE

    def add(self, vector: int, x: float, y: float, z: float) -> None:
        """Add a vector; one that is equal to what it meets where it belongs, but was not found, is lost."""
        xs, (left, right) = self.x, self.children
        node, last, found, met, same = self.root, NONE, NONE, False, False
        while node >= 0:
            last = node
            # the first coordinate decides nearly always
            order = xs[node] - x
            if -WIDE <= order <= WIDE:
                order = self._order(node, x, y, z)
            if order > 0:
                node = right[node]
            else:
                met = order == 0
                same = same or met
                found = node
                node = left[node]
        if met:
            self.members[found].append(vector)
            return
        after = last >= 0 and last != found
        if same:
            last, after = self._place(x, y, z)
            if last == FULL:
                return
        self._insert(vector, x, y, z, last, after)

    def _place(self, x: float, y: float, z: float) -> tuple[int, bool]:
        """Parent of a new node, and on which side; `FULL` if the parent would be equal to it."""
        node, last, after = self.root, NONE, False
        while node >= 0:
            order = self._order(node, x, y, z)
            if order == 0:
                return FULL, False
            last, after = node, order > 0
            node = self.children[after][node]
        return last, after

    def _insert(self, vector: int, x: float, y: float, z: float, last: int, after: bool) -> None:
        """Make a new node below `last`."""
        node = len(self.x)
        self.x.append(x)
        self.y.append(y)
        self.z.append(z)
        self.members.append([vector])
        self.children[0].append(NONE)
        self.children[1].append(NONE)
        self.parent.append(last)
        self.red.append(True)
        if last < 0:
            self.root = node
        else:
            self.children[after][last] = node
        self._balance(node)

    def _order(self, node: int, x: float, y: float, z: float) -> float:
        """Positive if the vector comes after the node, negative if before, 0 if they are the same."""
        a, b, c = self.x[node], self.y[node], self.z[node]
        if a * x + b * y + c * z > NEAR:
            return 0.0
        for difference in (a - x, b - y, c - z):
            if abs(difference) > SAME:
                return difference
        return 0.0

    def _balance(self, node: int) -> None:
        """Restore that a red node has a black parent, after `node` was added."""
        parent, red = self.parent, self.red
        while node != self.root and red[parent[node]]:
            above = parent[node]
            top = parent[above]
            side = self.children[1][top] == above
            uncle = self.children[not side][top]
            if uncle >= 0 and red[uncle]:
                red[above] = red[uncle] = False
                red[top] = True
                node = top
                continue
            if self.children[not side][above] == node:
                self._rotate(above, side)
                above = node
            red[above], red[top] = False, True
            self._rotate(top, not side)
            break
        red[self.root] = False

    def _rotate(self, node: int, side: bool) -> None:
        """Move `node` down to `side`, and its child on the other side up."""
        down, up = self.children[side], self.children[not side]
        child, parent = up[node], self.parent
        moved = up[node] = down[child]
        if moved >= 0:
            parent[moved] = node
        above = parent[child] = parent[node]
        if above < 0:
            self.root = child
        else:
            self.children[self.children[1][above] == node][above] = child
        down[child] = node
        parent[node] = child

    def groups(self) -> Iterator[list[int]]:
        """Members of the nodes, in order."""
        left, right = self.children
        path: list[int] = []
        node = self.root
        while path or node >= 0:
            while node >= 0:
                path.append(node)
                node = left[node]
            node = path.pop()
            yield self.members[node]
            node = right[node]
