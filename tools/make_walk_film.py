"""The film and the curve of docs/learning.md, of a policy that examples/learn.py has learned.

python examples/learn.py quadruped_walk --steps 3000000
python -m tools.make_walk_film out/quadruped_walk.npz out/quadruped_walk.csv
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image

from conjoint.envs import BatchEnv, Policy

matplotlib.use("Agg")
PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"


def film(policy: Policy, path: Path, command: tuple[float, float] = (0.8, 0.0), seconds: float = 2.0) -> None:
    """A walk at a commanded speed (m/s) and turn (rad/s), after a second to get going; 25 pictures a second."""
    envs = BatchEnv("quadruped_walk", 1, render_mode="rgb_array", width=480, height=360, noise=0.0)
    observations, _ = envs.reset(seed=0)
    envs.worlds.command = np.array([command])
    frames, settle = [], round(1 / envs.duration)
    for step in range(settle + round(seconds / envs.duration)):
        observations, *_ = envs.step(policy(observations))
        if step >= settle and step % 2 == 0:
            frames.append(Image.fromarray(envs.render()[0]).quantize(64))
    envs.close()
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=round(2000 * envs.duration), loop=0)


def curve(rows: np.ndarray, path: Path) -> None:
    """Return of an episode over steps of the environment."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.plot(rows[:, 2] / 1e6, rows[:, 3])
    axes.set(xlabel="steps of the environment (millions)", ylabel="return, mean of 100 episodes")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy", type=Path)
    parser.add_argument("curve", type=Path)
    given = parser.parse_args()
    film(Policy.load(given.policy), PICTURES / "quadruped-walk.gif")
    curve(np.loadtxt(given.curve, delimiter=",", skiprows=1), PICTURES / "quadruped-walk-curve.png")


if __name__ == "__main__":
    main()
