"""CPU time to update a scene and to draw it, measured alternately with MuJoCo.

python -m benchmarks.scene [--model FILE] [--width 640] [--height 480] [--frames 40] [--json out/scene.jsonl]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

# both packages read this variable when they are imported
os.environ.setdefault("MUJOCO_GL", "egl")

import mujoco

import conjoint
from benchmarks.report import write_report

ROUNDS = 9
UPDATES = 2000


def calls(package: ModuleType, path: str, height: int, width: int) -> dict[str, Callable[[], Any]]:
    """Return functions that update a scene and that draw it, for a model in its first keyframe."""
    m = package.MjModel.from_xml_path(path)
    # allow pictures that are larger than the default
    m.vis.global_.offwidth, m.vis.global_.offheight = max(width, 640), max(height, 480)
    d = package.MjData(m)
    if m.nkey:
        package.mj_resetDataKeyframe(m, d, 0)
    package.mj_forward(m, d)
    option, perturb, camera = package.MjvOption(), package.MjvPerturb(), package.MjvCamera()
    package.mjv_defaultFreeCamera(m, camera)
    scene = package.MjvScene(m, 1000)
    renderer = package.Renderer(m, height, width)

    def render() -> None:
        renderer.update_scene(d)
        renderer.render()

    return {
        "mjv_updateScene": lambda: package.mjv_updateScene(m, d, option, perturb, camera, 7, scene),
        "Renderer.render": render,
    }


def seconds(call: Callable[[], Any], count: int) -> tuple[float, float]:
    """Return the CPU time of all threads and the wall-clock time of a call in seconds."""
    begin = time.process_time(), time.perf_counter()
    for _ in range(count):
        call()
    return (time.process_time() - begin[0]) / count, (time.perf_counter() - begin[1]) / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/humanoid.xml")
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--height", type=int, default=480)
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    size = options.height, options.width
    pairs = [calls(package, options.model, *size) for package in (conjoint, mujoco)]
    rows = []
    for name, count in (("mjv_updateScene", UPDATES), ("Renderer.render", options.frames)):
        for pair in pairs:
            pair[name]()
        taken = [[seconds(pair[name], count) for pair in pairs] for _ in range(ROUNDS)]
        ours, official = (min(one[k] for one in taken) for k in (0, 1))
        rows.append({
            "benchmark": "scene", "model": options.model, "call": name, "us": 1e6 * ours[0],
            "official_us": 1e6 * official[0], "clock_us": 1e6 * ours[1], "official_clock_us": 1e6 * official[1],
            "speed": official[0] / ours[0],
        })  # fmt: skip
    title = f"microseconds of a call, {Path(options.model).name}, {options.width} x {options.height}"
    columns = ["call", "us", "official_us", "clock_us", "official_clock_us", "speed"]
    write_report(title, rows, columns, options.json)


if __name__ == "__main__":
    main()
