"""Overhead of common operations around a step: reading fields, finding elements by name, and calling small functions.

MuJoCo is measured in the same way.

python -m benchmarks.access [--model models/humanoid.xml] [--json out/access.jsonl]
"""

from __future__ import annotations

import argparse
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import mujoco
import numpy as np

import conjoint
from benchmarks.report import write_report

CALLS, ROUNDS = 2000, 9
"""Number of calls that are timed together, and number of rounds for each engine; the fastest round counts."""


def accesses(package: ModuleType, path: str) -> dict[str, Callable[[], Any]]:
    """Return functions that each evaluate one expression or call, by name, on a world that has made one step."""
    m = package.MjModel.from_xml_path(path)
    d = package.MjData(m)
    package.mj_step(m, d)
    body, name = m.nbody - 1, m.body(m.nbody - 1).name
    joint = m.joint(m.njnt - 1).name
    jacp, jacr = np.zeros((3, m.nv)), np.zeros((3, m.nv))
    q, r, nine, three = np.array([0.6, 0.0, 0.8, 0.0]), np.zeros(4), np.zeros(9), np.array([0.1, 0.2, 3.0])
    return {
        "d.qpos": lambda: d.qpos,
        "d.time": lambda: d.time,
        "m.nv": lambda: m.nv,
        "m.opt.timestep": lambda: m.opt.timestep,
        "d.ncon": lambda: d.ncon,
        "m.body(name).pos": lambda: m.body(name).pos,
        "d.body(name).xpos": lambda: d.body(name).xpos,
        "d.joint(name).qpos": lambda: d.joint(joint).qpos,
        "mj_name2id": lambda: package.mj_name2id(m, 1, name),
        "mju_quat2Mat": lambda: package.mju_quat2Mat(nine, q),
        "mju_mulQuat": lambda: package.mju_mulQuat(r, q, q),
        "mju_rotVecQuat": lambda: package.mju_rotVecQuat(jacp[0, :3], three, q),
        "mju_norm3": lambda: package.mju_norm3(three),
        "mju_dot3": lambda: package.mju_dot3(three, three),
        "mju_copy3": lambda: package.mju_copy3(three, three),
        "mju_norm": lambda: package.mju_norm(nine),
        "mj_jacBody": lambda: package.mj_jacBody(m, d, jacp, jacr, body),
        "mj_jac": lambda: package.mj_jac(m, d, jacp, jacr, three, body),
        "mj_kinematics": lambda: package.mj_kinematics(m, d),
        "mj_comPos": lambda: package.mj_comPos(m, d),
        "mj_fwdPosition": lambda: package.mj_fwdPosition(m, d),
        "mj_energyPos": lambda: package.mj_energyPos(m, d),
        "mj_checkPos": lambda: package.mj_checkPos(m, d),
        "mj_resetData": lambda: package.mj_resetData(m, d),
        "mj_forward": lambda: package.mj_forward(m, d),
        "m.joint(name).damping": lambda: m.joint(joint).damping,
    }  # fmt: skip


def nanoseconds(call: Callable[[], Any]) -> float:
    """Return the CPU time of a call in nanoseconds."""
    return timeit.Timer(call, timer=time.process_time).timeit(CALLS) / CALLS * 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/humanoid.xml")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    ours, official = accesses(conjoint, options.model), accesses(mujoco, options.model)
    rows = []
    for name, call in ours.items():
        call()
        official[name]()
        turns = [(nanoseconds(call), nanoseconds(official[name])) for _ in range(ROUNDS)]
        mine, theirs = (min(times) for times in zip(*turns, strict=True))
        rows.append({
            "benchmark": "access", "model": options.model, "access": name, "ns": round(mine),
            "official_ns": round(theirs), "ratio": round(mine / theirs, 2),
        })  # fmt: skip
    title = f"nanoseconds of an access, {Path(options.model).name}"
    write_report(title, rows, ["access", "ns", "official_ns", "ratio"], options.json)


if __name__ == "__main__":
    main()
