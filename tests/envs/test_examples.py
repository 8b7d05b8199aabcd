"""Short runs of the control programs of `examples/`: they meet their goals."""

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
    """The program as a module."""
    place = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert place is not None and place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def test_a_humanoid_balances_on_one_leg() -> None:
    """Without the regulator it falls within two seconds."""
    balance = example("balance")
    assert balance.main(seconds=2.0, noise=0.01, seed=0) < 0.02
    balance.regulator = lambda m, d, qpos, ctrl: np.zeros((m.nu, 2 * m.nv))
    assert balance.main(seconds=2.0, noise=0.01, seed=0) > 0.3


def test_an_arm_follows_a_path() -> None:
    """Damping of the joints alone would let it lag by far more."""
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
    """Exact derivatives and finite differences lead the same way."""
    costs = example("ilqr").main(steps=60, iterations=4)[1]
    assert costs[-1] < 0.5 * costs[0]
    np.testing.assert_allclose(costs, example("ilqr").main(steps=60, iterations=4, differences=True)[1], rtol=1e-3)


def test_an_arm_puts_a_ball_into_a_bowl(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first try drops it, an iteration brings it there, and so do the targets in the file of the best try."""
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
    # masses would need more kernels
    del identify.PARAMETERS["body_mass"]
    error, _ = identify.main(steps=60, noise=0.0005, seed=1)
    assert error < 0.02


def test_a_policy_learns_by_gradients_through_steps() -> None:
    costs = example("policy_gradient").main(iterations=12, worlds=3, horizon=15)[1]
    assert min(costs[-4:]) < 0.3 * costs[0]
