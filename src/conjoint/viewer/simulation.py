"""Simulation in a separate thread, shown and controlled by a window, with its pace and history."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

import numpy as np

from conjoint.api.functions.functions import mj_forward, mj_step
from conjoint.api.functions.state import (
    mj_getState,
    mj_resetData,
    mj_resetDataKeyframe,
    mj_setKeyframe,
    mj_setState,
    mj_stateSize,
    whole_state,
)
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.lang import FatalError
from conjoint.lang.text import as_path
from conjoint.viewer.exchange import Command, Exchange

LENGTH = 5000
"""Maximum number of recorded states."""

ROOM = 100_000_000
"""Maximum memory for recorded states, in bytes."""

STATE = whole_state()
"""Components of a recorded state: everything on which the next step depends."""


class History:
    """Recently recorded states, the newest last.

    Args:
        m: the model.

    Attributes:
        position: position of the world's state: 0 for the newest recorded state, -1 for the one before it, and so on.
    """

    def __init__(self, m: MjModel):
        size = mj_stateSize(m, STATE)
        self._m = m
        self._states = np.zeros((max(2, min(LENGTH, ROOM // (8 * max(size, 1)))), size))
        self._newest, self.count, self.position = -1, 0, 0

    def __len__(self) -> int:
        return self.count

    def add(self, d: MjData) -> None:
        """Record the state of `d` as the newest; states after the current position are discarded."""
        self._newest = (self._newest + self.position) % len(self._states)
        self.count += self.position
        self.position = 0
        self._newest = (self._newest + 1) % len(self._states)
        self.count = min(self.count + 1, len(self._states))
        mj_getState(self._m, d, self._states[self._newest], STATE)

    def go(self, d: MjData, position: int) -> bool:
        """Set `d` to the recorded state at a position; return True if that changes `d`."""
        position = int(np.clip(position, 1 - self.count, 0)) if self.count else 0
        if not self.count or position == self.position:
            return False
        self.position = position
        mj_setState(self._m, d, self._states[(self._newest + position) % len(self._states)], STATE)
        return True

    def clear(self) -> None:
        """Discard all recorded states."""
        self._newest, self.count, self.position = -1, 0, 0


SLOWEST, PER_DECADE = 0.001, 10
"""Slowest available rate, and number of available rates per factor of ten."""

MISALIGNED = 0.5
"""Maximum lag behind real time (s) for which a simulation catches up. Any additional lag is ignored."""

BOUT = 0.012
"""Approximate maximum real time (s) of steps between two checks for commands."""


def nice(rate: float) -> float:
    """Round a rate to two significant digits."""
    return float(f"{rate:.2g}")


RATES = tuple(nice(10 ** (-k / PER_DECADE)) for k in range(round(-PER_DECADE * math.log10(SLOWEST)) + 1))
"""Available rates of simulated time relative to real time."""


class Pace:
    """Pace of a simulation: it determines how many steps keep up with real time.

    Attributes:
        rate: requested ratio of simulated time to real time.
        measured: recent ratio of simulated time to real time.
        cost: recent real time per step (s).
    """

    def __init__(self, rate: float = 1.0):
        self.rate, self.measured, self.cost = rate, 0.0, 0.0
        self._start: tuple[float, float, float] | None = None
        self._mark: tuple[float, float] | None = None

    def rest(self) -> None:
        """Stop the clock, so that the simulation does not catch up after a pause."""
        self._start = self._mark = None
        self.measured = 0.0

    def due(self, simulated: float, timestep: float) -> int:
        """Return the number of steps that must be taken now to keep up with real time.

        Args:
            simulated: time of the world (s).
            timestep: duration of a step (s).
        """
        now = time.perf_counter()
        if self._start is None or self._start[2] != self.rate:
            self._start = now, simulated, self.rate
        missing = (now - self._start[0]) * self.rate - (simulated - self._start[1])
        if not abs(missing) <= MISALIGNED * self.rate:
            # the world was reset, or cannot keep up
            self._start = now, simulated, self.rate
            missing = timestep
        if timestep <= 0:
            return 1
        most = max(1, int(BOUT / self.cost)) if self.cost > 0 else 1
        return min(int(missing / timestep), most)

    def made(self, steps: int, seconds: float, simulated: float) -> None:
        """Record the duration of steps, and the simulated time after them."""
        each = seconds / steps
        # the first step may have loaded or compiled kernels
        much_less = each < 0.5 * self.cost
        self.cost = each if self.cost == 0 or much_less else 0.9 * self.cost + 0.1 * each
        now = time.perf_counter()
        if self._mark is None or simulated < self._mark[1]:
            self._mark = now, simulated
        elif now - self._mark[0] > 0.5:
            self.measured = (simulated - self._mark[1]) / (now - self._mark[0])
            self._mark = now, simulated


def faster(rate: float) -> float:
    """Return the next larger available rate."""
    return min((known for known in RATES if known > rate * 1.001), default=RATES[0])


def slower(rate: float) -> float:
    """Return the next smaller available rate."""
    return max((known for known in RATES if known < rate * 0.999), default=RATES[-1])


Loaded = tuple[MjModel, MjData] | tuple[MjModel, MjData, str]
Loader = Callable[[], Loaded]

IDLE = 0.001
"""Interval (s) at which the thread checks the clock and looks for commands."""


class Simulation:
    """Thread that steps a world at the requested rate, and loads models.

    Args:
        loader: function that returns a model, a world and optionally the path of the model file; None if there is no
            model yet.

    Attributes:
        exchange: channel between the simulation and its window, a new one for each model; None before the first model
            is loaded.
        running: whether the simulation is running, not paused.
        pace: pace of the simulation.
        history: recorded states.
        message: error message if the last file could not be loaded or a step failed, else "".
        loading: whether a model is being loaded.
        noise: standard deviation of the noise in controls, as a fraction of half their range.
        noise_time: correlation time of the noise (s).
    """

    def __init__(self, loader: Loader | None):
        self.exchange: Exchange | None = None
        self.running, self.loading, self.message = True, loader is not None, ""
        self.pace = Pace()
        self.history: History | None = None
        self.noise, self.noise_time = 0.0, 0.1
        self._loader, self._wanted = loader, loader
        self._noise = np.zeros(0)
        self._stopped = threading.Event()
        self._d: MjData | None = None
        self._thread = threading.Thread(target=self._run, name="conjoint simulation", daemon=True)

    # ---- what a window asks for

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after the current step."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def load(self, loader: Loader | None = None) -> None:
        """Load a new model, or reload the current one; if loading fails, keep the current one."""
        self._loader = loader or self._loader
        self._wanted, self.loading = self._loader, self._loader is not None

    def submit(self, command: Command) -> None:
        """Schedule a call to `command(m, d)` between two steps."""
        if self.exchange is not None:
            self.exchange.submit(command)

    def reset(self) -> None:
        """Reset the world to its reference configuration."""
        self.submit(lambda m, d: self._begin(m, d, lambda: mj_resetData(m, d)))

    def load_key(self, key: int) -> None:
        """Set the world to the state of a keyframe."""
        self.submit(lambda m, d: self._begin(m, d, lambda: mj_resetDataKeyframe(m, d, key)))

    def save_key(self, key: int) -> None:
        """Store the state of the world as a keyframe."""
        self.submit(lambda m, d: mj_setKeyframe(m, d, key))

    def step(self) -> None:
        """Pause, and take a step; or if the state has been rewound, move to the next recorded state."""
        self.running = False
        self.submit(self._step)

    def go(self, position: int) -> None:
        """Pause, and set the state to a recorded one: 0 for the newest, -1 for the one before it, and so on."""
        self.running = False
        self.submit(lambda m, d: self._go(d, position))

    def back(self, states: int = 1) -> None:
        """Pause, and rewind by a number of recorded states."""
        self.running = False
        self.submit(lambda m, d: self._go(d, self.history.position - states if self.history is not None else 0))

    def condition(self) -> list[tuple[str, str]]:
        """Return the simulation rate, or the reason for a pause, as pairs of texts."""
        if self.loading:
            return [("Loading ...", "")]
        if self.exchange is None:
            return [("Drop a model file here.", "")]
        if not self.running:
            position = self.history.position if self.history is not None else 0
            return [("paused", "rewound" if position else "")]
        rows = [(f"{100 * self.pace.rate:g} %", "of real time")]
        if self.pace.measured and self.pace.measured < 0.9 * self.pace.rate:
            rows.append((f"{100 * self.pace.measured:.3g} %", "reached"))
        return rows

    # ---- commands

    def _begin(self, m: MjModel, d: MjData, put: Callable[[], None]) -> None:
        """Set a new state of the world, clear message and history, and move the camera if necessary."""
        put()
        mj_forward(m, d)
        if self.exchange is not None:
            self.exchange.keep_in_view(d)
        self.message = ""
        assert self.history is not None
        self.history.clear()

    def _step(self, m: MjModel, d: MjData) -> None:
        assert self.history is not None
        if self.history.position < 0:
            self._go(d, self.history.position + 1)
            return
        if not len(self.history):
            self.history.add(d)
        mj_step(m, d)
        self.history.add(d)

    def _go(self, d: MjData, position: int) -> None:
        if self.history is not None:
            self.history.go(d, position)

    # ---- the thread

    def _run(self) -> None:
        while not self._stopped.is_set():
            if self._wanted is not None:
                self._load(self._wanted)
            if not self._advance():
                time.sleep(IDLE)

    def _load(self, loader: Loader) -> None:
        """Switch to the loader's model. If loading raises an exception, show it and keep the current model."""
        try:
            m, d, *path = loader()
            mj_forward(m, d)
            exchange = Exchange(m, d, str(path[0]) if path else "")
        except Exception as error:
            self.message = str(error) or type(error).__name__
        else:
            self._d, self._noise = d, np.zeros(m.nu)
            self.history, self.message = History(m), ""
            self.pace = Pace(m.vis.global_.realtime)
            self.exchange = exchange
        if self._wanted is loader:
            self._wanted, self.loading = None, False

    def _advance(self) -> bool:
        """Run commands, and the steps that are due; return True if steps were taken."""
        exchange, d = self.exchange, self._d
        if exchange is None or d is None:
            return False
        steps = 0
        try:
            requested = exchange.execute(d)
            active = exchange.perturb(d, not self.running)
            if self.running:
                steps = self._pass_time(exchange.m, d)
            else:
                self.pace.rest()
                if requested or active:
                    mj_forward(exchange.m, d)
        except (FatalError, Warning) as error:
            self.running, self.message = False, str(error)
        exchange.publish(d)
        return steps > 0

    def _pass_time(self, m: MjModel, d: MjData) -> int:
        """Take the steps that are due, and return their number."""
        steps = self.pace.due(d.time, m.opt.timestep)
        if steps <= 0:
            return 0
        assert self.history is not None
        if not len(self.history):
            self.history.add(d)
        if self.noise > 0:
            self._disturb(m, d, steps * m.opt.timestep)
        start = time.perf_counter()
        mj_step(m, d, steps)
        self.pace.made(steps, time.perf_counter() - start, d.time)
        self.history.add(d)
        return steps

    def _disturb(self, m: MjModel, d: MjData, seconds: float) -> None:
        """Set the controls to noise about mid-range: an Ornstein-Uhlenbeck process (Uhlenbeck and Ornstein 1930)."""
        keep = math.exp(-seconds / max(self.noise_time, 1e-9))
        fresh = np.random.default_rng().standard_normal(m.nu)
        self._noise = keep * self._noise + self.noise * math.sqrt(1 - keep * keep) * fresh
        limited = m.actuator_ctrllimited.astype(bool)
        low, high = m.actuator_ctrlrange[:, 0], m.actuator_ctrlrange[:, 1]
        middle, half = np.where(limited, (low + high) / 2, 0.0), np.where(limited, (high - low) / 2, 1.0)
        noisy = middle + half * self._noise
        d.ctrl[:] = np.where(limited, np.clip(noisy, low, high), noisy)


def file_loader(path: str) -> Loader:
    """Return a loader that reads a model file (MJCF, URDF or MJB) on each call."""
    path = as_path(path, "launch_from_path: path")

    def load() -> Loaded:
        read = MjModel.from_binary_path if path.lower().endswith(".mjb") else MjModel.from_xml_path
        m = read(path)
        return m, MjData(m), path

    return load
