"""User interface of derivatives: rollouts, batches, functions of arrays, JAX, PyTorch, and errors."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.derivative import (
    StepFunction,
    Trajectory,
    jacobian,
    jvp,
    transition,
    vjp,
)
from conjoint.derivative.frameworks import jacobian_by_numbers
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="many steps, uncompiled")

ARM = """<mujoco><option timestep="0.01" integrator="implicitfast"/>
<default><geom type="capsule" size=".03" contype="0" conaffinity="0"/></default><worldbody>
<body><joint name="a" axis="0 1 0" damping=".1"/><geom fromto="0 0 0 .3 0 0"/>
<body pos=".3 0 0"><joint type="ball" damping=".05"/><geom fromto="0 0 0 .2 0 .1"/></body></body></worldbody>
<actuator><motor joint="a" gear="2"/></actuator><sensor><jointpos joint="a"/></sensor></mujoco>"""
"""Arm with a hinge and a ball joint: four degrees of freedom, five positions."""

STATE = ("qpos", "qvel")


@pytest.fixture(scope="module")
def m() -> conjoint.MjModel:
    return conjoint.MjModel.from_xml_string(ARM)


@pytest.fixture
def d(m) -> conjoint.MjData:
    """Return the data of an arm in motion."""
    d = conjoint.MjData(m)
    d.qvel[:] = 0.3, 1.0, -0.5, 0.2
    conjoint.mj_step(m, d, 5)
    return d


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(0)


# ---- rollouts


def test_forward_is_backward_along_a_rollout(m, d, random) -> None:
    """Forward and backward derivatives of a rollout agree for states, sensors, controls and a parameter.

    The number of steps between checkpoints does not matter.
    """
    ctrl = random.normal(size=(7, 1))
    cotangents = {"qpos": random.normal(size=(7, 4)), "qvel": random.normal(size=(7, 4)), "sensordata": np.ones((7, 1))}
    sizes = {"qpos": 4, "qvel": 4, "ctrl": (7, 1), "actuator_gainprm": 10}
    directions = {name: random.normal(size=size) for name, size in sizes.items()}
    for every in (None, 1, 7):
        path = Trajectory(m, d, ctrl, [*STATE, "sensordata"], every)
        gradients, changes = path.vjp(cotangents, list(directions)), path.jvp(directions, list(cotangents))
        backward = sum((gradients[name] * directions[name]).sum() for name in directions)
        forward = sum((changes[name] * cotangents[name]).sum() for name in cotangents)
        assert abs(backward - forward) < 1e-12 * abs(forward) and abs(forward) > 1.0
    found = path.jacobian(["qvel"], ["actuator_gainprm"])["qvel"]["actuator_gainprm"]
    along = path.jvp({"actuator_gainprm": directions["actuator_gainprm"]}, ["qvel"])["qvel"]
    np.testing.assert_allclose(found @ directions["actuator_gainprm"], along, rtol=0, atol=1e-12)


def test_the_chain_rule_over_two_steps_is_the_rollout(m, d, random) -> None:
    ctrl = random.normal(size=(2, 1))
    path = Trajectory(m, d, ctrl, STATE)
    last = np.zeros((2, 4))
    last[1] = random.normal(size=4)
    found = path.vjp({"qvel": last}, [*STATE, "ctrl"])
    matrices = []
    for control in ctrl:
        d.ctrl[:] = control
        j = jacobian(m, d, STATE, [*STATE, "ctrl"])
        matrices.append(np.block([[j[row][column] for column in (*STATE, "ctrl")] for row in STATE]))
        conjoint.mj_step(m, d)
    assert (path.values["qpos"][1] == d.qpos).all() and (path.values["qvel"][1] == d.qvel).all()
    first, second = matrices
    at_middle = np.concatenate([np.zeros(4), last[1]]) @ second
    at_start = at_middle[:8] @ first
    np.testing.assert_allclose(np.concatenate([found["qpos"], found["qvel"]]), at_start[:8], rtol=0, atol=1e-13)
    np.testing.assert_allclose(found["ctrl"].ravel(), [at_start[8], at_middle[8]], rtol=0, atol=1e-13)


def test_rollouts_refuse_what_does_not_fit(m, d) -> None:
    with pytest.raises(conjoint.FatalError, match=r"controls must have shape \(nstep, 1\), not \(3, 2\)"):
        Trajectory(m, d, np.zeros((3, 2)))
    with pytest.raises(conjoint.FatalError, match="controls must be finite"):
        Trajectory(m, d, np.full((3, 1), np.nan))
    with pytest.raises(conjoint.FatalError, match="'body_mass' is a field of MjModel"):
        Trajectory(m, d, np.zeros((3, 1)), ["body_mass"])
    with pytest.raises(conjoint.FatalError, match="every must be an integer of at least 1, not 0"):
        Trajectory(m, d, np.zeros((3, 1)), every=0)
    path = Trajectory(m, d, np.zeros((3, 1)))
    with pytest.raises(conjoint.FatalError, match=r"cotangents\['qpos'\] must have shape \(3, 4\), not \(3, 5\)"):
        path.vjp({"qpos": path.values["qpos"]}, ["ctrl"])
    with pytest.raises(conjoint.FatalError, match=r"directions\['ctrl'\] must have shape \(3, 1\)"):
        path.jvp({"ctrl": np.zeros(3)}, ["qpos"])


# ---- batches


def test_worlds_of_a_batch_are_differentiated_each_with_its_own_model(m, random) -> None:
    batch = conjoint.Batch(m, 5, nthread=2, vary=["actuator_gainprm"])
    batch.actuator_gainprm[:] = m.actuator_gainprm * (1.0 + 0.5 * np.arange(5)[:, None, None])
    batch.qvel[:], batch.ctrl[:] = random.normal(size=(5, 4)), random.normal(size=(5, 1))
    batch.step(3)
    before = batch.qpos.copy()
    outputs, inputs = (*STATE, "sensordata"), (*STATE, "ctrl", "actuator_gainprm")
    found = jacobian(batch, outputs=outputs, inputs=inputs)
    for world in range(5):
        data = batch.get_data(world)
        alone = jacobian(data.model, data, outputs, inputs)
        for output in outputs:
            for name in inputs:
                assert (found[output][name][world] == alone[output][name]).all()
    assert (batch.qpos == before).all()
    assert np.abs(np.diff(found["qvel"]["ctrl"], axis=0)).max(axis=(1, 2)).min() > 1e-3
    A, B, C, D = transition(batch)
    assert A.shape == (5, 8, 8) and D.shape == (5, 1, 1)
    np.testing.assert_array_equal(B[:, 4:], found["qvel"]["ctrl"])
    np.testing.assert_array_equal(C[:, :, :4], found["sensordata"]["qpos"])
    cotangent, direction = random.normal(size=(5, 4)), random.normal(size=(5, 1))
    back = vjp(batch, cotangents={"qvel": cotangent}, inputs=["ctrl"])["ctrl"]
    forward = jvp(batch, directions={"ctrl": direction}, outputs=["qvel"])["qvel"]
    np.testing.assert_allclose((back * direction).sum(axis=1), (forward * cotangent).sum(axis=1), rtol=1e-12)


def test_several_directions_of_each_world_of_a_batch(m, random) -> None:
    """Derivatives of a batch along several directions per world equal those along one direction at a time."""
    batch = conjoint.Batch(m, 3, nthread=2)
    batch.qvel[:] = random.normal(size=(3, 4))
    directions, cotangents = random.normal(size=(3, 2, 4)), random.normal(size=(3, 2, 4))
    forward = jvp(batch, directions={"qvel": directions}, outputs=["qpos"])["qpos"]
    back = vjp(batch, cotangents={"qpos": cotangents}, inputs=["qvel"])["qvel"]
    assert forward.shape == back.shape == (3, 2, 4)
    for k in range(2):
        one = jvp(batch, directions={"qvel": directions[:, k]}, outputs=["qpos"])["qpos"]
        assert one.shape == (3, 4) and np.allclose(forward[:, k], one, rtol=0, atol=1e-15)
        one = vjp(batch, cotangents={"qpos": cotangents[:, k]}, inputs=["qvel"])["qvel"]
        assert np.allclose(back[:, k], one, rtol=0, atol=1e-15)


def test_batches_refuse_what_does_not_fit(m, d) -> None:
    batch = conjoint.Batch(m, 2, nthread=1)
    text = r"cotangents\['qvel'\] must have shape \(2, 4\) or \(2, n, 4\), not \(4,\)"
    with pytest.raises(conjoint.FatalError, match=text):
        vjp(batch, cotangents={"qvel": np.zeros(4)}, inputs=["ctrl"])
    with pytest.raises(TypeError, match="a Batch has its own data: pass keyword arguments"):
        jacobian(batch, ["qpos"], ["ctrl"])
    with pytest.raises(TypeError, match="an MjModel and an MjData, not MjModel, NoneType"):
        jacobian(m, outputs=["qpos"], inputs=["ctrl"])
    batch.qvel[1, 2] = np.inf
    with pytest.raises(conjoint.FatalError, match=r"world 1: qvel\[2\] is inf"):
        jacobian(batch, outputs=["qpos"], inputs=["ctrl"])


# ---- functions of arrays


def central(step: StepFunction, inputs: dict[str, np.ndarray], name: str, output: str) -> np.ndarray:
    """Return central differences of an output with respect to each element of an input."""
    columns = []
    for i in range(inputs[name].shape[-1]):
        ends = []
        for eps in (1e-5, -1e-5):
            changed = {**inputs, name: inputs[name].copy()}
            changed[name][..., i] += eps
            ends.append(step(changed)[output])
        columns.append((ends[0] - ends[1]) / 2e-5)
    return np.stack(columns, axis=-1)


def test_a_step_is_a_function_of_arrays(m, d, random) -> None:
    """A StepFunction accepts worlds along the first axis; its Jacobian equals the Jacobian of each world."""
    step = StepFunction(m, outputs=(*STATE, "sensordata"), nthread=2)
    inputs = {"qpos": np.repeat(d.qpos[None], 3, axis=0), "qvel": random.normal(size=(3, 4)), "ctrl": np.array([0.2])}
    after, found = step(inputs), step.jacobian(inputs)
    for world in range(3):
        data = conjoint.MjData(m)
        data.qpos[:], data.qvel[:], data.ctrl[:] = inputs["qpos"][world], inputs["qvel"][world], inputs["ctrl"]
        alone = jacobian(m, data, step.outputs, list(inputs))
        for output in step.outputs:
            for name in inputs:
                assert (found[output][name][world] == alone[output][name]).all()
        conjoint.mj_step(m, data)
        assert (after["qpos"][world] == data.qpos).all()
    cotangents = {"qpos": random.normal(size=(3, 4))}
    directions = {"qpos": random.normal(size=(3, 4)), "qvel": random.normal(size=(3, 4)), "ctrl": np.ones((3, 1))}
    back, forward = step.vjp(inputs, cotangents), step.jvp(inputs, directions)
    one = sum((back[name] * directions[name]).sum() for name in inputs)
    assert abs(one - (forward["qpos"] * cotangents["qpos"]).sum()) < 1e-12 * abs(one)


def test_frameworks_have_derivatives_by_each_number(m, d, random) -> None:
    """Frameworks get derivatives with respect to each element of a field, including the four of a quaternion."""
    step = StepFunction(m, outputs=(*STATE, "sensordata"), nthread=2)
    inputs = {"qpos": np.repeat(d.qpos[None], 3, axis=0), "qvel": random.normal(size=(3, 4)), "ctrl": np.array([0.2])}
    found = jacobian_by_numbers(step, inputs, tuple(inputs))
    assert found["qpos"]["qpos"].shape == (3, 5, 5)
    for output in step.outputs:
        for name in inputs:
            difference = central(step, inputs, name, output)
            np.testing.assert_allclose(found[output][name], difference, rtol=0, atol=1e-7)


def test_a_step_function_has_no_memory(m, d) -> None:
    """Values passed in one call do not persist in the next."""
    step = StepFunction(m, data=d)
    before = step({"ctrl": np.zeros(1)})
    assert np.abs(step({"body_mass": 3.0 * m.body_mass, "ctrl": np.ones(1)})["qvel"] - before["qvel"]).max() > 1e-3
    assert (step({"ctrl": np.zeros(1)})["qvel"] == before["qvel"]).all()
    conjoint.mj_step(m, d)
    assert (before["qvel"] == d.qvel).all()


def test_step_functions_refuse_what_does_not_fit(m) -> None:
    step = StepFunction(m)
    with pytest.raises(conjoint.FatalError, match=r"qpos must have shape \(5,\)"):
        step({"qpos": np.zeros(4)})
    with pytest.raises(conjoint.FatalError, match="different numbers of worlds"):
        step({"qpos": np.zeros((2, 5)), "qvel": np.zeros((3, 4))})
    with pytest.raises(conjoint.FatalError, match="'ctrl' is not among the inputs"):
        step.jacobian({"qpos": m.qpos0}, ["ctrl"])
    with pytest.raises(conjoint.FatalError, match="'sensordata': the function has the outputs qpos, qvel"):
        step.vjp({"qpos": m.qpos0}, {"sensordata": np.zeros(1)})


# ---- PyTorch and JAX


def loss_of(step: Any) -> Any:
    """Return a function of the inputs whose result is the sum of squared velocities after a step."""
    return lambda qpos, qvel, ctrl: (step({"qpos": qpos, "qvel": qvel, "ctrl": ctrl})["qvel"] ** 2).sum()


def test_pytorch_finds_the_gradients_right(m, d, random) -> None:
    torch = pytest.importorskip("torch")
    from conjoint.derivative import torch_step

    step = torch_step(m)

    def all_outputs(qpos: Any, qvel: Any, ctrl: Any) -> tuple[Any, ...]:
        return tuple(step({"qpos": qpos, "qvel": qvel, "ctrl": ctrl}).values())

    alone = [
        torch.tensor(value, requires_grad=True) for value in (d.qpos, random.normal(size=4), random.normal(size=1))
    ]
    assert torch.autograd.gradcheck(all_outputs, alone, check_forward_ad=True)
    # two worlds, with the same controls
    both = [torch.tensor(np.stack([value.detach(), value.detach()]), requires_grad=True) for value in alone[:2]]
    assert torch.autograd.gradcheck(all_outputs, [*both, alone[2]], check_forward_ad=True)
    loss = loss_of(step)
    given = [value.detach() for value in (*both, alone[2])]
    each = torch.func.vmap(torch.func.grad(loss, argnums=(0, 1, 2)), in_dims=(0, 0, None))(*given)
    for world in range(2):
        one = torch.func.grad(loss, argnums=(0, 1, 2))(given[0][world], given[1][world], given[2])
        assert all(torch.allclose(a[world], b, rtol=0, atol=1e-12) for a, b in zip(each, one, strict=True))
    backward, forward = (
        make(lambda *inputs: all_outputs(*inputs)[1], argnums=(0, 1, 2))(*(value.detach() for value in alone))
        for make in (torch.func.jacrev, torch.func.jacfwd)
    )
    assert [tuple(one.shape) for one in backward] == [(4, 5), (4, 4), (4, 1)]
    assert all(torch.allclose(a, b, rtol=0, atol=1e-12) for a, b in zip(backward, forward, strict=True))
    with pytest.raises(NotImplementedError, match="second derivatives of a step are not implemented"):
        (first,) = torch.autograd.grad(loss(*alone), alone[2], create_graph=True)
        torch.autograd.grad(first.sum(), alone[2])


def test_jax_finds_the_gradients_right(m, d, random) -> None:
    """JAX's gradient checker accepts the derivatives of a step, of a batch and of a rollout."""
    jax = pytest.importorskip("jax")
    from jax.test_util import check_grads

    from conjoint.derivative import jax_step

    step = jax_step(m)
    with pytest.raises(conjoint.FatalError, match="jax_enable_x64"):
        step({"qpos": d.qpos})
    jax.config.update("jax_enable_x64", True)
    try:
        given = [jax.numpy.asarray(value) for value in (d.qpos, random.normal(size=4), random.normal(size=1))]
        check_grads(
            lambda qpos, qvel, ctrl: step({"qpos": qpos, "qvel": qvel, "ctrl": ctrl}),
            given, order=1, modes=("fwd", "rev"), atol=1e-6, rtol=1e-6,
        )  # fmt: skip
        gradient = jax.grad(loss_of(step), argnums=(0, 1, 2))
        velocities = jax.numpy.asarray(random.normal(size=(3, 4)))
        each = jax.jit(jax.vmap(gradient, in_axes=(None, 0, None)))(given[0], velocities, given[2])
        one = gradient(given[0], velocities[1], given[2])
        assert max(float(abs(a[1] - b).max()) for a, b in zip(each, one, strict=True)) < 1e-12

        def along(ctrl: Any) -> Any:
            def body(state: Any, control: Any) -> Any:
                after = step({"qpos": state[0], "qvel": state[1], "ctrl": control})
                return (after["qpos"], after["qvel"]), after["qvel"]

            return (jax.lax.scan(body, (given[0], given[1]), ctrl)[1] ** 2).sum()

        ctrl = random.normal(size=(6, 1))
        found = np.asarray(jax.jit(jax.grad(along))(ctrl))
    finally:
        jax.config.update("jax_enable_x64", False)
    start = conjoint.MjData(m)
    start.qpos[:], start.qvel[:] = np.asarray(given[0]), np.asarray(given[1])
    path = Trajectory(m, start, ctrl, ["qvel"])
    np.testing.assert_allclose(found, path.vjp({"qvel": 2.0 * path.values["qvel"]}, ["ctrl"])["ctrl"], atol=1e-12)


# ---- errors, and lifetime of models


def test_errors_name_what_is_wrong(m, d) -> None:
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: jacobian(m, d, "qpos", ["qvel"]), TypeError, r"outputs must be a list of names: \['qpos'\]"),
        (lambda: jacobian(m, d, ["qpos"], []), conjoint.FatalError, "no inputs: name at least one"),
        (lambda: jacobian(m, d, ["qpos", "qpos"], ["qvel"]), conjoint.FatalError, "outputs name a field twice"),
        (lambda: jacobian(m, d, ["qpos"], ["qvle"]), conjoint.FatalError, "'qvle'; did you mean 'qvel'"),
        (lambda: jacobian(m, d, ["qpos"], ["qvel"], "mj_stp"), conjoint.FatalError, "'mj_stp'; did you mean 'mj_step'"),
        (lambda: vjp(m, d, {"qpos": d.qpos}, ["qvel"]), conjoint.FatalError, "directions of positions have nv numbers"),
        (lambda: vjp(m, d, [1.0], ["qvel"]), TypeError, "cotangents must be a dict of arrays"),
        (
            lambda: jvp(m, d, {"qvel": np.zeros((2, 4)), "ctrl": np.zeros((3, 1))}, ["qpos"]),
            conjoint.FatalError,
            "directions must be equally many for each field",
        ),
        (lambda: jacobian(m, m, ["qpos"], ["qvel"]), TypeError, "an MjModel and an MjData"),
    ]
    for call, error, text in cases:
        with pytest.raises(error, match=text):
            call()
    d.qvel[1] = np.nan
    A = np.zeros((8, 8))
    for call in (
        lambda: jacobian(m, d, ["qpos"], ["qvel"]),
        lambda: conjoint.mjd_transition(m, d, A, None, None, None),
    ):
        with pytest.raises(conjoint.FatalError, match=r"qvel\[1\] is nan: there are no derivatives"):
            call()


def test_a_model_goes_when_nobody_holds_it() -> None:
    m = conjoint.MjModel.from_xml_string(ARM)
    jacobian(m, conjoint.MjData(m), ["qpos"], ["qvel"])
    gone = weakref.ref(m)
    del m
    gc.collect()
    assert gone() is None
