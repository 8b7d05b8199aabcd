"""Profile of simulation steps: time of stages, and of labeled kernels in them, for one world or a batch."""

import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from rich.table import Table

from conjoint.cli.control import Controls
from conjoint.cli.worlds import Worlds
from conjoint.runtime.profile import OUTSIDE_STAGES, PartTime, Profile

ROUNDS = 3
"""Number of times that each piece of a run is measured, because only the shortest times are used."""

PIECES = 500
"""Maximum number of pieces into which a run is divided."""

MOST_SECONDS = 2.0
"""Approximate maximum duration of a run (s). Longer runs are shortened."""

LEAST_SHARE = 0.005
"""Minimum fraction of a step's time for a separate row."""

WIDTH = 20
"""Width of the longest bar in the table, in characters."""


@dataclass(frozen=True)
class StepProfile:
    """Times of the stages of a step.

    Attributes:
        parts: stages and labeled kernels in them, in order. Seconds are per step and world, calls are per step and
            block.
        outside: time outside of all parts, in seconds per step and world.
        nworld: number of worlds.
        width: number of worlds per block.
        nstep: number of steps.
    """

    parts: list[PartTime]
    outside: float
    nworld: int
    width: int
    nstep: int

    @property
    def whole(self) -> float:
        """Total time, in seconds per step and world."""
        return sum(part.seconds for part in self.parts) + self.outside


@dataclass(frozen=True)
class Row:
    """A row of the profile table.

    Attributes:
        name: name of a function, a stage, or a part of a stage.
        seconds: time in seconds per step and world.
        calls: calls per step and block; None if they are not counted.
        inside: nested rows, whose times this row includes.
    """

    name: str
    seconds: float
    calls: float | None
    inside: tuple["Row", ...] = ()


def profile_steps(worlds: Worlds, begin: Callable[[Worlds], Controls], nstep: int) -> StepProfile:
    """Profile steps of worlds on one thread. Fewer than `nstep` steps are profiled if steps are slow.

    Args:
        worlds: the worlds.
        begin: function that resets the worlds to the start of the run, and returns the controls of the run.
        nstep: number of steps.
    """
    source = begin(worlds)
    # the first step warms the caches, the second is timed
    worlds.step(source(0))
    before = time.perf_counter()
    worlds.step(source(min(1, nstep - 1)))
    nstep = min(nstep, max(1, int(MOST_SECONDS / (time.perf_counter() - before))))
    length = math.ceil(nstep / PIECES)
    profile = worlds.profile()
    rounds = []
    with profile:
        for _ in range(ROUNDS):
            source = begin(worlds)
            starts = range(0, nstep, length)
            rounds.append([run_piece(worlds, source, profile, range(k, min(k + length, nstep))) for k in starts])
    # use the shortest times, because other programs can only add time
    taken = sum(np.min([part for part, _ in pieces], axis=0) for pieces in zip(*rounds, strict=True))
    outside = sum(min(rest for _, rest in pieces) for pieces in zip(*rounds, strict=True))
    single, block = nstep * worlds.nworld, nstep * math.ceil(worlds.nworld / worlds.width)
    parts = [
        replace(part, seconds=max(0.0, part.seconds) / single, calls=part.calls / block)
        for part in profile.parts(np.asarray(taken))
    ]
    return StepProfile(parts, max(0.0, outside) / single, worlds.nworld, worlds.width, nstep)


def run_piece(worlds: Worlds, source: Controls, profile: Profile, steps: range) -> tuple[np.ndarray, float]:
    """Return the time of each stage in some steps of a run, and the seconds outside of all stages."""
    seconds, before = 0.0, profile.read()
    for step in steps:
        ctrl = source(step)
        start = time.perf_counter()
        worlds.step(ctrl)
        seconds += time.perf_counter() - start
    taken = profile.read() - before
    return taken, seconds - profile.seconds(taken)


def rows_of(profile: StepProfile) -> Iterator[Row]:
    """Yield nested rows in the order of the pipeline: functions, their stages, and the parts of stages."""
    functions: dict[str, list[PartTime]] = {}
    for part in profile.parts:
        functions.setdefault(part.function, []).append(part)
    others = [Row(part.label, part.seconds, part.calls) for part in functions.pop(OUTSIDE_STAGES, [])]
    for function, parts in functions.items():
        stages = [row_of_stage(stage, [*inside]) for stage, inside in itertools.groupby(parts, lambda p: p.stage)]
        seconds = sum(row.seconds for row in stages)
        # omit the level of stages if the function has only one
        yield Row(function, seconds, None, tuple(stages) if len(stages) > 1 else stages[0].inside)
    moving = sum(row.seconds for row in others)
    rest = [Row("the rest", profile.outside, None)] if others else []
    yield Row(OUTSIDE_STAGES, moving + profile.outside, None, (*others, *rest))


def row_of_stage(stage: str, parts: list[PartTime]) -> Row:
    """Return the row of a stage, with its parts sorted by time, longest first."""
    itself, *labeled = parts
    rows = [Row(part.label, part.seconds, part.calls) for part in labeled]
    if rows:
        rows.append(Row("the rest", itself.seconds, None))
    rows.sort(key=lambda row: -row.seconds)
    return Row(stage, sum(part.seconds for part in parts), itself.calls, tuple(rows))


def shown_rows(row: Row, least: float, depth: int = 0) -> Iterator[tuple[int, Row]]:
    """Yield a row and its nested rows with their depths. Nested rows below `least` seconds are combined into one."""
    yield depth, row
    large = [inside for inside in row.inside if inside.seconds >= least]
    for inside in large:
        yield from shown_rows(inside, least, depth + 1)
    small = [inside.seconds for inside in row.inside if inside.seconds < least]
    if large and small:
        yield depth + 1, Row(f"{len(small)} more", sum(small), None)


def profile_table(profile: StepProfile) -> Table:
    """Return a table of the time of a step in the order of the pipeline, with a bar for each row's fraction."""
    whole = profile.whole
    worlds = f"{profile.nworld} worlds, {profile.width} at a time" if profile.nworld > 1 else "one world"
    called = f"a step of {profile.width} worlds" if profile.width > 1 else "a step"
    table = Table(
        title=f"{worlds}, one thread, stage by stage", title_justify="left", title_style="bold",
        caption=f"{profile.nstep:,} steps, shortest of {ROUNDS} runs; us: per step and world; calls: in {called}; "
        "outside: Python, the driver, memory", caption_justify="left",
    )  # fmt: skip
    table.add_column("stage", no_wrap=True)
    for name in ("us", "share", "calls"):
        table.add_column(name, justify="right", min_width=6)
    # on a narrow terminal, bars are cropped instead of numbers
    table.add_column("", no_wrap=True, overflow="crop")
    for function in rows_of(profile):
        for depth, row in shown_rows(function, LEAST_SHARE * whole):
            share = row.seconds / whole
            name = f"{'  ' * depth}{row.name}" if depth else f"[cyan]{row.name}[/]"
            calls = "" if row.calls is None else f"{row.calls:.2f}"
            bar = ("░" if depth else "█") * round(WIDTH * share)
            table.add_row(name, f"{1e6 * row.seconds:.3f}", f"{share:.1%}", calls, bar)
    table.add_section()
    table.add_row("time per step", f"{1e6 * whole:.3f}", "", "", "")
    return table
