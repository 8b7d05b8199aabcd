"""Scenes of increasing size: step time and memory per body of both engines, by number of bodies.

python -m benchmarks.scale [--scene humanoids] [--counts 1 10 100] [--segments 5] [--clock cpu]
    [--json out/scale.jsonl] [--plot FILE.svg]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import mujoco
import numpy as np

import conjoint
from benchmarks.report import write_report

HUMANOID = Path(__file__).parent.parent / "models" / "humanoid.xml"
SHAPES = ('type="sphere" size=".1"', 'type="capsule" size=".08 .1"', 'type="sphere" size=".12"')


def humanoids(count: int) -> str:
    """Return the XML text of a square array of humanoids, three meters apart."""
    side = int(np.ceil(np.sqrt(count)))
    placed = "".join(
        f'<frame pos="{3 * (i % side)} {3 * (i // side)} 0">'
        f'<attach model="humanoid" body="torso" prefix="h{i}_"/></frame>'
        for i in range(count)
    )
    return f"""<mujoco><option timestep=".005"/><asset><model name="humanoid" file="{HUMANOID}"/></asset>
    <worldbody><geom type="plane" size="99 99 1"/>{placed}</worldbody></mujoco>"""


def bodies(count: int, spacing: float = 0.26) -> str:
    """Return the XML text of free bodies that fall onto a floor; at small spacings, neighbors sometimes touch."""
    side = int(np.ceil(np.sqrt(count)))
    generator = np.random.default_rng(0)
    placed = "".join(
        f'<body pos="{spacing * (i % side) + x} {spacing * (i // side) + y} {0.15 + z}" euler="{20 * i} {30 * i} 0">'
        f"<freejoint/><geom {SHAPES[i % 3]}/></body>"
        for i, (x, y, z) in enumerate(generator.uniform(0, 0.02, (count, 3)))
    )
    return f'<mujoco><worldbody><geom type="plane" size="99 99 1"/>{placed}</worldbody></mujoco>'


BODIES = (10, 20, 50, 100, 200, 500, 1000, 2000)
SCENES = {
    "humanoids": (humanoids, (1, 2, 4, 10, 22, 50, 100)),
    "bodies": (bodies, BODIES),
    "bodies apart": (lambda count: bodies(count, 1.0), BODIES),
}
"""Functions that return the XML text of each scene, and default numbers of bodies."""


CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
"""Clocks by name. CPU time is more reliable on a machine with other work; it is comparable because one world uses one
thread.
"""


class Engine:
    """An engine (Conjoint or MuJoCo) and the scene that it simulates."""

    def __init__(self, package: Any, xml: str, clock: Callable[[], float]):
        self.package, self.clock = package, clock
        self.model = package.MjModel.from_xml_string(xml)
        self.data = package.MjData(self.model)
        self.seconds: list[float] = []

    def run(self, start: Any, controls: np.ndarray) -> None:
        """Run steps from a state, and record the time per step."""
        package, model, data = self.package, self.model, self.data
        package.mj_resetData(model, data)
        data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = start.qpos, start.qvel, start.qacc_warmstart
        begin = self.clock()
        for row in controls:
            data.ctrl[:] = row
            package.mj_step(model, data)
        self.seconds.append((self.clock() - begin) / len(controls))


def measure(scene: str, count: int, segments: int, clock: Callable[[], float]) -> list[dict[str, Any]]:
    """Return the rows of both engines for a scene of size `count`."""
    xml = SCENES[scene][0](count)
    engines = {"mujoco": Engine(mujoco, xml, clock), "conjoint": Engine(conjoint, xml, clock)}
    model = engines["mujoco"].model
    # start when contacts have formed
    start = mujoco.MjData(model)
    generator = np.random.default_rng(0)
    for _ in range(150):
        start.ctrl[:] = generator.uniform(-1, 1, model.nu)
        mujoco.mj_step(model, start)
    controls = generator.uniform(-1, 1, (max(10, 2000 // count), model.nu))
    for segment in range(segments + 1):
        order = list(engines.values())
        for engine in order if segment % 2 else reversed(order):
            engine.run(start, controls)
            if segment == 0:
                # the first segment compiles and lets the processor reach full speed
                engine.seconds.clear()
    official = engines["mujoco"].seconds
    world = engines["conjoint"].data.world
    arena = engines["mujoco"].data.maxuse_arena
    nbytes = {
        "mujoco": engines["mujoco"].data.nbuffer + arena,
        "conjoint": world.data.layout.nbytes + world.arena.layout.nbytes,
    }
    return [
        {
            "benchmark": "scale", "scene": scene, "count": count, "engine": name, "nv": model.nv,
            "us/step": 1e6 * min(engine.seconds), "us/step each": 1e6 * min(engine.seconds) / count,
            "kB each": nbytes[name] / 1000 / count,
            "ratio": median(a / b for a, b in zip(official, engine.seconds, strict=True)),
            "ncon": engine.data.ncon, "nefc": engine.data.nefc, "iterations": int(engine.data.solver_niter[0]),
        }
        for name, engine in engines.items()
    ]  # fmt: skip


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """Plot the time per body against the number of bodies, with a plot for each scene."""
    from matplotlib.figure import Figure

    scenes = list(dict.fromkeys(row["scene"] for row in rows))
    figure = Figure(figsize=(5 * len(scenes), 3.5), layout="constrained")
    for axes, scene in zip(np.atleast_1d(figure.subplots(1, len(scenes))), scenes, strict=True):
        for engine in ("mujoco", "conjoint"):
            mine = [row for row in rows if row["scene"] == scene and row["engine"] == engine]
            axes.plot([row["count"] for row in mine], [row["us/step each"] for row in mine], "o-", label=engine)
        axes.set(
            xscale="log", ylim=(0, None), xlabel=scene, ylabel="µs per step for each", title=f"{scene} in one world"
        )
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scene", choices=SCENES, action="append")
    parser.add_argument("--counts", type=int, nargs="+")
    parser.add_argument("--segments", type=int, default=5)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    rows = [
        row
        for scene in options.scene or SCENES
        for count in options.counts or SCENES[scene][1]
        for row in measure(scene, count, options.segments, CLOCKS[options.clock])
    ]
    columns = ["scene", "count", "engine", "us/step", "us/step each", "ratio", "kB each", "ncon", "nefc", "iterations"]
    write_report("scenes that grow, one world (time: best segment)", rows, columns, options.json)
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
