"""Groups of unit vectors by direction, from an ordered set with a tolerance, as in MuJoCo's compiler.

Vectors less than 0.09 degrees apart count as equal. This is not an equivalence relation. The result of a lookup depends
on the vectors compared during the search, and so on the shape of the search tree. To get the same groups, this module
uses the same red-black tree (Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, ch. 13). A node is
identified by the index of its first vector. The links of a node are its two children, its parent, and 1 if it is red.
"""

from conjoint.lang import abs, kernel, load, vec3

EXACT_KERNELS = True

NEAR = 0.99999872
"""Cosine above which two directions count as the same."""
WIDE = 0.0017
"""Difference in one coordinate above which two directions cannot count as the same."""
SAME = 1e-14
"""Differences of coordinates below this do not affect the order (mjEPS)."""
NONE = -1
PARENT, RED, LINKS = 2, 3, 4


@kernel
def group_directions(unit, count, members, starts, links, nodes):
    """Group unit vectors by direction, in descending order of x, then y, then z.

    Args:
        unit: the vectors (count, 3).
        count: number of vectors.
        members: receives the indices of vectors, ascending and concatenated by group; vectors that `add` drops belong
            to no group.
        starts: receives the start of each group, and the end of the last one.
        links: scratch (count, 4).
        nodes: scratch (count).

    Returns:
        number of groups.
    """
    root = NONE
    for i in range(count):
        root = add(unit, links, nodes, root, i)
    return list_groups(links, nodes, root, count, members, starts)


@kernel
def add(unit, links, nodes, root, i):
    """Add vector i to the tree: to the node that a lookup finds if the directions are equal, else as a new node.

    The search for the place of a new node may meet an equal node that the lookup missed. The vector is then dropped.

    Returns:
        root of the tree.
    """
    x = unit[3 * i]
    node = root
    last = NONE
    found = NONE
    met = False
    same = False
    while node >= 0:
        last = node
        # the first coordinate nearly always decides
        order = unit[3 * node] - x
        if order >= -WIDE and order <= WIDE:
            order = order_of(unit, node, i)
        if order > 0.0:
            node = links[LINKS * node + 1]
        else:
            met = order == 0.0
            same = same or met
            found = node
            node = links[LINKS * node]
    nodes[i] = found if met else i
    if met:
        return root
    after = last >= 0 and last != found
    node = root if same else NONE
    while node >= 0:
        order = order_of(unit, node, i)
        if order == 0.0:
            nodes[i] = NONE
            return root
        last = node
        after = order > 0.0
        node = links[LINKS * node + (1 if after else 0)]
    links[LINKS * i] = NONE
    links[LINKS * i + 1] = NONE
    links[LINKS * i + PARENT] = last
    links[LINKS * i + RED] = 1
    if last < 0:
        root = i
    else:
        links[LINKS * last + (1 if after else 0)] = i
    return balance(links, i, root)


@kernel
def order_of(unit, node, i):
    """Compare vector i with a node: return a positive number if it comes after, negative if before, 0 if equal."""
    a = load(vec3, unit, 3 * node)
    b = load(vec3, unit, 3 * i)
    if a.x * b.x + a.y * b.y + a.z * b.z > NEAR:
        return 0.0
    apart = a - b
    if abs(apart.x) > SAME:
        return apart.x
    if abs(apart.y) > SAME:
        return apart.y
    return apart.z if abs(apart.z) > SAME else 0.0


@kernel
def balance(links, node, root):
    """Rebalance the tree after adding `node`, so that red nodes have black parents. Returns the root."""
    while node != root and links[LINKS * links[LINKS * node + PARENT] + RED] != 0:
        above = links[LINKS * node + PARENT]
        top = links[LINKS * above + PARENT]
        side = 1 if links[LINKS * top + 1] == above else 0
        uncle = links[LINKS * top + 1 - side]
        if uncle >= 0 and links[LINKS * uncle + RED] != 0:
            links[LINKS * above + RED] = 0
            links[LINKS * uncle + RED] = 0
            links[LINKS * top + RED] = 1
            node = top
        else:
            if links[LINKS * above + 1 - side] == node:
                root = rotate_node(links, above, side, root)
                above = node
            links[LINKS * above + RED] = 0
            links[LINKS * top + RED] = 1
            root = rotate_node(links, top, 1 - side, root)
            break
    links[LINKS * root + RED] = 0
    return root


@kernel
def rotate_node(links, node, side, root):
    """Rotate the tree at `node`: move the node down to `side`, and its child on the other side up. Returns the root."""
    child = links[LINKS * node + 1 - side]
    moved = links[LINKS * child + side]
    links[LINKS * node + 1 - side] = moved
    if moved >= 0:
        links[LINKS * moved + PARENT] = node
    above = links[LINKS * node + PARENT]
    links[LINKS * child + PARENT] = above
    if above < 0:
        root = child
    else:
        links[LINKS * above + (1 if links[LINKS * above + 1] == node else 0)] = child
    links[LINKS * child + side] = node
    links[LINKS * node + PARENT] = child
    return root


@kernel
def list_groups(links, nodes, root, count, members, starts):
    """List the vectors of each node, in the order of the nodes. Returns the number of nodes."""
    ngroup = 0
    starts[0] = 0
    node = root
    while node >= 0 and links[LINKS * node] >= 0:
        node = links[LINKS * node]
    while node >= 0:
        # from here on, the color of a node is the index of its group
        links[LINKS * node + RED] = ngroup
        ngroup += 1
        starts[ngroup] = 0
        node = next_node(links, node)
    for i in range(count):
        if nodes[i] >= 0:
            starts[links[LINKS * nodes[i] + RED] + 1] += 1
    for group in range(ngroup):
        starts[group + 1] += starts[group]
    for i in range(count):
        node = nodes[i]
        if node == i:
            # from here on, the first child of a node is the position of its next vector in `members`
            links[LINKS * node] = starts[links[LINKS * node + RED]]
        if node >= 0:
            members[links[LINKS * node]] = i
            links[LINKS * node] += 1
    return ngroup


@kernel
def next_node(links, node):
    """Return the node that follows `node` in order, or `NONE` after the last node."""
    below = links[LINKS * node + 1]
    if below >= 0:
        while links[LINKS * below] >= 0:
            below = links[LINKS * below]
        return below
    above = links[LINKS * node + PARENT]
    while above >= 0 and links[LINKS * above + 1] == node:
        node = above
        above = links[LINKS * node + PARENT]
    return above
