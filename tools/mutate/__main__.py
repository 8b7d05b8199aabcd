"""Change one token of a random kernel at a time, run the tests that reach it, and count what is noticed.

    python -m tools.mutate [--count 60] [--seed 0] [--rooms physics/sensor ...]
        [--tests sensors ray ...] [--budget 240] [--jobs 1] [--folder out/mutate]

The first run writes down which tests reach which kernel, which takes as long as the tests do, compiled and uncompiled;
delete the folder after larger changes. Ends with 1 if less than nine tenths are noticed.
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
from .trial import Trial, Verdict

ROOT = Path(__file__).parents[2]
ROOMS = ("physics", "solver")
ENOUGH = 0.9


def main() -> int:
    """Try changes and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=60, help="changes to try")
    parser.add_argument("--seed", type=int, default=0, help="which changes")
    parser.add_argument("--rooms", nargs="+", default=ROOMS, help="folders or files of the package")
    parser.add_argument("--tests", nargs="+", default=(), help="words in names of test files, which alone run")
    parser.add_argument("--budget", type=float, default=240.0, help="most seconds of tests for one change")
    parser.add_argument("--jobs", type=int, default=1, help="changes tried side by side, each in a copy of its own")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "mutate", help="where the copy and records lie")
    options = parser.parse_args()
    trials = [Trial(ROOT, options.folder, options.budget, options.tests, index) for index in range(options.jobs)]
    trials[0].record(options.jobs)
    changes = chosen(mutations(trials[0].source, tuple(options.rooms)), options.count, options.seed)
    verdicts = []
    for change, verdict in judged(changes, trials):
        verdicts.append((change, verdict))
        print(row(change, verdict), flush=True)
    noticed = sum(verdict.noticed_by is not None for _, verdict in verdicts)
    print(f"\n{noticed} of {len(verdicts)} changes noticed ({100 * noticed / max(1, len(verdicts)):.0f} %)")
    for kind in sorted({change.kind for change, _ in verdicts}):
        of_kind = [verdict.noticed_by is not None for change, verdict in verdicts if change.kind == kind]
        print(f"  {kind}: {sum(of_kind)} of {len(of_kind)}")
    return int(noticed < ENOUGH * len(verdicts))


def chosen(found: dict[str, list[Mutation]], count: int, seed: int) -> list[Mutation]:
    """Different changes: each of a random kernel, there of a random kind."""
    generator = random.Random(seed)
    picked: dict[Mutation, None] = {}
    places = sorted(found)
    total = sum(len(changes) for changes in found.values())
    while len(picked) < min(count, total):
        changes = found[generator.choice(places)]
        kind = generator.choice(sorted({change.kind for change in changes}))
        picked[generator.choice([change for change in changes if change.kind == kind])] = None
    return list(picked)


def judged(changes: list[Mutation], trials: list[Trial]) -> Iterator[tuple[Mutation, Verdict]]:
    """What becomes of each change, as it is found; as many side by side as there are copies."""
    idle: queue.SimpleQueue[Trial] = queue.SimpleQueue()
    for trial in trials:
        idle.put(trial)

    def judge(change: Mutation) -> Verdict:
        trial = idle.get()
        try:
            return trial.judge(change)
        finally:
            idle.put(trial)

    with ThreadPoolExecutor(len(trials)) as pool:
        running = {pool.submit(judge, change): change for change in changes}
        for done in as_completed(running):
            yield running[done], done.result()


def row(change: Mutation, verdict: Verdict) -> str:
    """One line of the table."""
    line = (ROOT / "src" / "conjoint" / change.path).read_text().splitlines()[change.line - 1]
    before, after = line[: change.start], line[change.end :]
    text = f"{before}[{line[change.start : change.end]} -> {change.new}]{after}".strip()
    noticed = verdict.noticed_by or "NOT NOTICED"
    return f"{change.path}:{change.line} {change.kind}: {text}\n    {verdict.seconds:.0f} s: {noticed}"


if __name__ == "__main__":
    sys.exit(main())
