"""Base class of batches, with the fields and models of the simulations."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from conjoint.api.functions.constants import mj_setConst
from conjoint.api.functions.state import mj_copyData, mj_resetData
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.compat.batch.elements import finder
from conjoint.compat.batch.fields import DATA_FIELDS, STATE, Ids, check_expanded, chosen, hint, only_computed
from conjoint.compat.batch.models import Models
from conjoint.compat.batch.results import Results, SimulationError
from conjoint.compat.batch.worlds import Lanes, Worlds
from conjoint.lang.system import processors
from conjoint.runtime.user import installed


class Simulations:
    """Base class of `Batch` with the fields and models of simulations. `Batch` adds the methods that compute."""

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
        check_callbacks()
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

    # ---- properties

    @property
    def nsim(self) -> int:
        """Number of simulations."""
        return self._nsim

    @property
    def nthread(self) -> int:
        """Number of threads, including the caller's."""
        return self._nthread

    @property
    def nstate(self) -> int:
        """Length of the state vector of a simulation."""
        return int(self.state.shape[1])

    @property
    def persistent(self) -> bool:
        """True if each simulation has its own world (`MjData`)."""
        return self._persistent

    @property
    def models(self) -> MjModel | tuple[MjModel, ...] | None:
        """Models passed to `set_models`, one for all or one per simulation; None for the model of the batch."""
        return self._models.given

    def error(self, sim: int) -> str:
        """Return the error message of a simulation in its last call, or "" if it did not fail.

        Args:
            sim: index of the simulation.
        """
        return self._results.errors.get(self._number(sim), "")

    def _number(self, sim: int) -> int:
        """Return the index of a simulation as an int. Raises IndexError if the simulation does not exist."""
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
        return f"<conjoint.compat.batch.Batch: {self._nsim} simulations>"

    # ---- fields

    def bind(self, name: str) -> np.ndarray:
        """Return an array of a field of `MjData`, shape (nsim, ...), which later calls update.

        Fields of the state are columns of `state`, and simulations continue from values written to them. All other
        fields are zero until a call computes them. After a step, they belong to the state before its last substep, as
        with mj_step.

        Args:
            name: one of DATA_FIELDS.

        Raises:
            ValueError: the field does not exist.
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
        """Return a writable array of a model field's values for each simulation, shape (nsim, ...).

        Call `set_const` after writing to fields from which mj_setConst derives others, such as `body_mass`.

        Args:
            name: one of MODEL_FIELDS; names of options have the prefix "opt.".

        Raises:
            ValueError: the field does not exist, or all simulations share it.
            FatalError: simulations run on models that the program passed (`set_models`).
        """
        check_expanded(name, self.model)
        return self._models.expand(name)

    def expanded(self, name: str) -> np.ndarray | None:
        """Return a read-only array of a model field's values for each simulation, or None if the field is not expanded.

        Args:
            name: one of MODEL_FIELDS; names of options have the prefix "opt.".

        Raises:
            ValueError: the field does not exist, or all simulations share it.
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
        """Expanded fields by name. MuJoCo's package has an attribute of the same name."""
        return self._models.expanded

    def set_const(self, ids: Ids = None) -> None:
        """Recompute the constants that depend on expanded fields (mj_setConst), for each simulation.

        Args:
            ids: simulations: sorted indices, a mask, or None for all.

        Raises:
            SimulationError: the model of a simulation is invalid.
            FatalError: simulations run on models that the program passed (`set_models`).
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
        self._reported(sims)

    def set_models(self, models: MjModel | Iterable[MjModel] | None) -> None:
        """Set the models that the simulations use, in place of the batch's model with expanded fields.

        Args:
            models: one model for all simulations, or one per simulation; None restores the model of the batch.

        Raises:
            FatalError: fields have been expanded (`expand`).
            ValueError: the number of models is wrong, or a model has different sizes.
        """
        self._models.give(models)

    def get_model(self, sim: int, model: MjModel | None = None) -> MjModel:
        """Return a copy of the model of a simulation, including the simulation's individual field values (`expand`).

        Args:
            sim: index of the simulation.
            model: model of the same sizes that receives the values; None for a new model.
        """
        found = self._models.of(self._number(sim))
        if model is None:
            return copy.copy(found) if self.models is not None else found
        if model.sizes != found.sizes:
            raise ValueError("get_model: the model given has other sizes than that of the batch")
        model.memory.bytes[...] = found.memory.bytes
        return model

    def get_data(self, sim: int, data: MjData | None = None) -> MjData:
        """Return a world in the state of a simulation. Unless simulations are persistent, call mj_forward afterwards.

        Args:
            sim: index of the simulation.
            data: world of a model of the same sizes that receives the state; None for a new world.
        """
        number, model = self._number(sim), self.get_model(sim)
        if data is None:
            data = MjData(model)
        own = self._worlds.of(number)
        if own is not None:
            mj_copyData(data, model, own)
        self._worlds.load(model, data, number)
        return data

    def close(self) -> None:
        """End the threads. Later calls start them again."""
        self._worlds.close()
        self._lanes.close()

    def _reported(self, sims: np.ndarray) -> None:
        """Raise SimulationError if the last call failed in some of the simulations `sims`."""
        failed = sims[self.status[sims] != 0]
        if len(failed):
            raise SimulationError(failed, self.error(int(failed[0])), len(sims))


def check_callbacks() -> None:
    """Raise ValueError if a Python function is installed as callback, because it would serialize the threads."""
    installed.follow()
    for name in installed.active:
        if name.startswith("mjcb_"):
            raise ValueError(f"{name} is a Python function, which batches cannot call: define it as a kernel")
