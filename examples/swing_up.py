"""A pole on a cart swings up: model-predictive control by sampling, with rollouts that run in lanes.

    python examples/swing_up.py --seconds 5

The method is predictive sampling (Howell et al., Predictive sampling: real-time behavior synthesis with MuJoCo, 2022).
At every step it tries many sequences of controls, which are the previous best sequence plus noise. It applies the first
control of the best sequence.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import conjoint
from conjoint.rollout import Rollout

MODEL = Path(__file__).parent.parent / "models" / "cartpole.xml"
FULLPHYSICS = int(conjoint.mjtState.mjSTATE_FULLPHYSICS)


def cost(states: np.ndarray) -> np.ndarray:
    """Return the cost of trajectories of shape (ntrajectory, nstep, time and state).

    The cost is lowest for an upright pole, with the cart in the middle and at rest.
    """
    slider, angle, speed, rate = states[..., 1], states[..., 2], states[..., 3], states[..., 4]
    each = 10.0 * (1.0 - np.cos(angle)) + slider**2 + 0.02 * speed**2 + 0.05 * rate**2
    return each.sum(axis=1) + 20.0 * (1.0 - np.cos(angle[:, -1]))


def sequences(best: np.ndarray, samples: int, knots: int, generator: np.random.Generator) -> np.ndarray:
    """Return sequences of controls: the best sequence, and copies of it plus noise that is linear between knots."""
    horizon = len(best)
    noise = 0.5 * generator.standard_normal((samples, knots))
    at = np.linspace(0, knots - 1, horizon)
    left = np.minimum(at.astype(int), knots - 2)
    share = at - left
    smooth = (1.0 - share) * noise[:, left] + share * noise[:, left + 1]
    smooth[0] = 0.0
    return np.clip(best + smooth, -1.0, 1.0)


def main(seconds: float, samples: int, horizon: int, seed: int) -> float:
    """Swing up from the hanging position; return the cosine of the pole's final angle, which is 1 if it is upright."""
    m = conjoint.MjModel.from_xml_path(str(MODEL))
    d, scratch = conjoint.MjData(m), conjoint.MjData(m)
    d.joint("hinge").qpos[0] = np.pi
    generator, best = np.random.default_rng(seed), np.zeros(horizon)
    state = np.zeros(conjoint.mj_stateSize(m, FULLPHYSICS))
    with Rollout() as threads:
        while d.time < seconds:
            tried = sequences(best, samples, 6, generator)
            conjoint.mj_getState(m, d, state, FULLPHYSICS)
            states, _ = threads.rollout(m, scratch, np.tile(state, (samples, 1)), tried[:, :, np.newaxis])
            best = tried[np.argmin(cost(states))]
            d.ctrl[0] = best[0]
            conjoint.mj_step(m, d)
            best = np.append(best[1:], best[-1])
    up = float(np.cos(d.joint("hinge").qpos[0]))
    print(f"after {d.time:.1f} s the cosine of the pole's angle is {up:.3f}")
    return up


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--horizon", type=int, default=80)
    parser.add_argument("--seed", type=int, default=0)
    main(**vars(parser.parse_args()))
