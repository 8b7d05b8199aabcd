"""Scenes with many geoms that never move: time of a step and of rays, measured alternately with MuJoCo.

Geoms are distributed over an area that grows with their number, so that the number of geoms near a body is the same in
every scene.

python -m benchmarks.static_world [--static 20 300 1000 3000 10000] [--moving 1 20 100] [--shapes sphere box mesh]
    [--worlds 64] [--segments 9] [--fixed] [--json out/static_world.jsonl]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import conjoint
from benchmarks.report import write_report
from conjoint.batch import Batch

SHAPES = {"sphere": 'size=".1"', "box": 'type="box" size=".1 .08 .06"', "mesh": 'type="mesh" mesh="wedge"'}
"""Shapes of the moving bodies."""

STONES = ('type="box" size=".12 .1 .08"', 'type="cylinder" size=".1 .08"', 'size=".1"', 'type="capsule" size=".06 .1"')
MESH = '<asset><mesh name="wedge" vertex="0 0 0 .2 0 0 0 .2 0 0 0 .2 .15 .15 .15"/></asset>'

RAYS = 100
"""Number of rays in a call to mj_multiRay, and number of rays that are cast one by one."""

RANGEFINDERS = 20
"""Number of rangefinders on the first moving body."""

LEAST_SECONDS = 0.002
"""Shortest duration of a segment (s)."""


def scene(static: int, moving: int, shape: str, fixed: bool = False, sensors: int = 0) -> str:
    """Return the XML of a scene of bodies that fall among geoms that never move.

    Args:
        static, moving: numbers of geoms that never move, and of moving bodies.
        shape: shape of the moving bodies, a key of `SHAPES`.
        fixed: True to give every static geom a body of its own.
        sensors: number of rangefinders on the first moving body.
    """
    generator = np.random.default_rng(7)
    half = 0.3 * np.sqrt(max(static, 100))
    stones = "".join(
        f'<body pos="{x:.3f} {y:.3f} {z:.3f}"><geom {STONES[i % 4]}/></body>'
        if fixed
        else f'<geom {STONES[i % 4]} pos="{x:.3f} {y:.3f} {z:.3f}"/>'
        for i, (x, y, z) in enumerate(generator.uniform((-half, -half, 0), (half, half, 0.3), (static, 3)))
    )
    eyes = "".join(
        f'<site name="s{k}" zaxis="{np.cos(k):.4f} {np.sin(k):.4f} {-0.3 + 0.02 * k:.2f}"/>' for k in range(sensors)
    )
    side = int(np.ceil(np.sqrt(moving)))
    bodies = "".join(
        f'<body pos="{0.5 * (k % side - side / 2):.2f} {0.5 * (k // side - side / 2):.2f} .8"><freejoint/>'
        f"<geom {SHAPES[shape]}/>{eyes if k == 0 else ''}</body>"
        for k in range(moving)
    )
    ranges = "".join(f'<rangefinder site="s{k}"/>' for k in range(sensors))
    return f"""<mujoco>{MESH}<worldbody><geom type="plane" size="99 99 1" pos="0 0 -.2"/>{stones}{bodies}</worldbody>
    <sensor>{ranges}</sensor></mujoco>"""


def in_turns(turns: dict[str, Callable[[], None]], segments: int) -> dict[str, list[float]]:
    """Return the time (s) of a call to each function in each segment, by function name; the functions alternate.

    A segment consists of many calls to one function.
    """
    counts = {}
    for name, turn in turns.items():
        turn()
        start = time.perf_counter()
        turn()
        counts[name] = 1 + int(LEAST_SECONDS / max(time.perf_counter() - start, 1e-7))
    seconds: dict[str, list[float]] = {name: [] for name in turns}
    for _ in range(segments):
        for name, turn in turns.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                turn()
            seconds[name].append((time.perf_counter() - start) / counts[name])
    return seconds


def row_of(seconds: dict[str, list[float]], each: int, **facts: Any) -> dict[str, Any]:
    """Return a row of the report: time (us) of each engine in its best segment, and their ratio."""
    mine, official = min(seconds["conjoint"]), min(seconds["mujoco"])
    return facts | {"us": 1e6 * mine / each, "us official": 1e6 * official / each, "ratio": official / mine}


def steps(static: int, moving: int, shape: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return rows for steps of one world and of many worlds."""
    xml = scene(static, moving, shape, options.fixed)
    m, official_model = conjoint.MjModel.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    conjoint.mj_step(m, d, 150)
    mujoco.mj_step(official_model, official, 150)
    state = d.qpos.copy(), d.qvel.copy()

    def from_there(data: Any) -> None:
        data.qpos[:], data.qvel[:] = state

    def step(package: Any, model: Any, data: Any) -> None:
        from_there(data)
        package.mj_step(model, data, 10)

    turns = {
        "conjoint": lambda: step(conjoint, m, d),
        "mujoco": lambda: step(mujoco, official_model, official),
    }
    facts = {"benchmark": "static_world", "static": static, "moving": moving, "shape": shape, "fixed": options.fixed}
    facts |= {"ncon": d.ncon, "nefc": d.nefc, "ncon official": official.ncon}
    found = [row_of(in_turns(turns, options.segments), 10, what="step", **facts)]
    if options.worlds:
        batch = Batch(m, options.worlds, nthread=1)

        def many() -> None:
            batch.qpos[:], batch.qvel[:] = state
            batch.step(10)

        seconds = in_turns({"conjoint": many, "mujoco": turns["mujoco"]}, options.segments)
        seconds["conjoint"] = [s / options.worlds for s in seconds["conjoint"]]
        found.append(row_of(seconds, 10, what=f"step of {options.worlds} worlds", **facts))
    return found


def rays(static: int, moving: int, shape: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return rows for rays that start above the center, and for rangefinders."""
    xml = scene(static, moving, shape, options.fixed, RANGEFINDERS)
    engines = {}
    generator = np.random.default_rng(0)
    ways = generator.standard_normal((RAYS, 3)) * [1.0, 1.0, 0.3] - [0.0, 0.0, 0.2]
    start, flat = np.array([0.1, 0.1, 0.6]), ways.ravel()
    for package in (conjoint, mujoco):
        model = package.MjModel.from_xml_string(xml)
        data = package.MjData(model)
        package.mj_forward(model, data)
        engines[package.__name__] = package, model, data, np.zeros(RAYS, np.int32), np.zeros(RAYS)

    def one_by_one(package: Any, model: Any, data: Any, ids: np.ndarray, distances: np.ndarray) -> None:
        for k in range(RAYS):
            distances[k] = package.mj_ray(model, data, start, ways[k], None, 1, -1, ids[k : k + 1])

    def together(package: Any, model: Any, data: Any, ids: np.ndarray, distances: np.ndarray) -> None:
        package.mj_multiRay(model, data, start, flat, None, 1, -1, ids, distances, RAYS, 1e10)

    def sensors(package: Any, model: Any, data: Any, *_: np.ndarray) -> None:
        package.mj_sensorPos(model, data)

    found = []
    for what, work, count in (
        ("mj_ray", one_by_one, RAYS),
        (f"mj_multiRay of {RAYS}", together, RAYS),
        ("rangefinder", sensors, RANGEFINDERS),
    ):
        seconds = in_turns({n: lambda e=e, w=work: w(*e) for n, e in engines.items()}, options.segments)  # type: ignore[misc]
        facts = {"benchmark": "static_world", "static": static, "moving": moving, "shape": shape}
        met = int((engines["conjoint"][3] >= 0).sum())
        found.append(row_of(seconds, count, what=what, fixed=options.fixed, met=met, **facts))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--static", type=int, nargs="+", default=[20, 300, 1000, 3000, 10000])
    parser.add_argument("--moving", type=int, nargs="+", default=[1, 20, 100])
    parser.add_argument("--shapes", choices=SHAPES, nargs="+", default=["sphere", "box", "mesh"])
    parser.add_argument("--worlds", type=int, default=64, help="worlds of a batch of one thread; 0: none")
    parser.add_argument("--fixed", action="store_true", help="geoms that do not move have bodies of their own")
    parser.add_argument("--segments", type=int, default=9)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for shape in options.shapes:
        for moving in options.moving:
            for static in options.static:
                rows += steps(static, moving, shape, options)
                if shape == options.shapes[0]:
                    rows += rays(static, moving, shape, options)
    columns = ["static", "moving", "shape", "what", "us", "us official", "ratio", "ncon", "ncon official", "nefc"]
    write_report("many geoms that never move (us: of a step, or a ray; best segment)", rows, columns, options.json)


if __name__ == "__main__":
    main()
