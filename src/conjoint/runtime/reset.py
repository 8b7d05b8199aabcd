"""Reset of worlds to the initial state. Values after a reset follow from the roles and defaults in the schema."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from conjoint.lang.memory.layout import Buffer, Field, Lifetime, Role
from conjoint.physics.status import poison_requested
from conjoint.runtime.kernel_memory import KernelMemory
from conjoint.runtime.plan import Plan
from conjoint.runtime.stage import Stage
from conjoint.schema.constants import mjNWARNING
from conjoint.schema.data import DATA_ROWS, HEAD, NEWEST, TIME
from conjoint.schema.enums import mjtGain, mjtJoint
from conjoint.schema.enums_newer import mjtCtrlChart

ROUNDING = 1e-9
"""Tolerance in the comparison of times, as a fraction of the timestep."""

TAKEN_OVER = tuple(
    (row.name, *row.default.rstrip("]").partition("[")[::2]) for row in DATA_ROWS if isinstance(row.default, str)
)
"""Fields that are initialized from model rows.

Each entry contains the name of the field, the name of the model row, and the name of the row with the indices to use
("" for all elements).
"""


NO_KEY = -1
"""Id that represents no keyframe."""

WORD = 8
"""Size of a number that is cleared or copied, in bytes."""

SAVED_IN_KEYS = tuple(field for field in DATA_ROWS if field.key)
"""Fields that keyframes store."""


def is_reset(field: Field) -> bool:
    """Return True if a reset writes a field. Fields that are derived from the model or the memory are not reset."""
    return field.role is not Role.STRUCTURE and not field.uniform


def is_open(field: Field) -> bool:
    """Return True if a stage must write a field before anything reads it."""
    return field.role is not Role.STRUCTURE and field.default is None


def initial_values(plan: Plan) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the names and initial values of fields that start from model rows, and of some other fields.

    The other fields are history, rest positions and controls, which are left out if the model has none.
    """
    for name, source, ids in initial_sources(plan):
        yield name, plan.view(source)[ids]
    if plan.model.layout.sizes["nhistory"]:
        yield "history", initial_history(plan)
    if plan.model.layout.sizes["nplastic"]:
        yield "plastic", initial_rests(plan)
    controls = initial_controls(plan)
    if controls is not None:
        yield "ctrl", controls


def initial_sources(plan: KernelMemory) -> Iterator[tuple[str, str, Any]]:
    """Yield the name of each field that starts from a model row, the name of the row, and the indices to use."""
    for name, source, ids in TAKEN_OVER:
        yield name, source, plan.view(ids) if ids else slice(None)


def keyframe(plan: Plan, key: int) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the names and rows of the fields that a keyframe stores. The rows share the model's memory."""
    for field in SAVED_IN_KEYS:
        rows = plan.view(str(field.key))
        yield field.name, rows[key : key + 1].reshape(rows.shape[1:])


def keyframes(data: Buffer, plan: Plan) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the fields of a world that keyframes store, each with a row of equal shape for every keyframe.

    The arrays share the memory of the world and of the model. Fields without elements are left out.
    """
    fields = [(data.view(field.name), plan.view(str(field.key))) for field in SAVED_IN_KEYS]
    return [(field, rows.reshape(len(rows), *field.shape)) for field, rows in fields if field.size]


def reset(data: Buffer, plan: Plan, chosen: np.ndarray | None = None, own: Buffer | None = None) -> None:
    """Set worlds to the reference configuration.

    Args:
        data: memory of one world, or of several side by side.
        plan: the model.
        chosen: mask of the worlds to reset, shape (lanes,); None: all.
        own: model rows that differ between worlds.
    """
    for start, end, dtype in data.layout.spans(is_reset):
        numbers = data.bytes[start:end].view(dtype)
        if chosen is None:
            numbers[...] = 0
        else:
            numbers.reshape(-1, data.layout.lanes)[:, chosen] = 0
    write(data, initial_values(plan), chosen)
    which = slice(None) if chosen is None else chosen
    for name, source, ids in initial_sources(plan):
        if own is not None and source in own.layout.index:
            value = own.view(source).reshape(*plan.view(source).shape, own.layout.lanes)[ids]
            data.view(name).reshape(value.shape)[..., which] = value[..., which]
    for places, source, ids in rests(plan):
        if own is not None and source in own.layout.index:
            value = own.view(source).reshape(-1, own.layout.lanes)[ids]
            kept = data.view("plastic").reshape(-1, data.layout.lanes)
            kept[places] = np.where(True if chosen is None else chosen, value, kept[places])


def rests(plan: KernelMemory | Buffer) -> Iterator[tuple[np.ndarray, str, np.ndarray]]:
    """Yield the initial rest positions of plastic springs, for each model row that contains some.

    Each item consists of indices in the field `plastic`, the name of the model row, and indices in that row.
    """
    joints, tendons = plan.view("jnt_plasticadr"), plan.view("tendon_plasticadr")
    first = plan.view("jnt_qposadr")
    for kind, count in ((mjtJoint.mjJNT_BALL, 4), (None, 1)):
        balls = plan.view("jnt_type") == mjtJoint.mjJNT_BALL
        own = np.flatnonzero((joints >= 0) & (balls == (kind is not None)))
        yield _runs(joints[own], count), "qpos_spring", _runs(first[own], count)
    yield _runs(tendons[tendons >= 0], 2), "tendon_lengthspring", _runs(2 * np.flatnonzero(tendons >= 0), 2)


def _runs(starts: np.ndarray, count: int) -> np.ndarray:
    """Return `count` consecutive integers from each start, concatenated."""
    return (starts[:, np.newaxis] + np.arange(count)).ravel()


def initial_rests(plan: KernelMemory | Buffer) -> np.ndarray:
    """Return the initial rest positions of plastic springs."""
    found = np.zeros(sum(len(places) for places, _, _ in rests(plan)))
    for places, source, ids in rests(plan):
        found[places] = plan.view(source).reshape(-1)[ids]
    return found


def initial_controls(plan: Plan) -> np.ndarray | None:
    """Return the initial controls of a world, zero except for identity quaternions; None if all are zero."""
    kinds, specs = plan.view("actuator_gaintype"), plan.view("actuator_ctrlspec")
    turns = np.flatnonzero((kinds == mjtGain.mjGAIN_SO3) & (specs == mjtCtrlChart.mjCHART_QUAT))
    if not len(turns):
        return None
    controls = np.zeros(plan.model.layout.sizes["nu"])
    controls[plan.view("actuator_ctrladr")[turns]] = 1.0
    return controls


def initial_history(plan: Plan) -> np.ndarray:
    """Return the initial history of a world, with samples at the times of steps or readings before the start."""
    step, history = float(plan.view("opt.timestep")), np.zeros(plan.model.layout.sizes["nhistory"])
    controls = initial_controls(plan)
    for kind in ("actuator", "sensor"):
        addresses, kept = plan.view(f"{kind}_historyadr"), plan.view(f"{kind}_history")
        for element in np.flatnonzero(addresses >= 0).tolist():
            samples = int(kept[element, 0])
            own = history[addresses[element] :]
            own[NEWEST] = samples - 1
            times, begin = own[HEAD : HEAD + samples], HEAD + samples
            times[:] = -step * np.arange(samples, 0, -1)
            if kind == "sensor":
                own[TIME], times[:] = _readings_before(plan.view("sensor_interval")[element].tolist(), step, times)
            elif controls is not None:
                first, count = (int(plan.view(f"actuator_ctrl{word}")[element]) for word in ("adr", "num"))
                own[begin : begin + samples * count] = np.tile(controls[first : first + count], samples)
    return history


def _readings_before(interval: list[float], step: float, times: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the time of a sensor's last reading before the start, and the times of its earlier samples.

    If the sensor is read in every step, the sample times are `times`.
    """
    period, phase = interval
    if period <= 0:
        return -step, times
    # a period below the timestep counts as one step, because a step took place at or after the requested time
    longer, before = max(period, step), np.arange(len(times) - 1, -1, -1)
    last = phase or -longer
    return phase or -period, np.ceil((last - longer * before) / step - ROUNDING) * step


def write(data: Buffer, values: Iterator[tuple[str, np.ndarray]], chosen: np.ndarray | None = None) -> None:
    """Write the values of one world to all worlds, or to the `chosen` ones (see `reset`)."""
    for name, value in values:
        lanes_last = data.view(name).reshape(*value.shape, data.layout.lanes)
        lanes_last[..., slice(None) if chosen is None else chosen] = value[..., None]


def reset_diverged(data: Buffer, marks: np.ndarray, plan: Plan, own: Buffer | None = None) -> None:
    """Reset the worlds of a block that are marked in `was_reset`.

    Only the warning that caused the reset is kept, with count 1.

    Args:
        data: memory of the worlds.
        marks: `was_reset` of each world: 0, or 1 + the warning type.
        plan: the model.
        own: model rows that differ between worlds.
    """
    (lanes,) = np.nonzero(marks.reshape(-1))
    kinds = marks.reshape(-1)[lanes] - 1
    numbers, infos = (data.view(f"warning.{name}").reshape(mjNWARNING, -1) for name in ("number", "lastinfo"))
    info, reported = infos[kinds, lanes], data.view("warning_reported").reshape(-1)[lanes]
    reset(data, plan, marks.reshape(-1) != 0, own)
    numbers[kinds, lanes], infos[kinds, lanes] = 1, info
    data.view("warning_reported").reshape(-1)[lanes] = reported
    marks.reshape(-1)[lanes] = kinds + 1


class Initial:
    """Offsets in the memory of a world and a model that a reset uses, computed once per plan.

    Attributes:
        memory: memory of the world and of the model, as integers of eight bytes.
        cleared: start and end of each range of numbers that is set to zero.
        rows: copies (see `physics.integration.state.begin_anew`), first from the reference configuration, then from a
            keyframe.
        initial_rows, all_rows: number of copies from the reference configuration, and of all copies.
        chosen: copies that `rows` cannot express: memory, the model row, and the indices in it.
    """

    def __init__(self, data: Buffer, plan: Plan):
        both = (data.bytes, plan.model.bytes)
        self.memory = tuple(memory[: len(memory) // WORD * WORD].view(np.int64) for memory in both)
        ends = [place // WORD for span in data.layout.spans(is_reset) for place in span[:2]]
        self.cleared = np.array(ends, np.int32)
        self.chosen: list[tuple[np.ndarray, np.ndarray, Any]] = []
        rows: list[tuple[int, int, int, int]] = []
        for name, source, ids in initial_sources(plan):
            target, values = data.view(name), plan.view(source)
            if target.size and target.dtype == values.dtype and target.itemsize == WORD:
                whole = isinstance(ids, slice)
                pairs = [(target, values)] if whole else [(target[k], values[i]) for k, i in enumerate(ids)]
                rows += [(*self._places(some, others), some.size, 0) for some, others in pairs]
            elif target.size:
                self.chosen.append((target.reshape(values[ids].shape), values, ids))
        self.initial_rows = len(rows)
        for target, values in keyframes(data, plan):
            if len(values):
                rows.append((*self._places(target, values), target.size, target.size))
        self.all_rows = len(rows)
        self.rows = np.array(rows, np.int32).ravel()

    def _places(self, target: np.ndarray, values: np.ndarray) -> tuple[int, int]:
        """Return the offset of each of two arrays in the memory that contains it, in words."""
        parts = zip((target, values), self.memory, strict=True)
        return tuple((part.ctypes.data - memory.ctypes.data) // WORD for part, memory in parts)  # type: ignore[return-value]


POISON_VARIABLE = "CONJOINT_POISON"
"""Environment variable for debugging. If it is 1, memory that a step must recompute is overwritten before each step.

The memory is filled with NaN and impossible integers. So a step that reads results of an earlier step gives different
results, or crashes the process.
"""

BEGINNINGS = ("mj_step", "mj_step1", "mj_inverse")
"""Functions that start from the state alone; names with suffixes, such as those of batches, count too.

A step that resets a diverged world also runs mj_forward.
"""

POISON_INTEGER = 0x7EADBEEF
"""Integer that is invalid everywhere: as an index, it exceeds any array, and no plan has it as its version."""

POISON = (Stage("poison", poison_requested),)


def with_poison(name: str, stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """Return the stages of a function, preceded by a stage that requests poisoning if the environment enables it."""
    begins = name.split(",")[0] in BEGINNINGS
    return (*(POISON if begins and os.environ.get(POISON_VARIABLE) == "1" else ()), *stages)


def poison(memory: KernelMemory) -> None:
    """Fill all results of a step with NaN and large integers, in the data and the arena of a world or a block."""
    for buffer in memory.buffers:
        for start, end, dtype in buffer.layout.spans(is_open):
            numbers = buffer.bytes[start:end].view(dtype)
            numbers[...] = np.nan if dtype.kind == "f" else POISON_INTEGER & np.iinfo(dtype).max
        for start, end, _ in buffer.layout.spans(_begins_at_zero):
            buffer.bytes[start:end] = 0


def _begins_at_zero(field: Field) -> bool:
    """Return True for results that stay zero if no stage of the model writes them."""
    computed = field.role in (Role.SCRATCH, Role.RESULT) and field.lifetime is not Lifetime.KEPT
    return computed and field.default is not None
