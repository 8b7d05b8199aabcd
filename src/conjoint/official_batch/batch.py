"""`mujoco.batch.Batch`."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from conjoint.api.functions.constants import mj_setConst
from conjoint.api.functions.state import mj_copyData, mj_resetData, mj_resetDataKeyframe
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError
from conjoint.lang.system import processors
from conjoint.official_batch import geometry
from conjoint.official_batch.failures import SimulationError
from conjoint.official_batch.fields import DATA_FIELDS, STATE, check_expanded, hint, only_computed
from conjoint.official_batch.ids import Ids, chosen, integers
from conjoint.official_batch.lanes import Lanes
from conjoint.official_batch.models import Models
from conjoint.official_batch.named import finder
from conjoint.official_batch.results import Results
from conjoint.official_batch.rollout import Controls, Item, Records
from conjoint.official_batch.worlds import Worlds, compute, stepping
from conjoint.runtime.user import installed


class Batch:
    """Simulations of one model, whose fields are rows of arrays.

    Fields are bound by `bind`, or read as attributes: `batch.qpos`. Arrays of the state may be written to; the others
    show what the last call computed. `batch.joint("knee")` and the like have the parts that belong to one element.

    Args:
        model: the model; a copy is simulated.
        nsim: number of simulations.
        nthread: threads, that of the caller among them; 0: one for each processor.
        persistent: whether each simulation keeps a world (`MjData`) of its own, with all fields.
        lanes: whether simulations run side by side in vector registers where they can. They then agree with `mj_step`
            to rounding; otherwise bit for bit. None: where there are enough of them for that to be faster, and
            simulations have no world of their own. Not in the official package.

    Attributes:
        model: the model.
        state: state of each simulation (mjSTATE_INTEGRATION), shape (nsim, nstate), which may be written to.
        warning: for each type of warnings (mjtWarning) what the last told, and how many came, shape (nsim, ntype, 2).
        status: 0, or 1 where the last call of a simulation raised an error.

    Raises:
        ValueError: there are no simulations, or the model needs them to be persistent.
    """

    actuator, body, camera = finder("actuator"), finder("body"), finder("camera")
    equality, geom, joint = finder("equality"), finder("geom"), finder("joint")
    keyframe, light, material = finder("keyframe"), finder("light"), finder("material")
    numeric, pair, sensor = finder("numeric"), finder("pair"), finder("sensor")
    site, tendon = finder("site"), finder("tendon")

    def __init__(
        self, model: MjModel, nsim: int, nthread: int = 0, persistent: bool = False, *, lanes: bool | None = None
    ):
        if not isinstance(model, MjModel):
            raise TypeError(f"Batch: model must be an MjModel, not {model!r:.60}")
        if nsim < 1:
            raise ValueError(f"nsim must be positive, not {nsim}")
        _check_callbacks()
        self.model = copy.copy(model)
        self._nsim, self._nthread, self._persistent = int(nsim), int(nthread) or processors(), bool(persistent)
        self.template = MjData(self.model)
        self._results, self._models = Results(self.template, self._nsim), Models(self.model, self._nsim)
        self._worlds = Worlds(self._results, self._models, self._nthread, self._persistent)
        self._lanes = Lanes(
            self._results, self._models, self._nthread, False if persistent and lanes is None else lanes
        )
        self.state, self.warning = self._results.state, self._results.warning
        self.status = self._results.status.view()
        self.status.flags.writeable = False
        self._worlds.run(np.arange(self._nsim), lambda m, d, _: mj_resetData(m, d))

    # ---- what it is

    @property
    def nsim(self) -> int:
        """Number of simulations."""
        return self._nsim

    @property
    def nthread(self) -> int:
        """Threads, that of the caller among them."""
        return self._nthread

    @property
    def nstate(self) -> int:
        """Numbers in the state of a simulation."""
        return int(self.state.shape[1])

    @property
    def persistent(self) -> bool:
        """Whether each simulation has a world of its own."""
        return self._persistent

    @property
    def models(self) -> MjModel | tuple[MjModel, ...] | None:
        """What `set_models` set: a model, or one for each simulation; None: nothing."""
        return self._models.given

    def error(self, sim: int) -> str:
        """The message of the error that the last call of a simulation raised; "" if it raised none.

        Args:
            sim: number of the simulation.
        """
        return self._results.errors.get(self._number(sim), "")

    def _number(self, sim: int) -> int:
        """The number of a simulation; IndexError if there is none."""
        if not 0 <= sim < self._nsim:
            raise IndexError(f"sim must be in [0, {self._nsim}), got {sim}")
        return int(sim)

    def __getattr__(self, name: str) -> Any:
        if name in DATA_FIELDS:
            return self.bind(name)
        raise AttributeError(f"a batch has no attribute {name!r}{'' if name[:1] == '_' else hint(name, DATA_FIELDS)}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in STATE:
            self.bind(name)[...] = value
        elif name in DATA_FIELDS:
            raise only_computed(name)
        else:
            object.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *DATA_FIELDS})

    def __repr__(self) -> str:
        return f"<conjoint.official_batch.Batch: {self._nsim} simulations>"

    # ---- fields

    def bind(self, name: str) -> np.ndarray:
        """A live array of a field of `MjData`, shape (nsim, ...).

        Fields of the state are columns of `state`: what is written there is where a simulation goes on from. The others
        are computed by every call, and zero until the next one; after a step they belong to the state before its last
        substep, as with mj_step.

        Args:
            name: one of DATA_FIELDS.

        Raises:
            ValueError: there is no such field.
        """
        new = name not in STATE and name not in self._results.bound
        found = self._results.bind(name)
        if new and self._persistent:
            for sim in range(self._nsim):
                data = self._worlds.of(sim)
                assert data is not None
                self._results.bound[name][sim] = getattr(data, name)
        return found[:, 0] if name == "time" and found.ndim > 1 else found

    def expand(self, name: str) -> np.ndarray:
        """Values of a field of the model for each simulation, shape (nsim, ...), which may be written to.

        Call `set_const` after writing to what mj_setConst reads, such as `body_mass`.

        Args:
            name: one of MODEL_FIELDS; options have "opt." before their names.

        Raises:
            ValueError: there is no such field, or all simulations share it.
            FatalError: simulations run on models of the program (`set_models`).
        """
        check_expanded(name, self.model)
        return self._models.expand(name)

    def expanded(self, name: str) -> np.ndarray | None:
        """Values of a field of the model for each simulation, to read; None: all simulations have that of the model.

        Args:
            name: one of MODEL_FIELDS; options have "opt." before their names.

        Raises:
            ValueError: there is no such field, or all simulations share it.
        """
        check_expanded(name, self.model)
        found = self._models.values(name)
        if found is None:
            return None
        shown = found.view()
        shown.flags.writeable = False
        return shown

    @property
    def _expanded(self) -> Mapping[str, np.ndarray]:
        """Fields that `expand` gave out; a name of the official package."""
        return self._models.expanded

    @property
    def own_fields(self) -> Iterable[str]:
        """Names of the fields that `expand` gave out."""
        return self._models.expanded.keys()

    def set_const(self, ids: Ids = None) -> None:
        """Compute the constants that follow from expanded fields (mj_setConst), for each simulation its own.

        Args:
            ids: the simulations: numbers, a mask, or None for all.

        Raises:
            SimulationError: the model of a simulation is not one that can be.
            FatalError: simulations run on models of the program (`set_models`).
        """
        self._models.check_own("set_const")
        sims = chosen(ids, self._nsim)
        self._models.prepare_derived()

        def derive(m: MjModel, d: MjData, index: int) -> None:
            mj_setConst(m, d)
            self._models.keep_derived(m, int(sims[index]))

        self._worlds.run(sims, derive, save=False)
        self._worlds.forget_models()
        self._models.remember()
        self._told(sims)

    def set_models(self, models: MjModel | Iterable[MjModel] | None) -> None:
        """Let simulations run on models of the program, in place of expanded fields.

        Args:
            models: one for all, or one for each; None: the model of the batch again.

        Raises:
            FatalError: fields are expanded.
            ValueError: the number of models, or sizes of one, do not fit.
        """
        self._models.give(models)

    def get_model(self, sim: int, model: MjModel | None = None) -> MjModel:
        """The model of a simulation: a copy, with its values of expanded fields.

        Args:
            sim: the simulation.
            model: receives it, if given: a model of the same sizes.
        """
        found = self._models.of(self._number(sim))
        if model is None:
            return copy.copy(found) if self.models is not None else found
        if model.sizes != found.sizes:
            raise ValueError("get_model: the model given has other sizes than that of the batch")
        model.memory.bytes[...] = found.memory.bytes
        return model

    def get_data(self, sim: int, data: MjData | None = None) -> MjData:
        """A world in the state of a simulation; without `persistent` mj_forward computes all else.

        Args:
            sim: the simulation.
            data: receives it, if given: a world of a model of the same sizes.
        """
        number, model = self._number(sim), self.get_model(sim)
        if data is None:
            data = MjData(model)
        own = self._worlds.of(number)
        if own is not None:
            mj_copyData(data, model, own)
        self._worlds.load(model, data, number)
        return data

    # ---- calls

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
            raise FatalError(f"step: nstep must be positive, not {nstep}")
        self._advance(sims, int(nstep), stage)
        self._told(sims)

    def _advance(self, sims: np.ndarray, nstep: int, stage: int) -> None:
        """Take steps of some simulations, where that is best."""
        _check_callbacks()
        if self._lanes.can():
            self._lanes.step(sims, nstep, stage)
        else:
            self._worlds.run(sims, stepping(nstep, stage))

    def forward(self, ids: Ids = None, stage: int = 3) -> None:
        """Compute the stages of forward dynamics up to one (mjtStage): all if it is mjSTAGE_ACC.

        Args:
            ids: the simulations: sorted numbers, a mask, or None for all.
            stage: the last stage.

        Raises:
            SimulationError: errors came up in some simulations.
        """
        sims, stage = chosen(ids, self._nsim), _checked_stage("forward", stage)
        _check_callbacks()
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
            ValueError: there is no such keyframe.
            SimulationError: errors came up in some simulations.
        """
        sims, stage = chosen(ids, self._nsim), _checked_stage("reset", stage)
        keys = integers("keyframe", keyframe, (len(sims),), -1, self.model.nkey)
        _check_callbacks()

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
        """Take steps, apply controls before each, and record fields after it.

        A simulation in which a warning comes up stands still; the rest of its records repeat that step.

        Args:
            nstep: number of steps.
            control: what is applied, shape (n or 1, nstep or 1, ncontrol); None: what the state has.
            control_spec: what a control consists of, bits of mjSTATE_USER; None: `ctrl`.
            record: fields by name, or parts of the state by bits of mjtState.
            ids: the n simulations: sorted numbers, a mask, or None for all.
            out: arrays that receive records, by what they record.

        Returns:
            Arrays of shape (n, nstep, ...), by what they record.

        Raises:
            ValueError: a field or shape does not fit.
            SimulationError: errors came up in some simulations.
        """
        sims = chosen(ids, self._nsim)
        if nstep < 0:
            raise ValueError(f"nstep must be at least 0, not {nstep}")
        controls = Controls(self._results, control, control_spec, len(sims), nstep)
        records = Records(self._results, record, len(sims), nstep, out)
        moving, before = np.arange(len(sims)), self.warning[sims, :, 1].copy()
        for step in range(nstep):
            controls.apply(step, moving, sims)
            self._advance(sims[moving], 1, 0)
            self._told(sims[moving])
            records.take(step, moving, sims)
            moving = np.flatnonzero((self.warning[sims, :, 1] <= before).all(axis=1))
        return records.arrays

    def jac(self, body: npt.ArrayLike, point: npt.ArrayLike, ids: Ids = None) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians of points fixed to bodies (mj_jac), at the positions that the states have.

        Args:
            body: number of a body, or one for each simulation of the call.
            point: a point in the global frame, or one for each, shape (3,) or (n, 3).
            ids: the n simulations.

        Returns:
            Those of the position and of the orientation, shape (n, 3, nv) each.
        """
        sims = chosen(ids, self._nsim)
        bodies = integers("body", body, (len(sims),), 0, self.model.nbody)
        found, action = geometry.jacobians(self.model.nv, bodies, point)
        self._worlds.run(sims, action, save=False)
        self._told(sims)
        return found

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
        """Distances along rays (mj_ray), at the positions that the states have.

        Args:
            pnt: where rays begin, shape (3,), (nray, 3), or (n, nray, 3).
            vec: their directions, shaped alike.
            geomgroup: which groups of geoms they meet, 6 numbers; None: all.
            flg_static: whether they meet geoms of the world.
            bodyexclude: a body that they pass through, or one for each ray; -1: none.
            ids: the n simulations.
            normal: whether normals are found, too.

        Returns:
            Distances, -1 where nothing is hit, and ids of geoms, shape (n, nray); with `normal` the normals,
            shape (n, nray, 3).
        """
        sims = chosen(ids, self._nsim)
        rays = geometry.Rays(self.model.nbody, len(sims), (pnt, vec), bodyexclude, normal)
        self._worlds.run(sims, rays.caster(geomgroup, flg_static), save=False)
        self._told(sims)
        return rays.found

    def close(self) -> None:
        """End the threads; a later call starts them again."""
        self._worlds.close()
        self._lanes.close()

    def _told(self, sims: np.ndarray) -> None:
        """Raise SimulationError if the call failed in some of its simulations."""
        failed = sims[self.status[sims] != 0]
        if len(failed):
            raise SimulationError(failed, self.error(int(failed[0])), len(sims))


def _check_callbacks() -> None:
    """Raise ValueError if a callback is a function of Python, which would make threads wait for each other."""
    installed.follow()
    for name in installed.active:
        if name.startswith("mjcb_"):
            raise ValueError(f"{name} is a function of Python, which batches do not call: make it a kernel")


def _checked_stage(function: str, stage: int) -> int:
    """A stage, as an int. Raises FatalError: there is none of this number."""
    if not 0 <= int(stage) <= 3:
        raise FatalError(f"{function}: stage must be from mjSTAGE_NONE to mjSTAGE_ACC, 0 to 3, not {stage}")
    return int(stage)
