"""A pole on a cart swings up and balances: iterative LQR with exact derivatives of each step.

    python examples/ilqr.py
    python examples/ilqr.py --differences      # the same with finite differences

Each iteration linearizes a rollout step by step and expands the cost to second order. A backward Riccati recursion then
gives a better rollout with feedback. See Li and Todorov, Iterative linear quadratic regulator design, ICINCO 2004, and
Tassa, Erez, Todorov, Synthesis and stabilization of complex behaviors through online trajectory optimization, IROS
2012.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import conjoint

CARTPOLE = """
<mujoco><option timestep="0.02" integrator="implicitfast"/>
<default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body name="cart"><joint name="slide" type="slide" axis="1 0 0" damping=".1"/>
    <geom type="box" size=".1 .05 .05" mass="1"/>
    <body name="pole"><joint name="hinge" axis="0 1 0" damping=".005"/>
      <geom type="capsule" fromto="0 0 0 0 0 .6" size=".03" mass=".2"/></body></body>
</worldbody><actuator><motor joint="slide" gear="10"/></actuator></mujoco>
"""
"""Model of the cart and the pole, which is upright at angle zero."""

WEIGHTS = np.diag([0.5, 2.0, 0.05, 0.05])
"""Weights of the squared state in the cost of a step: position of the cart, angle of the pole, and their velocities."""

LAST = 100.0
"""Weight of the final state relative to the other states."""

EFFORT = 0.1
"""Weight of the squared controls."""

LIMIT = 10.0
"""Largest absolute value of a control."""


class Problem:
    """Optimal control problem: swing the pole up within a number of steps.

    Args:
        steps: number of steps.
        differences: True to compute derivatives by finite differences.

    Attributes:
        seconds: time spent on derivatives (s).
    """

    def __init__(self, steps: int, differences: bool):
        self.m = conjoint.MjModel.from_xml_string(CARTPOLE)
        self.d = conjoint.MjData(self.m)
        self.start = np.array([0.0, np.pi, 0.0, 0.0])
        self.steps, self.differences, self.seconds = steps, differences, 0.0

    def put(self, state: np.ndarray, control: np.ndarray) -> None:
        """Set the state and the control of the world."""
        self.d.qpos[:], self.d.qvel[:], self.d.ctrl[:] = state[:2], state[2:], control

    def next(self, state: np.ndarray, control: np.ndarray) -> np.ndarray:
        """Return the state after one step."""
        self.put(state, control)
        conjoint.mj_step(self.m, self.d)
        return np.concatenate([self.d.qpos, self.d.qvel])

    def linearised(self, state: np.ndarray, control: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the derivatives of the next state with respect to the state and the control."""
        self.put(state, control)
        A, B = np.zeros((4, 4)), np.zeros((4, 1))
        begin = time.perf_counter()
        if self.differences:
            conjoint.mjd_transitionFD(self.m, self.d, 1e-6, 1, A, B, None, None)
        else:
            conjoint.mjd_transition(self.m, self.d, A, B, None, None)
        self.seconds += time.perf_counter() - begin
        return A, B

    def cost(self, states: np.ndarray, controls: np.ndarray) -> float:
        """Return the cost of a rollout."""
        running = np.einsum("ti,ij,tj->", states, WEIGHTS, states) + (LAST - 1.0) * states[-1] @ WEIGHTS @ states[-1]
        return float(running + EFFORT * (controls**2).sum())

    def rollout(self, controls: np.ndarray, feedback: np.ndarray, about: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the states and controls of a rollout, with feedback on the deviation from the states `about`."""
        states, used = [self.start], []
        for control, gain, middle in zip(controls, feedback, about, strict=False):
            used.append(np.clip(control + gain @ (states[-1] - middle), -LIMIT, LIMIT))
            states.append(self.next(states[-1], used[-1]))
        return np.array(states), np.array(used)

    def backward(self, states: np.ndarray, controls: np.ndarray, regularizer: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the best changes in the controls, and the best feedback gains.

        They minimize the quadratic expansion of the cost for linearized dynamics.
        """
        value, slope = LAST * WEIGHTS, LAST * WEIGHTS @ states[-1]
        changes, feedback = np.zeros((self.steps, 1)), np.zeros((self.steps, 1, 4))
        for t in reversed(range(self.steps)):
            A, B = self.linearised(states[t], controls[t])
            q_u = EFFORT * controls[t] + B.T @ slope
            q_uu = EFFORT * np.eye(1) + B.T @ value @ B + regularizer * np.eye(1)
            q_ux = B.T @ value @ A
            changes[t], feedback[t] = -np.linalg.solve(q_uu, q_u), -np.linalg.solve(q_uu, q_ux)
            slope = WEIGHTS @ states[t] + A.T @ slope + feedback[t].T @ (q_u + q_uu @ changes[t]) + q_ux.T @ changes[t]
            value = WEIGHTS + A.T @ value @ A + feedback[t].T @ q_uu @ feedback[t]
            value += feedback[t].T @ q_ux + q_ux.T @ feedback[t]
        return changes, feedback


def solve(problem: Problem, iterations: int, seed: int) -> tuple[np.ndarray, list[float]]:
    """Return the states of the best rollout, and the costs of all iterations."""
    controls = 0.1 * np.random.default_rng(seed).standard_normal((problem.steps, 1))
    none = np.zeros((problem.steps, 1, 4))
    states, controls = problem.rollout(controls, none, np.zeros((problem.steps, 4)))
    costs, regularizer = [problem.cost(states, controls)], 1.0
    for _ in range(iterations):
        changes, feedback = problem.backward(states, controls, regularizer)
        for length in 0.5 ** np.arange(8):
            found = problem.rollout(controls + length * changes, feedback, states)
            if (cost := problem.cost(*found)) < costs[-1]:
                regularizer = max(0.3 * regularizer, 1e-6)
                break
        else:
            regularizer *= 10.0
            costs.append(costs[-1])
            continue
        (states, controls), small = found, costs[-1] - cost < 1e-6 * cost
        costs.append(cost)
        if small:
            break
    return states, costs


def main(steps: int = 100, iterations: int = 80, seed: int = 0, differences: bool = False) -> tuple[float, list[float]]:
    """Swing up; return how upright the pole is at the end (from -1 to 1), and the costs of all iterations."""
    problem = Problem(steps, differences)
    # kernels are compiled once per machine
    problem.linearised(problem.start, np.zeros(1))
    problem.seconds, begin = 0.0, time.perf_counter()
    states, costs = solve(problem, iterations, seed)
    upright = float(np.cos(states[-1][1]))
    print(f"{len(costs) - 1} iterations, cost {costs[0]:.0f} -> {costs[-1]:.1f}, upright {upright:.4f}")
    print(f"{time.perf_counter() - begin:.2f} s, of which derivatives {problem.seconds:.2f} s")
    return upright, costs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--iterations", type=int, default=80)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--differences", action="store_true", help="finite differences instead of exact derivatives")
    main(**vars(parser.parse_args()))
