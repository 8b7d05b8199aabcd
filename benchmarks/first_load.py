"""Time from the start of a process until its first model is loaded, measured alternately for both packages.

python -m benchmarks.first_load --models FOLDER_OR_FILE ... [--grep TEXT] [--largest 12] [--rounds 3]
    [--json out/first_load.jsonl]

Conjoint is measured with an empty cache of meshes and images (cold), and with a cache that an earlier process filled
(kept). The compiled kernels that loading needs are available, as in an installed package. MuJoCo has no cache that
outlasts a process. The time of a model is the best of its rounds, from the start of the process to its end.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.fresh_process import run_fresh
from benchmarks.load import models_in
from benchmarks.report import write_report

LOAD = """
import json, sys, time
start = time.perf_counter()
import {package} as package
model = package.MjModel.from_xml_path(sys.argv[1])
print(json.dumps({{"load": time.perf_counter() - start, "nmesh": model.nmesh}}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", type=Path, help="files, or folders of which all models are taken")
    parser.add_argument("--grep", default="", help="only paths that contain this")
    parser.add_argument("--largest", type=int, default=12, help="so many models with meshes that take longest to load")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    root, paths = models_in(options.models or [Path(os.environ["CONJOINT_CORPUS"])])
    largest = _largest([path for path in paths if options.grep in str(path)], options.largest)
    rows = [{"model": str(path.relative_to(root)), **_measure(path, options.rounds)} for path in largest]
    medians = {state: median(row[state] for row in rows) for state in ("cold", "kept")}
    rows.append({"model": f"median of {len(rows)}", **medians})
    rows = [{"benchmark": "first load", **row} for row in rows]
    columns = ["model", "mujoco s", "cold s", "kept s", "cold", "kept"]
    write_report("first model of a process: seconds, and in times of the official package", rows, columns, options.json)


def _largest(paths: Iterable[Path], count: int) -> list[Path]:
    """Return the models with meshes that take longest to load in MuJoCo."""
    seconds: dict[Path, float] = {}
    for path in paths:
        try:
            facts = run_fresh(LOAD.format(package="mujoco"), str(path))
        except RuntimeError:
            # MuJoCo rejects the model
            continue
        if facts["nmesh"]:
            seconds[path] = facts["load"]
    return sorted(seconds, key=seconds.__getitem__, reverse=True)[:count]


def _measure(path: Path, rounds: int) -> dict[str, Any]:
    """Return the times in seconds of both packages for one model, and their ratios."""
    times: dict[str, list[float]] = {"mujoco": [], "cold": [], "kept": []}
    with tempfile.TemporaryDirectory() as folder:
        ours = partial(run_fresh, LOAD.format(package="conjoint"), str(path), CONJOINT_CACHE_DIR=folder)
        ours()
        for _ in range(rounds):
            times["mujoco"].append(run_fresh(LOAD.format(package="mujoco"), str(path))["wall"])
            for asset in Path(folder).glob("*.asset"):
                asset.unlink()
            for state in ("cold", "kept"):
                times[state].append(ours()["wall"])
    best = {name: min(values) for name, values in times.items()}
    ratios = {state: best[state] / best["mujoco"] for state in ("cold", "kept")}
    return {**{f"{name} s": value for name, value in best.items()}, **ratios}


if __name__ == "__main__":
    main()
