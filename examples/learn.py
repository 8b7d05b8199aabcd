"""Learn a task of conjoint.envs with proximal policy optimization, in NumPy.

    python examples/learn.py cartpole --seconds 60
    python examples/learn.py quadruped_walk --steps 4000000
    python examples/learn.py quadruped_walk --device cuda --worlds 4096
    conjoint simulate models/quadruped.xml --policy out/quadruped_walk.npz

This is PPO with clipped ratios (Schulman et al., Proximal policy optimization algorithms, 2017) and generalized
advantage estimation (Schulman et al., 2016). In each iteration, all worlds make some steps with noise added to the
policy's actions. These samples then improve the policy and the value function. The policy is written to a file, and
the mean episode return over time to a table (.csv) and a plot (.png). With `--steps`, the same seed gives the same
policy on the same kind of processor.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

# matrices are small: threads would slow them down
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from gymnasium.spaces import flatdim
from gymnasium.vector import AutoresetMode
from rich.progress import Progress

from conjoint.envs import TASKS, BatchEnv, Policy


class Network:
    """Fully connected network with tanh between the layers, trained with Adam (Kingma and Ba, 2015).

    Args:
        sizes: number of inputs, number of units in each hidden layer, and number of outputs.
        last: scale of the initial weights of the last layer, relative to the other layers.
        extra: number of additional parameters besides the weights and biases (`self.parameters[-1]`).
        dtype: data type of the parameters.
    """

    def __init__(
        self, rng: np.random.Generator, sizes: list[int], last: float, extra: int = 0, dtype: type = np.float64
    ):
        self.parameters: list[np.ndarray] = []
        for k, (ins, outs) in enumerate(pairwise(sizes)):
            scale = last if k == len(sizes) - 2 else 1.0
            self.parameters += [rng.normal(0, scale / np.sqrt(ins), (ins, outs)), np.zeros(outs)]
        self.layers = len(self.parameters)
        self.parameters.append(np.zeros(extra))
        self.parameters = [parameter.astype(dtype) for parameter in self.parameters]
        self.moments = [(np.zeros_like(p), np.zeros_like(p)) for p in self.parameters]
        self.updates = 0

    def forward(self, x: np.ndarray) -> list[np.ndarray]:
        """Return the inputs of every layer, followed by the output of the last layer."""
        values = [x]
        for k in range(0, self.layers, 2):
            x = x @ self.parameters[k] + self.parameters[k + 1]
            values.append(np.tanh(x) if k < self.layers - 2 else x)
            x = values[-1]
        return values

    def gradients(self, values: list[np.ndarray], slope: np.ndarray) -> list[np.ndarray]:
        """Return the gradients of the loss with respect to the layers' parameters.

        `values` is the result of `forward`, and `slope` is the gradient with respect to the outputs.
        """
        found: list[np.ndarray] = []
        for k in range(self.layers - 2, -1, -2):
            found = [values[k // 2].T @ slope, slope.sum(axis=0), *found]
            if k:
                slope = (slope @ self.parameters[k].T) * (1 - values[k // 2] ** 2)
        return found

    def improve(self, gradients: list[np.ndarray], rate: float) -> None:
        """Take an Adam step with the gradients, clipped to a norm of 0.5."""
        self.updates += 1
        norm = np.sqrt(sum(float(np.sum(g * g)) for g in gradients))
        shrink = min(1.0, 0.5 / (norm + 1e-8))
        for parameter, gradient, (mean, square) in zip(self.parameters, gradients, self.moments, strict=False):
            mean += 0.1 * (shrink * gradient - mean)
            square += 0.001 * ((shrink * gradient) ** 2 - square)
            step = mean / (1 - 0.9**self.updates) / (np.sqrt(square / (1 - 0.999**self.updates)) + 1e-8)
            parameter -= rate * step


class Running:
    """Running mean and variance of all values added so far."""

    def __init__(self, shape: tuple[int, ...]):
        self.mean, self.variance, self.count = np.zeros(shape), np.ones(shape), 1e-4

    def add(self, batch: np.ndarray) -> None:
        """Update the mean and the variance with a batch of values (Chan et al., 1979)."""
        total, difference = self.count + len(batch), batch.mean(axis=0) - self.mean
        squares = self.variance * self.count + batch.var(axis=0) * len(batch)
        self.variance = (squares + difference**2 * self.count * len(batch) / total) / total
        self.mean = self.mean + difference * len(batch) / total
        self.count = total

    @property
    def scale(self) -> np.ndarray:
        return np.sqrt(self.variance) + 1e-6

    def normal(self, x: np.ndarray) -> np.ndarray:
        """Return values normalized by the running mean and standard deviation, and clipped."""
        return np.clip((x - self.mean) / self.scale, -Policy.LIMIT, Policy.LIMIT).astype(np.float32)


@dataclass
class Settings:
    """Hyperparameters of PPO."""

    worlds: int = 128
    horizon: int = 32
    epochs: int = 6
    minibatch: int = 512
    discount: float = 0.99
    trace: float = 0.95
    clip: float = 0.2
    rate: float = 3e-4
    hidden: tuple[int, ...] = (64, 64)


class Learner:
    """Trainer of a policy and a value function, with the environments in which they are trained."""

    def __init__(self, task: str, seed: int, settings: Settings, device: str = "cpu"):
        self.settings, self.task = settings, task
        self.rng = np.random.default_rng(seed)
        mode = AutoresetMode.SAME_STEP
        self.envs = BatchEnv(task, settings.worlds, precision="float32", autoreset_mode=mode, device=device)
        inputs, outputs = flatdim(self.envs.single_observation_space), flatdim(self.envs.single_action_space)
        # the extra parameters are logarithms of the noise of actions
        self.actor = Network(self.rng, [inputs, *settings.hidden, outputs], 0.01, outputs, np.float32)
        self.actor.parameters[-1] -= 0.5
        self.critic = Network(self.rng, [inputs, *settings.hidden, 1], 1.0, dtype=np.float32)
        self.seen, self.gains = Running((inputs,)), Running(())
        self.observations = self.envs.reset(seed=seed)[0].astype(float)
        self.gain, self.earned = np.zeros(settings.worlds), np.zeros(settings.worlds)
        self.returns: deque[float] = deque(maxlen=100)
        self.steps = 0

    def policy(self) -> Policy:
        """Return the current policy in the form that can be saved and played."""
        layers = self.actor.parameters[: self.actor.layers]
        return Policy(self.task, layers[::2], layers[1::2], self.seen.mean, self.seen.scale)

    def value(self, observations: np.ndarray) -> np.ndarray:
        return self.critic.forward(self.seen.normal(observations))[-1][:, 0]

    def play(self) -> dict[str, np.ndarray]:
        """Step all worlds for some steps, and return samples of observations, actions and advantages."""
        s = self.settings
        kept: dict[str, list[np.ndarray]] = {name: [] for name in ("x", "action", "chance", "delta", "go", "value")}
        for _ in range(s.horizon):
            self.seen.add(self.observations)
            x = self.seen.normal(self.observations)
            middle, noise = self.actor.forward(x)[-1], self.actor.parameters[-1]
            draw = self.rng.standard_normal(middle.shape)
            action = middle + np.exp(noise) * draw
            value = self.critic.forward(x)[-1][:, 0]
            after, reward, ended, cut, infos = self.envs.step(action)
            # an episode that was cut off would go on from its last observation
            last = np.where((ended | cut)[:, None], infos.get("final_obs", after), after)
            beyond = np.where(ended, 0.0, self.value(last))
            delta = self._scaled(reward, ended | cut) + s.discount * beyond - value
            chance = -0.5 * np.sum(draw**2, axis=1) - noise.sum()
            for name, row in zip(kept, (x, action, chance, delta, ~(ended | cut), value), strict=True):
                kept[name].append(np.asarray(row))
            self._count(reward, ended | cut)
            self.observations = after.astype(float)
        self.steps += s.horizon * s.worlds
        return self._with_advantages({name: np.array(rows) for name, rows in kept.items()})

    def _scaled(self, reward: np.ndarray, over: np.ndarray) -> np.ndarray:
        """Return rewards divided by the running standard deviation of the discounted sum of rewards."""
        self.gain = self.settings.discount * self.gain + reward
        self.gains.add(self.gain)
        self.gain[over] = 0
        return reward / self.gains.scale

    def _count(self, reward: np.ndarray, over: np.ndarray) -> None:
        """Add the rewards to the returns of the current episodes, and record the returns of episodes that are over."""
        self.earned += reward
        self.returns.extend(self.earned[over])
        self.earned[over] = 0

    def _with_advantages(self, rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Add advantages and value targets to the samples, and return them in arrays over all steps and worlds."""
        s, sums, following = self.settings, np.zeros_like(rows["delta"]), np.zeros(self.settings.worlds)
        for k in range(s.horizon - 1, -1, -1):
            following = rows["delta"][k] + s.discount * s.trace * rows["go"][k] * following
            sums[k] = following
        rows |= {"advantage": sums, "target": sums + rows["value"]}
        rows = {name: array.astype(np.float32) for name, array in rows.items()}
        return {name: array.reshape(s.horizon * s.worlds, *array.shape[2:]) for name, array in rows.items()}

    def learn(self, rows: dict[str, np.ndarray], rate: float) -> None:
        """Improve the policy and the value function with the samples."""
        count = len(rows["x"])
        for _ in range(self.settings.epochs):
            order = self.rng.permutation(count)
            for start in range(0, count, self.settings.minibatch):
                some = {name: array[order[start : start + self.settings.minibatch]] for name, array in rows.items()}
                self._improve_actor(some, rate)
                self._improve_critic(some, rate)

    def _improve_actor(self, rows: dict[str, np.ndarray], rate: float) -> None:
        """Take a gradient step that increases the clipped objective of the policy."""
        count, noise = len(rows["x"]), self.actor.parameters[-1]
        values = self.actor.forward(rows["x"])
        draw = (rows["action"] - values[-1]) / np.exp(noise)
        ratio = np.exp(-0.5 * np.sum(draw**2, axis=1) - noise.sum() - rows["chance"])
        advantage = (rows["advantage"] - rows["advantage"].mean()) / (rows["advantage"].std() + 1e-8)
        # the slope is zero beyond the clip
        free = np.where(advantage > 0, ratio < 1 + self.settings.clip, ratio > 1 - self.settings.clip)
        weight = -(advantage * ratio * free / count)[:, None]
        gradients = self.actor.gradients(values, weight * draw / np.exp(noise))
        self.actor.improve([*gradients, np.sum(weight * (draw**2 - 1), axis=0)], rate)

    def _improve_critic(self, rows: dict[str, np.ndarray], rate: float) -> None:
        """Take a gradient step that reduces the squared error of the value function."""
        values = self.critic.forward(rows["x"])
        error = values[-1] - rows["target"][:, None]
        self.critic.improve(self.critic.gradients(values, error / len(error)), 3 * rate)


Curve = list[tuple[float, float, int, float]]
"""Rows of a learning curve: time (s), CPU time of all threads (s), environment steps, mean return of 100 episodes."""


def learn(
    task: str,
    seconds: float,
    seed: int,
    out: Path,
    steps: int | None = None,
    settings: Settings | None = None,
    device: str = "cpu",
) -> Curve:
    """Learn for the given time or number of steps, and write the policy, the learning curve and its plot."""
    learner, curve = Learner(task, seed, settings or Settings(), device), []
    start, busy = time.perf_counter(), time.process_time()
    done, lines = 0.0, 0
    with Progress() as progress:
        bar = progress.add_task(task, total=1.0)
        while done < 1:
            rows = learner.play()
            learner.learn(rows, learner.settings.rate * max(0.05, 1 - done))
            mean = float(np.mean(learner.returns)) if learner.returns else 0.0
            curve.append((time.perf_counter() - start, time.process_time() - busy, learner.steps, mean))
            done = learner.steps / steps if steps else curve[-1][0] / seconds
            text = f"{task}  {learner.steps:,} steps  return {mean:.1f}"
            progress.update(bar, completed=done, description=text)
            # without a terminal, print a line every ten seconds
            if not progress.console.is_terminal and curve[-1][0] > 10 * (lines + 1):
                lines = int(curve[-1][0] / 10)
                print(text, flush=True)
    out.mkdir(parents=True, exist_ok=True)
    learner.policy().save(out / f"{task}.npz")
    head = "seconds,processor_seconds,steps,return"
    np.savetxt(out / f"{task}.csv", curve, "%.1f,%.1f,%d,%.2f", header=head, comments="")
    plot(curve, task, out / f"{task}.png")
    learner.envs.close()
    spent = f"{curve[-1][0]:.0f} s, {curve[-1][1]:.0f} s of processors"
    print(f"{task}: {learner.steps:,} steps in {spent}; return {curve[-1][3]:.1f}; {out / task}.npz, .csv and .png")
    return curve


def plot(curve: Curve, task: str, path: Path) -> None:
    """Plot the mean episode return against the number of environment steps."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    _, _, steps, returns = zip(*curve, strict=True)
    axes.plot(np.array(steps) / 1e6, returns)
    axes.set(xlabel="steps of the environment (millions)", ylabel="return, mean of 100 episodes", title=task)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=sorted(TASKS))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--steps", type=int, help="number of steps of the environment, instead of a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--worlds", type=int, default=Settings.worlds)
    parser.add_argument("--device", default="cpu", help="cpu, cuda, opencl or auto")
    given = parser.parse_args()
    # as many minibatches whatever the number of worlds
    settings = Settings(worlds=given.worlds, minibatch=max(1, Settings.minibatch * given.worlds // Settings.worlds))
    learn(given.task, given.seconds, given.seed, given.out, given.steps, settings, given.device)


if __name__ == "__main__":
    main()
