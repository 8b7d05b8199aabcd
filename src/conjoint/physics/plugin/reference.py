"""The reference configuration, in which plugins find what is at rest."""

from typing import Any

import numpy as np

from conjoint.lang import mul_quat, rotate


def reference_poses(m: Any) -> tuple[list[np.ndarray], list[Any]]:
    """Positions and orientations of all bodies in the reference configuration, where joints turn nothing."""
    place, turn = [np.zeros(3)], [(1.0, 0.0, 0.0, 0.0)]
    for b in range(1, len(m.body_parentid)):
        p = m.body_parentid[b]
        place.append(place[p] + np.array(rotate(turn[p], m.body_pos[b].tolist()).parts))
        turn.append(mul_quat(turn[p], m.body_quat[b].tolist()).parts)
    return place, turn
