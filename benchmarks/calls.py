"""Functions with arguments, one call each, beside the official binding: what a controller in Python pays.

python -m benchmarks.calls [--model models/humanoid.xml] [--json out/calls.jsonl]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import mujoco
import numpy as np

import conjoint
from benchmarks.entry import nanoseconds
from benchmarks.report import write_report


def calls(package: ModuleType, path: str) -> dict[str, Callable[[], Any]]:
    """Calls by name, on a model after its first step."""
    m = package.MjModel.from_xml_path(path)
    d = package.MjData(m)
    package.mj_step(m, d)
    nv, body = m.nv, m.nbody - 1
    jacp, jacr, full, row = np.zeros((3, nv)), np.zeros((3, nv)), np.zeros((nv, nv)), np.zeros((1, nv))
    result, v, qpos = np.zeros(nv), np.linspace(-1.0, 1.0, nv), d.qpos.copy()
    point, down, geom, six = np.array([0.1, 0.2, 3.0]), np.array([0.0, 0.0, -1.0]), np.zeros(1, np.int32), np.zeros(6)
    q, a, b, r = np.zeros(4), np.array([0.5, 0.5, 0.5, 0.5]), np.array([0.6, 0.0, 0.8, 0.0]), np.zeros(3)
    return {
        "mj_jac": lambda: package.mj_jac(m, d, jacp, jacr, point, body),
        "mj_jacBody": lambda: package.mj_jacBody(m, d, jacp, None, body),
        "mj_jacSubtreeCom": lambda: package.mj_jacSubtreeCom(m, d, jacp, 1),
        "mj_angmomMat": lambda: package.mj_angmomMat(m, d, jacp, 1),
        "mj_mulM": lambda: package.mj_mulM(m, d, result, v),
        "mj_solveM": lambda: package.mj_solveM(m, d, row, v[np.newaxis]),
        "mj_fullM": lambda: package.mj_fullM(m, full, d.qM),
        "mj_rne": lambda: package.mj_rne(m, d, 0, result),
        "mj_objectVelocity": lambda: package.mj_objectVelocity(m, d, 1, body, six, 1),
        "mj_applyFT": lambda: package.mj_applyFT(m, d, down, down, point, body, result),
        "mj_differentiatePos": lambda: package.mj_differentiatePos(m, result, 0.1, qpos, d.qpos),
        "mj_ray": lambda: package.mj_ray(m, d, point, down, None, 1, -1, geom),
        "mju_mulQuat": lambda: package.mju_mulQuat(q, a, b),
        "mju_subQuat": lambda: package.mju_subQuat(r, a, b),
        "mju_rotVecQuat": lambda: package.mju_rotVecQuat(r, point, a),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/humanoid.xml")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    ours, official = calls(conjoint, options.model), calls(mujoco, options.model)
    rows = []
    for name, call in ours.items():
        call()
        times = nanoseconds(call), nanoseconds(official[name])
        rows.append({
            "benchmark": "calls", "model": options.model, "call": name, "ns": round(times[0]),
            "official_ns": round(times[1]), "ratio": round(times[0] / times[1], 2),
        })  # fmt: skip
    title = f"nanoseconds of a call, {Path(options.model).name}"
    write_report(title, rows, ["call", "ns", "official_ns", "ratio"], options.json)


if __name__ == "__main__":
    main()
