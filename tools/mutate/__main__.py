"""Mutation testing: apply one mutation at a time, run the tests that reach it, and count how many the tests detect.

    python -m tools.mutate [--count 60] [--seed 0] [--rooms physics/sensor envs ...]
        [--tests sensors ray ...] [--budget 240] [--jobs 1] [--folder out/mutate]

Rooms are folders or files of the package. The first run records which code the tests of these rooms reach. This takes
as long as running the tests twice, once with compiled and once with uncompiled kernels. Delete the folder after larger
changes. The exit status is 1 if less than nine tenths of the mutations are detected.
"""

from __future__ import annotations

import argparse
import queue
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from .mutation import Mutation, mutations
from .rooms import HOST, KERNELS
from .trial import Trial, Verdict

ROOT = Path(__file__).parents[2]
ENOUGH = 0.9


def main() -> int:
    """Try mutations and print a table of the results; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=60, help="changes to try, as many in each room")
    parser.add_argument("--seed", type=int, default=0, help="which changes")
    parser.add_argument(
        "--rooms", nargs="+", default=KERNELS, help=f"folders or files of the package; `host` for {', '.join(HOST)}"
    )
    parser.add_argument("--tests", nargs="+", default=(), help="words in names of test files, which alone run")
    parser.add_argument("--budget", type=float, default=240.0, help="most seconds of tests for one change")
    parser.add_argument("--jobs", type=int, default=1, help="changes tried side by side, each in a copy of its own")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "mutate", help="where the copy and records lie")
    options = parser.parse_args()
    rooms = [room for given in options.rooms for room in (HOST if given == "host" else (given,))]
    trials = [Trial(ROOT, options.folder, options.budget, options.tests, index) for index in range(options.jobs)]
    changes = chosen(mutations(trials[0].source, rooms), options.count, options.seed)
    trials[0].record(changes, options.jobs)
    verdicts = []
    for change, verdict in judged(changes, trials):
        verdicts.append((change, verdict))
        print(row(change, verdict), flush=True)
    noticed = sum(verdict.noticed_by is not None for _, verdict in verdicts)
    print(f"\n{noticed} of {len(verdicts)} changes noticed ({100 * noticed / max(1, len(verdicts)):.0f} %)")
    for label in (lambda change: change.kind, lambda change: change.path.split("/")[0]):
        for name in sorted({label(change) for change, _ in verdicts}):
            of_name = [verdict.noticed_by is not None for change, verdict in verdicts if label(change) == name]
            print(f"  {name}: {sum(of_name)} of {len(of_name)}")
    return int(noticed < ENOUGH * len(verdicts))


def chosen(found: dict[str, dict[str, list[Mutation]]], count: int, seed: int) -> dict[str, list[Mutation]]:
    """Choose distinct mutations from each room: a random function, then a random kind of mutation in it.

    The choice in one room does not depend on the other rooms.
    """
    order = list(found)
    share = {room: count // len(order) + (k < count % len(order)) for k, room in enumerate(order)}
    return {room: _chosen(found[room], share[room], random.Random(f"{seed} {room}")) for room in order}


def _chosen(found: dict[str, list[Mutation]], count: int, generator: random.Random) -> list[Mutation]:
    """Choose distinct mutations of one room."""
    picked: dict[Mutation, None] = {}
    places = sorted(found)
    while len(picked) < min(count, sum(map(len, found.values()))):
        changes = found[generator.choice(places)]
        kind = generator.choice(sorted({change.kind for change in changes}))
        picked[generator.choice([change for change in changes if change.kind == kind])] = None
    return list(picked)


def judged(changes: dict[str, list[Mutation]], trials: list[Trial]) -> Iterator[tuple[Mutation, Verdict]]:
    """Yield each mutation with its verdict as soon as it is known; each copy of the project tries one at a time."""
    idle: queue.SimpleQueue[Trial] = queue.SimpleQueue()
    for trial in trials:
        idle.put(trial)

    def judge(room: str, change: Mutation) -> Verdict:
        trial = idle.get()
        try:
            return trial.judge(room, change)
        finally:
            idle.put(trial)

    with ThreadPoolExecutor(len(trials)) as pool:
        running = {pool.submit(judge, room, change): change for room, row in changes.items() for change in row}
        for done in as_completed(running):
            yield running[done], done.result()


def row(change: Mutation, verdict: Verdict) -> str:
    """Return the two lines of the results table that describe a mutation."""
    line = (ROOT / "src" / "conjoint" / change.path).read_text().splitlines()[change.line - 1]
    before, after = line[: change.start], line[change.end :]
    text = f"{before}[{line[change.start : change.end]} -> {change.new}]{after}".strip()
    noticed = verdict.noticed_by or "NOT NOTICED"
    return f"{change.path}:{change.line} {change.kind}: {text}\n    {verdict.seconds:.0f} s: {noticed}"


if __name__ == "__main__":
    sys.exit(main())
