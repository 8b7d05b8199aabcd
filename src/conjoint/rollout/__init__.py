"""Rollouts: trajectories from initial states under sequences of controls, computed on several threads.

Arguments, their rules and errors are those of the module `mujoco.rollout`, version 3.3.5. Many trajectories of one
model run side by side in the lanes of vector registers, as in a `Batch`. They agree with `mj_step` up to rounding, and
no bit depends on the number of trajectories or threads. Few trajectories, or trajectories with different models, run in
single worlds and agree with `mj_step` bit for bit.
"""

from __future__ import annotations

import atexit
import inspect
import itertools
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from conjoint.api.arguments import Count, Long, StepCount, given
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.struct import Record
from conjoint.lang.threads.thread_pool import ThreadPool
from conjoint.once import ForkLock
from conjoint.rollout.arguments import Models, Work, Worlds, as_they_are, completed, own_spec
from conjoint.rollout.trajectories import forget, pays, roll_out, roll_out_alone
from conjoint.schema.enums import mjtState
from conjoint.schema.version import STANDS_FOR

__all__ = ["Rollout", "rollout", "shutdown_persistent_pool"]


def _made(nthread: int) -> Rollout:
    """Create the pool that replaces a pickled or copied one."""
    return Rollout(nthread=nthread)


class Rollout:
    """Thread pool that rolls out trajectories. A `with` statement ends its threads on exit.

    Args:
        nthread: number of threads; None or 0 to compute trajectories on the caller's thread.

    Raises:
        ValueError: `nthread` is negative.
    """

    def __init__(self, *, nthread: int | None = None):
        self._nthread = given("nthread", nthread, Count | None) or 0
        self._pool = ThreadPool("conjoint rollout")
        self._closed = False
        self._turn = ForkLock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle or copy the pool as a new pool with the same number of threads."""
        return _made, (self._nthread,)

    def __enter__(self) -> Rollout:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads, after waiting for a call that another thread is running."""
        with self._turn.held:
            self._closed = True
            self._pool.close()

    def rollout(
        self,
        model: Models,
        data: Worlds,
        initial_state: npt.ArrayLike,
        control: npt.ArrayLike | None = None,
        *,
        control_spec: int = int(mjtState.mjSTATE_CTRL),
        skip_checks: bool = False,
        nstep: int | None = None,
        initial_warmstart: npt.ArrayLike | None = None,
        state: np.ndarray | None = None,
        sensordata: np.ndarray | None = None,
        chunk_size: int | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Roll out trajectories. Input dimensions of length 1 are broadcast.

        A trajectory stops after a step with a warning, and its remaining outputs repeat the outputs of that step.
        Inputs in `data` that `control_spec` selects are kept until a control replaces them. All other inputs are
        cleared at the start of a trajectory. Calls from several threads run one after another.

        Args:
            model: a model, or one model per trajectory; all models have equal sizes.
            data: a world to simulate in, or one world per thread.
            initial_state: initial states (mjSTATE_FULLPHYSICS), shape (nbatch or 1, nstate).
            control: controls for each step, shape (nbatch or 1, nstep or 1, ncontrol); None to use the inputs in
                `data`.
            control_spec: state components that a control consists of, bits of mjSTATE_USER. If `control` is None, their
                values in `data` are used.
            skip_checks: whether to skip checks and broadcasting. Then shapes must be complete, outputs must be passed,
                and arrays must be float64 and row-major.
            nstep: number of steps, needed if no other argument determines it.
            initial_warmstart: initial warm starts of the solver, shape (nbatch or 1, nv); None for zero.
            state: receives the states, shape (nbatch, nstep, nstate); None for a new array.
            sensordata: receives the sensor readings, shape (nbatch, nstep, nsensordata); None for a new array.
            chunk_size: number of trajectories that a thread processes at a time; None for a default.

        Returns:
            States and sensor readings after every step: `state` and `sensordata`.

        Raises:
            ValueError: shapes or sizes do not match.
            RuntimeError: the pool is closed.
        """
        chunk_size = _count("chunk_size", chunk_size, 1, "a positive integer")
        nstep = _count("nstep", nstep, 0, "non-negative, an integer")
        with self._turn.held:
            if self._closed:
                raise RuntimeError("rollout requested after thread pool shutdown")
            models, worlds = self._checked(model, data)
            arrays = {
                "initial_state": initial_state, "control": control, "initial_warmstart": initial_warmstart,
                "state": state, "sensordata": sensordata,
            }  # fmt: skip
            if skip_checks:
                control_spec = own_spec(int(control_spec))
                full = as_they_are(models, control_spec, arrays)
            else:
                control_spec = own_spec(given("control_spec", control_spec, Long))
                full = completed(models, control_spec, nstep, arrays)
            work = Work(models, worlds, control_spec, **full)
            if work.state.shape[1] == 0:
                return work.state, work.sensordata
            if pays(work):
                roll_out(work, max(1, self._nthread))
            else:
                roll_out_alone(work, self._pool, chunk_size)
            return work.state, work.sensordata

    def _checked(self, model: Models, data: Worlds) -> tuple[list[MjModel], list[MjData]]:
        """Return lists of models and worlds, after checking that they match each other and the number of threads."""
        worlds = list(data) if isinstance(data, Sequence) else [data]
        if not worlds:
            raise ValueError("The list of data instances is empty")
        if not self._nthread and len(worlds) > 1:
            raise ValueError("More than one data instance passed but rollout is configured to run on main thread")
        if self._nthread and len(worlds) != self._nthread:
            raise ValueError(f"Length of data: {len(worlds)} not equal to nthread: {self._nthread}")
        shared = next((i for i, world in enumerate(worlds) if getattr(world, "nthread", 1) > 1), None)
        if STANDS_FOR.moved and shared is not None:
            raise ValueError(
                f"rollout: data[{shared}] has a thread pool (mju_threadpool): remove it, since rollout distributes "
                "trajectories over threads itself"
            )
        models = list(model) if isinstance(model, Sequence) else [model]
        if not models:
            raise ValueError("The list of models is empty")
        for argument, kind, listed in (("model", MjModel, models), ("data", MjData, worlds)):
            wrong = [each for each in listed if not isinstance(each, kind)]
            if wrong:
                raise TypeError(
                    f"rollout: {argument} must be an {kind.__name__} or a list of them, not {wrong[0]!r:.40}"
                )
        for argument, each in itertools.chain((("model", m) for m in models), (("data", d) for d in worlds)):
            if each.sizes is not models[0].sizes and each.sizes != models[0].sizes:
                raise ValueError(
                    f"rollout: {argument} must be of the sizes of the first model: {_unlike(models[0], each)}"
                )
        return models, worlds


def _count(name: str, value: Any, least: int, expected: str) -> int | None:
    """Return an argument that is a count, or None. Other numbers raise MuJoCo's error."""
    if isinstance(value, bool | float) or (isinstance(value, int | np.integer) and value < least):
        raise ValueError(f"{name} must be {expected}, not {value!r}")
    return given(name, value, StepCount | None)


def _unlike(first: MjModel, other: Record) -> str:
    """Return a message about the first size that differs between a model and another object."""
    name = next(name for name, size in first.sizes.items() if other.sizes.get(name) != size)
    return f"{name} is {other.sizes.get(name)}, not {first.sizes[name]}"


_persistent: dict[int, Rollout] = {}
"""The thread pool shared by all calls that set `persistent_pool`, keyed by its number of threads."""

_shared = ForkLock()
"""Lock that protects the persistent pool."""

if hasattr(os, "register_at_fork"):
    # in a forked child, only the thread that called fork exists
    os.register_at_fork(after_in_child=_persistent.clear)


def rollout(
    model: Models, data: Worlds, *arguments: Any, persistent_pool: bool = False, **options: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Roll out trajectories, as `Rollout.rollout` does.

    Args:
        model: a model, or one model per trajectory; all models have equal sizes.
        data: a world to simulate in, or a list of worlds, one for each thread.
        arguments, options: the other arguments of `Rollout.rollout`.
        persistent_pool: whether to keep the threads for later calls, until `shutdown_persistent_pool` is called.

    Returns:
        States and sensor readings after every step.

    Raises:
        ValueError: shapes or sizes do not match.
    """
    nthread = len(data) if isinstance(data, Sequence) and len(data) > 1 else 0
    if persistent_pool:
        with _shared.held:
            if nthread not in _persistent:
                shutdown_persistent_pool()
                _persistent[nthread] = Rollout(nthread=nthread)
            return _persistent[nthread].rollout(model, data, *arguments, **options)
    with Rollout(nthread=nthread) as threads:
        return threads.rollout(model, data, *arguments, **options)


def _official_signature() -> inspect.Signature:
    """Return the signature of `rollout` for `help` and editors: the method's arguments and `persistent_pool`."""
    method, pool = (inspect.signature(function).parameters for function in (Rollout.rollout, rollout))
    _, *shared = method.values()
    returned = inspect.signature(rollout).return_annotation
    return inspect.Signature([*shared, pool["persistent_pool"]], return_annotation=returned)


rollout.__signature__ = _official_signature()  # type: ignore[attr-defined]


def shutdown_persistent_pool() -> None:
    """End the threads of the persistent pool and of the cached batch."""
    forget()
    with _shared.held:
        while _persistent:
            _persistent.popitem()[1].close()


atexit.register(shutdown_persistent_pool)
