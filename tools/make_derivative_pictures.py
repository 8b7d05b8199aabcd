"""Writes docs/pictures/derivatives.png: what the examples of exact derivatives find, and the time beside differences.

    python tools/make_derivative_pictures.py

It prints the times that docs/derivatives.md tells.
"""

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

import conjoint

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "pictures" / "derivatives.png"
MODELS = ("cartpole", "hopper", "half_cheetah", "ant", "humanoid")
"""Models of `models/` of which a step is timed, the smallest first."""


def example(name: str) -> Any:
    """A program of `examples/` as a module."""
    place = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    assert place is not None and place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def best(call: Callable[[], None]) -> float:
    """The shortest time of a call, in microseconds."""
    call()
    times = []
    for _ in range(200):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1e6 * min(times)


def times_of_a_step(name: str) -> tuple[float, float]:
    """Time of A and B of a step (microseconds), exact and by centred differences."""
    m = conjoint.MjModel.from_xml_path(str(ROOT / "models" / f"{name}.xml"))
    m.opt.integrator = conjoint.mjtIntegrator.mjINT_IMPLICITFAST
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d, 100)
    A, B = np.zeros((2 * m.nv + m.na, 2 * m.nv + m.na)), np.zeros((2 * m.nv + m.na, m.nu))
    exact = best(lambda: conjoint.mjd_transition(m, d, A, B, None, None))
    return exact, best(lambda: conjoint.mjd_transitionFD(m, d, 1e-6, 1, A, B, None, None))


def accuracy() -> tuple[np.ndarray, np.ndarray]:
    """Steps of centred differences, and how far A of a cart-pole is from the exact one."""
    module = example("ilqr")
    m = conjoint.MjModel.from_xml_string(module.CARTPOLE)
    d = conjoint.MjData(m)
    d.qpos[1], d.qvel[:] = 1.0, 0.5
    A, other = np.zeros((4, 4)), np.zeros((4, 4))
    conjoint.mjd_transition(m, d, A, None, None, None)
    sizes, errors = np.logspace(-10, -1, 37), []
    for size in sizes:
        conjoint.mjd_transitionFD(m, d, size, 1, other, None, None, None)
        errors.append(float(np.abs(A - other).max()))
    return sizes, np.array(errors)


def main() -> None:
    """Draw."""
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    sizes, errors = accuracy()
    axes[0].loglog(sizes, np.maximum(errors, 1e-17))
    axes[0].set(title="differences of a cart-pole's step", xlabel="size of the difference", ylabel="error")
    costs = example("ilqr").main()[1]
    axes[1].semilogy(costs)
    axes[1].set(title="iterative LQR: swing up", xlabel="iteration", ylabel="cost")
    costs = example("policy_gradient").main()[1]
    axes[2].semilogy(costs)
    axes[2].set(title="policy gradient: balance", xlabel="iteration", ylabel="cost")
    figure.savefig(PICTURE, dpi=80)
    for kind in (False, True):
        print(f"identify_exact, differences: {kind}")
        example("identify_exact").main(differences=kind)
    for name in MODELS:
        exact, differences = times_of_a_step(name)
        print(f"| {name} | {exact:.0f} | {differences:.0f} | {differences / exact:.1f} |")


if __name__ == "__main__":
    main()
