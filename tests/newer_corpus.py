"""Models in folders, compared with MuJoCo 4.0.0 in both editions (docs/semantics.md).

    python tests/newer_corpus.py --official /path/of/python FOLDER_OR_FILE ... [--every 3] [--editions 3.3.5 4.0]

Loads each given file and every MJCF and URDF file below the folders, and steps it 50 times (`--steps`) with zero controls.
A model agrees if max |difference| / max(1, max |qpos|) is at most 1e-3. MuJoCo runs in a separate process with the given
Python. Prints each file that does not agree in the first or the last edition, and finally the count for each edition.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

BAR = 1e-3
SECONDS = 60
"""Time limit for a file, in seconds."""


def worker(edition: str, steps: int) -> None:
    """Read file names from standard input, and write a line of JSON for each: qpos, or the error."""
    if edition:
        import conjoint as mj

        mj.semantics(edition)
    else:
        import mujoco as mj  # type: ignore[no-redef]
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            m = mj.MjModel.from_xml_path(line.strip())
            d = mj.MjData(m)
            for _ in range(steps):
                mj.mj_step(m, d)
            found: dict[str, Any] = {"qpos": d.qpos.tolist()}
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(found), file=out, flush=True)


class Engine:
    """Process that steps models and is restarted after a crash or timeout."""

    def __init__(self, python: str, edition: str, steps: int):
        self.command = [python, __file__, "--worker", edition, "--steps", str(steps)]
        self.process: subprocess.Popen[str] | None = None

    def ask(self, path: Path) -> dict[str, Any]:
        """Return the worker's result for a model file: its final qpos, or an error."""
        if self.process is None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        process = self.process
        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            print(path, file=process.stdin, flush=True)
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        timer.cancel()
        if not line:
            process.kill()
            self.process = None
            return {"error": "crashed or took too long"}
        return dict(json.loads(line))


def models(folders: list[str]) -> Iterator[Path]:
    """Yield the model files among the arguments and in their folders, without files that are only parts of models."""
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")) if Path(folder).is_dir() else [Path(folder)]:
            if path.suffix.lower() in (".xml", ".urdf") and path.is_file():
                text = path.read_bytes()[:20000].decode(errors="replace")
                root = re.search(r"<\s*([A-Za-z]\w*)", re.sub(r"<!--.*?-->|<\?.*?\?>", "", text, flags=re.DOTALL))
                if root and root[1] in ("mujoco", "robot"):
                    yield path


def difference(a: list[float], b: list[float]) -> float:
    """Return the difference between two configurations, relative to the larger of 1 and the largest number.

    Numbers that are not finite count as equal.
    """
    x, y = np.array(a), np.array(b)
    if x.shape != y.shape:
        return np.inf
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return 0.0 if np.array_equal(np.isfinite(x), np.isfinite(y)) else np.inf
    return float(np.abs(x - y).max(initial=0.0) / max(1.0, np.abs(y).max(initial=0.0)))


def main() -> None:
    """Compare models as the module's docstring describes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--official", default=sys.executable, help="Python that has mujoco==4.0.0")
    parser.add_argument("--editions", nargs="+", default=["3.3.5", "4.0"])
    parser.add_argument("--every", type=int, default=1, help="take every n-th file")
    parser.add_argument("--only", default="", help="text that a path must have")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker is not None:
        worker(given.worker, given.steps)
        return
    official = Engine(given.official, "", given.steps)
    own = [Engine(sys.executable, edition, given.steps) for edition in given.editions]
    both, agreed = 0, [0] * len(own)
    found = [path for path in models(given.folders) if given.only in str(path)][:: given.every]
    for path in found:
        truth = official.ask(path)
        results = [engine.ask(path) for engine in own]
        if "qpos" not in truth or any("qpos" not in result for result in results):
            if "qpos" in truth:
                print(f"refused  {path}  {[result.get('error', '') for result in results]}", flush=True)
            continue
        both += 1
        errors = [difference(result["qpos"], truth["qpos"]) for result in results]
        agreed = [count + (error <= BAR) for count, error in zip(agreed, errors, strict=True)]
        if errors[-1] > BAR or errors[0] > BAR:
            mark = "won" if errors[-1] <= BAR else "lost" if errors[0] <= BAR else "differs"
            print(f"{mark:8} {' '.join(f'{error:.1e}' for error in errors)}  {path}", flush=True)
    for edition, count in zip(given.editions, agreed, strict=True):
        print(f"{edition}: {count} of {both} agree ({100 * count / max(both, 1):.1f} %)")


if __name__ == "__main__":
    main()
