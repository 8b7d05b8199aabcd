"""Exact derivatives of the simulation: of steps, rollouts and batches, for JAX and PyTorch (docs/derivatives.md)."""

from importlib import import_module
from typing import TYPE_CHECKING

from conjoint.lazy import names_of

if TYPE_CHECKING:
    from conjoint.derivative.batch import batch_jacobian, batch_jvp, batch_transition, batch_vjp
    from conjoint.derivative.derivatives import jacobian, jvp, vjp
    from conjoint.derivative.inverse import mjd_inverse
    from conjoint.derivative.jax_bridge import jax_step
    from conjoint.derivative.step_function import StepFunction
    from conjoint.derivative.torch_bridge import torch_step
    from conjoint.derivative.trajectory import Trajectory
    from conjoint.derivative.transition import mjd_transition

# whole before any module of it (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = [
    "StepFunction",
    "Trajectory",
    "batch_jacobian",
    "batch_jvp",
    "batch_transition",
    "batch_vjp",
    "jacobian",
    "jax_step",
    "jvp",
    "mjd_inverse",
    "mjd_transition",
    "torch_step",
    "vjp",
]

__getattr__ = names_of(
    __name__,
    {
        "batch": "batch_jacobian batch_jvp batch_transition batch_vjp",
        "derivatives": "jacobian jvp vjp",
        "inverse": "mjd_inverse",
        "jax_bridge": "jax_step",
        "step_function": "StepFunction",
        "torch_bridge": "torch_step",
        "trajectory": "Trajectory",
        "transition": "mjd_transition",
    },
)
