"""Exact derivatives of the simulation: of steps, rollouts and batches, for JAX and PyTorch (docs/derivatives.md)."""

from importlib import import_module
from typing import TYPE_CHECKING

from conjoint.lazy import names_of

if TYPE_CHECKING:
    from conjoint.derivative.derivatives import jacobian, jvp, vjp
    from conjoint.derivative.frameworks import jax_step, torch_step
    from conjoint.derivative.matrices import mjd_inverse, mjd_transition, transition
    from conjoint.derivative.step_function import StepFunction
    from conjoint.derivative.trajectory import Trajectory

# import the package completely before any of its modules (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = [
    "StepFunction",
    "Trajectory",
    "jacobian",
    "jax_step",
    "jvp",
    "mjd_inverse",
    "mjd_transition",
    "torch_step",
    "transition",
    "vjp",
]

__getattr__ = names_of(
    __name__,
    {
        "derivatives": "jacobian jvp vjp",
        "frameworks": "jax_step torch_step",
        "matrices": "mjd_inverse mjd_transition transition",
        "step_function": "StepFunction",
        "trajectory": "Trajectory",
    },
)
