"""A million steps of every model of the repository, to check that memory does not grow and the state stays finite.

python -m benchmarks.endure [--models models/*.xml] [--steps 1000000] [--json FILE]
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import conjoint
from benchmarks.report import write_report
from conjoint.api.objects.names import control_range
from conjoint.lang.errors import DivergenceWarning

MODELS = Path(__file__).parent.parent / "models"
HELD = 100
"""Number of consecutive steps with the same controls."""


def resident_kilobytes() -> int:
    """Return the resident memory of this process in kilobytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


def endure(path: Path, steps: int) -> dict[str, Any]:
    """Step a model under random controls; return a row of the report.

    Memory growth is measured after the first hundredth of the steps, when all caches are filled.
    """
    model = conjoint.MjModel.from_xml_path(str(path))
    data = conjoint.MjData(model)
    generator = np.random.default_rng(0)
    low, high = control_range(model)
    before = largest = 0
    finite, start = True, time.process_time()
    for step in range(0, steps, HELD):
        data.ctrl[:] = generator.uniform(low, high)
        conjoint.mj_step(model, data, HELD)
        if step == steps // HELD // 100 * HELD:
            before = resident_kilobytes()
        if step % 10_000 == 0:
            finite = finite and bool(np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all())
            largest = max(largest, data.ncon)
    seconds = time.process_time() - start
    return {
        "model": path.stem, "steps": steps, "us per step": 1e6 * seconds / steps, "finite": finite,
        "most contacts": largest, "warnings": int(sum(w.number for w in data.warning)),
        "growth, kB": resident_kilobytes() - before,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, nargs="+", default=sorted(MODELS.glob("*.xml")))
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with warnings.catch_warnings():
        # divergence warnings are counted instead of printed
        warnings.simplefilter("ignore", DivergenceWarning)
        rows = [endure(path, arguments.steps) for path in arguments.models]
    write_report("Long runs", rows, list(rows[0]), arguments.json)


if __name__ == "__main__":
    main()
