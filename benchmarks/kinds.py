"""One world and batches of many kinds of models, in turns with the official engine: a table in Markdown.

Both start from states that the official engine reached under random controls, with the same controls from there, new at
every step. Without models it measures those of `kind_models`, each slow in its own way.

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
"""Degrees of freedom up to which worlds are stepped as a batch."""

BIG = 60
"""Degrees of freedom from which a batch has fewer worlds and steps."""

APART = 5
"""Steps from one start state to the next."""

SEGMENTS = 16
"""States from which one world steps."""

COUNTS = "ncon", "nefc", "iterations"

Seconds = Callable[[], float]


def in_turns(runs: Sequence[Seconds], rounds: int) -> list[list[float]]:
    """Seconds of each run in each of some rounds, in which all take turns; a first one warms up."""
    turns = [[run() for run in runs] for _ in range(rounds + 1)][1:]
    return [list(column) for column in zip(*turns, strict=True)]


def result(official: list[float], mine: list[float], steps: int) -> dict[str, float]:
    """Microseconds of a step of each engine, and how many times as fast this one is."""
    ratio = median(a / b for a, b in zip(official, mine, strict=True))
    return {"us": 1e6 * median(mine) / steps, "official": 1e6 * median(official) / steps, "ratio": ratio}


def one_world(path: str, work: Workload, options: argparse.Namespace) -> dict[str, float]:
    """Steps of one world, from some of the states in turn."""
    count, steps = work.ctrl.shape[:2]
    segments = range(0, count, max(1, count // SEGMENTS))
    engines = [Engine(package, path, CLOCKS[options.clock]) for package in (mujoco, conjoint)]

    def run(engine: Engine) -> float:
        return sum(engine.run(work, segment) for segment in segments)

    official, mine = in_turns([functools.partial(run, engine) for engine in engines], options.rounds)
    return result(official, mine, len(segments) * steps)


def batches(path: str, work: Workload, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Batches in both precisions on one thread, and in float64 on more, compared with rollouts on as many."""
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
    """All that is measured of a model; contacts, rows and iterations are those of the official engine on the way."""
    model = mujoco.MjModel.from_xml_path(str(path))
    worlds, steps = (256, 20) if model.nv < BIG else (64, 10) if model.nv <= MOST_DOFS else (SEGMENTS, 10)
    work = make_workload(str(path), worlds, steps, apart=APART)
    sizes = {"model": path.stem, "nv": model.nv, "geoms": model.ngeom, "worlds": worlds, "steps": steps}
    several = batches(str(path), work, options) if model.nv <= MOST_DOFS else {}
    return {**sizes, **work.facts, "one world": one_world(str(path), work, options), **several}


def table(rows: list[dict[str, Any]], ways: list[str]) -> str:
    """The rows in Markdown, with geometric means of ratios below."""
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
    """Return the cells of a measurement in the table."""
    return f"{value['us']:.1f}, {value['official']:.1f}, **{value['ratio']:.2f}**" if value else ""


def paths_of(options: argparse.Namespace) -> list[Path]:
    """The models to measure; those of `kind_models` are written to a folder."""
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
