"""Soft bodies: models compared with MuJoCo, and step time per element in scenes of increasing size.

python -m benchmarks.soft [--models models/flag.xml ...] [--counts 100 1000 5000 20000] [--segments 3]
    [--json out/soft.jsonl]

Both engines run alternately from the same states, which MuJoCo reached; times are CPU times. Only Conjoint runs the
largest scenes, because MuJoCo's compiler takes minutes for 10,000 elements.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from typing import Any

import mujoco
import numpy as np

import conjoint
from benchmarks.report import write_report

MODELS = [Path(__file__).parent.parent / "models" / f"{name}.xml" for name in ("flag", "soft_block", "hammock")]

STATE = mujoco.mjtState.mjSTATE_INTEGRATION

BUDGET = 0.3
"""Approximate duration of a segment (s); a segment has at least three steps."""

SETTLING = 2.0
"""Approximate computing time (s) of the steps between two start states; there are at most 200 such steps."""


def sheet(elements: int) -> str:
    """Return the XML text of a triangulated cloth that is fixed along one side and collides with itself.

    It hangs above a floor.
    """
    side = max(2, round(np.sqrt(elements / 2)) + 1)
    return f"""<mujoco><option timestep=".001" solver="CG" tolerance="1e-6" integrator="implicitfast"/><worldbody>
    <geom type="plane" size="99 99 1"/><flexcomp name="f" type="grid" dim="2" count="{side} {side} 1" pos="0 0 1"
    spacing=".05 .05 .05" radius=".002" mass="{0.01 * side**2}"><contact selfcollide="auto" internal="false"/>
    <edge damping=".1"/><elasticity young="1e4" poisson=".2" thickness=".01" elastic2d="stretch"/>
    <pin gridrange="0 0 0 {side - 1}"/></flexcomp></worldbody></mujoco>"""


def block(elements: int) -> str:
    """Return the XML text of a tetrahedral solid that falls onto a floor."""
    side = max(2, round(np.cbrt(elements / 6)) + 1)
    return f"""<mujoco><option timestep=".001" solver="CG" tolerance="1e-6" integrator="implicitfast"/><worldbody>
    <geom type="plane" size="99 99 1"/><flexcomp name="f" type="grid" dim="3" count="{side} {side} {side}"
    pos="0 0 {0.03 * side}" spacing=".05 .05 .05" radius=".002" mass="{0.01 * side**3}">
    <contact selfcollide="none" internal="false"/><edge damping=".1"/><elasticity young="1e4" poisson=".2"/>
    </flexcomp></worldbody></mujoco>"""


MOST_OFFICIAL = 6000
"""Largest number of elements for which MuJoCo is measured: its compiler needs minutes for 10,000."""

SCENES = {"sheet": sheet, "block": block}
"""Functions that return the XML text of scenes of increasing size."""


class Engine:
    """An engine (Conjoint or MuJoCo) and the scene that it simulates."""

    def __init__(self, package: Any, source: Path | str):
        self.package = package
        load = package.MjModel.from_xml_path if isinstance(source, Path) else package.MjModel.from_xml_string
        self.model = load(str(source))
        self.data = package.MjData(self.model)
        self.seconds: list[float] = []
        self.met: list[tuple[int, int, int]] = []

    def run(self, start: np.ndarray, controls: np.ndarray) -> None:
        """Run steps from a state; record the time per step, and the contacts, rows and iterations of the last step."""
        package, model, data = self.package, self.model, self.data
        package.mj_resetData(model, data)
        package.mj_setState(model, data, start, STATE)
        begin = time.process_time()
        for row in controls:
            data.ctrl[:] = row
            package.mj_step(model, data)
        self.seconds.append((time.process_time() - begin) / len(controls))
        self.met.append((data.ncon, data.nefc, data.solver_niter[0]))


def compare(source: Path | str, segments: int, official: bool) -> dict[str, Any]:
    """Return a row of the report for a scene: times of a step (us) and counts; if `official`, also those of MuJoCo."""
    ours = Engine(conjoint, source)
    engines = [Engine(mujoco, source), ours] if official else [ours]
    # the first engine computes the start states
    package, model = engines[0].package, engines[0].model
    walker, state = package.MjData(model), np.zeros(package.mj_stateSize(model, STATE))
    if model.nkey:
        package.mj_resetDataKeyframe(model, walker, 0)
    # the first run compiles and lets the processor reach full speed
    package.mj_getState(model, walker, state, STATE)
    for engine in engines:
        engine.run(state, np.zeros((3, model.nu)))
    each = engines[0].seconds[0]
    for engine in engines:
        engine.seconds.clear()
        engine.met.clear()
    generator = np.random.default_rng(0)
    controls = generator.uniform(-1, 1, (int(np.clip(BUDGET / each, 3, 100)), model.nu))
    for segment in range(segments):
        package.mj_getState(model, walker, state, STATE)
        for engine in engines if segment % 2 else reversed(engines):
            engine.run(state, controls)
        for _ in range(int(np.clip(SETTLING / each, 3, 200))):
            walker.ctrl[:] = generator.uniform(-1, 1, model.nu)
            package.mj_step(model, walker)
    ncon, nefc, iterations = np.mean(ours.met, axis=0).tolist()
    row = {
        "benchmark": "soft", "controls": "random, new at every step", "threads": 1, "precision": "float64",
        "us/step": 1e6 * float(np.mean(ours.seconds)), "nv": model.nv, "elements": model.nflexelem,
        "us/element": 1e6 * float(np.mean(ours.seconds)) / max(1, model.nflexelem),
        "ncon": ncon, "nefc": nefc, "iterations": iterations,
    }  # fmt: skip
    if official:
        row["official us/step"] = 1e6 * float(np.mean(engines[0].seconds))
        row["ratio"] = median(a / b for a, b in zip(engines[0].seconds, ours.seconds, strict=True))
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, nargs="*", default=MODELS)
    parser.add_argument("--counts", type=int, nargs="*", default=[100, 1000, 5000, 20000])
    parser.add_argument("--segments", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for path in options.models:
        rows.append({"model": path.stem, **compare(path, options.segments, True)})
    for scene, write in SCENES.items():
        for count in options.counts:
            rows.append({"model": scene, **compare(write(count), options.segments, count <= MOST_OFFICIAL)})
    columns = ["model", "elements", "nv", "us/step", "official us/step", "ratio", "us/element"]
    columns += ["ncon", "nefc", "iterations"]
    write_report("soft bodies, one world, time of the processor", rows, columns, options.json)


if __name__ == "__main__":
    main()
