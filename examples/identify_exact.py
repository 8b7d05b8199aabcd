"""Identify masses, damping and a gain of an arm from measurements, by least squares with exact Jacobians.

    python examples/identify_exact.py
    python examples/identify_exact.py --differences      # the same with finite differences

A motion is recorded with known parameters, which are then estimated from the record. The sensitivities to all
parameters are computed together with the simulation, so no model is recompiled and no difference computed.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import conjoint
from conjoint.derivative import Trajectory
from conjoint.minimize import Verbosity, least_squares

ARM = """
<mujoco><option timestep="0.01" integrator="implicitfast"/>
<default><geom type="capsule" contype="0" conaffinity="0"/></default><worldbody>
  <body name="upper"><joint name="shoulder" axis="0 1 0" damping=".4"/>
    <geom fromto="0 0 0 .4 0 0" size=".04" mass="2"/>
    <body name="lower" pos=".4 0 0"><joint name="elbow" axis="0 1 0" damping=".2"/>
      <geom fromto="0 0 0 .3 0 0" size=".03" mass="1.2"/></body></body>
</worldbody>
<actuator><motor joint="shoulder" gear="10"/><motor joint="elbow" gear="5"/></actuator></mujoco>
"""

PARAMETERS = {
    "body_mass": (1, 2),
    "dof_damping": (0, 1),
    "actuator_gainprm": (10,),
}
"""Fields of the model, and indices of the estimated numbers: two masses, two damping coefficients, the elbow's gain."""


class Fit:
    """Simulated motions of the arm as a function of its parameters.

    Args:
        steps: number of steps of the motion.
    """

    def __init__(self, steps: int):
        self.m = conjoint.MjModel.from_xml_string(ARM)
        self.true = np.concatenate([self.field(name)[list(places)] for name, places in PARAMETERS.items()])
        self.d = conjoint.MjData(self.m)
        self.d.qpos[:] = 1.0
        times = 0.01 * np.arange(steps)
        self.ctrl = np.sin(times[:, None] * np.array([2.0, 3.0]))

    def field(self, name: str) -> np.ndarray:
        """Return a field of the model as a one-dimensional view."""
        return getattr(self.m, name).reshape(-1)

    def motion(self, point: np.ndarray) -> Trajectory:
        """Return the motion of the arm with the parameters `point`."""
        first = 0
        for name, places in PARAMETERS.items():
            self.field(name)[list(places)] = point[first : first + len(places)]
            first += len(places)
        # update the constants that depend on masses
        conjoint.mj_setConst(self.m, self.d)
        return Trajectory(self.m, self.d, self.ctrl, ["qpos"])

    def angles(self, points: np.ndarray) -> np.ndarray:
        """Return the joint angles over time, with a column for each column of parameters."""
        return np.array([self.motion(point).values["qpos"].ravel() for point in points.T]).T

    def sensitivities(self, point: np.ndarray, residual: np.ndarray) -> np.ndarray:
        """Return the derivatives of the angles with respect to the parameters, for `jacobian` of `least_squares`."""
        found = self.motion(point.ravel()).jacobian(["qpos"], list(PARAMETERS))["qpos"]
        columns = [found[name][:, :, list(places)] for name, places in PARAMETERS.items()]
        return np.concatenate(columns, axis=2).reshape(residual.size, -1)


def main(steps: int = 200, noise: float = 0.002, seed: int = 0, differences: bool = False) -> tuple[float, float]:
    """Identify the parameters; return the largest relative error of a parameter, and the duration of the fit (s)."""
    fit = Fit(steps)
    measured = fit.angles(fit.true[:, None])
    measured += noise * np.random.default_rng(seed).standard_normal(measured.shape)
    guess = 1.5 * fit.true
    # kernels are compiled once per machine
    fit.sensitivities(guess, measured)
    begin = time.perf_counter()
    found, trace = least_squares(
        guess,
        lambda points: fit.angles(points) - measured,
        bounds=[0.1 * guess, 3.0 * guess],
        jacobian=None if differences else fit.sensitivities,
        verbose=Verbosity.SILENT,
    )
    seconds = time.perf_counter() - begin
    error = float(np.max(np.abs(found / fit.true - 1.0)))
    names = [f"{name}[{place}]" for name, places in PARAMETERS.items() for place in places]
    for name, value, true in zip(names, found, fit.true, strict=True):
        print(f"{name}: {value:.4f}, in truth {true:.4f}")
    print(f"{len(trace)} iterations, {seconds:.2f} s")
    return error, seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--noise", type=float, default=0.002)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--differences", action="store_true", help="finite differences instead of exact Jacobians")
    main(**vars(parser.parse_args()))
