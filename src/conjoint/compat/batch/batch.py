"""Batches of worlds with the interface of `mujoco.batch.Batch`."""

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
    """Many simulations of one model, with arrays that have a row for each simulation.

    Bind fields with `bind`, or read them as attributes: `batch.qpos`. Arrays of the state may be written to; the others
    hold results of the last call. `batch.joint("knee")` and similar methods return the parts of one element.

    Args:
        model: the model; a copy is simulated.
        nsim: number of simulations.
        nthread: number of threads, including the caller's; 0 for one per processor.
        persistent: whether each simulation has its own world (`MjData`), with all fields.
        lanes: whether simulations run side by side in vector registers if possible. They then agree with `mj_step` up
            to rounding, otherwise bit for bit. None selects lanes if there are enough simulations for a speedup and
            they are not persistent. Not in the official package.

    Attributes:
        model: the model.
        state: state of each simulation (mjSTATE_INTEGRATION), shape (nsim, nstate), which may be written to.
        warning: for each type of warning (mjtWarning), the number in the last one and their count, shape (nsim, ntype,
            2).
        status: 0, or 1 where the last call of a simulation raised an error.

    Raises:
        ValueError: there are no simulations, or the model needs them to be persistent.
    """

    def step(self, ids: Ids = None, nstep: int = 1, stage: int = 0) -> None:
        """Take steps, as mj_step does, and then compute stages.

        Args:
            ids: the simulations: sorted numbers, a mask, or None for all.
            nstep: number of steps.
            stage: compute the new state's stages up to this one (mjtStage); mjSTAGE_NONE: none.

        Raises:
            SimulationError: errors came up in some simulations.
        """
        sims, stage = chosen(ids, self._nsim), _checked_stage("step", stage)
        if nstep < 1:
            raise ArgumentError(f"step: nstep must be positive, not {nstep}")
        check_callbacks()
        if self._lanes.can():
            self._lanes.step(sims, int(nstep), stage)
        else:
            self._worlds.run(sims, stepping(int(nstep), stage))
        self._told(sims)

    def forward(self, ids: Ids = None, stage: int = 3) -> None:
        """Compute the stages of forward dynamics up to one (mjtStage): all if it is mjSTAGE_ACC.

        Args:
            ids: the simulations: sorted numbers, a mask, or None for all.
            stage: the last stage.

        Raises:
            SimulationError: errors came up in some simulations.
        """
        sims, stage = chosen(ids, self._nsim), _checked_stage("forward", stage)
        check_callbacks()
        if self._lanes.can():
            self._lanes.forward(sims, stage)
        else:
            self._worlds.run(sims, lambda m, d, _: compute(m, d, stage))
        self._told(sims)

    def reset(self, ids: Ids = None, keyframe: npt.ArrayLike = -1, stage: int = 3) -> None:
        """Put simulations into the initial state or into keyframes, and then compute stages.

        Args:
            ids: the simulations: sorted numbers, a mask, or None for all.
            keyframe: number of a keyframe, or one for each simulation of the call; -1: the initial state.
            stage: compute the stages up to this one (mjtStage).

        Raises:
            ValueError: the keyframe does not exist.
            SimulationError: errors came up in some simulations.
        """
        sims, stage = chosen(ids, self._nsim), _checked_stage("reset", stage)
        keys = integers("keyframe", keyframe, (len(sims),), -1, self.model.nkey)
        check_callbacks()

        def reset(m: MjModel, d: MjData, index: int) -> None:
            mj_resetDataKeyframe(m, d, int(keys[index]))

        self._worlds.run(sims, reset)
        self._lanes.reset(sims)
        self._told(sims)
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
        """Take steps; apply controls before each step, and record fields after it.

        A simulation with a warning stops; the rest of its records repeat that step.

        Args:
            nstep: number of steps.
            control: controls, shape (n or 1, nstep or 1, ncontrol); None for those in the state.
            control_spec: components of a control, bits of mjSTATE_USER; None for `ctrl`.
            record: fields by name, or parts of the state by bits of mjtState.
            ids: the n simulations: sorted numbers, a mask, or None for all.
            out: arrays that receive the records, by item.

        Returns:
            Arrays of shape (n, nstep, ...), by item.

        Raises:
            ValueError: a field or shape does not fit.
            SimulationError: errors came up in some simulations.
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
            self._told(sims)
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
        """Take a step of some simulations in lanes."""
        self._lanes.step(sims, 1, 0)
        self._told(sims)

    def jac(self, body: npt.ArrayLike, point: npt.ArrayLike, ids: Ids = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the Jacobians of points fixed to bodies (mj_jac), at the positions in the states.

        Args:
            body: number of a body, or one for each simulation of the call.
            point: a point in the global frame, or one for each, shape (3,) or (n, 3).
            ids: the n simulations.

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
        self._told(sims)
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
        """Return the distances along rays (mj_ray), at the positions in the states.

        Args:
            pnt: start points of rays, shape (3,), (nray, 3), or (n, nray, 3).
            vec: their directions, of the same shape.
            geomgroup: visible groups of geoms, 6 elements; None for all.
            flg_static: whether they hit geoms of the world.
            bodyexclude: a body that rays pass through, or one for each ray; -1 for none.
            ids: the n simulations.
            normal: whether to return normals, too.

        Returns:
            Distances (-1 for a miss) and ids of geoms, shape (n, nray); with `normal`, also normals, shape (n, nray,
            3).
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
        self._told(sims)
        return (distances, geoms, normals) if normal else (distances, geoms)


def _checked_stage(function: str, stage: int) -> int:
    """Return a stage as an int. Raises FatalError if it does not exist."""
    if not 0 <= int(stage) <= 3:
        raise ArgumentError(f"{function}: stage must be from mjSTAGE_NONE to mjSTAGE_ACC, 0 to 3, not {stage}")
    return int(stage)
