"""Time to load the models of a folder with `MjModel.from_xml_path`, measured alternately for both engines.

python -m benchmarks.load [--models FOLDER_OR_FILE ...] [--grep TEXT] [--limit N] [--memory 12] [--clock cpu]
    [--json out/load.jsonl]

Without --models, the models are those of the folder named by CONJOINT_CORPUS. In every round, each engine loads a model
through a folder name that is new to both engines. The first load has empty caches (cold), and the last load finds the
model in the caches in memory (warm). Between these two, Conjoint also loads the model from its cache files (kept); this
time is compared with MuJoCo's cold time. The time of a model is the best of its rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import mujoco

import conjoint
from benchmarks.fresh_process import run_fresh
from benchmarks.report import write_report
from conjoint.compiler.assets.cache import CACHE

ENOUGH = 0.4
"""Time in seconds after which no further round starts for a model."""
LEAST_ROUNDS, MOST_ROUNDS = 3, 25
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
PACKAGES = {"mujoco": mujoco, "conjoint": conjoint}
STATES = {"mujoco": ("cold", "warm"), "conjoint": ("cold", "kept", "warm")}
AGAINST = {"cold": "cold", "kept": "cold", "warm": "warm"}
"""Cache state in which MuJoCo loads a model, by the cache state of Conjoint that is compared with it."""

PEAK = """
import json, sys
import {package} as package
def memory(key):
    with open("/proc/self/status") as stream:
        return next(int(line.split()[1]) for line in stream if line.startswith(key)) / 1024
# what every model needs is not counted
package.MjModel.from_xml_string("<mujoco/>")
with open("/proc/self/clear_refs", "w") as stream:
    stream.write("5")
before = memory("VmRSS")
model = package.MjModel.from_xml_path(sys.argv[1])
print(json.dumps({{"grown": memory("VmHWM") - before, "peak": memory("VmHWM")}}))
"""
"""Program that prints the growth of a fresh process's memory while it loads a model, and its peak (MiB)."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", type=Path, help="files, or folders of which all models are taken")
    parser.add_argument("--grep", default="", help="only paths that contain this")
    parser.add_argument("--limit", type=int, help="so many models, spread over all")
    parser.add_argument("--worst", type=int, default=20, help="so many of the slowest are listed")
    parser.add_argument("--memory", type=int, default=12, help="so many of the largest are measured for memory")
    parser.add_argument(
        "--clock", choices=CLOCKS, default="wall", help="cpu: all threads, for a machine with other work"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    root, paths = models_in(options.models or [Path(os.environ["CONJOINT_CORPUS"])])
    paths = [path for path in paths if options.grep in str(path)]
    if options.limit:
        paths = paths[:: max(1, len(paths) // options.limit)][: options.limit]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for i, path in enumerate(paths):
            row = _measure(root, path, Path(folder, str(i)), CLOCKS[options.clock])
            if row:
                rows.append({"benchmark": "load", "model": str(path.relative_to(root)), **row})
    for state in AGAINST:
        _report(rows, state, options.worst, options.json)
    if options.memory:
        _report_memory(root, rows, options.memory, options.json)


def models_in(given: list[Path]) -> tuple[Path, list[Path]]:
    """Return the common folder of the given files and folders, and the paths of the models in them.

    If a folder contains a manifest, only the files that it lists are models.
    """
    paths: list[Path] = []
    for path in (path.resolve() for path in given):
        manifest = path / "manifest.json"
        if manifest.exists():
            listed = json.loads(manifest.read_text())["models"]
            paths += [path / model["path"] for model in listed if model["oracle_version"] == mujoco.__version__]
        else:
            paths += [path] if path.is_file() else sorted([*path.rglob("*.xml"), *path.rglob("*.urdf")])
    return Path(os.path.commonpath([path.parent for path in paths])), paths


def _measure(root: Path, path: Path, links: Path, clock: Callable[[], float]) -> dict[str, Any] | None:
    """Return the times in milliseconds of both engines for one model, or None if one of them rejects it."""
    times: dict[str, list[float]] = {f"{name} {state}": [] for name in PACKAGES for state in STATES[name]}
    links.mkdir()
    began = time.perf_counter()
    for number in range(MOST_ROUNDS):
        if number >= LEAST_ROUNDS and time.perf_counter() - began > ENOUGH:
            break
        order = list(PACKAGES) if number % 2 else list(reversed(PACKAGES))
        for name in order:
            # a new folder name, so that neither engine finds the files in its cache
            link = links / f"{name}{number}"
            link.symlink_to(root, target_is_directory=True)
            os.environ["CONJOINT_CACHE_DIR"] = str(links / f"cache{number}")
            for state in STATES[name]:
                if state != "warm":
                    # data inside the model file has no file name that could be new
                    CACHE.clear()
                try:
                    seconds = _load(PACKAGES[name], str(link / path.relative_to(root)), clock)
                except ValueError:
                    return None
                times[f"{name} {state}"].append(1e3 * seconds)
    best = {key: min(values) for key, values in times.items()}
    ratios = {state: best[f"conjoint {state}"] / best[f"mujoco {official}"] for state, official in AGAINST.items()}
    return {**{f"{key} ms": value for key, value in best.items()}, **ratios, "rounds": number}


def _load(package: Any, path: str, clock: Callable[[], float]) -> float:
    """Return the time in seconds to load a model, without the time to delete it."""
    start = clock()
    model = package.MjModel.from_xml_path(path)
    seconds = clock() - start
    del model
    return seconds


def _report(rows: list[dict[str, Any]], state: str, worst: int, path: Path | None) -> None:
    """Print the distribution of the ratios of all models, and the models with the largest ratios."""
    ratios = sorted(row[state] for row in rows)
    spread = {
        "benchmark": "load", "state": state, "models": len(rows), "median": median(ratios),
        "90 %": ratios[int(0.9 * len(ratios))], "worst": ratios[-1],
        "mujoco s": sum(row[f"mujoco {AGAINST[state]} ms"] for row in rows) / 1e3,
        "conjoint s": sum(row[f"conjoint {state} ms"] for row in rows) / 1e3,
    }  # fmt: skip
    columns = ["models", "median", "90 %", "worst", "mujoco s", "conjoint s"]
    write_report(f"loading, {state}: time over that of the official compiler", [spread], columns, path)
    listed = sorted(rows, key=lambda row: -row[state])[:worst]
    write_report(
        f"the {len(listed)} worst, {state}",
        listed,
        ["model", f"mujoco {AGAINST[state]} ms", f"conjoint {state} ms", state],
        path,
    )


def _report_memory(root: Path, rows: list[dict[str, Any]], count: int, path: Path | None) -> None:
    """Print the memory use of the models that take longest to load, because these are the largest ones."""
    largest = sorted(rows, key=lambda row: -row["mujoco cold ms"])[:count]
    listed = []
    for row in largest:
        measured: dict[str, Any] = {"benchmark": "load memory", "model": row["model"]}
        for name in PACKAGES:
            facts = run_fresh(PEAK.format(package=name), str(root / row["model"]))
            measured.update({f"{name} MiB": facts["grown"], f"{name} peak": facts["peak"]})
        measured["ratio"] = measured["conjoint MiB"] / measured["mujoco MiB"]
        listed.append(measured)
    columns = ["model", "mujoco MiB", "conjoint MiB", "ratio", "mujoco peak", "conjoint peak"]
    write_report("memory: growth of a fresh process while it loads, and its peak", listed, columns, path)


if __name__ == "__main__":
    main()
