"""Functions that read and set the histories of actuators and sensors: past controls and readings."""

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
    """Location and parameters of the history buffer of an actuator or sensor.

    Attributes:
        adr: index of the buffer in `d.history`, or -1 if there is no history.
        samples: number of samples in the buffer.
        size: number of values per sample.
        interp: default interpolation order: 0, 1 or 2.
        delay: delay with which the history is read (s).
    """

    adr: int
    samples: int
    size: int
    interp: int
    delay: float


def _ring(m: MjModel, kind: str, id: int) -> _Ring:
    """Return the history parameters of an actuator or sensor. Raises IndexError if `id` does not exist."""
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
    """Write the sample at `time` minus the delay to `result`. If there is no history, write the current value `now`."""
    if ring.adr < 0:
        result[:] = now
    else:
        kind = interp if interp >= 0 else ring.interp
        _read(m.plans.current, d.world, result, ring.adr, ring.samples, ring.size, kind, time - ring.delay)


@checked
def mj_readCtrl(m: MjModel, d: MjData, id: int, time: float, result: OutVector, interp: int) -> np.ndarray:
    """Read the controls that an actuator applies at a given time, which are the controls set one delay earlier.

    Args:
        d: the world.
        id: id of the actuator; if it has no history, its current controls are read.
        time: simulation time (s).
        result: receives the controls, shape (actuator_ctrlnum[id],).
        interp: interpolation: 0 for the previous sample, 1 linear, 2 cubic, -1 for the model's default.

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
    """Return the reading that a sensor reports at a given time, which was measured one delay earlier.

    Args:
        d: the world.
        id: id of the sensor; if it has no history, its current reading is returned.
        time: simulation time (s).
        result: receives the reading, shape (sensor_dim[id],).
        interp: interpolation: 0 for the previous sample, 1 linear, 2 cubic, -1 for the model's default.

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
    """Set the history of an actuator's controls.

    Args:
        d: the world.
        id: id of the actuator.
        times: ascending times of the samples (s); None leaves the times unchanged.
        values: the samples, the oldest first, shape (samples, controls).

    Raises:
        IndexError: the actuator does not exist.
        TypeError: the shape of `times` or `values` does not match the history.
        FatalError: `times` are not ascending.
    """
    ring = _ring(m, "actuator", id)
    _check(ring, times, values, "actuator", "actuator_ctrlnum[id]")
    _write(d, ring, times, values)


@checked
def mj_initSensorHistory(m: MjModel, d: MjData, id: int, times: Vector | None, values: Matrix, phase: float) -> None:
    """Set the history of a sensor's readings; other arguments are as in `mj_initCtrlHistory`.

    Args:
        phase: time of the last reading (s), which need not be a time of a step. It matters only to sensors with an
            interval.

    Raises:
        IndexError: the sensor does not exist.
        TypeError: the shape of `times` or `values` does not match the history.
        FatalError: `times` are not ascending.
    """
    ring = _ring(m, "sensor", id)
    _check(ring, times, values, "sensor", "sensor_dim[id]")
    _write(d, ring, times, values)
    d.history[ring.adr + TIME] = phase


def _check(ring: _Ring, times: np.ndarray | None, values: np.ndarray, kind: str, size: str) -> None:
    """Raise TypeError or FatalError if times and samples do not fit a history."""
    samples = max(ring.samples, 0)
    require(times is None or len(times) == samples, f"times should have length {kind}_history[2*id]")
    known = values.reshape(-1, 1) if values.ndim == 1 else values
    fits = known.shape == (samples, ring.size) or (ring.size == 1 and values.shape == (1, samples))
    require(fits, f"values should have shape ({kind}_history[2*id], {size})")
    if ring.adr < 0:
        raise ArgumentError(f"this {kind} has no history: set nsample to the number of samples to store")
    falling = [] if times is None else np.flatnonzero(np.diff(times) <= 0).tolist()
    if falling and times is not None:
        k = falling[0]
        raise ArgumentError(
            f"mju_historyInit: times must be strictly increasing, got times[{k}]={times[k]:g} >= times[{k + 1}]="
            f"{times[k + 1]:g}"
        )


def _write(d: MjData, ring: _Ring, times: np.ndarray | None, values: np.ndarray) -> None:
    """Write samples to a history buffer. If times are passed, the samples start at the first slot of the buffer."""
    history = d.history[ring.adr :]
    if times is not None:
        history[TIME], history[NEWEST] = 0.0, ring.samples - 1
        history[HEAD : HEAD + ring.samples] = times
    places = (int(history[NEWEST]) + 1 + np.arange(ring.samples)) % ring.samples
    rows = history[HEAD + ring.samples : HEAD + ring.samples * (1 + ring.size)].reshape(ring.samples, ring.size)
    rows[places] = np.asarray(values).reshape(ring.samples, ring.size)
