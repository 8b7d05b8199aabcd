"""Depth images of many worlds by ray tracing, compared with MuJoCo's renderer, which draws the worlds one by one.

python -m benchmarks.pictures [--models models/humanoid.xml ...] [--worlds 64] [--size 64] [--threads 1 2]
    [--segments 5] [--json out/pictures.jsonl]

MuJoCo's renderer uses MUJOCO_GL=egl; without a graphics card, this is Mesa's llvmpipe on all processors. Both draw the
same states, alternately. A frame consists of `update_scene` and `render` in MuJoCo, and of kinematics and rays in
Conjoint. Ratios are given for CPU time and for wall-clock time.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

# MuJoCo selects its OpenGL library when it is imported
os.environ.setdefault("MUJOCO_GL", "egl")

import mujoco
import numpy as np

import conjoint
from benchmarks.report import write_report
from conjoint.batch import Batch

MODELS = [Path(__file__).parent.parent / "models" / f"{name}.xml" for name in ("humanoid", "quadruped", "pile", "flag")]

STEPS = 50
"""Number of steps with random controls between the states of two consecutive worlds, so that no two look alike."""


def official_worlds(model: mujoco.MjModel, count: int) -> list[mujoco.MjData]:
    """Return MuJoCo data for `count` worlds, whose states lie along one trajectory."""
    generator, data = np.random.default_rng(0), mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    worlds = []
    for _ in range(count):
        data.ctrl[:] = generator.uniform(-1, 1, model.nu)
        mujoco.mj_step(model, data, STEPS)
        worlds.append(mujoco.MjData(model))
        worlds[-1].qpos[:] = data.qpos
        mujoco.mj_forward(model, worlds[-1])
    return worlds


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Return the wall-clock time and the CPU time of a call in seconds."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def compare(path: Path, count: int, side: int, threads: int, segments: int) -> dict[str, Any]:
    """Return a row of the report for a model: times of a frame (us), and ratios."""
    official = mujoco.MjModel.from_xml_path(str(path))
    worlds = official_worlds(official, count)
    camera = 0 if official.ncam else -1
    batch = Batch(conjoint.MjModel.from_xml_path(str(path)), count, nthread=threads)
    batch.qpos[...] = [world.qpos for world in worlds]
    with mujoco.Renderer(official, side, side) as renderer:
        renderer.enable_depth_rendering()

        def draw() -> np.ndarray:
            frames = []
            for world in worlds:
                renderer.update_scene(world, camera=camera)
                frames.append(renderer.render())
            return np.array(frames)

        def cast() -> np.ndarray:
            return batch.render(camera, side, side, "depth")

        same = np.mean(np.abs(cast() / draw() - 1) < 0.01)
        taken = []
        for segment in range(segments):
            order = (draw, cast) if segment % 2 else (cast, draw)
            taken.append({work: timed(work) for work in order})
    batch.close()
    ratios = [[one[draw][k] / one[cast][k] for one in taken] for k in range(2)]
    return {
        "benchmark": "pictures", "model": path.stem, "worlds": count, "pixels": f"{side}x{side}", "threads": threads,
        "pixels alike": float(same),
        "us/frame": 1e6 * median(one[cast][1] for one in taken) / count,
        "official us/frame": 1e6 * median(one[draw][1] for one in taken) / count,
        "frames/s": count / median(one[cast][0] for one in taken),
        "official frames/s": count / median(one[draw][0] for one in taken),
        "ratio (processor)": median(ratios[1]), "ratio (clock)": median(ratios[0]),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, nargs="*", default=MODELS)
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--segments", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [
        compare(path, options.worlds, options.size, threads, options.segments)
        for path in options.models
        for threads in options.threads
    ]
    columns = ["model", "pixels", "worlds", "threads", "pixels alike", "us/frame", "official us/frame"]
    columns += ["frames/s", "official frames/s", "ratio (processor)", "ratio (clock)"]
    write_report("distances by rays; us: time of the processors", rows, columns, options.json)


if __name__ == "__main__":
    main()
