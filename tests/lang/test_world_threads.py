"""Results of a world are bit-identical for any number of threads."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from places import ROOT
from waiting import PATIENCE

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="threads run machine code only")

MODELS = ROOT / "models"
SHAPES = ('type="sphere" size=".1"', 'type="capsule" size=".08 .1"', 'type="box" size=".1 .08 .06"')


def placed(count: int, body: str, step: float, height: float) -> str:
    """Return the XML of copies of a body in a square grid; `{i}` in the text `body` becomes the index of the copy."""
    side = int(np.ceil(np.sqrt(count)))
    return "".join(
        f'<body pos="{step * (i % side)} {step * (i // side)} {height}" euler="{20 * i} {31 * i} 0">'
        f"{body.replace('{i}', str(i)).replace('{shape}', SHAPES[i % 3])}</body>"
        for i in range(count)
    )


PLANE = '<geom type="plane" size="50 50 1"/>'
HINGED = "<joint/><geom {shape}/>"
FREE = "<freejoint/><geom {shape}/>"
LIMB = """<freejoint/><geom {shape}/><body pos="0 0 .25"><joint name="a{i}" axis="1 0 0" range="-60 60" damping=".1"
    frictionloss=".01"/><geom type="capsule" size=".04" fromto="0 0 0 0 0 .2"/><site name="s{i}" pos="0 0 .2"/>
    <body pos="0 0 .2"><joint name="b{i}" type="ball" stiffness="1"/><geom type="sphere" size=".06"/></body></body>"""
MOTORS = '<actuator><motor joint="a{i}" gear="3"/></actuator>'


def limbs(count: int, more: str = "", option: str = "") -> str:
    motors = "".join(MOTORS.replace("{i}", str(i)) for i in range(count))
    return f"<mujoco><option {option}/><worldbody>{PLANE}{placed(count, LIMB, 0.5, 0.3)}</worldbody>{motors}{more}</mujoco>"


def between(count: int) -> str:
    """Return the XML of tendons and equalities that connect trees."""
    pairs = range(0, count - 1, 3)
    tendons = "".join(
        f'<spatial stiffness="5" damping=".1" range="0 .6" limited="true"><site site="s{i}"/><site site="s{i + 1}"/></spatial>'
        for i in pairs
    )
    equalities = "".join(f'<joint joint1="a{i}" joint2="a{i + 1}" polycoef="0 -1"/>' for i in pairs)
    return f"<tendon>{tendons}</tendon><equality>{equalities}</equality>"


def bodies(count: int, step: float, height: float, option: str = "") -> str:
    return f"<mujoco><option {option}/><worldbody>{PLANE}{placed(count, FREE, step, height)}</worldbody></mujoco>"


def heap() -> str:
    """Return a model of layers of falling bodies that form one island of contacts."""
    layers = "".join(f'<frame pos="{0.05 * k} 0 {0.25 * k}">{placed(64, FREE, 0.24, 0.15)}</frame>' for k in range(4))
    return f"<mujoco><worldbody>{PLANE}{layers}</worldbody></mujoco>"


def humanoids(count: int) -> str:
    file = MODELS / "humanoid.xml"
    frames = "".join(
        f'<frame pos="{1.2 * (i % 5)} {1.2 * (i // 5)} 0"><attach model="h" body="torso" prefix="h{i}_"/></frame>'
        for i in range(count)
    )
    return f"""<mujoco><option timestep=".005"/><asset><model name="h" file="{file}"/></asset>
    <worldbody>{PLANE}{frames}</worldbody></mujoco>"""


SCENES = {
    "humanoids": humanoids(20),
    "free bodies": bodies(400, 0.24, 0.15),
    "heap": heap(),
    "limbs": limbs(90),
    "limbs, implicitfast": limbs(90, option='integrator="implicitfast"'),
    "limbs, Runge-Kutta": limbs(60, option='integrator="RK4"'),
    "tendons and equalities between trees": limbs(90, between(90)),
    "elliptic cones": bodies(300, 0.22, 0.15, 'cone="elliptic"'),
    "conjugate gradients": bodies(300, 0.22, 0.15, 'solver="CG"'),
    "islands": limbs(60, '<option><flag island="enable"/></option>'),
    "dense rows": bodies(150, 0.22, 0.15, 'jacobian="dense"'),
}


@pytest.mark.parametrize("scene", SCENES)
def test_any_number_of_threads_finds_the_same_bits(scene: str) -> None:
    model = conjoint.MjModel.from_xml_string(SCENES[scene])
    assert int(model.plans.current.view("nshare")) > 1
    hashes = {conjoint.trajectory_hash(model, nstep=60, nthread=nthread) for nthread in (1, 2, 3)}
    assert len(hashes) == 1


def test_a_small_scene_is_one_share() -> None:
    model = conjoint.MjModel.from_xml_path(str(MODELS / "humanoid.xml"))
    assert int(model.plans.current.view("nshare")) == 1
    data = conjoint.MjData(model)
    data.nthread = 2
    conjoint.mj_step(model, data)
    assert data.world.team is not None and data.world.team.helped == 0


def test_shares_are_whole_subtrees() -> None:
    model = conjoint.MjModel.from_xml_string(
        f"""<mujoco><worldbody>{PLANE}<site/><body pos="0 0 1"><geom size=".1"/>{placed(200, HINGED, 0.3, 0)}</body>
        {placed(200, FREE, 0.3, 2)}<body/><body/></worldbody></mujoco>"""
    )
    first = model.plans.current.view("share_body").tolist()
    assert first[0] == 1 and first[-1] == model.nbody and len(first) > 3
    assert all(model.body_parentid[b] == 0 for b in first[:-1])
    for name, owners in (("share_geom", model.geom_bodyid), ("share_dof", model.dof_bodyid)):
        ends = model.plans.current.view(name).tolist()
        assert ends[0] == 0 and ends[-1] == len(owners)
        for k in range(1, len(ends) - 1):
            assert owners[ends[k] - 1] < first[k] <= owners[ends[k]]


def test_threads_are_asked_for_by_name() -> None:
    model = conjoint.MjModel.from_xml_string(SCENES["limbs"])
    data = conjoint.MjData(model)
    assert data.nthread == 1
    data.nthread = 3
    assert data.nthread == 3
    conjoint.mj_step(model, data)
    for other in (copy.copy(data), copy.deepcopy(data), pickle.loads(pickle.dumps(data))):
        assert other.nthread == 1
        conjoint.mj_step(other.model, other)
    conjoint.mj_step(model, data)
    assert np.array_equal(other.qpos, data.qpos)
    conjoint.mj_resetData(model, data)
    assert data.nthread == 3
    data.nthread = 1
    conjoint.mj_step(model, data)
    for wrong in (0, -1, 1.5, True, "2", 10**6):
        with pytest.raises(conjoint.FatalError, match="a world has 1 to 128 threads"):
            data.nthread = wrong


def test_pools_have_their_official_names() -> None:
    model = conjoint.MjModel.from_xml_string(SCENES["limbs"])
    first, second = conjoint.MjData(model), conjoint.MjData(model)
    pool = conjoint.mju_threadPoolCreate(2)
    conjoint.mju_bindThreadPool(first, pool)
    conjoint.mju_bindThreadPool(second, pool)
    assert first.nthread == second.nthread == 2
    conjoint.mj_step(model, first)
    conjoint.mju_threadPoolDestroy(pool)
    assert first.nthread == second.nthread == 1
    conjoint.mj_step(model, second)
    assert np.array_equal(first.qpos, second.qpos)
    with pytest.raises(conjoint.FatalError, match="nthread must be an integer from 1 to 128, not 0"):
        conjoint.mju_threadPoolCreate(0)


def test_worlds_with_threads_step_in_threads() -> None:
    """The program's own threads can step multithreaded worlds concurrently."""
    model = conjoint.MjModel.from_xml_string(SCENES["limbs"])
    worlds = [conjoint.MjData(model) for _ in range(4)]

    def step(data: conjoint.MjData) -> None:
        data.nthread = 2
        for _ in range(20):
            conjoint.mj_step(model, data)

    threads = [threading.Thread(target=step, args=(data,)) for data in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(data.qpos, worlds[0].qpos) for data in worlds)


FORK = """
import os, sys, conjoint
model = conjoint.MjModel.from_xml_path(sys.argv[1])
data = conjoint.MjData(model)
data.nthread = 2
conjoint.mj_step(model, data, 5)
before = data.qpos.tobytes()
child = os.fork()
conjoint.mj_step(model, data, 5)
if child == 0:
    os._exit(data.nthread - 2)
assert os.waitpid(child, 0)[1] == 0
print("both stepped")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_starts_threads_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "scene.xml").write_text(SCENES["limbs"])
    command = [sys.executable, "-W", "ignore", "-c", FORK, str(tmp_path / "scene.xml")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and "both stepped" in done.stdout, done.stderr
