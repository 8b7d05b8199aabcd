"""A small neural network learns to keep a pole upright, with a policy gradient over short horizons of many worlds.

    python examples/policy_gradient.py
    python examples/policy_gradient.py --by-differences      # finite differences of the network's weights

The gradient of the cost is propagated backward through policy and steps, in all worlds at once. Short horizons keep it
small (Xu et al., Accelerated policy learning with parallel differentiable simulation, ICLR 2022). Everything else is
done by NumPy.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import conjoint
from conjoint.derivative import StepFunction

CARTPOLE = """
<mujoco><option timestep="0.02" integrator="implicitfast"/>
<default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body name="cart"><joint name="slide" type="slide" axis="1 0 0" damping=".1"/>
    <geom type="box" size=".1 .05 .05" mass="1"/>
    <body name="pole"><joint name="hinge" axis="0 1 0" damping=".005"/>
      <geom type="capsule" fromto="0 0 0 0 0 .6" size=".03" mass=".2"/></body></body>
</worldbody><actuator><motor joint="slide" gear="10"/></actuator></mujoco>
"""
HIDDEN = 8
"""Number of neurons in the hidden layer."""

WEIGHTS = np.array([0.1, 1.0, 0.02, 0.05])
"""Weights of the squared state in the cost: position of the cart, angle of the pole, and their velocities."""


class Policy:
    """Neural network that maps states to controls, with one hidden layer and tanh."""

    def __init__(self, random: np.random.Generator):
        self.first, self.second = 0.3 * random.standard_normal((4, HIDDEN)), 0.1 * random.standard_normal((HIDDEN, 1))

    def control(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the controls of all worlds, and the outputs of the hidden layer."""
        hidden = np.tanh(state @ self.first)
        return hidden @ self.second, hidden

    def backward(
        self, state: np.ndarray, hidden: np.ndarray, slope: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the gradients with respect to both layers and the states.

        `slope` is the gradient with respect to the controls.
        """
        inside = (slope @ self.second.T) * (1.0 - hidden**2)
        return state.T @ inside, hidden.T @ slope, inside @ self.first.T


def inputs_of(state: np.ndarray, control: np.ndarray) -> dict[str, np.ndarray]:
    """Return the inputs of a step, by field name."""
    return {"qpos": state[:, :2], "qvel": state[:, 2:], "ctrl": control}


def rollout(step: StepFunction, policy: Policy, state: np.ndarray, horizon: int) -> tuple[float, list]:
    """Return the mean cost over worlds and steps of a horizon, and the visited states, controls and hidden outputs."""
    path, cost = [], 0.0
    for _ in range(horizon):
        control, hidden = policy.control(state)
        path.append((state, control, hidden))
        after = step(inputs_of(state, control))
        state = np.concatenate([after["qpos"], after["qvel"]], axis=1)
        cost += float((WEIGHTS * state**2).sum() + 0.01 * (control**2).sum()) / (horizon * len(state))
    return cost, [*path, (state, None, None)]


def gradient(step: StepFunction, policy: Policy, start: np.ndarray, horizon: int) -> tuple[float, list[np.ndarray]]:
    """Return the cost and its gradient with respect to both layers, propagated backward through steps and policy."""
    cost, path = rollout(step, policy, start, horizon)
    scale = 2.0 / (horizon * len(start))
    slopes = [np.zeros_like(policy.first), np.zeros_like(policy.second)]
    back = np.zeros_like(start)
    for (state, control, hidden), (after, _, _) in zip(reversed(path[:-1]), reversed(path[1:]), strict=True):
        back = back + scale * WEIGHTS * after
        found = step.vjp(inputs_of(state, control), {"qpos": back[:, :2], "qvel": back[:, 2:]})
        by_control = found["ctrl"] + 0.01 * scale * control
        first, second, by_state = policy.backward(state, hidden, by_control)
        slopes[0] += first
        slopes[1] += second
        back = np.concatenate([found["qpos"], found["qvel"]], axis=1) + by_state
    return cost, slopes


def differences(step: StepFunction, policy: Policy, start: np.ndarray, horizon: int) -> tuple[float, list[np.ndarray]]:
    """Return the cost and its gradient by finite differences, with a rollout for each weight."""
    cost, slopes = rollout(step, policy, start, horizon)[0], []
    for layer in (policy.first, policy.second):
        slope = np.zeros_like(layer)
        for place in np.ndindex(layer.shape):
            layer[place] += 1e-6
            slope[place] = (rollout(step, policy, start, horizon)[0] - cost) / 1e-6
            layer[place] -= 1e-6
        slopes.append(slope)
    return cost, slopes


def main(
    iterations: int = 30, worlds: int = 4, horizon: int = 40, seed: int = 0, by_differences: bool = False
) -> tuple[float, list[float]]:
    """Learn a policy; return the pole's lean (rad) four seconds after a start at 0.3, and the costs by iteration."""
    m, random = conjoint.MjModel.from_xml_string(CARTPOLE), np.random.default_rng(seed)
    # a step of such a small model ends before another thread could start
    step, policy = StepFunction(m, nthread=1), Policy(random)
    find = differences if by_differences else gradient
    find(step, policy, np.zeros((1, 4)), 1)
    costs, begin = [], time.perf_counter()
    # Adam (Kingma and Ba, 2015)
    mean = [np.zeros_like(policy.first), np.zeros_like(policy.second)]
    square = [np.zeros_like(policy.first), np.zeros_like(policy.second)]
    for i in range(1, iterations + 1):
        start = random.uniform(-1.0, 1.0, (worlds, 4)) * [0.3, 0.3, 0.5, 0.5]
        cost, slopes = find(step, policy, start, horizon)
        costs.append(cost)
        rate = 0.1 * (1.01 - i / iterations)
        for k, layer in enumerate((policy.first, policy.second)):
            mean[k] = 0.9 * mean[k] + 0.1 * slopes[k]
            square[k] = 0.99 * square[k] + 0.01 * slopes[k] ** 2
            layer -= rate * (mean[k] / (1.0 - 0.9**i)) / (np.sqrt(square[k] / (1.0 - 0.99**i)) + 1e-8)
    seconds = time.perf_counter() - begin
    lean = rollout(step, policy, np.array([[0.0, 0.3, 0.0, 0.0]]), 200)[1][-1][0][0, 1]
    print(f"{iterations} iterations in {seconds:.2f} s, cost {costs[0]:.3f} -> {costs[-1]:.3f}, leans {lean:.4f} rad")
    return abs(float(lean)), costs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--worlds", type=int, default=4)
    parser.add_argument("--horizon", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--by-differences", action="store_true", help="finite differences of each weight")
    main(**vars(parser.parse_args()))
