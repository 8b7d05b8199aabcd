"""Step times of one world and of batches for many kinds of models, compared with MuJoCo, as a Markdown table.

Both engines run alternately. They start from states that MuJoCo reached under random controls. From there they get
the same controls, new at every step. If no models are given, those of `kind_models` are measured.

python -m benchmarks.kinds [MODEL.xml ...] [--list FILE --folder FOLDER] [--rounds 5] [--threads 2]
    [--clock wall] [--write FOLDER] [--json out/kinds.jsonl]
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import mujoco

import conjoint
from benchmarks.batch import ConjointBatch, Contender, OfficialRollout
from benchmarks.kind_models import KINDS
from benchmarks.report import machine_facts
from benchmarks.scale import CLOCKS
from benchmarks.step import Engine
from benchmarks.workload import Workload, make_workload
from conjoint.lang.memory.realisation import default_width

MOST_DOFS = 150
"""Largest number of dofs of a model that is also stepped as a batch."""

BIG = 60
"""Smallest number of dofs for which a model's batches have fewer worlds and steps."""

APART = 5
"""Number of steps from one start state to the next."""

SEGMENTS = 16
"""Number of states from which one world is stepped."""

COUNTS = "ncon", "nefc", "iterations"

Seconds = Callable[[], float]


def in_turns(runs: Sequence[Seconds], rounds: int) -> list[list[float]]:
    """Return the times in seconds of each run in each round; the runs alternate, and a first round warms up."""
    turns = [[run() for run in runs] for _ in range(rounds + 1)][1:]
    return [list(column) for column in zip(*turns, strict=True)]


def result(official: list[float], mine: list[float], steps: int) -> dict[str, float]:
    """Return the time of a step (us) of each engine, and how many times as fast Conjoint is."""
    ratio = median(a / b for a, b in zip(official, mine, strict=True))
    return {"us": 1e6 * median(mine) / steps, "official": 1e6 * median(official) / steps, "ratio": ratio}


def one_world(path: str, work: Workload, options: argparse.Namespace) -> dict[str, float]:
    """Return step times of one world, which is stepped from several start states in succession."""
    count, steps = work.ctrl.shape[:2]
    segments = range(0, count, max(1, count // SEGMENTS))
    engines = [Engine(package, path, CLOCKS[options.clock]) for package in (mujoco, conjoint)]

    def run(engine: Engine) -> float:
        return sum(engine.run(work, segment) for segment in segments)

    official, mine = in_turns([functools.partial(run, engine) for engine in engines], options.rounds)
    return result(official, mine, len(segments) * steps)


def batches(path: str, work: Workload, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Return the step times of several batches, each compared with MuJoCo's rollout on as many threads, by batch name.

    The batches use both precisions on one thread, and float64 on `options.threads` threads.
    """
    clock = CLOCKS[options.clock]
    rollouts = {1: OfficialRollout(path, work, 1, clock)}
    mine = {precision: ConjointBatch(path, work, 1, precision, clock) for precision in ("float64", "float32")}
    if options.threads > 1:
        rollouts[options.threads] = OfficialRollout(path, work, options.threads)
        mine[f"float64, {options.threads} threads"] = ConjointBatch(path, work, options.threads, "float64")
    contenders: list[Contender] = [*rollouts.values(), *mine.values()]
    seconds = in_turns([functools.partial(contender.run, work) for contender in contenders], options.rounds)
    official = dict(zip(rollouts, seconds, strict=False))
    steps = work.ctrl.shape[0] * work.ctrl.shape[1]
    return {
        name: result(official[batch.threads], taken, steps)
        for (name, batch), taken in zip(mine.items(), seconds[len(rollouts) :], strict=True)
    }


def measure(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return all measurements of a model; counts are those of MuJoCo while it reached the start states."""
    model = mujoco.MjModel.from_xml_path(str(path))
    worlds, steps = (256, 20) if model.nv < BIG else (64, 10) if model.nv <= MOST_DOFS else (SEGMENTS, 10)
    work = make_workload(str(path), worlds, steps, apart=APART)
    sizes = {"model": path.stem, "nv": model.nv, "geoms": model.ngeom, "worlds": worlds, "steps": steps}
    several = batches(str(path), work, options) if model.nv <= MOST_DOFS else {}
    return {**sizes, **work.facts, "one world": one_world(str(path), work, options), **several}


def table(rows: list[dict[str, Any]], ways: list[str]) -> str:
    """Return the rows as a table in Markdown, with geometric means of the ratios in the last line."""
    head = ["model", "nv", "geoms", "contacts", "rows", "iterations", *(f"{way}: µs, official, ratio" for way in ways)]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        sizes = [row["model"], str(row["nv"]), str(row["geoms"])]
        counts = [f"{row[name]:.1f}" for name in COUNTS]
        lines.append([*sizes, *counts, *(cell(row.get(way)) for way in ways)])
    found = [[row[way]["ratio"] for row in rows if way in row] for way in ways]
    means = [
        f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f} (worst {min(ratios):.2f})" if ratios else ""
        for ratios in found
    ]
    lines.append(["geometric mean", *[""] * 5, *means])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(value: dict[str, float] | None) -> str:
    """Return the text of a measurement in the table: times of both engines, and their ratio."""
    return f"{value['us']:.1f}, {value['official']:.1f}, **{value['ratio']:.2f}**" if value else ""


def paths_of(options: argparse.Namespace) -> list[Path]:
    """Return the paths of the models to measure, and write the models of `kind_models` if none is given."""
    listed = options.list.read_text().splitlines() if options.list else []
    paths = [*options.models, *(options.folder / line for line in listed if line.strip() and not line.startswith("#"))]
    if paths:
        return paths
    options.write.mkdir(parents=True, exist_ok=True)
    for make in KINDS:
        (options.write / f"{make.__name__}.xml").write_text(make())
    return [options.write / f"{make.__name__}.xml" for make in KINDS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--list", type=Path, help="a file that names a model on each line")
    parser.add_argument("--folder", type=Path, default=Path(), help="where the models of the list are")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2, help="threads of the last column; 1: there is none")
    parser.add_argument("--clock", choices=CLOCKS, default="cpu", help="of what has one thread")
    parser.add_argument("--write", type=Path, default=Path(tempfile.gettempdir()) / "conjoint-kinds")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    facts = machine_facts()
    rows = []
    for path in paths_of(options):
        rows.append(measure(path, options))
        print(json.dumps(rows[-1]), flush=True)
    ways = list(dict.fromkeys(name for row in rows for name, value in row.items() if isinstance(value, dict)))
    lanes = " and ".join(f"{default_width(base)} in {base}" for base in ("float64", "float32"))
    machine = f"{facts['cpu']}, {facts['cores']} cores, {lanes} at once, {facts['date'][:10]}; MuJoCo {facts['mujoco']}"
    print(
        f"\n{machine}; {options.clock} time, one thread unless a column says more; new random controls at every step\n"
    )
    print(table(rows, ways))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        with options.json.open("a") as stream:
            stream.writelines(json.dumps({"benchmark": "kinds", **row, **facts}) + "\n" for row in rows)


if __name__ == "__main__":
    main()
