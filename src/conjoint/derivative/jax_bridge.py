"""A step as a function of JAX: its values and Jacobians come from callbacks, products with them are JAX's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.derivative.step_function import StepFunction
from conjoint.lang import FatalError
from conjoint.lang.optional_packages import need


def jax_step(
    m: MjModel,
    outputs: Sequence[str] = ("qpos", "qvel"),
    d: MjData | None = None,
    function: str = "mj_step",
    nthread: int | None = None,
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A step as a function of JAX: `step({"qpos": qpos, "qvel": qvel, "ctrl": ctrl})` gives the outputs by name.

    It works under `jit`, `vmap` (worlds run on all threads), `grad`, `jacfwd`, `jacrev`, `scan` and `checkpoint`. It is
    a `custom_jvp` whose rule is a product with the exact Jacobian by the inputs that change, so that JAX transposes it
    for reverse mode. A gradient through many steps keeps the Jacobian of each; under `jax.checkpoint` it keeps states
    and computes Jacobians when they are needed. There are no second derivatives. It runs on the CPU, in double
    precision. Derivatives are by the numbers of the fields, as those of `StepFunction`.

    Args:
        m, outputs, d, function, nthread: as of `StepFunction`.

    Raises:
        MissingExtraError: JAX is not installed.
        FatalError: there is no such field, or the model cannot be differentiated; later: JAX has no double precision.
    """
    jax = need("jax", "jax_step")
    jnp = jax.numpy
    numbers = StepFunction(m, outputs, d, function, nthread)

    def values(inputs: dict[str, Any]) -> dict[str, Any]:
        return jax.pure_callback(
            lambda given: numbers(_arrays(given)), _shapes(jax, numbers, ()), inputs, vmap_method="broadcast_all"
        )

    step = jax.custom_jvp(values)

    @partial(step.defjvp, symbolic_zeros=True)
    def rule(primals: tuple[dict[str, Any]], tangents: tuple[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
        (inputs,), (changes,) = primals, tangents
        zero = jax.custom_derivatives.SymbolicZero
        moved = {name: change for name, change in changes.items() if not isinstance(change, zero)}
        by = tuple(moved)
        matrices = jax.pure_callback(
            lambda given: numbers.jacobian(_arrays(given), by),
            _shapes(jax, numbers, by),
            inputs,
            vmap_method="broadcast_all",
        )
        found = {
            output: sum(jnp.tensordot(row[name], moved[name], moved[name].ndim) for name in by)
            for output, row in matrices.items()
        }
        return step(inputs), found

    def checked(inputs: Mapping[str, Any]) -> dict[str, Any]:
        if not jax.config.jax_enable_x64:
            raise FatalError(
                "jax_step works in double precision: call jax.config.update('jax_enable_x64', True) at the start"
            )
        given = {name: jnp.asarray(value, jnp.float64) for name, value in inputs.items()}
        for name, value in given.items():
            if value.shape != numbers.shape(name):
                raise FatalError(
                    f"{name} must have shape {numbers.shape(name)}, not {value.shape}; for many worlds take jax.vmap"
                )
        return step(given)

    return checked


def _arrays(given: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """What JAX hands to a callback, as arrays of NumPy."""
    return {name: np.asarray(value) for name, value in given.items()}


def _shapes(jax: Any, numbers: StepFunction, by: tuple[str, ...]) -> dict[str, Any]:
    """Shapes of the outputs, or of their Jacobians by some inputs."""
    shape, real = jax.ShapeDtypeStruct, np.float64
    if not by:
        return {output: shape(numbers.shape(output), real) for output in numbers.outputs}
    return {
        output: {name: shape(numbers.shape(output) + numbers.shape(name), real) for name in by}
        for output in numbers.outputs
    }
