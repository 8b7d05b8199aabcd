"""Robustness: invalid inputs, extreme options and models, memory limits, processes and threads.

None of them causes a crash, a hang or silent data loss: the state stays finite, or a documented warning or error is issued.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.memory.layout import Role
from conjoint.schema.data import DATA_ROWS
from nearly_warm import nearly_warm_cache
from places import ROOT, model_text
from programs import run_program, without_progress
from rich_model import XML
from waiting import PATIENCE

pytestmark = [
    pytest.mark.filterwarnings("ignore::conjoint.lang.errors.DivergenceWarning"),
    pytest.mark.skipif(not jit_enabled(), reason="thousands of steps"),
]

MODELS = ROOT / "models"
TEXTS = {"rich": XML} | {path.stem: model_text(path) for path in sorted(MODELS.glob("*.xml"))}
INPUTS = [row.name for row in DATA_ROWS if row.public and row.role in (Role.INPUT, Role.STATE)]
BAD = [math.nan, math.inf, -math.inf, 1e11]


@pytest.fixture(autouse=True)
def oracle_logs_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the working directory, because MuJoCo writes a log file there."""
    monkeypatch.chdir(tmp_path)


def spoiled(package: Any, text: str, name: str, value: float) -> Any:
    """Return data some steps after an invalid value was written to an input, or None if the model lacks the input."""
    m = package.MjModel.from_xml_string(text)
    d = package.MjData(m)
    for _ in range(3):
        package.mj_step(m, d)
    numbers = getattr(d, name)
    if not isinstance(numbers, np.ndarray) or numbers.dtype.kind != "f" or not numbers.size:
        return None
    numbers.reshape(-1)[numbers.size // 2] = value
    for _ in range(3):
        package.mj_step(m, d)
    return d


@pytest.mark.parametrize("value", BAD)
@pytest.mark.parametrize("name", INPUTS)
def test_bad_numbers_in_a_world(name: str, value: float) -> None:
    """After invalid inputs, warnings equal MuJoCo's and states are finite. An invalid warm start alone causes no warning."""
    for text in (TEXTS["humanoid"], TEXTS["car"]):
        d = spoiled(conjoint, text, name, value)
        if d is not None:
            official = spoiled(mujoco, text, name, value)
            expected = [w.number * (name != "qacc_warmstart") for w in official.warning]
            assert [w.number for w in d.warning] == expected
            assert np.isfinite(d.qpos).all() and np.isfinite(d.qvel).all() and np.isfinite(d.qacc).all()


def batch_run(model: Any, precision: str, name: str = "", value: float = 0.0) -> list[np.ndarray] | None:
    """Return states of a batch of five worlds; between two calls, an input of the third world gets an invalid value."""
    batch = Batch(model, 5, precision=precision, nthread=1)
    batch.step(3)
    if name:
        numbers = getattr(batch, name)[2].reshape(-1)
        if not numbers.size or numbers.dtype.kind != "f":
            return None
        numbers[numbers.size // 2] = value
    batch.step(3)
    return [batch.qpos.copy(), batch.qvel.copy(), batch.act.copy(), batch.sensordata.copy()]


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("text", ["humanoid", "rich"])
def test_bad_numbers_in_a_batch(text: str, precision: str) -> None:
    """Invalid inputs of a world leave the other worlds bit-identical."""
    from conjoint.batch.arrays import LIVE

    model = conjoint.MjModel.from_xml_string(TEXTS[text])
    expected, others, tried = batch_run(model, precision), [0, 1, 3, 4], 0
    for name in sorted(LIVE):
        for value in (math.nan, math.inf, 1e30):
            found = batch_run(model, precision, name, value)
            if found is not None:
                tried += 1
                for field, alone in zip(found, expected, strict=True):
                    assert np.array_equal(field[others], alone[others], equal_nan=True), (name, value)
                assert np.isfinite(found[0]).all() and np.isfinite(found[1]).all(), (name, value)
    assert tried > 15


def scale_masses(m: Any, factor: float) -> None:
    for name in ("body_mass", "body_inertia", "dof_armature"):
        getattr(m, name)[:] *= factor


EXTREMES = {
    "timestep 1": lambda m: setattr(m.opt, "timestep", 1.0),
    "timestep 1e-9": lambda m: setattr(m.opt, "timestep", 1e-9),
    "timestep 0": lambda m: setattr(m.opt, "timestep", 0.0),
    "timestep below 0": lambda m: setattr(m.opt, "timestep", -0.01),
    "timestep NaN": lambda m: setattr(m.opt, "timestep", math.nan),
    "masses 1e-12": lambda m: scale_masses(m, 1e-12),
    "masses 1e12": lambda m: scale_masses(m, 1e12),
    "gravity 1e6": lambda m: m.opt.gravity.__setitem__(2, -1e6),
    "gravity 1e300": lambda m: m.opt.gravity.__setitem__(2, -1e300),
    "tolerance NaN": lambda m: setattr(m.opt, "tolerance", math.nan),
    "no iterations": lambda m: [setattr(m.opt, n, 0) for n in ("iterations", "ls_iterations", "ccd_iterations")],
    "iterations below 0": lambda m: [setattr(m.opt, n, -5) for n in ("iterations", "ls_iterations", "ccd_iterations")],
    "solref 0": lambda m: m.geom_solref.fill(0.0),
    "solref NaN": lambda m: m.geom_solref.fill(math.nan),
    "solimp NaN": lambda m: m.geom_solimp.fill(math.nan),
    "friction NaN": lambda m: m.geom_friction.fill(math.nan),
    "sizes 0": lambda m: m.geom_size.fill(0.0),
    "sizes NaN": lambda m: m.geom_size.fill(math.nan),
    "bounds infinite": lambda m: m.geom_rbound.fill(math.inf),
    "reference NaN": lambda m: m.qpos0.fill(math.nan),
    "orientations 0": lambda m: m.body_quat.fill(0.0),
    "damping below 0": lambda m: m.dof_damping.fill(-1e6),
    "impratio 0": lambda m: setattr(m.opt, "impratio", 0.0),
    "medium infinite": lambda m: setattr(m.opt, "density", math.inf),
    "ranges NaN": lambda m: m.jnt_range.fill(math.nan),
    "gains infinite": lambda m: m.actuator_gainprm.fill(math.inf),
}


CHOSEN = [
    (text, what)
    for i, text in enumerate(TEXTS)
    for k, what in enumerate(EXTREMES)
    if text == "rich" or (i + k) % 3 == 0
]
"""Pairs of a model and an extreme change: all changes for the rich model, a third of them for each other model."""


@pytest.mark.parametrize("text, what", CHOSEN)
def test_extreme_models(text: str, what: str) -> None:
    """With every solver, models with extreme values either keep a finite state or cause a warning."""
    solvers = [*conjoint.mjtSolver, conjoint.mjtImpulse.mjIMP_DIAGONAL]
    for solver in solvers:
        m = conjoint.MjModel.from_xml_string(TEXTS[text])
        m.opt.solver = solver
        EXTREMES[what](m)
        d = conjoint.MjData(m)
        conjoint.mj_step(m, d, 5)
        finite = np.isfinite(d.qpos).all() and np.isfinite(d.qvel).all()
        assert finite or sum(w.number for w in d.warning), (solver, what)


OVERLAPPING = """
import resource, sys, numpy as np, conjoint
places = np.random.default_rng(0).uniform(-0.05, 0.05, (10_000, 3))
bodies = "".join(f'<body pos="{x:.3f} {y:.3f} {z:.3f}"><freejoint/><geom size=".1"/></body>' for x, y, z in places)
m = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
d = conjoint.MjData(m)
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + 2**29,) * 2)
for _ in range(2):
    try:
        conjoint.mj_step(m, d)
    except conjoint.FatalError as error:
        print(error)
# what is small goes on
small = conjoint.MjModel.from_xml_string(
    "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
data = conjoint.MjData(small)
conjoint.mj_step(small, data, 10)
print(data.time > 0)
"""


@pytest.mark.nightly
def test_ten_thousand_geoms_in_one_place() -> None:
    """Fifty million pairs exceed memory: each step raises the same clear error, and the process can continue."""
    printed, _ = run_program(OVERLAPPING)
    first, second, third = printed.splitlines()
    assert first == second
    assert first.startswith("no memory for ") and "too many geoms overlap" in first
    assert third == "True"


def test_every_pair_in_contact() -> None:
    """All 11175 pairs of 150 coincident spheres have contacts, in a single world and in a batch."""
    body = '<body pos="{:g} 0 0"><freejoint/><geom size=".1" condim="1"/></body>'
    bodies = "".join(body.format(1e-4 * i) for i in range(150))
    m = conjoint.MjModel.from_xml_string(f'<mujoco><option iterations="2"/><worldbody>{bodies}</worldbody></mujoco>')
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d)
    assert d.ncon == d.nefc == 150 * 149 // 2
    assert sum(w.number for w in d.warning) == 0
    batch = Batch(m, 2, keep=["ncon"])
    batch.step()
    assert batch.ncon.ravel().tolist() == [d.ncon, d.ncon]


def trajectory(m: Any, seed: int, steps: int = 300) -> np.ndarray:
    """Return the positions and velocities after steps with random controls."""
    generator, d = np.random.default_rng(seed), conjoint.MjData(m)
    for _ in range(steps):
        d.ctrl[:] = generator.uniform(-1.0, 1.0, m.nu)
        conjoint.mj_step(m, d)
    return np.concatenate([d.qpos, d.qvel])


def test_many_worlds_in_many_threads() -> None:
    """Sixteen threads step worlds of one model concurrently, each with the results of a single thread."""
    m = conjoint.MjModel.from_xml_string(TEXTS["humanoid"])
    found: dict[int, np.ndarray] = {}
    threads = [
        threading.Thread(target=lambda seed=seed: found.__setitem__(seed, trajectory(m, seed))) for seed in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, state in found.items():
        assert np.array_equal(state, trajectory(m, seed))
    assert len(found) == 16


PROCESSES = """
import multiprocessing, pickle, sys, numpy as np, conjoint
m = conjoint.MjModel.from_xml_path(sys.argv[1])

def states(model, seed):
    d = conjoint.MjData(model)
    d.qvel[:] = np.random.default_rng(seed).normal(size=model.nv)
    conjoint.mj_step(model, d, 100)
    return d.qpos.tobytes()

if __name__ == "__main__":
    alone = [states(m, seed) for seed in range(4)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        forked = pool.starmap(states, [(m, seed) for seed in range(4)])
    print(forked == alone)
"""
SPAWNED = """
import sys, numpy as np, conjoint
m = conjoint.MjModel.from_xml_path(sys.argv[1])
d = conjoint.MjData(m)
d.qvel[:] = np.random.default_rng(0).normal(size=m.nv)
conjoint.mj_step(m, d, 100)
print(d.qpos.tobytes().hex())
"""


def test_forked_and_fresh_processes() -> None:
    """Forked and fresh processes produce bit-identical results."""
    path = str(MODELS / "humanoid.xml")
    assert run_program(PROCESSES, path)[0].strip() == "True"
    m = conjoint.MjModel.from_xml_path(path)
    d = conjoint.MjData(m)
    d.qvel[:] = np.random.default_rng(0).normal(size=m.nv)
    conjoint.mj_step(m, d, 100)
    assert run_program(SPAWNED, path)[0].strip() == d.qpos.tobytes().hex()


FULL_DISK = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
    # otherwise, Python would write truncated bytecode of this package, which other processes would load
    "sys.dont_write_bytecode = True\n" + SPAWNED
)


def test_a_cache_on_a_full_disk(tmp_path: Path) -> None:
    """On a full disk, stages are compiled with a warning, and no partial file remains that a process could load."""
    path, folder = str(MODELS / "cartpole.xml"), tmp_path / "cache"
    nearly_warm_cache(folder, 4, SPAWNED, path)
    full, reported = run_program(FULL_DISK, path, CONJOINT_CACHE_DIR=str(folder))
    assert reported.count("cannot write the cache") == 1
    assert run_program(SPAWNED, path, CONJOINT_CACHE_DIR=str(folder)) == (full, "")


COMPILED = """
from conjoint.lang.calls.compiled import origins
print(sum(origin == "the compiler" for origin in origins.values()))
"""


@pytest.mark.nightly
def test_processes_fill_one_cache_together(tmp_path: Path) -> None:
    """Three processes that compile at once share one cache and agree bit for bit; a later process compiles nothing."""
    missing = 8
    nearly_warm_cache(tmp_path / "cache", missing, SPAWNED, str(MODELS / "cartpole.xml"))
    command = [sys.executable, "-c", SPAWNED + COMPILED, str(MODELS / "cartpole.xml")]
    environment = os.environ | {"CONJOINT_CACHE_DIR": str(tmp_path / "cache")}
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    outcomes = [process.communicate(timeout=PATIENCE) for process in started]
    assert len({(printed.split()[0], without_progress(reported)) for printed, reported in outcomes}) == 1
    assert all(process.returncode == 0 for process in started)
    compiled = [int(printed.split()[1]) for printed, _ in outcomes]
    written = sorted(path.name for path in (tmp_path / "cache" / "conjoint").iterdir())
    run_program(SPAWNED, str(MODELS / "cartpole.xml"), CONJOINT_CACHE_DIR=str(tmp_path / "cache"))
    assert sorted(path.name for path in (tmp_path / "cache" / "conjoint").iterdir()) == written
    # each process alone would have compiled all objects
    assert missing <= sum(compiled) < 3 * missing
