"""Batch of simulations with the interface of `mujoco.batch.Batch`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from conjoint.api.functions.functions import run
from conjoint.api.functions.jacobian import mj_jac
from conjoint.api.functions.ray import mj_ray
from conjoint.api.functions.state import mj_resetDataKeyframe
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.compat.batch.fields import Ids, chosen, integers, repeated
from conjoint.compat.batch.rollout import Item, input_fields, records_of
from conjoint.compat.batch.simulations import Simulations, check_callbacks
from conjoint.compat.batch.worlds import compute, stepping
from conjoint.lang import ArgumentError
from conjoint.rollout.trajectories import roll_alone, roll_together


class Batch(Simulations):
    """Many simulations of one model, whose arrays have one row per simulation.

    Bind fields with `bind`, or read them as attributes, as in `batch.qpos`. Arrays of the state are writable; all other
    arrays contain results of the last call. `batch.joint("knee")` and similar methods return the parts of the arrays
    that belong to one element.

    Args:
        model: the model, which is copied.
        nsim: number of simulations.
        nthread: number of threads, including the caller's; 0 for one per processor.
        persistent: whether each simulation has its own world (`MjData`) with all fields.
        lanes: whether simulations run side by side in vector registers if possible. In lanes they agree with `mj_step`
            up to rounding, otherwise bit for bit. None selects lanes if there are enough simulations for a speedup and
            they are not persistent. MuJoCo does not have this argument.

    Attributes:
        model: the copy of the model.
        state: states of all simulations (mjSTATE_INTEGRATION), shape (nsim, nstate), writable.
        warning: for each warning type (mjtWarning), the value in the most recent warning and the number of warnings,
            shape (nsim, ntype, 2).
        status: 1 for simulations in which the last call failed, else 0, shape (nsim,).

    Raises:
        ValueError: `nsim` is not positive, or the model requires persistent simulations.
    """

    def step(self, ids: Ids = None, nstep: int = 1, stage: int = 0) -> None:
        """Advance simulations by steps of `mj_step`, and then compute stages of forward dynamics.

        Args:
            ids: simulations to run: sorted indices, a mask, or None for all.
            nstep: number of steps.
            stage: last stage to compute for the new state (mjtStage); mjSTAGE_NONE for none.

        Raises:
            SimulationError: some simulations failed.
        """
        sims, stage = chosen(ids, self._nsim), _checked_stage("step", stage)
        if nstep < 1:
            raise ArgumentError(f"step: nstep must be positive, not {nstep}")
        check_callbacks()
        if self._lanes.can():
            self._lanes.step(sims, int(nstep), stage)
        else:
            self._worlds.run(sims, stepping(int(nstep), stage))
        self._reported(sims)

    def forward(self, ids: Ids = None, stage: int = 3) -> None:
        """Compute the stages of forward dynamics up to `stage`.

        Args:
            ids: simulations to run: sorted indices, a mask, or None for all.
            stage: last stage to compute (mjtStage); mjSTAGE_ACC for all stages.

        Raises:
            SimulationError: some simulations failed.
        """
        sims, stage = chosen(ids, self._nsim), _checked_stage("forward", stage)
        check_callbacks()
        if self._lanes.can():
            self._lanes.forward(sims, stage)
        else:
            self._worlds.run(sims, lambda m, d, _: compute(m, d, stage))
        self._reported(sims)

    def reset(self, ids: Ids = None, keyframe: npt.ArrayLike = -1, stage: int = 3) -> None:
        """Reset simulations to the initial state or to keyframes, and then compute stages of forward dynamics.

        Args:
            ids: simulations to run: sorted indices, a mask, or None for all.
            keyframe: id of a keyframe, or an array of one id per simulation of the call; -1 for the initial state.
            stage: last stage to compute (mjtStage).

        Raises:
            ValueError: the keyframe does not exist.
            SimulationError: some simulations failed.
        """
        sims, stage = chosen(ids, self._nsim), _checked_stage("reset", stage)
        keys = integers("keyframe", keyframe, (len(sims),), -1, self.model.nkey)
        check_callbacks()

        def reset(m: MjModel, d: MjData, index: int) -> None:
            mj_resetDataKeyframe(m, d, int(keys[index]))

        self._worlds.run(sims, reset)
        self._lanes.reset(sims)
        self._reported(sims)
        if stage:
            self.forward(sims, stage)

    def rollout(
        self,
        nstep: int,
        control: npt.ArrayLike | None = None,
        control_spec: int | None = None,
        record: Sequence[Item] = ("qpos",),
        ids: Ids = None,
        out: Mapping[Item, np.ndarray] | None = None,
    ) -> dict[Item, np.ndarray]:
        """Advance simulations by several steps, with controls for each step, and record fields after each step.

        A simulation stops when it causes a warning. Its remaining records repeat the last step.

        Args:
            nstep: number of steps.
            control: controls, shape (n or 1, nstep or 1, ncontrol); None to leave the inputs in the state unchanged.
            control_spec: state components that a control consists of, bits of mjSTATE_USER; None for `ctrl`.
            record: items to record: fields by name, or parts of the state by bits of mjtState.
            ids: the n simulations to run: sorted indices, a mask, or None for all.
            out: arrays that receive the records, by item.

        Returns:
            Arrays of shape (n, nstep, ...), by item.

        Raises:
            ValueError: a field cannot be recorded, or a shape is wrong.
            SimulationError: some simulations failed.
        """
        sims = chosen(ids, self._nsim)
        if nstep < 0:
            raise ValueError(f"nstep must be at least 0, not {nstep}")
        results, names = self._results, input_fields(control_spec)
        records = records_of(results, record, len(sims), nstep, out)
        shape = len(sims), nstep, 0 if control is None else sum(results.size(name) for name in names)
        controls = np.zeros(shape) if control is None else repeated("control", control, shape)
        given = [] if control is None else names
        check_callbacks()
        if not self._lanes.can():

            def go(m: MjModel, d: MjData, index: int) -> None:
                parts = [d.world.data.view(name).reshape(-1) for name in given]
                outputs = [(each.array[index], partial(each.of_world, d)) for each in records.values()]
                roll_alone(m, d, controls[index], parts, outputs)

            self._worlds.run(sims, go)
            self._reported(sims)
        elif len(sims):
            before = self.warning[:, :, 1].copy()
            roll_together(
                self._step_some,
                controls,
                [results.state[:, results.places[name]] for name in given],
                [(each.array, each.of_all) for each in records.values()],
                sims,
                lambda: np.any(self.warning[:, :, 1] > before, axis=1),
            )
        return {item: each.array for item, each in records.items()}

    def _step_some(self, sims: np.ndarray) -> None:
        """Advance some simulations by one step, in lanes."""
        self._lanes.step(sims, 1, 0)
        self._reported(sims)

    def jac(self, body: npt.ArrayLike, point: npt.ArrayLike, ids: Ids = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the Jacobians of body-fixed points (mj_jac), at the positions of the current states.

        Args:
            body: id of a body, or an array of one id per simulation of the call.
            point: a point in the global frame, or one point per simulation, shape (3,) or (n, 3).
            ids: the n simulations: sorted indices, a mask, or None for all.

        Returns:
            Translational and rotational Jacobians, shape (n, 3, nv) each.
        """
        sims = chosen(ids, self._nsim)
        bodies = integers("body", body, (len(sims),), 0, self.model.nbody)
        points = repeated("point", point, (len(sims), 3))
        jacp, jacr = np.zeros((2, len(sims), 3, self.model.nv))

        def find(m: MjModel, d: MjData, index: int) -> None:
            run(m, d, "mj_kinematics")
            run(m, d, "mj_comPos")
            mj_jac(m, d, jacp[index], jacr[index], points[index], int(bodies[index]))

        self._worlds.run(sims, find, save=False)
        self._reported(sims)
        return jacp, jacr

    def ray(
        self,
        pnt: npt.ArrayLike,
        vec: npt.ArrayLike,
        geomgroup: npt.ArrayLike | None = None,
        flg_static: bool = True,
        bodyexclude: npt.ArrayLike = -1,
        ids: Ids = None,
        normal: bool = False,
    ) -> tuple[np.ndarray, ...]:
        """Return the distances at which rays hit geoms (mj_ray), at the positions of the current states.

        Args:
            pnt: start points of the rays, shape (3,), (nray, 3), or (n, nray, 3).
            vec: directions of the rays, with the same shapes.
            geomgroup: mask of the six geom groups that rays can hit; None for all.
            flg_static: whether to include geoms fixed to the world.
            bodyexclude: id of a body whose geoms are excluded, or an array of ids for the rays; -1 for none.
            ids: the n simulations: sorted indices, a mask, or None for all.
            normal: whether to return surface normals, too.

        Returns:
            Distances (-1 for a miss) and ids of the geoms, shape (n, nray); with `normal`, also normals, shape (n,
            nray, 3).
        """
        sims = chosen(ids, self._nsim)
        nray = max(np.shape(each)[-2] if np.ndim(each) > 1 else 1 for each in (pnt, vec))
        shape = len(sims), nray
        starts, ways = (repeated(name, each, (*shape, 3)) for name, each in (("pnt", pnt), ("vec", vec)))
        excluded = integers("bodyexclude", bodyexclude, shape, -1, self.model.nbody)
        groups = None if geomgroup is None else np.asarray(geomgroup, np.uint8)
        distances, geoms, normals = np.zeros(shape), np.zeros(shape, np.int32), np.zeros((*shape, 3))

        def cast(m: MjModel, d: MjData, i: int) -> None:
            run(m, d, "mj_kinematics")
            if m.nflex:
                run(m, d, "mj_flex")
            for k in range(nray):
                line, exclude, hit = (starts[i, k], ways[i, k]), int(excluded[i, k]), geoms[i, k : k + 1]
                more = (normals[i, k],) if normal else ()
                distances[i, k] = mj_ray(m, d, *line, groups, int(flg_static), exclude, hit, *more)

        self._worlds.run(sims, cast, save=False)
        self._reported(sims)
        return (distances, geoms, normals) if normal else (distances, geoms)


def _checked_stage(function: str, stage: int) -> int:
    """Return a stage as an int. Raises FatalError if it does not exist."""
    if not 0 <= int(stage) <= 3:
        raise ArgumentError(f"{function}: stage must be from mjSTAGE_NONE to mjSTAGE_ACC, 0 to 3, not {stage}")
    return int(stage)
