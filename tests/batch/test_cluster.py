"""Two Ray workers on this machine compute the results of a local batch, bit for bit."""

from __future__ import annotations

import contextlib
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang import kernel
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.errors import DivergenceWarning
from places import ROOT, TESTS
from waiting import PATIENCE, interrupted, wait_for

pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'conjoint[ray]'"),
    pytest.mark.skipif(not jit_enabled(), reason="many steps in other processes: compiled only"),
]

CAR = str(ROOT / "models" / "car.xml")


TOO_SLOW = "timed out during startup"
"""Part of Ray's error message if its processes need more than 30 s to start, as on a busy machine."""

LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
"""Loopback addresses in the format of /proc/net, which other machines cannot reach: IPv4, IPv4 in IPv6, and IPv6."""


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="addresses are looked up in /proc")
def test_other_machines_do_not_reach_ray() -> None:
    """Ray listens on loopback addresses only; formerly it listened on all addresses."""
    given = [sys.executable, str(TESTS / "ray_ports.py")]
    env = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}

    def run() -> subprocess.CompletedProcess[str] | None:
        done = subprocess.run(given, env=env, capture_output=True, text=True, timeout=PATIENCE)
        return None if TOO_SLOW in done.stderr else done

    done = wait_for(run)
    assert done.returncode == 0, done.stderr
    rows = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
    assert {"gcs_server", "raylet"} <= {program for program, _ in rows}
    assert {address for _, address in rows} <= LOOPBACK, rows


def test_settings_are_those_of_before_once_ray_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray's settings are restored after it has started; a connection to a named cluster changes no settings."""
    import ray
    from ray._private import ray_constants

    from conjoint.batch import cluster_tasks

    seen = []

    def init(address: str | None, **_: object) -> SimpleNamespace:
        seen.append((address, ray_constants.ENABLE_RAY_CLUSTER, os.environ.get(cluster_tasks.SWITCH)))
        return SimpleNamespace(address_info={"node_ip_address": "192.0.2.2"})

    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(cluster_tasks, "check_reachable", lambda _: None)
    monkeypatch.setattr(ray_constants, "ENABLE_RAY_CLUSTER", True)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.delenv(cluster_tasks.SWITCH, raising=False)
    monkeypatch.setattr(cluster_tasks.services, "find_bootstrap_address", lambda _: None)
    monkeypatch.setattr(cluster_tasks.services, "find_gcs_addresses", set)
    with pytest.warns(UserWarning, match=r"Ray listens at 192\.0\.2\.2: other machines may reach it"):
        cluster_tasks.connect("local")
    with pytest.warns(UserWarning, match="Ray listens"):
        cluster_tasks.connect(None)
    cluster_tasks.connect("192.0.2.2:6379")
    monkeypatch.setenv("RAY_ADDRESS", "192.0.2.2:6379")
    cluster_tasks.connect(None)
    # a cluster that `ray start` has started on this machine is used
    monkeypatch.delenv("RAY_ADDRESS")
    monkeypatch.setattr(cluster_tasks.services, "find_bootstrap_address", lambda _: "192.0.2.2:6399")
    cluster_tasks.connect(None)
    alone, open_ = (False, "0"), (True, None)
    assert seen == [("local", *alone), ("local", *alone), ("192.0.2.2:6379", *open_), (None, *open_), (None, *open_)]
    assert ray_constants.ENABLE_RAY_CLUSTER is True and cluster_tasks.SWITCH not in os.environ


def test_an_address_at_which_nothing_answers_is_named() -> None:
    """An address without a cluster causes an error that names it; Ray itself would wait without limit."""
    from conjoint.batch.cluster_tasks import connect

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    for named in (address, "no-such-machine.invalid:6379", "127.0.0.1:99999"):
        with pytest.raises(conjoint.FatalError, match="no Ray cluster responds at " + re.escape(named)):
            connect(named)
    with pytest.raises(conjoint.FatalError, match=r"the address of a cluster is host:port, .*, not 'nonsense'"):
        connect("nonsense")


def start_ray() -> bool:
    """Start Ray; return False if its own processes did not start in time."""
    import ray

    try:
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    except Exception as error:
        ray.shutdown()
        if TOO_SLOW not in str(error):
            raise
        return False
    return True


@pytest.fixture(scope="module")
def model() -> Iterator[conjoint.MjModel]:
    import ray

    wait_for(start_ray)
    yield conjoint.MjModel.from_xml_path(CAR)
    ray.shutdown()


def cluster_batch(*arguments: Any, **settings: Any) -> Any:
    """Create a `ClusterBatch`. The import is local, because importing Ray takes a second, which other tests need not spend."""
    from conjoint.batch.cluster import ClusterBatch

    return ClusterBatch(*arguments, **settings)


def controls(model: conjoint.MjModel, nstep: int, nworld: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.4, 0.4, (nworld, nstep, model.nu))


def test_steps_and_rollouts_are_those_of_a_batch(model) -> None:
    spread, local = cluster_batch(model, 10, block=4, keep=["xpos"]), Batch(model, 10, keep=["xpos"])
    ctrl = controls(model, 20, 10)
    assert np.array_equal(spread.rollout(ctrl), local.rollout(ctrl))
    assert np.array_equal(spread.xpos, local.xpos) and np.array_equal(spread.qvel, local.qvel)
    with pytest.raises(conjoint.FatalError, match="'geom_xpos' was not recorded during the rollout"):
        _ = spread.geom_xpos
    for batch in (spread, local):
        batch.qpos[:, 2] += 0.01
        batch.xfrc_applied[3, 1, 2] = 20
        batch.step(3)
        batch.reset(worlds=[2, 9], key=0)
        batch.step()
    # a field that is read for the first time shows the results of the last call
    for name in ("qpos", "qacc_warmstart", "xpos", "geom_xpos", "sensordata", "ncon"):
        assert np.array_equal(getattr(spread, name), getattr(local, name)), name


def test_worlds_that_differ_are_sent_with_their_differences(model) -> None:
    spread = cluster_batch(model, 6, block=2, vary=["body_mass"])
    local = Batch(model, 6, vary=["body_mass"])
    for batch in (spread, local):
        batch.body_mass *= np.linspace(0.5, 1.5, 6)[:, None]
        batch.step(5)
    assert np.array_equal(spread.qpos, local.qpos) and not np.array_equal(spread.qpos[0], spread.qpos[5])


@pytest.mark.nightly
def test_float32_and_float64_worlds_do_not_share_a_batch(model) -> None:
    for precision in ("float32", "float64"):
        spread, local = (make(model, 4, precision=precision) for make in (cluster_batch, Batch))
        spread.step(3)
        local.step(3)
        assert spread.qpos.dtype == precision and np.array_equal(spread.qpos, local.qpos)


def test_worlds_stay_in_the_cluster_between_calls(model) -> None:
    """Only modified fields are sent to the cluster, and only kept or read fields are returned."""
    spread, local = cluster_batch(model, 10, block=4, keep=["xpos"]), Batch(model, 10, keep=["xpos"])
    spread.step(5)
    local.step(5)
    one_world = sum(a.nbytes for a in spread._worlds.arrays.here.values()) // 10
    xpos = local.xpos.nbytes
    assert (spread.sent, spread.received) == (10 * one_world, xpos)
    for k in range(3):
        for batch in (spread, local):
            batch.ctrl = 0.1 * k
            batch.step()
    assert (spread.sent, spread.received) == (10 * one_world + 2 * spread.ctrl.nbytes + spread.ctrl.nbytes, 4 * xpos)
    # from now on, the cluster returns this array after each call, because the program has read it
    before, positions = spread.received, spread.qpos
    assert np.array_equal(positions, local.qpos) and spread.received > before
    for batch in (spread, local):
        batch.qpos[3, 2] += 0.1
        batch.step()
    assert np.array_equal(positions, local.qpos)
    sent, received = spread.sent, spread.received
    ctrl = controls(model, 20, 10)
    assert np.array_equal(spread.rollout(ctrl), local.rollout(ctrl))
    recorded = 20 * positions.nbytes
    assert spread.sent - sent == ctrl.nbytes
    assert spread.received - received == recorded + positions.nbytes + spread.ctrl.nbytes + xpos
    assert same_state(spread, local)


def same_state(one: Any, other: Any) -> bool:
    """Return True if the worlds of two batches have the same complete state."""
    pair = one.snapshot(), other.snapshot()
    return pair[0].keys() == pair[1].keys() and all(np.array_equal(pair[0][name], pair[1][name]) for name in pair[0])


def test_any_order_of_calls_gives_the_bits_of_a_batch(model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any sequence of calls gives the same results on a cluster as in a local batch, bit for bit."""
    from conjoint.batch import cluster_worlds

    monkeypatch.setattr(cluster_worlds, "MOST_CALLS", 5)
    spread, local = cluster_batch(model, 7, block=3), Batch(model, 7)
    start = local.snapshot([0])
    for k in range(24):
        for batch in (spread, local):
            if k % 4 == 1:
                batch.ctrl[k % 7] = 0.2
            if k % 5 == 2:
                batch.reset(worlds=[k % 7])
            if k % 7 == 3:
                batch.restore(start, worlds=[(k + 1) % 7])
            if k % 6 == 4:
                batch.xfrc_applied[2, 1, 0] = k
            if k % 9 == 5:
                batch.forward(worlds=[1, 3])
            # a zero is sent even if only its sign has changed
            batch.qvel[4, 0] = -0.0 if k % 2 else 0.0
            batch.step(1 + k % 3)
        if k % 3 == 0:
            assert np.array_equal(spread.geom_xpos, local.geom_xpos) and np.array_equal(spread.ncon, local.ncon)
            assert len(spread.contact(2)) == len(local.contact(2))
    assert same_state(spread, local)


def test_worlds_that_diverge_are_told(model) -> None:
    spread = cluster_batch(model, 6, block=3)
    spread.qvel[4] = 1e12
    with pytest.warns(DivergenceWarning, match="worlds 3 to 5: .*unstable"):
        spread.step()
    assert np.isfinite(spread.qpos).all()


def parent(process: int) -> int:
    """Return the process id of a process's parent."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def workers(busy: bool = True) -> list[int]:
    """Return the ids of worker processes in the clusters of these tests: all of them, or only busy ones."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name = (folder / "cmdline").read_bytes()
            right = name.startswith(b"ray::work_of_conjoint" if busy else b"ray::")
            if right and parent(parent(int(folder.name))) == os.getpid():
                found.append(int(folder.name))
    return found


@contextlib.contextmanager
def killing(most: int) -> Iterator[list[int]]:
    """Kill up to `most` workers while they are busy; yield the list of killed processes, which grows meanwhile."""
    killed: list[int] = []
    over = threading.Event()

    def kill_one() -> None:
        while len(killed) < most and not over.is_set():
            for process in workers()[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        yield killed
    finally:
        over.set()
        killer.join()


def test_a_worker_that_dies_is_replaced(model) -> None:
    spread, local = cluster_batch(model, 12, block=2), Batch(model, 12)
    ctrl = controls(model, 1000, 12)
    positions = []
    with killing(most=1) as killed:
        # on a busy machine, the workers may be done before the first attempt to kill one
        wait_for(lambda: killed, lambda: positions.append(spread.rollout(ctrl)))
    for found in positions:
        assert np.array_equal(found, local.rollout(ctrl))


@pytest.mark.nightly
def test_workers_that_die_too_often_are_told(model) -> None:
    spread = cluster_batch(model, 2, retries=0)
    before: dict[str, np.ndarray] = {}

    def roll_out() -> None:
        before.update(spread.snapshot())
        spread.rollout(controls(model, 40_000, 2))

    with killing(most=1000), pytest.raises(conjoint.FatalError, match="lost a block of worlds"):
        wait_for(lambda: False, roll_out)
    after = spread.snapshot()
    assert all(np.array_equal(after[name], array) for name, array in before.items())


def test_errors_of_workers_are_those_of_a_batch(model) -> None:
    with pytest.raises(conjoint.FatalError, match=r"shape \(2, nstep, "):
        cluster_batch(model, 2).rollout(np.zeros((3, 5, model.nu)))


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"nworld": 0}, "nworld must be an integer of at least 1, not 0"),
        ({"nworld": "4"}, "nworld must be an integer"),
        ({"nworld": 2.5}, "nworld must be an integer"),
        ({"nthread": 0}, "nthread must be an integer of at least 1, not 0"),
        ({"block": 0}, "block must be an integer of at least 1, not 0"),
        ({"block": "a"}, "block must be"),
        ({"retries": -1}, "retries must be an integer of at least 0"),
        ({"timeout": 0}, "timeout must be a positive number"),
        ({"timeout": "soon"}, "timeout must be"),
        ({"model": None}, "model must be of type MjModel, not None"),
        ({"precision": "half"}, "precision must be 'float64' or 'float32'"),
        ({"vary": ["mass"]}, "mass"),
    ],
)
def test_wrong_arguments_are_named(model, changes: dict[str, Any], words: str) -> None:
    with pytest.raises((conjoint.FatalError, TypeError, ValueError, AttributeError), match=words):
        cluster_batch(**{"model": model, "nworld": 4, **changes})


def test_more_threads_than_any_node_has_are_refused_at_once(model) -> None:
    with pytest.raises(conjoint.FatalError, match=r"nthread=1000: .* the largest node of the cluster has only \d+"):
        cluster_batch(model, 4, nthread=1000)


@kernel
def wind(m, d):
    for i in range(m.nv):
        d.qfrc_passive[i] = d.qfrc_passive[i] + 5.0


@kernel
def no_contact(m, d, g1, g2, margin, dists, points):
    return 0


PAIR = conjoint.mjtGeom.mjGEOM_PLANE, conjoint.mjtGeom.mjGEOM_CAPSULE


@pytest.mark.parametrize("kind", ["mjcb_passive", "mjSTAGEFUNC", "mjCOLLISIONFUNC", "python"])
def test_what_a_program_registered_is_refused_by_name(model, kind: str) -> None:
    """Registered callbacks, stages and colliders are refused by name, because the workers would step without them."""
    spread = cluster_batch(model, 2)
    try:
        if kind == "mjSTAGEFUNC":
            conjoint.mjSTAGEFUNC["euler"] = wind
        elif kind == "mjCOLLISIONFUNC":
            conjoint.mjCOLLISIONFUNC[PAIR] = no_contact
        else:
            conjoint.set_mjcb_passive(wind if kind == "mjcb_passive" else lambda m, d: None)
        name = {"mjSTAGEFUNC": "wind", "mjCOLLISIONFUNC": "no_contact"}.get(kind, "mjcb_passive")
        for call in (lambda: cluster_batch(model, 2), spread.step):
            with pytest.raises(conjoint.FatalError, match=f"registered: .*{name}"):
                call()
    finally:
        conjoint.mj_resetCallbacks()
        for table, key in ((conjoint.mjSTAGEFUNC, "euler"), (conjoint.mjCOLLISIONFUNC, PAIR)):
            with contextlib.suppress(KeyError):
                del table[key]
    spread.step()


@kernel
def pull(m, d, i):
    d.qfrc_passive[0] = d.qfrc_passive[0] - 1.0


SPRUNG = """<mujoco><extension><plugin plugin="{0}"/></extension>
  <worldbody><body><joint/><geom size=".1"/><plugin plugin="{0}">{1}</plugin></body></worldbody></mujoco>"""


def test_plugins_of_a_program_are_refused_by_name(model) -> None:
    conjoint.mjp_registerPlugin(
        conjoint.mjpPlugin("cluster.pull", conjoint.mjtPluginCapabilityBit.mjPLUGIN_PASSIVE, (), compute=pull)
    )
    with pytest.raises(conjoint.FatalError, match="do not have the plugins cluster"):
        cluster_batch(conjoint.MjModel.from_xml_string(SPRUNG.format("cluster.pull", "")), 2)
    ours = SPRUNG.format("mujoco.elasticity.cable", '<config key="twist" value="1"/><config key="bend" value="1"/>')
    cluster_batch(conjoint.MjModel.from_xml_string(ours), 2).step()


def test_workers_with_another_engine_are_refused(model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers with a different engine version are refused, because their results would differ."""
    from conjoint.batch import cluster_tasks, cluster_worlds

    mine = cluster_worlds.engine()
    for module in (cluster_tasks, cluster_worlds):
        monkeypatch.setattr(module, "engine", lambda: mine | {"source": "feed"})
    spread = cluster_batch(model, 2)
    with pytest.raises(conjoint.FatalError, match=rf"another engine .* source {mine['source']}.* source feed"):
        spread.step()
    with pytest.raises(conjoint.FatalError, match="another engine"):
        spread.rollout(controls(model, 2, 2))


# when the machine was overloaded, Ray once ended the interrupted program, and the test run with it
@pytest.mark.nightly
def test_after_an_interrupt_worlds_are_as_before_and_blocks_have_ended(model) -> None:
    spread, local = cluster_batch(model, 4, block=2, keep=["xpos"]), Batch(model, 4, keep=["xpos"])
    for batch in (spread, local):
        batch.step(3)
    with interrupted():
        spread.step(50_000_000)
    assert np.array_equal(spread.xpos, local.xpos) and same_state(spread, local)
    wait_for(lambda: not workers())
    for batch in (spread, local):
        batch.step(2)
    assert np.array_equal(spread.xpos, local.xpos) and same_state(spread, local)


def test_stopped_workers_are_not_waited_for_without_limit(model) -> None:
    spread, local = cluster_batch(model, 4, block=2, timeout=2.0), Batch(model, 4)
    spread.step()
    local.step()
    stopped = workers(busy=False)
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        with pytest.raises(
            conjoint.FatalError, match=r"no block of worlds has come back for \d s \(2 blocks are running"
        ):
            spread.step()
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)
    assert same_state(spread, local)
    spread.step()
    local.step()
    assert same_state(spread, local)


def test_a_copy_is_a_batch_on_a_cluster(model) -> None:
    spread = cluster_batch(model, 4, block=2, keep=["xpos"], vary=["body_mass"], retries=5)
    spread.body_mass[1] *= 2
    spread.step(3)
    copied = pickle.loads(pickle.dumps(spread))
    assert type(copied) is type(spread) and copied._made == spread._made
    assert same_state(copied, spread)
    for batch in (copied, spread):
        batch.step()
    assert np.array_equal(copied.xpos, spread.xpos)


def test_the_last_whole_state_is_kept_in_a_file(model, tmp_path: Path) -> None:
    file = tmp_path / "worlds.npz"
    spread = cluster_batch(model, 4, block=2, checkpoint=file)
    spread.ctrl = 0.1
    spread.step(3)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    local = Batch(model, 4)
    with np.load(file) as kept:
        local.restore(kept)
    assert same_state(spread, local)


def test_a_worker_keeps_one_batch_for_each_model(model) -> None:
    """A worker keeps one batch for each model; formerly it kept one for every number of worlds."""
    from conjoint.batch import cluster_worker

    job = {"function": "mj_step", "nstep": 1, "ctrl": None, "state": None, "keep": (), "live": ("qpos",)}
    cluster_worker._batches.clear()
    for nworld in (3, 2, 1):
        local = Batch(model, nworld)
        settings = ("digest", "float64", (), 1, 3)
        answer, state = cluster_worker.work(settings, lambda: pickle.dumps(model), None, local.snapshot(), job)
        local.step()
        assert np.array_equal(answer["live"]["qpos"], local.qpos) and np.array_equal(state["qvel"], local.qvel)
    assert len(cluster_worker._batches) == 1
    for k in range(12):
        settings = (f"digest {k}", "float64", (), 1, 1)
        cluster_worker.work(settings, lambda: pickle.dumps(model), None, Batch(model, 1).snapshot(), job)
    assert len(cluster_worker._batches) == cluster_worker.MOST_MODELS
    cluster_worker._batches.clear()


@pytest.mark.nightly
@pytest.mark.parametrize("calls", ["long", "short"])
def test_the_end_of_the_head_is_told(tmp_path: Path, calls: str) -> None:
    """If the head node of the cluster ends, an error is raised and the batch keeps its worlds; formerly Ray ended the program."""
    env = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    done = subprocess.run(
        [sys.executable, str(TESTS / "ray_head.py"), CAR, str(tmp_path / "worlds.npz"), calls],
        env=env, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "the head of the Ray cluster no longer responds; the worlds are in this process" in done.stdout
    assert "Ray is disconnected" in done.stdout
    assert done.stdout.splitlines()[-1] == "same state"


@pytest.mark.nightly
def test_environments_run_on_a_cluster(model) -> None:
    envs = pytest.importorskip("conjoint.envs")
    spread = envs.BatchEnv("cartpole", 6, batch=cluster_batch)
    local = envs.BatchEnv("cartpole", 6)
    results = []
    for one in (spread, local):
        one.reset(seed=3)
        results.append(np.array([one.step(np.full((6, 1), 0.3))[0] for _ in range(40)]))
    assert np.array_equal(*results)
