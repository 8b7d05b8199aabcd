"""Derivatives of a step by finite differences (`mjd_transitionFD`), compared with MuJoCo.

python -m benchmarks.differences [--models models/humanoid.xml ...] [--json FILE]

Differences are centered, with respect to state and controls, from the state after a few steps. Models with the
Runge-Kutta integrator, which neither engine differentiates, use Euler's.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import mujoco
import numpy as np

import conjoint
from benchmarks.report import write_report

CALLS, ROUNDS = 10, 9
"""Number of consecutive calls, as planners make them, and number of rounds for each engine."""


def derivative(package: ModuleType, path: str) -> tuple[Callable[[], Any], dict[str, int]]:
    """Return a function that computes all derivatives of a model, and the sizes of the model."""
    m = package.MjModel.from_xml_path(path)
    if m.opt.integrator == package.mjtIntegrator.mjINT_RK4:
        m.opt.integrator = package.mjtIntegrator.mjINT_EULER
    d = package.MjData(m)
    for _ in range(3):
        package.mj_step(m, d)
    nx = 2 * m.nv + m.na
    A, B = np.zeros((nx, nx)), np.zeros((nx, m.nu))
    return lambda: package.mjd_transitionFD(m, d, 1e-6, 1, A, B, None, None), {"nv": m.nv, "nu": m.nu}


def microseconds(call: Callable[[], Any]) -> float:
    """Return the CPU time of a call in microseconds."""
    start = time.process_time()
    for _ in range(CALLS):
        call()
    return 1e6 * (time.process_time() - start) / CALLS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*", default=sorted(map(str, Path("models").glob("*.xml"))))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for path in options.models:
        (ours, sizes), (official, _) = derivative(conjoint, path), derivative(mujoco, path)
        for call in (ours, ours, official):
            # the first call compiles, the second one runs the result
            call()
        times = [(microseconds(ours), microseconds(official)) for _ in range(ROUNDS)]
        mine, theirs = (min(column) for column in zip(*times, strict=True))
        rows.append({
            "benchmark": "differences", "model": Path(path).stem, **sizes, "us": mine, "official us": theirs,
            "ratio": median(o / u for u, o in times),
        })  # fmt: skip
    write_report("mjd_transitionFD, microseconds of the processor", rows, list(rows[0])[1:], options.json)


if __name__ == "__main__":
    main()
