"""Worlds on a cluster: two workers of Ray on this machine compute, bit for bit, what a batch computes alone."""

from __future__ import annotations

import contextlib
import os
import signal
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
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.errors import DivergenceWarning
from places import ROOT, TESTS
from waiting import PATIENCE, wait_for

pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'conjoint[ray]'"),
    pytest.mark.skipif(not jit_enabled(), reason="many steps in other processes: compiled only"),
]

CAR = str(ROOT / "models" / "car.xml")


TOO_SLOW = "timed out during startup"
"""Ray's words where its processes need more than 30 s to start, as on a busy machine."""

LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
"""Addresses by which only this machine reaches itself, as /proc/net has them: IPv4, the same in IPv6, and IPv6."""


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="addresses are looked up in /proc")
def test_other_machines_do_not_reach_ray() -> None:
    """It listened at all addresses of this machine, also with 127.0.0.1 for its `_node_ip_address`."""
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
    """A program may go on to clusters of other machines; where one is named nothing is changed."""
    import ray
    from ray._private import ray_constants

    from conjoint.batch import ray_start

    seen = []

    def init(address: str | None, **_: object) -> SimpleNamespace:
        seen.append((address, ray_constants.ENABLE_RAY_CLUSTER, os.environ.get(ray_start.SWITCH)))
        return SimpleNamespace(address_info={"node_ip_address": "192.0.2.2"})

    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(ray_constants, "ENABLE_RAY_CLUSTER", True)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.delenv(ray_start.SWITCH, raising=False)
    monkeypatch.setattr(ray_start.services, "find_bootstrap_address", lambda _: None)
    monkeypatch.setattr(ray_start.services, "find_gcs_addresses", set)
    with pytest.warns(UserWarning, match=r"Ray listens at 192\.0\.2\.2: other machines may reach it"):
        ray_start.connect("local")
    with pytest.warns(UserWarning, match="Ray listens"):
        ray_start.connect(None)
    ray_start.connect("192.0.2.2:6379")
    monkeypatch.setenv("RAY_ADDRESS", "192.0.2.2:6379")
    ray_start.connect(None)
    # what `ray start` began here is used
    monkeypatch.delenv("RAY_ADDRESS")
    monkeypatch.setattr(ray_start.services, "find_bootstrap_address", lambda _: "192.0.2.2:6399")
    ray_start.connect(None)
    alone, open_ = (False, "0"), (True, None)
    assert seen == [("local", *alone), ("local", *alone), ("192.0.2.2:6379", *open_), (None, *open_), (None, *open_)]
    assert ray_constants.ENABLE_RAY_CLUSTER is True and ray_start.SWITCH not in os.environ


def start_ray() -> bool:
    """Start Ray; return False if it gave up waiting for its own processes."""
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
    """Make a `ClusterBatch`; importing Ray takes a second, which only a process that runs these tests pays."""
    from conjoint.batch.cluster import ClusterBatch

    return ClusterBatch(*arguments, **settings)


def controls(model: conjoint.MjModel, nstep: int, nworld: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.4, 0.4, (nstep, nworld, model.nu))


def test_steps_and_rollouts_are_those_of_a_batch(model) -> None:
    spread, local = cluster_batch(model, 10, block=4, keep=["xpos"]), Batch(model, 10, keep=["xpos"])
    ctrl = controls(model, 20, 10)
    assert np.array_equal(spread.rollout(ctrl), local.rollout(ctrl))
    assert np.array_equal(spread.xpos, local.xpos) and np.array_equal(spread.qvel, local.qvel)
    with pytest.raises(conjoint.FatalError, match="'geom_xpos' was not kept during the rollout"):
        _ = spread.geom_xpos
    for batch in (spread, local):
        batch.qpos[:, 2] += 0.01
        batch.xfrc_applied[3, 1, 2] = 20
        batch.step(3)
        batch.reset([2, 9], key=0)
        batch.step()
    # the first reading of a field repeats the last call
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


def test_traffic_is_counted(model) -> None:
    spread = cluster_batch(model, 10, block=4)
    spread.step(5)
    once = spread.sent, spread.received
    one_world = sum(a.nbytes for a in spread.snapshot(0).values())
    assert once == (10 * one_world, 10 * one_world)
    ctrl = controls(model, 20, 10)
    spread.rollout(ctrl)
    # inputs that are used have to be sent from now on
    one_world += spread.ctrl[0].nbytes
    assert spread.sent - once[0] == 10 * one_world + ctrl.nbytes
    assert spread.received - once[1] == 10 * one_world + 20 * 10 * model.nq * 8


def test_worlds_that_diverge_are_told(model) -> None:
    spread = cluster_batch(model, 6, block=3)
    spread.qvel[4] = 1e12
    with pytest.warns(DivergenceWarning, match="worlds 3 to 5: .*unstable"):
        spread.step()
    assert np.isfinite(spread.qpos).all()


def workers() -> list[int]:
    """Processes of workers that are at work."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "cmdline").read_bytes().startswith(b"ray::work"):
                found.append(int(folder.name))
    return found


@contextlib.contextmanager
def killing(most: int) -> Iterator[list[int]]:
    """Kill workers that are met at work, so many at most; gives the list that they are added to."""
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
        # a busy machine may look for workers only when they are done
        wait_for(lambda: killed, lambda: positions.append(spread.rollout(ctrl)))
    for found in positions:
        assert np.array_equal(found, local.rollout(ctrl))


@pytest.mark.nightly
def test_workers_that_die_too_often_are_told(model) -> None:
    spread = cluster_batch(model, 2, retries=0)
    with killing(most=1000), pytest.raises(conjoint.FatalError, match="lost a block of worlds"):
        wait_for(lambda: False, lambda: spread.rollout(controls(model, 40_000, 2)))


def test_errors_of_workers_are_those_of_a_batch(model) -> None:
    with pytest.raises(conjoint.FatalError, match=r"shape \(nstep, 2, "):
        cluster_batch(model, 2).rollout(np.zeros((5, 3, model.nu)))
    with pytest.raises(conjoint.FatalError, match="at least one world"):
        cluster_batch(model, 2, block=0)


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
