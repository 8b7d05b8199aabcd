"""Short runs of the control programs in `examples/`, which must reach their goals."""

import importlib
import importlib.util
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from places import ROOT

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="thousands of uncompiled steps")
EXAMPLES = ROOT / "examples"


def example(name: str) -> Any:
    """Return an example program as a module."""
    place = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert place is not None and place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def test_a_humanoid_balances_on_one_leg() -> None:
    """A humanoid balances on one leg with the regulator, and falls within two seconds without it."""
    balance = example("balance")
    assert balance.main(seconds=2.0, noise=0.01, seed=0) < 0.02
    balance.regulator = lambda m, d, qpos, ctrl: np.zeros((m.nu, 2 * m.nv))
    assert balance.main(seconds=2.0, noise=0.01, seed=0) > 0.3


def test_humanoids_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Humanoids that start mid-stride at 1 m/s keep walking, and fall without speed and position feedback."""
    monkeypatch.syspath_prepend(EXAMPLES)
    walk = importlib.import_module("walk")
    start, model, seconds = walk.strides(0.5), walk.person().compile(), 3.0
    pick = np.linspace(0, len(start["time"]) - 1, 8).astype(int)

    def distances() -> np.ndarray:
        batch, walker = conjoint.Batch(model, 8, keep=["sensordata"]), walk.Walker(model, 8)
        batch.qpos[:], batch.qvel[:] = start["qpos"][pick], start["qvel"][pick]
        walker.side[:], walker.time[:] = start["side"][pick], start["time"][pick]
        batch.forward()
        for _ in range(round(seconds / model.opt.timestep)):
            batch.step(ctrl=walker.controls(batch))
        return np.where(batch.qpos[:, 2] > 1.1, batch.qpos[:, 0] - start["qpos"][pick, 0], 0.0)

    assert np.abs(distances() / seconds - 1.05).max() < 0.25
    monkeypatch.setattr(walk, "FORWARD", (0.0, 0.0))
    monkeypatch.setattr(walk, "SIDEWAYS", (0.0, 0.0))
    assert (distances() == 0).mean() > 0.5


def test_humanoids_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Humanoids of any heading remain standing after a push, and each one falls without the regulator."""
    monkeypatch.syspath_prepend(EXAMPLES)
    walk = importlib.import_module("walk")
    model, heading = walk.person().compile(), np.array([0.0, 2.0, -2.0])
    stander = walk.Stander(model)

    def heights() -> np.ndarray:
        batch, half = conjoint.Batch(model, 3), heading / 2
        batch.qpos[:] = stander.pose
        turn = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
        batch.qpos[:, 3:7] = walk.product(turn, batch.qpos[:, 3:7])
        place = batch.qpos[:, :3].copy()
        batch.qvel[:, :2] = 0.1
        for _ in range(500):
            batch.step(ctrl=stander.controls(batch, place, heading))
        return batch.qpos[:, 2]

    assert np.abs(heights() - stander.pose[2]).max() < 0.01
    stander.gain[:] = 0
    assert heights().max() < 1.0


def test_an_arm_follows_a_path() -> None:
    """An arm follows a path closely with the controller; with joint damping alone it lags far behind the path."""
    follow = example("follow")
    assert follow.main(seconds=2.0) < 0.005
    follow.STIFFNESS, follow.DAMPING = 0.0, 0.0
    assert follow.main(seconds=2.0) > 0.1


def test_a_pole_swings_up() -> None:
    assert example("swing_up").main(seconds=3.0, samples=32, horizon=70, seed=0) > 0.9


@pytest.mark.parametrize("case", ["pendulum", "arm"])
def test_parameters_are_identified(case: str) -> None:
    errors = example("identify").main(case, steps=200, noise=0.002, seed=1)
    assert max(errors.values()) < 0.02


def test_a_pole_swings_up_by_ilqr() -> None:
    """iLQR reaches the same costs with exact derivatives and with finite differences."""
    costs = example("ilqr").main(steps=60, iterations=4)[1]
    assert costs[-1] < 0.5 * costs[0]
    np.testing.assert_allclose(costs, example("ilqr").main(steps=60, iterations=4, differences=True)[1], rtol=1e-3)


def test_an_arm_puts_a_ball_into_a_bowl(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arm's first trial drops the ball, but the trial after one iteration succeeds, as do the stored best targets."""
    monkeypatch.syspath_prepend(EXAMPLES)
    pick = importlib.import_module("pick")
    task = pick.Task(conjoint.MjModel.from_xml_path(conjoint.sample_model("arm")))
    best, costs = pick.solve(task, iterations=1)
    assert costs[1] < 0.1 * costs[0]
    assert pick.lost(best) < 0.03
    targets = np.loadtxt(pick.FILE, delimiter=",")
    stored = task.run(np.diff(targets - task.plan, axis=0, prepend=0.0))
    assert stored.cost < 0.01 * costs[0]
    assert pick.lost(stored) < 0.01


def test_parameters_are_identified_with_exact_jacobians() -> None:
    identify = example("identify_exact")
    # leave out masses, which would need more kernels
    del identify.PARAMETERS["body_mass"]
    error, _ = identify.main(steps=60, noise=0.0005, seed=1)
    assert error < 0.02


def test_a_policy_learns_by_gradients_through_steps() -> None:
    costs = example("policy_gradient").main(iterations=12, worlds=3, horizon=15)[1]
    assert min(costs[-4:]) < 0.3 * costs[0]
