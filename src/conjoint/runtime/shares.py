"""Shares of a world: what its threads take one by one, whole subtrees below the world body.

Which subtrees make a share depends on the model alone, not on the number of threads, so that sums over a share are the
same whoever takes them. Bodies are numbered depth first: a share is a range of bodies, joints, dofs, geoms and sites.
"""

from __future__ import annotations

import numpy as np

from conjoint.lang.memory.layout import Buffer

LEAST_WORLD = 768
"""Bodies and dofs of a world that has more than one share, at least: a smaller one is stepped before threads gain."""

LEAST_WORK = 128
"""Bodies and dofs of a share, at least: some microseconds of work in most stages."""

MOST_SHARES = 64
"""Shares of a world, at most: more would not fill more threads better."""

ELEMENTS = {"share_joint": "jnt_bodyid", "share_dof": "dof_bodyid", "share_geom": "geom_bodyid",
            "share_site": "site_bodyid"}  # fmt: skip
"""Rows that say where elements of a share begin, by the row with their bodies."""


def shares_of_world(model: Buffer) -> dict[str, np.ndarray]:
    """First elements of all shares, and behind the last one, by field name of `schema.plan.STRUCTURE_ROWS`."""
    sizes = model.layout.sizes
    if sizes["nbody"] + sizes["nv"] < LEAST_WORLD:
        ends = [(1, sizes["nbody"]), *((0, sizes[size]) for size in ("njnt", "nv", "ngeom", "nsite"))]
        return dict(zip(("share_body", *ELEMENTS), np.array(ends, np.int32), strict=True))
    parents, dofs = model.view("body_parentid"), model.view("body_dofnum")
    roots = np.flatnonzero(parents[1:] == 0) + 1
    # work before each subtree
    done = np.cumsum(1 + dofs)
    whole = int(done[-1])
    least = max(LEAST_WORK, -(-whole // MOST_SHARES))
    share = (done[roots - 1] - done[0]) // least
    first = roots[np.diff(share, prepend=-1) != 0]
    # a share that would have little left goes with the one before
    if len(first) > 1 and whole - done[first[-1] - 1] < least // 2:
        first = first[:-1]
    bodies = np.append(first, len(parents)) if len(first) else np.array([1, len(parents)])
    rows = {"share_body": bodies}
    for name, owner in ELEMENTS.items():
        owners = model.view(owner)
        rows[name] = np.searchsorted(owners, bodies)
        # elements of the world
        rows[name][0] = 0
    return {name: values.astype(np.int32) for name, values in rows.items()}


def bodies_of_shares(first: np.ndarray) -> np.ndarray:
    """Share of every body, of the first bodies of shares and the number of bodies behind the last."""
    counts = first[1:] - first[:-1]
    counts[0] += 1
    return np.repeat(np.arange(len(counts)), counts)


def share_sizes(shares: dict[str, np.ndarray]) -> dict[str, int]:
    """Number of shares, and of ends of shares."""
    return {"nshare": len(shares["share_body"]) - 1, "nshare_end": len(shares["share_body"])}
