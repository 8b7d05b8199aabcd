"""Trajectories from initial states under sequences of controls, on several threads.

Every trajectory is what `mj_step` makes of it in a world of its own, bit for bit, whatever the number of threads; the
arguments, their rules and the errors are those of the official module of this name, version 3.3.5. `Batch` is faster
where rounding does not matter.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from conjoint.api.functions.functions import mj_step
from conjoint.api.functions.state import mj_stateSize, state_parts
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.runtime.reset import initial_values, write
from conjoint.schema.enums import mjtState

FULLPHYSICS = int(mjtState.mjSTATE_FULLPHYSICS)
USER = int(mjtState.mjSTATE_USER)

Models = MjModel | Sequence[MjModel]
Worlds = MjData | Sequence[MjData]


class Rollout:
    """Threads that roll out trajectories, kept from call to call; a context manager that ends them."""

    def __init__(self, *, nthread: int | None = None):
        """Make `nthread` threads; with none, trajectories are computed by the caller."""
        self._nthread = nthread or 0
        self._pool = ThreadPoolExecutor(self._nthread, "conjoint rollout") if self._nthread else None
        self._closed = False

    def __enter__(self) -> Rollout:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads."""
        self._closed = True
        if self._pool is not None:
            self._pool.shutdown()

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
        """Roll out trajectories; a dimension of length 1 of an input is repeated.

        After a step with a warning a trajectory stands still: the rest of its outputs repeat that step.

        Args:
            model: a model, or one for each trajectory, of equal sizes.
            data: a world to work in, or one for each thread.
            initial_state: states to begin from (mjSTATE_FULLPHYSICS), shape (nbatch or 1, nstate).
            control: what is applied before each step, shape (nbatch or 1, nstep or 1, ncontrol); None: nothing.
            control_spec: what a control consists of, bits of mjSTATE_USER.
            skip_checks: take arguments as they are: all shapes complete, outputs given, float64, row-major.
            nstep: number of steps, if no other argument tells.
            initial_warmstart: warm starts of the solver, shape (nbatch or 1, nv); None: zero.
            state: receives states, shape (nbatch, nstep, nstate); None: a new array.
            sensordata: receives readings of sensors, shape (nbatch, nstep, nsensordata); None: a new array.
            chunk_size: trajectories that a thread takes at a time.

        Returns:
            States and readings after every step: `state` and `sensordata`.

        Raises:
            ValueError: shapes or sizes that do not fit.
            RuntimeError: the threads have been ended.
        """
        if self._closed:
            raise RuntimeError("rollout requested after thread pool shutdown")
        worlds = list(data) if isinstance(data, Sequence) else [data]
        if not worlds:
            raise ValueError("The list of data instances is empty")
        if not self._nthread and len(worlds) > 1:
            raise ValueError("More than one data instance passed but rollout is configured to run on main thread")
        if self._nthread and len(worlds) != self._nthread:
            raise ValueError(f"Length of data: {len(worlds)} not equal to nthread: {self._nthread}")
        models = list(model) if isinstance(model, Sequence) else [model]
        if not models:
            raise ValueError("The list of models is empty")
        if skip_checks:
            complete: tuple[Any, ...] = (initial_state, control, initial_warmstart, state, sensordata)
        else:
            complete = _completed(
                models, initial_state, control, control_spec, nstep, initial_warmstart, state, sensordata
            )
        work = _Work(models, int(control_spec), *complete)
        self._share_out(work, worlds, chunk_size)
        return work.state, work.sensordata

    def _share_out(self, work: _Work, worlds: list[MjData], chunk_size: int | None) -> None:
        """Let every thread take trajectories until none are left."""
        if self._pool is None:
            work.go(worlds[0], iter([range(work.count)]))
            return
        size = chunk_size or max(1, work.count // (10 * self._nthread))
        chunks = _Shared(range(first, min(first + size, work.count)) for first in range(0, work.count, size))
        futures = [self._pool.submit(work.go, world, chunks) for world in worlds]
        # errors of one thread are told when all have ended
        errors = [error for future in futures if (error := future.exception())]
        if errors:
            raise errors[0]


class _Shared(Iterator[range]):
    """Chunks of which each thread takes the next."""

    def __init__(self, chunks: Iterator[range]):
        self._chunks, self._lock = chunks, threading.Lock()

    def __next__(self) -> range:
        with self._lock:
            return next(self._chunks)


class _Work:
    """Trajectories to compute, with complete arguments."""

    def __init__(
        self,
        models: list[MjModel],
        control_spec: int,
        initial_state: np.ndarray,
        control: np.ndarray | None,
        initial_warmstart: np.ndarray | None,
        state: np.ndarray,
        sensordata: np.ndarray,
    ):
        self.models, self.initial_state, self.warmstart = models, initial_state, initial_warmstart
        self.control, self.control_spec = control, control_spec
        self.state, self.sensordata = state, sensordata
        self.count = len(initial_state)

    def go(self, d: MjData, chunks: Iterator[range]) -> None:
        """Compute trajectories in world `d`, as many as `chunks` gives."""
        for chunk in chunks:
            for index in chunk:
                self._trajectory(self.models[index if len(self.models) > 1 else 0], d, index)

    def _trajectory(self, m: MjModel, d: MjData, index: int) -> None:
        """One trajectory from its first to its last step, or to the first with a warning."""
        self._begin(m, d, index)
        physics, readings = state_parts(d, FULLPHYSICS, "rollout"), d.sensordata
        controls = state_parts(d, self.control_spec, "rollout") if self.control is not None else []
        warnings = d._world.data.view("warning.number")
        states, sensors = self.state[index], self.sensordata[index]
        for step in range(len(states)):
            if self.control is not None:
                _scatter(self.control[index, step], controls)
            mj_step(m, d)
            np.concatenate(physics, out=states[step])
            sensors[step] = readings
            if warnings.any():
                states[step + 1 :], sensors[step + 1 :] = states[step], sensors[step]
                break

    def _begin(self, m: MjModel, d: MjData, index: int) -> None:
        """Put the world into the initial state of a trajectory, whatever happened in it before."""
        data = d._world.data
        for part in state_parts(d, USER, "rollout"):
            part[...] = 0
        write(data, initial_values(m._plan))
        _scatter(self.initial_state[index], state_parts(d, FULLPHYSICS, "rollout"))
        d.qacc_warmstart[...] = 0 if self.warmstart is None else self.warmstart[index]
        for name in ("warning.number", "warning.lastinfo", "warning_reported"):
            data.view(name)[...] = 0


def _scatter(numbers: np.ndarray, parts: list[np.ndarray]) -> None:
    """Write one array to several, one after another."""
    start = 0
    for part in parts:
        part[...] = numbers[start : start + part.size]
        start += part.size


def _completed(
    models: list[MjModel],
    initial_state: npt.ArrayLike,
    control: npt.ArrayLike | None,
    control_spec: int,
    nstep: int | None,
    initial_warmstart: npt.ArrayLike | None,
    state: np.ndarray | None,
    sensordata: np.ndarray | None,
) -> tuple[np.ndarray | None, ...]:
    """The arrays in full: inputs repeated, outputs made."""
    if control_spec & ~USER:
        raise ValueError("control_spec can only contain bits in mjSTATE_USER")
    m = models[0]
    nstate = mj_stateSize(m, FULLPHYSICS)
    arrays = {
        "initial_state": _array("initial_state", initial_state, 2, nstate),
        "control": _array("control", control, 3, mj_stateSize(m, control_spec)),
        "initial_warmstart": _array("initial_warmstart", initial_warmstart, 2, m.nv),
        "state": _array("state", state, 3, nstate),
        "sensordata": _array("sensordata", sensordata, 3, m.nsensordata),
    }
    given = {name: array for name, array in arrays.items() if array is not None}
    nbatch = _length(0, {name: array.shape[0] for name, array in given.items()}, len(models))
    nstep = _length(1, {name: array.shape[1] for name, array in given.items() if array.ndim == 3}, nstep or 1)
    if len(models) not in (1, nbatch):
        raise ValueError(f"nbatch inferred as {nbatch} but model is length {len(models)}")
    for name, array in given.items():
        lengths = (nbatch, nstep) if array.ndim == 3 else (nbatch,)
        output = name in ("state", "sensordata")
        if output and array.shape[:2] != lengths:
            raise ValueError(f"{name} must have shape {(*lengths, array.shape[-1])}, got {array.shape}")
        arrays[name] = array if output else np.broadcast_to(array, (*lengths, array.shape[-1]))
    for name, last in (("state", nstate), ("sensordata", m.nsensordata)):
        if arrays[name] is None:
            arrays[name] = np.empty((nbatch, nstep, last))
    return tuple(arrays.values())


def _array(name: str, value: npt.ArrayLike | None, ndim: int, last: int) -> np.ndarray | None:
    """An argument as float64 array of `ndim` dimensions, the last of a given length; missing ones come first."""
    if value is None:
        return None
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be a numpy array or float")
    if array.ndim > ndim:
        raise ValueError(f"{name} can have at most {ndim} dimensions")
    full = np.ascontiguousarray(array, np.float64).reshape((1,) * (ndim - array.ndim) + array.shape)
    if full.shape[-1] != last:
        raise ValueError(f"trailing dimension of {name} must be {last}, got {full.shape[-1]}")
    return full


def _length(dimension: int, lengths: dict[str, int], default: int) -> int:
    """The length of a dimension: the one that is not 1, which must be the same in all arrays that have it."""
    found = default
    for name, length in lengths.items():
        if length != 1:
            if found not in (1, length):
                raise ValueError(f"dimension {dimension} inferred as {found} but {name} has {length}")
            found = length
    return found


_persistent: dict[int, Rollout] = {}
"""The threads that calls with `persistent_pool` share, by their number; there is at most one entry."""


def rollout(
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
    persistent_pool: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Roll out trajectories: see `Rollout.rollout`.

    Args:
        model, data, initial_state, control, control_spec, skip_checks, nstep, initial_warmstart, state, sensordata,
            chunk_size: see there; several worlds run on as many threads.
        persistent_pool: keep the threads for later calls, until `shutdown_persistent_pool`.

    Returns:
        States and readings of sensors after every step.

    Raises:
        ValueError: shapes or sizes that do not fit.
    """
    nthread = len(data) if isinstance(data, Sequence) and len(data) > 1 else 0
    if persistent_pool and nthread not in _persistent:
        shutdown_persistent_pool()
        _persistent[nthread] = Rollout(nthread=nthread)
    threads = _persistent[nthread] if persistent_pool else Rollout(nthread=nthread)
    try:
        return threads.rollout(
            model,
            data,
            initial_state,
            control,
            control_spec=control_spec,
            skip_checks=skip_checks,
            nstep=nstep,
            initial_warmstart=initial_warmstart,
            state=state,
            sensordata=sensordata,
            chunk_size=chunk_size,
        )
    finally:
        if not persistent_pool:
            threads.close()


def shutdown_persistent_pool() -> None:
    """End the threads that calls with `persistent_pool` share."""
    while _persistent:
        _persistent.popitem()[1].close()


atexit.register(shutdown_persistent_pool)
