"""Overhead of calling compiled code from Python: a stage that does nothing, and the smallest documented functions.

python -m benchmarks.entry [--model models/cartpole.xml] [--json out/entry.jsonl]
"""

from __future__ import annotations

import argparse
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import conjoint
from benchmarks.report import write_report
from conjoint.lang import Buffer, Field, Layout, kernel
from conjoint.lang.calls.compiled import stage_addresses
from conjoint.lang.calls.driver import Run
from conjoint.lang.memory.realisation import WORLD

FIELDS = (Field("x", "real"),)


@kernel
def nothing(m, d):
    """Set one number to zero: the cheapest possible stage."""
    d.x = 0.0


def nanoseconds(call: Callable[[], Any], repeat: int = 15) -> float:
    """Return the shortest CPU time of a call in nanoseconds, because disturbances only add time."""
    timer = timeit.Timer(call, timer=time.process_time)
    number, _ = timer.autorange()
    return min(timer.repeat(repeat, number)) / number * 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/cartpole.xml")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    memory = Buffer(Layout(FIELDS, {}))
    (address,) = stage_addresses([(nothing, WORLD)], FIELDS, FIELDS)
    run = Run(np.array([[address, 1]], np.int64), memory.address, memory.address)
    times: list[tuple[str, str, Callable[[], Any]]] = [
        ("nothing in Python", "", lambda: None),
        ("a stage that does nothing", "conjoint", run.go),
    ]
    for package in (mujoco, conjoint):
        model: Any = package.MjModel.from_xml_path(options.model)
        data: Any = package.MjData(model)
        for name in ("mj_checkPos", "mj_kinematics", "mj_step"):
            function = getattr(package, name, None)
            if function is None:
                continue
            function(model, data)
            times.append((name, package.__name__, lambda f=function, m=model, d=data: f(m, d)))
    model_name = Path(options.model).name
    rows = [
        {"benchmark": "entry", "model": options.model, "call": name, "engine": engine, "ns": round(nanoseconds(call))}
        for name, engine, call in times
    ]
    write_report(f"nanoseconds of a call, {model_name}", rows, ["call", "engine", "ns"], options.json)


if __name__ == "__main__":
    main()
