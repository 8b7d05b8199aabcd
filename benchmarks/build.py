"""Time to build models in a program: bodies are added to an MjSpec one by one, then compiled, compared with MuJoCo.

python -m benchmarks.build [--bodies 250 500 1000 2000 5000] [--official 500] [--rounds 3] [--clock cpu]
    [--json out/build.jsonl]

Every body has a joint and a geom, and every joint has a motor, except those of free bodies. If the cost is linear, the
time per body is the same for all numbers of bodies. MuJoCo is left out for large numbers, for which it would take
minutes, because its cost grows faster.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco

import conjoint
from benchmarks.report import write_report

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
PACKAGES = {"mujoco": mujoco, "conjoint": conjoint}
SHAPES: dict[str, Callable[[int], int]] = {
    # parent of body i; 0 is the world
    "free bodies": lambda i: 0,
    "trees of 15": lambda i: 0 if i % 15 == 1 else i - 1 - (i % 15) // 3,
    "one bush": lambda i: i // 2,
    "chains of 50": lambda i: 0 if i % 50 == 1 else i - 1,
    "one chain": lambda i: i - 1,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", type=int, nargs="+", default=[250, 500, 1000, 2000, 5000])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--official", type=int, default=500, help="most bodies for the official package")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: for a machine with other work")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    rows = []
    for shape in options.shapes:
        for number in options.bodies:
            packages = [name for name in PACKAGES if name == "conjoint" or number <= options.official]
            times: dict[str, list[tuple[float, float]]] = {name: [] for name in packages}
            for turn in range(options.rounds):
                for name in packages if turn % 2 else reversed(packages):
                    times[name].append(_measure(PACKAGES[name], SHAPES[shape], number, CLOCKS[options.clock]))
            row: dict[str, Any] = {"benchmark": "build", "shape": shape, "bodies": number}
            for name in reversed(packages):
                build, compiled = (min(part) for part in zip(*times[name], strict=True))
                row |= {f"{name} build s": build, f"{name} compile s": compiled}
                row[f"{name} us/body"] = 1e6 * (build + compiled) / number
            rows.append(row)
    columns = [f"{name} {what}" for name in PACKAGES for what in ("build s", "compile s", "us/body")]
    write_report("models built by a program", rows, ["shape", "bodies", *columns], options.json)


def _measure(
    package: Any, parent: Callable[[int], int], number: int, clock: Callable[[], float]
) -> tuple[float, float]:
    """Return the times in seconds to build an MjSpec of `number` bodies, and to compile it."""
    start = clock()
    spec = package.MjSpec()
    bodies = [spec.worldbody]
    for i in range(1, number + 1):
        above = parent(i)
        body = bodies[above].add_body(name=f"body{i}", pos=[0.1, 0, 0.1])
        if above or parent(i + 1):
            body.add_joint(name=f"joint{i}", type=package.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
            spec.add_actuator(name=f"motor{i}", target=f"joint{i}", trntype=package.mjtTrn.mjTRN_JOINT)
        else:
            body.add_freejoint(name=f"joint{i}")
        body.add_geom(type=package.mjtGeom.mjGEOM_SPHERE, size=[0.05, 0, 0])
        bodies.append(body)
    built = clock()
    model = spec.compile()
    compiled = clock()
    assert model.nbody == number + 1
    return built - start, compiled - built


if __name__ == "__main__":
    main()
