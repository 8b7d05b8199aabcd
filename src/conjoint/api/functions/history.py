"""Histories of actuators and sensors: read and set past controls and readings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from conjoint.api.arguments import Matrix, OutVector, Vector, checked, require
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import ArgumentError
from conjoint.physics import history as physics_history
from conjoint.runtime.entry import entry
from conjoint.schema.data import HEAD, NEWEST, TIME

_read = entry(physics_history.read_history, "out real[]", "int", "int", "int", "int", "real")


class _Ring(NamedTuple):
    """The history of one actuator or sensor.

    Attributes:
        adr: index in `d.history`; -1: there is none.
        samples: number of samples.
        size: numbers of a sample.
        interp: default interpolation.
        delay: time before now that is read.
    """

    adr: int
    samples: int
    size: int
    interp: int
    delay: float


def _ring(m: MjModel, kind: str, id: int) -> _Ring:
    """Return the history of an actuator or sensor. Raises IndexError if it does not exist."""
    count = m.nactuator if kind == "actuator" else m.nsensor
    if not 0 <= id < count:
        raise IndexError(f"{kind} id out of range")
    size = m.actuator_ctrlnum[id] if kind == "actuator" else m.sensor_dim[id]
    samples, interp = getattr(m, f"{kind}_history")[id].tolist()
    delay = float(getattr(m, f"{kind}_delay")[id])
    return _Ring(int(getattr(m, f"{kind}_historyadr")[id]), samples, int(size), interp, delay)


def _read_ring(
    m: MjModel, d: MjData, ring: _Ring, now: np.ndarray, time: float, result: np.ndarray, interp: int
) -> None:
    """Write the sample at a time less the delay to `result`; without a history, the value `now`."""
    if ring.adr < 0:
        result[:] = now
    else:
        kind = interp if interp >= 0 else ring.interp
        _read(m.plans.current, d.world, result, ring.adr, ring.samples, ring.size, kind, time - ring.delay)


@checked
def mj_readCtrl(m: MjModel, d: MjData, id: int, time: float, result: OutVector, interp: int) -> np.ndarray:
    """Read the controls that an actuator uses at a time: from its history, after its delay.

    Args:
        d: the world.
        id: the actuator; without a history, its current controls are read.
        time: the time.
        result: receives the controls.
        interp: interpolation: 0 for the previous sample, 1 linear, 2 cubic; -1 for the default of the model.

    Returns:
        `result`.

    Raises:
        IndexError: the actuator does not exist.
    """
    ring = _ring(m, "actuator", id)
    require(len(result) == ring.size, "result should have length actuator_ctrlnum[id]")
    first = int(m.actuator_ctrladr[id])
    _read_ring(m, d, ring, d.ctrl[first : first + ring.size], time, result, interp)
    return result


@checked
def mj_readSensor(m: MjModel, d: MjData, id: int, time: float, result: OutVector, interp: int) -> np.ndarray:
    """Read a sensor at a time; for the arguments see `mj_readCtrl`.

    Args:
        d: the world.
        id: the sensor; without a history, its current reading is returned.
        time: the time.
        result: receives the reading.
        interp: interpolation: 0 for the previous sample, 1 linear, 2 cubic; -1 for the default of the model.

    Returns:
        `result`.

    Raises:
        IndexError: the sensor does not exist.
    """
    ring = _ring(m, "sensor", id)
    require(len(result) == ring.size, "result should have length sensor_dim[id]")
    first = int(m.sensor_adr[id])
    _read_ring(m, d, ring, d.sensordata[first : first + ring.size], time, result, interp)
    return result


@checked
def mj_initCtrlHistory(m: MjModel, d: MjData, id: int, times: Vector | None, values: Matrix) -> None:
    """Set the history of the controls of an actuator.

    Args:
        d: the world.
        id: the actuator.
        times: times of the samples, ascending; None leaves them unchanged.
        values: the samples, the oldest one first, shape (samples, controls).

    Raises:
        IndexError: the actuator does not exist.
        TypeError: `times` or `values` have a different shape from the history.
        FatalError: times are not ascending.
    """
    ring = _ring(m, "actuator", id)
    _check(ring, times, values, "actuator", "actuator_ctrlnum[id]")
    _write(d, ring, times, values)


@checked
def mj_initSensorHistory(m: MjModel, d: MjData, id: int, times: Vector | None, values: Matrix, phase: float) -> None:
    """Set the history of the readings of a sensor; other arguments are as in `mj_initCtrlHistory`.

    Args:
        phase: time of the last reading, independent of steps; it matters for sensors with an interval.

    Raises:
        IndexError: the sensor does not exist.
        TypeError: `times` or `values` have a different shape from the history.
        FatalError: times are not ascending.
    """
    ring = _ring(m, "sensor", id)
    _check(ring, times, values, "sensor", "sensor_dim[id]")
    _write(d, ring, times, values)
    d.history[ring.adr + TIME] = phase


def _check(ring: _Ring, times: np.ndarray | None, values: np.ndarray, kind: str, size: str) -> None:
    """Check times and samples. Raises TypeError or FatalError if they do not fit a history."""
    samples = max(ring.samples, 0)
    require(times is None or len(times) == samples, f"times should have length {kind}_history[2*id]")
    known = values.reshape(-1, 1) if values.ndim == 1 else values
    fits = known.shape == (samples, ring.size) or (ring.size == 1 and values.shape == (1, samples))
    require(fits, f"values should have shape ({kind}_history[2*id], {size})")
    if ring.adr < 0:
        raise ArgumentError(f"this {kind} has no history: set nsample to the number of its samples")
    falling = [] if times is None else np.flatnonzero(np.diff(times) <= 0).tolist()
    if falling and times is not None:
        k = falling[0]
        raise ArgumentError(
            f"mju_historyInit: times must be strictly increasing, got times[{k}]={times[k]:g} >= times[{k + 1}]="
            f"{times[k + 1]:g}"
        )


def _write(d: MjData, ring: _Ring, times: np.ndarray | None, values: np.ndarray) -> None:
    """Write samples to a history; if times are given, start at its first slot."""
    history = d.history[ring.adr :]
    if times is not None:
        history[TIME], history[NEWEST] = 0.0, ring.samples - 1
        history[HEAD : HEAD + ring.samples] = times
    places = (int(history[NEWEST]) + 1 + np.arange(ring.samples)) % ring.samples
    rows = history[HEAD + ring.samples : HEAD + ring.samples * (1 + ring.size)].reshape(ring.samples, ring.size)
    rows[places] = np.asarray(values).reshape(ring.samples, ring.size)
