"""Sources of controls: zero, random, a keyframe, a file, or a policy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from conjoint.api.objects.names import control_range
from conjoint.cli.failure import InputError
from conjoint.cli.worlds import Worlds

Controls = Callable[[int], np.ndarray]
"""Function that returns the controls of every world at a step: step number -> array of shape (nworld, nu)."""


def controls(source: str, model: Any, nworld: int, seed: int, keyframe: int | None) -> Controls:
    """Return the controls selected by `--ctrl`.

    Args:
        source: `zero`, `random`, `keyframe`, or the path of a file (see `read_controls`).
        model: the model.
        nworld: number of worlds.
        seed: seed of the random controls.
        keyframe: index of the keyframe whose controls are used if `source` is `keyframe`.
    """
    if source == "zero":
        return constant(np.zeros((nworld, model.nu)))
    if source == "random":
        return random_controls(model, nworld, seed)
    if source == "keyframe":
        if keyframe is None:
            raise InputError("--ctrl keyframe needs a model with keyframes; this one has none")
        return constant(np.tile(model.key_ctrl[keyframe], (nworld, 1)))
    rows = read_controls(Path(source), model)
    # use the last row if the simulation is longer than the file
    return lambda step: np.tile(rows[min(step, len(rows) - 1)], (nworld, 1))


def constant(values: np.ndarray) -> Controls:
    """Return controls that do not change with the step."""
    return lambda step: values


def random_controls(model: Any, nworld: int, seed: int) -> Controls:
    """Return uniform random controls, within the limits of each actuator, or between -1 and 1 if it has none."""
    low, high = control_range(model)
    generator = np.random.default_rng(seed)
    return lambda step: generator.uniform(low, high, (nworld, model.nu))


def read_controls(path: Path, model: Any) -> np.ndarray:
    """Read controls from a file, one row per step, shape (nstep, nu).

    The file is a NumPy array (`.npy`), an archive with an array `ctrl` (`.npz`, as `--record` writes), or text. Text
    has one row per line, and columns separated by commas or blanks. If an archive has an array `time`, each row is used
    until the time of the next row.
    """
    if not path.is_file():
        raise InputError(f"--ctrl {path}: expected zero, random, keyframe, or an existing file")
    try:
        rows = READERS.get(path.suffix.lower(), read_text)(path, model.opt.timestep)
    except InputError:
        raise
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        wanted = "a .npy or .npz file of NumPy, or text with one column per actuator"
        raise InputError(f"control file {path}: cannot be read ({error}); expected {wanted}") from error
    if rows.ndim == 1:
        # a column of numbers controls one actuator; a single row of nu numbers is a constant control
        rows = rows.reshape(-1, 1) if model.nu == 1 else rows.reshape(1, -1)
    if rows.ndim != 2 or rows.shape[1] != model.nu or not len(rows):
        raise InputError(
            f"control file {path}: its shape is {rows.shape}, not (steps, {model.nu}), one column per actuator"
        )
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise InputError(f"control file {path}: row {bad[0]} contains a value that is not a finite number")
    return rows


def read_array(path: Path, timestep: float) -> np.ndarray:
    """Return the rows of the array in a `.npy` file."""
    return numbers(np.load(path))


def read_archive(path: Path, timestep: float) -> np.ndarray:
    """Return the rows of the array `ctrl` of a `.npz` file, resampled to steps by its array `time`, if any."""
    with np.load(path) as archive:
        if "ctrl" not in archive:
            raise InputError(f"control file {path}: has {', '.join(archive.files) or 'nothing'}, but no array 'ctrl'")
        rows = numbers(archive["ctrl"])
        if rows.ndim == 3:
            raise InputError(
                f"control file {path}: recorded from {rows.shape[1]} worlds; record a single world instead"
            )
        if "time" not in archive:
            return rows
        first_step = np.rint(numbers(archive["time"]) / timestep).astype(int)
    if first_step.shape != (len(rows),) or np.any(np.diff(first_step) < 0) or not len(rows):
        raise InputError(f"control file {path}: 'time' must increase and have one entry for each row of 'ctrl'")
    # at each step, use the last row that starts at or before it
    steps = np.arange(first_step[-1] + 1)
    return rows[np.maximum(np.searchsorted(first_step, steps, side="right") - 1, 0)]


def numbers(array: np.ndarray) -> np.ndarray:
    """Convert an array from a file to real numbers. Raises ValueError if it has a different type."""
    if array.dtype.kind not in "biuf":
        raise ValueError(f"it contains {array.dtype}, not real numbers")
    return array.astype(float)


def read_text(path: Path, timestep: float) -> np.ndarray:
    """Return the rows of a text file: numbers separated by commas or blanks; `#` starts a comment."""
    text = path.read_text(encoding="utf-8")
    if not text.strip():
        raise InputError(f"control file {path}: it is empty")
    delimiter = "," if "," in text else None
    return np.loadtxt(path, delimiter=delimiter, ndmin=2)


READERS = {".npy": read_array, ".npz": read_archive}


def policy_controls(path: Path, model: Any, worlds: Worlds) -> Controls:
    """Return the controls of the policy in a file, if the model is that of the policy's task.

    Raises:
        InputError: Gymnasium is not installed, the file is not a policy, or its task has a different model.
    """
    try:
        from conjoint.envs import TASKS, Policy
        from conjoint.envs.observations import joined
    except ImportError as error:
        raise InputError(f"--policy {path}: {error}") from None
    if not path.is_file():
        raise InputError(f"--policy {path}: the file does not exist")
    try:
        policy = Policy.load(path)
    except (OSError, ValueError) as error:
        raise InputError(f"--policy {error}") from error
    if policy.task not in TASKS:
        raise InputError(f"--policy {path}: it was trained for the unknown task {policy.task!r}")
    task = TASKS[policy.task]
    own = task.model()
    wanted, given = sizes(own), sizes(model)
    if wanted != given or len(policy.biases[-1]) != model.nu:
        raise InputError(
            f"--policy {path}: it was trained for the task {task.name!r}, whose model has {reported(wanted)}; "
            f"this one has {reported(given)}: simulate the model of the task"
        )
    held = np.zeros((worlds.nworld, model.nu))
    duration = own.opt.timestep * task.frame_skip
    often = max(1, round(duration / model.opt.timestep))
    seen: Any = None

    def decide(step: int) -> np.ndarray:
        nonlocal seen
        # an action is applied for as long as in training
        if step % often == 0:
            if seen is None:
                seen = as_seen(task, model, worlds, duration)
            observed = joined(task.observe(seen))
            if observed.shape[1] != len(policy.mean):
                raise InputError(
                    f"--policy {path}: it expects {len(policy.mean)} observations, but the task {task.name!r} has "
                    f"{observed.shape[1]}: train it again"
                )
            actions = policy(observed)
            seen.numbers.update(last_action=seen.action, action=actions)
            seen.steps[...] += 1
            held[...] = task.controls(model, actions)
        return held

    return decide


def sizes(model: Any) -> tuple[int, int, int]:
    """Return the numbers of coordinates, degrees of freedom and actuators of a model."""
    return int(model.nq), int(model.nv), int(model.nu)


def reported(counts: tuple[int, int, int]) -> str:
    """Return a text with the sizes of a model, for error messages."""
    return f"{counts[0]} coordinates and {counts[2]} actuators"


class Reader:
    """Adapter that returns fields of worlds as attributes."""

    def __init__(self, model: Any, worlds: Worlds):
        self.model, self.nworld, self._worlds = model, worlds.nworld, worlds

    def __getattr__(self, name: str) -> np.ndarray:
        return self._worlds.read(name)


def as_seen(task: Any, model: Any, worlds: Worlds, duration: float) -> Any:
    """Return the view of the worlds from which a task computes observations, with the task's variables initialized."""
    from conjoint.envs.worlds import BeginningWorlds
    from conjoint.envs.worlds import Worlds as Seen

    seen = Seen(Reader(model, worlds), duration)
    beginning = BeginningWorlds(seen, np.ones(worlds.nworld, bool))
    task.begin(beginning, np.random.default_rng(0))
    # the command line sets the state, so only the task's own variables are written
    beginning.write_back(fields=False)
    return seen
