"""How large flexes are, as newer versions tell."""

from typing import Any

import numpy as np

from conjoint.spec.rotation import IDENTITY, mul_quat, place


def flex_sizes(m: Any) -> list[np.ndarray]:
    """Half sizes of the boxes around flexes, along the axes of the world."""
    poses: list[tuple[Any, Any]] = [((0.0, 0.0, 0.0), IDENTITY)]
    for parent, pos, quat in zip(*(a[1:].tolist() for a in (m.body_parentid, m.body_pos, m.body_quat)), strict=True):
        origin, turn = poses[parent]
        poses.append((place(origin, turn, pos), mul_quat(turn, quat)))
    found = []
    for f in range(m.nflex):
        # vertices between nodes do not leave the box around these
        kind = "node" if m.flex_interp[f] else "vert"
        first = getattr(m, f"flex_{kind}adr")[f]
        span = slice(first, first + getattr(m, f"flex_{kind}num")[f])
        bodies, local = getattr(m, f"flex_{kind}bodyid")[span], getattr(m, f"flex_{kind}")[span]
        if m.flex_centered[f]:
            local = np.zeros((len(bodies), 3))
        placed = zip(bodies.tolist(), local.tolist(), strict=True)
        found.append(np.ptp([place(poses[body][0], poses[body][1], point) for body, point in placed], axis=0) / 2)
    return found
