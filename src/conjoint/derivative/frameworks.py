"""Steps as JAX and PyTorch functions, with derivatives with respect to field components."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.derivative.derivatives import Matrices
from conjoint.derivative.pipeline import DualPipeline
from conjoint.derivative.step_function import StepFunction, Values
from conjoint.lang import ArgumentError, FatalError
from conjoint.lang.optional_packages import need

Step = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Step function of a framework, which converts input arrays by field name to output arrays by field name."""


def jax_step(
    model: MjModel,
    data: MjData | None = None,
    outputs: Sequence[str] = ("qpos", "qvel"),
    function: str = "mj_step",
    nthread: int | None = None,
) -> Step:
    """Return a step as a JAX function: `step({"qpos": qpos, "qvel": qvel, "ctrl": ctrl})` returns the outputs by name.

    It works under `jit`, `vmap` (worlds run on all threads), `grad`, `jacfwd`, `jacrev`, `scan` and `checkpoint`. It is
    a `custom_jvp`: its rule multiplies by the exact Jacobian, which JAX transposes for reverse mode. A gradient through
    many steps stores the Jacobian of each step. Under `jax.checkpoint`, it stores states and computes Jacobians on
    demand. There are no second derivatives. It runs on the CPU, in double precision. As JAX requires, derivatives are
    with respect to the components of the fields (nq for `qpos`), not to tangent coordinates. Derivatives vanish along a
    quaternion, because a step does not depend on the quaternion's length.

    Args:
        model, data, outputs, function, nthread: the same as in `StepFunction`.

    Raises:
        MissingExtraError: JAX is not installed.
        ValueError: the field does not exist.
        FatalError: the model cannot be differentiated; in a call: JAX is not set to double precision.
    """
    jax = need("jax", "jax_step")
    jnp = jax.numpy
    numbers = StepFunction(model, data, outputs, function, nthread)

    def called(function: Callable[[Values], Any], by: tuple[str, ...], inputs: Any) -> Any:
        return jax.pure_callback(
            lambda given: function({name: np.asarray(value) for name, value in given.items()}),
            _jax_shapes(jax, numbers, by),
            inputs,
            vmap_method="broadcast_all",
        )

    step = jax.custom_jvp(lambda inputs: called(numbers, (), inputs))

    @partial(step.defjvp, symbolic_zeros=True)
    def rule(primals: tuple[dict[str, Any]], tangents: tuple[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
        (inputs,), (changes,) = primals, tangents
        zero = jax.custom_derivatives.SymbolicZero
        moved = {name: change for name, change in changes.items() if not isinstance(change, zero)}
        by = tuple(moved)
        matrices = called(lambda given: jacobian_by_numbers(numbers, given, by), by, inputs)
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
                raise ArgumentError(
                    f"{name} must have shape {numbers.shape(name)}, not {value.shape}; for many worlds use jax.vmap"
                )
        return step(given)

    return checked


def _jax_shapes(jax: Any, step: StepFunction, by: tuple[str, ...]) -> dict[str, Any]:
    """Return the shapes of outputs, or of their Jacobians with respect to some inputs."""
    shape, real = jax.ShapeDtypeStruct, np.float64
    if not by:
        return {output: shape(step.shape(output), real) for output in step.outputs}
    return {
        output: {name: shape(step.shape(output) + step.shape(name), real) for name in by} for output in step.outputs
    }


def torch_step(
    model: MjModel,
    data: MjData | None = None,
    outputs: Sequence[str] = ("qpos", "qvel"),
    function: str = "mj_step",
    nthread: int | None = None,
) -> Step:
    """Return a step as a PyTorch function: `step({"qpos": qpos, "ctrl": ctrl})` returns the outputs by name.

    Tensors have the shapes of their fields, optionally preceded by world axes; worlds run on all threads. `torch.vmap`
    adds such axes, too. Reverse mode stores the inputs of each step, and recomputes the step for its gradient. Forward
    mode works with `torch.autograd.forward_ad` and `torch.func.jvp`. There are no second derivatives. Steps run on the
    CPU, in double precision: outputs are always float64 on the CPU; gradients have the type of the inputs. As PyTorch
    requires, derivatives are with respect to the components of the fields (nq for `qpos`), not to tangent coordinates.
    Gradients have no component along a quaternion, because a step does not depend on the quaternion's length.

    Args:
        model, data, outputs, function, nthread: the same as in `StepFunction`.

    Raises:
        MissingExtraError: PyTorch is not installed.
        ValueError: the field does not exist.
        FatalError: the model cannot be differentiated.
    """
    torch = need("torch", "torch_step")
    numbers = StepFunction(model, data, outputs, function, nthread)
    step = _torch_function(torch)

    def checked(inputs: Mapping[str, Any]) -> dict[str, Any]:
        names = tuple(inputs)
        tensors = [torch.as_tensor(inputs[name]).to(dtype=torch.float64, device="cpu") for name in names]
        found = step.apply(numbers, names, *tensors)
        return dict(zip(numbers.outputs, found, strict=True))

    return checked


def _arrays(names: Sequence[str], given: Sequence[Any]) -> dict[str, np.ndarray]:
    """Return tensors as arrays, by name."""
    return {name: value.detach().numpy() for name, value in zip(names, given, strict=True)}


def _worlds_first(
    step: StepFunction, size: int, dims: Sequence[int | None], named: Sequence[tuple[str, Any]]
) -> list[Any]:
    """Move the `vmap` axis of tensors to the front, and give all tensors the same number of world axes after it."""
    moved = [v.expand(size, *v.shape) if k is None else v.movedim(k, 0) for k, (_, v) in zip(dims, named, strict=True)]
    count = [v.ndim - 1 - len(step.shape(n)) for v, (n, _) in zip(moved, named, strict=True)]
    return [v.reshape(size, *[1] * (max(count) - k), *v.shape[1:]) for k, v in zip(count, moved, strict=True)]


def _torch_function(torch: Any) -> Any:
    """Return the `torch.autograd.Function` of a step, which PyTorch calls to compute outputs and derivatives."""

    def tensors(arrays: Iterable[np.ndarray]) -> tuple[Any, ...]:
        return tuple(torch.from_numpy(np.ascontiguousarray(array)) for array in arrays)

    class Jacobian(torch.autograd.Function):
        """PyTorch function for a step's Jacobians, of shape (output components, input components).

        The Jacobians are returned one output after another.
        """

        @staticmethod
        def forward(step: StepFunction, names: tuple[str, ...], by: tuple[str, ...], *given: Any) -> tuple[Any, ...]:
            axes, found = matrices_by_numbers(step, _arrays(names, given), by)
            return tensors(found[o][n].reshape(*axes, *found[o][n].shape[1:]) for o in step.outputs for n in by)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            """Save no context, because second derivatives are not supported."""

        @staticmethod
        def backward(ctx: Any, *_: Any) -> Any:
            raise NotImplementedError("second derivatives of a step are not implemented")

        @staticmethod
        def vmap(info: Any, in_dims: Any, step: StepFunction, names: Any, by: Any, *given: Any) -> Any:
            moved = _worlds_first(step, info.batch_size, in_dims[3:], [*zip(names, given, strict=True)])
            return Jacobian.apply(step, names, by, *moved), (0,) * (len(step.outputs) * len(by))

    class Step(torch.autograd.Function):
        """PyTorch function that computes the outputs of a step."""

        @staticmethod
        def forward(step: StepFunction, names: tuple[str, ...], *given: Any) -> tuple[Any, ...]:
            found = step(_arrays(names, given))
            return tensors(found[name] for name in step.outputs)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.step, ctx.names, *given = inputs
            ctx.save_for_backward(*given)
            ctx.save_for_forward(*given)

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            given = dict(zip(ctx.names, ctx.saved_tensors, strict=True))
            by = tuple(n for n, requested in zip(ctx.names, ctx.needs_input_grad[2:], strict=True) if requested)
            matrices = iter(Jacobian.apply(ctx.step, ctx.names, by, *given.values()))
            found = dict.fromkeys(by, 0.0)
            for cotangent in cotangents:
                for name in by:
                    matrix = next(matrices)
                    row = cotangent.reshape(*matrix.shape[:-2], 1, matrix.shape[-2])
                    product = (row @ matrix).reshape(*matrix.shape[:-2], *ctx.step.shape(name))
                    # sum the gradients of worlds that share an input
                    found[name] = found[name] + product.sum_to_size(given[name].shape)
            return None, None, *(found.get(name) for name in ctx.names)

        @staticmethod
        def jvp(ctx: Any, _: None, __: None, *tangents: Any) -> tuple[Any, ...]:
            moved = {n: tangent for n, tangent in zip(ctx.names, tangents, strict=True) if tangent is not None}
            matrices = iter(Jacobian.apply(ctx.step, ctx.names, tuple(moved), *ctx.saved_tensors))
            found = []
            for output in ctx.step.outputs:
                change: Any = 0.0
                for name, tangent in moved.items():
                    matrix, shape = next(matrices), ctx.step.shape(name)
                    column = tangent.reshape(*tangent.shape[: tangent.ndim - len(shape)], matrix.shape[-1], 1)
                    change = change + matrix @ column
                found.append(change.reshape(*change.shape[:-2], *ctx.step.shape(output)))
            return tuple(found)

        @staticmethod
        def vmap(info: Any, in_dims: Any, step: StepFunction, names: tuple[str, ...], *given: Any) -> Any:
            moved = _worlds_first(step, info.batch_size, in_dims[2:], [*zip(names, given, strict=True)])
            return Step.apply(step, names, *moved), (0,) * len(step.outputs)

    return Step


# ---- derivatives with respect to the components of fields, in the fields' shapes


def jacobian_by_numbers(step: StepFunction, inputs: Values, by: tuple[str, ...]) -> Matrices:
    """Return the derivatives of a step's outputs with respect to the components of its inputs.

    Args:
        step: the step.
        inputs: values of the inputs, as in `StepFunction`.
        by: names of inputs.

    Returns:
        An array for each output and input, by name: its axes are those of the worlds, the output, and the input.
    """
    axes, matrices = matrices_by_numbers(step, inputs, by)
    return {
        output: {name: x.reshape(*axes, *step.shape(output), *step.shape(name)) for name, x in row.items()}
        for output, row in matrices.items()
    }


def matrices_by_numbers(step: StepFunction, inputs: Values, by: tuple[str, ...]) -> tuple[tuple[int, ...], Matrices]:
    """Return the world axes, and derivatives by output and input, shape (worlds, output numbers, input numbers)."""
    worlds = step.worlds(inputs)

    def work(pipeline: DualPipeline, world: int) -> Matrices:
        given = {name: worlds.inputs[name][world].reshape(-1) for name in by}
        ends = {name: pipeline.outcome(name) for name in step.outputs}
        found = pipeline.jacobian(step.outputs, by)
        return {
            output: {n: in_numbers(pipeline, x, (output, ends[output]), (n, given[n])) for n, x in row.items()}
            for output, row in found.items()
        }

    every = worlds.each(work)
    return worlds.axes, {o: {n: np.array([one[o][n] for one in every]) for n in by} for o in step.outputs}


def in_numbers(
    pipeline: DualPipeline, matrix: np.ndarray, output: tuple[str, np.ndarray], given: tuple[str, np.ndarray]
) -> np.ndarray:
    """Convert a Jacobian from tangent coordinates to the components of an output and an input.

    Args:
        pipeline: the pipeline that defines the tangent coordinates.
        matrix: the Jacobian in tangent coordinates.
        output: name and value of the output.
        given: name and value of the input.
    """
    (row, end), (column, begin) = output, given
    rows, columns = pipeline.coordinates(row), pipeline.coordinates(column)
    # a field with as many tangent coordinates as components contains no quaternion
    if rows.size < end.size:
        matrix = rows.directions(end) @ matrix
    return matrix @ columns.components(begin, np.eye(begin.size)) if columns.size < begin.size else matrix
