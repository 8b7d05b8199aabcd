"""Program in which sixteen threads use the engine for the first time at once, in different ways.

    python -m thread_trial                    # this process: exits with 0 if every thread got the right numbers
    python -m thread_trial --processes 200    # that many fresh processes, one after another; prints their outcomes

`--cold` gives each process a cache that lacks some of the objects that it needs. `test_thread_trial.py` runs a few processes.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np

from nearly_warm import nearly_warm_cache
from waiting import PATIENCE

COUNT = 16
"""Number of threads."""

SCENE = """
<mujoco>
  <option integrator="implicitfast" timestep=".004"/>
  <worldbody>
    <geom type="plane" size="9 9 .1"/>
    <light pos="0 0 3"/>
    <body pos="0 0 .4"><freejoint/><geom type="box" size=".1 .08 .06"/></body>
    <body pos="1 0 .3">
      <joint name="hip" axis="0 1 0" range="-1 1" limited="true"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint axis="0 1 0" damping=".1"/><geom type="ellipsoid" size=".1 .05 .05"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="hip" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos joint="hip"/></sensor>
</mujoco>
"""
NSTEP = 20
MISSING = 20
"""Number of objects that an incomplete cache lacks."""


def load() -> bytes:
    """Load a model from text and return some of its fields."""
    import conjoint

    model = conjoint.MjModel.from_xml_string(SCENE)
    return model.qpos0.tobytes() + model.body_inertia.tobytes() + model.body_invweight0.tobytes()


def compile_spec() -> bytes:
    """Compile a specification with a mesh, a texture and a height field, and return some fields."""
    import conjoint

    spec = conjoint.MjSpec()
    spec.add_mesh(name="wedge", uservert=[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1])
    spec.add_texture(name="checker", type=conjoint.mjtTexture.mjTEXTURE_2D, builtin=1, width=16, height=16)
    spec.add_hfield(name="hills", nrow=3, ncol=3, size=[1, 1, 1, 0.1], userdata=list(range(9)))
    body = spec.worldbody.add_body(pos=[0, 0, 1])
    body.add_freejoint()
    body.add_geom(type=conjoint.mjtGeom.mjGEOM_MESH, meshname="wedge")
    spec.worldbody.add_geom(type=conjoint.mjtGeom.mjGEOM_HFIELD, hfieldname="hills")
    model = spec.compile()
    return model.mesh_vert.tobytes() + model.body_inertia.tobytes() + model.hfield_data.tobytes()


def step() -> bytes:
    """Step one world and return its state."""
    import conjoint

    model = conjoint.MjModel.from_xml_string(SCENE)
    data = conjoint.MjData(model)
    data.ctrl[0] = 0.5
    conjoint.mj_step(model, data, NSTEP)
    return data.qpos.tobytes() + data.qvel.tobytes()


def step_together() -> bytes:
    """Step one world with two threads, and return its state, which must equal that of `step`."""
    import conjoint

    model = conjoint.MjModel.from_xml_string(SCENE)
    data = conjoint.MjData(model)
    data.nthread = 2
    data.ctrl[0] = 0.5
    for _ in range(NSTEP):
        conjoint.mj_step(model, data)
    return data.qpos.tobytes() + data.qvel.tobytes()


def roll_out() -> bytes:
    """Compute rollouts with a pool of threads, and return their states and sensor values."""
    import conjoint
    from conjoint.rollout import rollout

    model = conjoint.MjModel.from_xml_string(SCENE)
    worlds = [conjoint.MjData(model) for _ in range(2)]
    size = conjoint.mj_stateSize(model, conjoint.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((3, size))
    for row in start:
        conjoint.mj_getState(model, worlds[0], row, conjoint.mjtState.mjSTATE_FULLPHYSICS)
    state, readings = rollout(model, worlds, start, np.full((3, NSTEP, 1), 0.5))
    return state.tobytes() + readings.tobytes()


def batch() -> bytes:
    """Step a batch with two threads and return its state."""
    import conjoint
    from conjoint.batch import Batch

    model = conjoint.MjModel.from_xml_string(SCENE)
    worlds = Batch(model, 20, nthread=2)
    worlds.ctrl[...] = 0.5
    worlds.step(NSTEP)
    return np.array(worlds.qpos).tobytes() + np.array(worlds.qvel).tobytes()


def differentiate() -> bytes:
    """Return the derivatives of a step as bytes."""
    import conjoint

    model = conjoint.MjModel.from_xml_string(SCENE)
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    a, b = np.zeros((2 * model.nv, 2 * model.nv)), np.zeros((2 * model.nv, model.nu))
    conjoint.mjd_transitionFD(model, data, 1e-6, True, a, b, None, None)
    return a.tobytes() + b.tobytes()


def draw() -> bytes:
    """Render an image; return b"" if OpenGL is unavailable."""
    import conjoint

    model = conjoint.MjModel.from_xml_string(SCENE)
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    try:
        renderer = conjoint.Renderer(model, 24, 32)
    except (conjoint.FatalError, ImportError):
        return b""
    with renderer:
        renderer.update_scene(data)
        return renderer.render().tobytes()


WAYS: tuple[Callable[[], bytes], ...] = (
    load, compile_spec, step, step_together, roll_out, batch, differentiate, draw,
)  # fmt: skip
"""Functions that threads call first; two threads call each of them."""


def run(first: int) -> list[str]:
    """Call all functions concurrently, and return the errors; `first` rotates the order of the functions."""
    start = threading.Barrier(COUNT)
    found: dict[str, list[bytes]] = collections.defaultdict(list)
    wrong: list[str] = []

    def work(way: Callable[[], bytes]) -> None:
        start.wait()
        try:
            result = way()
            found[way.__name__].append(result)
        except BaseException:
            wrong.append(traceback.format_exc())

    threads = [threading.Thread(target=work, args=(WAYS[(first + k) % len(WAYS)],)) for k in range(COUNT)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wrong += [f"{name}: the threads got different numbers" for name, results in found.items() if len(set(results)) > 1]
    if set(found["step"]) != set(found["step_together"]):
        wrong.append("two threads in a world get other numbers than one")
    print(" ".join(f"{name}={hashlib.sha256(results[0]).hexdigest()[:12]}" for name, results in sorted(found.items())))
    return wrong


def ends(count: int, cold: bool) -> dict[str, int]:
    """Run fresh processes, one after another, and return how often each outcome occurred.

    An outcome is the output of a process, or the description of its failure.
    """
    outcomes: collections.Counter[str] = collections.Counter()
    for k in range(count):
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder) / "cache"
            if cold:
                nearly_warm_cache(cache, MISSING, "from thread_trial import run; run(0)")
            environment = os.environ | ({"CONJOINT_CACHE_DIR": str(cache)} if cold else {})
            command = [sys.executable, str(Path(__file__)), "--first", str(k)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment)
                failed = f"ends with {done.returncode}: {done.stderr[-2000:]}"
                outcomes[done.stdout.strip() if done.returncode == 0 else failed] += 1
            except subprocess.TimeoutExpired:
                outcomes["hangs"] += 1
    return dict(outcomes)


def main() -> int:
    """Run the program, and return a nonzero exit status if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=0, help="fresh processes to start; none: be one")
    parser.add_argument("--cold", action="store_true", help="each with a cache that lacks objects")
    parser.add_argument("--first", type=int, default=0, help="way of the first thread")
    options = parser.parse_args()
    if options.processes:
        outcomes = ends(options.processes, options.cold)
        for outcome, count in outcomes.items():
            print(count, outcome)
        return len(outcomes) != 1 or not next(iter(outcomes)).startswith("batch=")
    wrong = run(options.first)
    print(*wrong, sep="\n", file=sys.stderr)
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
