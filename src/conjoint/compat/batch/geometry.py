"""Jacobians and rays of simulations, at the positions that their states have."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from conjoint.api.functions.functions import run
from conjoint.api.functions.jacobian import mj_jac
from conjoint.api.functions.ray import mj_ray
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.compat.batch.fields import integers
from conjoint.compat.batch.worlds import Action


def jacobians(nv: int, bodies: np.ndarray, point: npt.ArrayLike) -> tuple[tuple[np.ndarray, np.ndarray], Action]:
    """Arrays for the Jacobians of points fixed to bodies, and the action that fills them.

    Raises:
        ValueError: points have another shape.
    """
    points = _repeated("point", point, (len(bodies), 3))
    jacp, jacr = np.zeros((2, len(bodies), 3, nv))

    def find(m: MjModel, d: MjData, index: int) -> None:
        run(m, d, "mj_kinematics")
        run(m, d, "mj_comPos")
        mj_jac(m, d, jacp[index], jacr[index], points[index], int(bodies[index]))

    return (jacp, jacr), find


class Rays:
    """Rays of some simulations.

    Args:
        nbody: number of bodies of the model.
        nsim: number of simulations.
        lines: where rays begin, and their directions.
        bodyexclude: a body for each ray that it passes through; -1: none.
        normal: whether normals are found.

    Raises:
        ValueError: shapes do not fit, or there is no such body.
    """

    def __init__(
        self,
        nbody: int,
        nsim: int,
        lines: tuple[npt.ArrayLike, npt.ArrayLike],
        bodyexclude: npt.ArrayLike,
        normal: bool,
    ):
        nray = max(np.shape(each)[-2] if np.ndim(each) > 1 else 1 for each in lines)
        self.starts, self.directions = (
            _repeated(name, each, (nsim, nray, 3)) for name, each in zip(("pnt", "vec"), lines, strict=True)
        )
        self.excluded = integers("bodyexclude", bodyexclude, (nsim, nray), -1, nbody)
        self.distances, self.geoms = np.zeros((nsim, nray)), np.zeros((nsim, nray), np.int32)
        self.normals = np.zeros((nsim, nray, 3)) if normal else None

    def caster(self, geomgroup: npt.ArrayLike | None, flg_static: bool) -> Action:
        """The action that follows the rays of a simulation."""
        groups = None if geomgroup is None else np.asarray(geomgroup, np.uint8)

        def cast(m: MjModel, d: MjData, index: int) -> None:
            run(m, d, "mj_kinematics")
            if m.nflex:
                run(m, d, "mj_flex")
            for k in range(self.distances.shape[1]):
                line = self.starts[index, k], self.directions[index, k], groups, int(flg_static)
                hit, excluded = self.geoms[index, k : k + 1], int(self.excluded[index, k])
                more = () if self.normals is None else (self.normals[index, k],)
                self.distances[index, k] = mj_ray(m, d, *line, excluded, hit, *more)

        return cast

    @property
    def found(self) -> tuple[np.ndarray, ...]:
        """Distances, ids of geoms, and normals if they are asked for."""
        return (self.distances, self.geoms) if self.normals is None else (self.distances, self.geoms, self.normals)


def _repeated(name: str, given: npt.ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers, repeated to a shape. Raises ValueError: they cannot be."""
    values = np.asarray(given, np.float64)
    try:
        return np.ascontiguousarray(np.broadcast_to(values, shape))
    except ValueError:
        raise ValueError(f"{name} must have shape {shape}, got {values.shape}") from None
