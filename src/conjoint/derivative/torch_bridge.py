"""A step as a function of PyTorch, with gradients, forward derivatives and batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.derivative.step_function import StepFunction
from conjoint.lang.optional_packages import need


def torch_step(
    m: MjModel,
    outputs: Sequence[str] = ("qpos", "qvel"),
    d: MjData | None = None,
    function: str = "mj_step",
    nthread: int | None = None,
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A step as a function of PyTorch: `step({"qpos": qpos, "qvel": qvel, "ctrl": ctrl})` gives the outputs by name.

    Tensors have the shapes of their fields, or axes of worlds before them, which run on all threads; `torch.vmap` gives
    such axes, too. Reverse mode keeps the inputs of each step, and computes it again for its gradient; forward mode
    works with `torch.autograd.forward_ad` and `torch.func.jvp`. There are no second derivatives. Steps run on the CPU,
    in double precision; outputs are of float64 on the CPU, whatever inputs are, gradients of the type of the inputs.
    Derivatives are by the numbers of the fields, as those of `StepFunction`.

    Args:
        m, outputs, d, function, nthread: as of `StepFunction`.

    Raises:
        MissingExtraError: PyTorch is not installed.
        FatalError: there is no such field, or the model cannot be differentiated.
    """
    torch = need("torch", "torch_step")
    numbers = StepFunction(m, outputs, d, function, nthread)
    step = _functions(torch)

    def checked(inputs: Mapping[str, Any]) -> dict[str, Any]:
        names = tuple(inputs)
        tensors = [torch.as_tensor(inputs[name]).to(dtype=torch.float64, device="cpu") for name in names]
        found = step.apply(numbers, names, *tensors)
        return dict(zip(numbers.outputs, found, strict=True))

    return checked


def arrays(names: Sequence[str], given: Sequence[Any]) -> dict[str, np.ndarray]:
    """Tensors as arrays, by name."""
    return {name: value.detach().numpy() for name, value in zip(names, given, strict=True)}


def worlds_first(
    numbers: StepFunction, size: int, dims: Sequence[int | None], named: Sequence[tuple[str, Any]]
) -> list[Any]:
    """Tensors with the axis of `vmap` in front, and as many axes of worlds behind it as the one that has most."""
    moved = [v.expand(size, *v.shape) if k is None else v.movedim(k, 0) for k, (_, v) in zip(dims, named, strict=True)]
    count = [v.ndim - 1 - len(numbers.shape(n)) for v, (n, _) in zip(moved, named, strict=True)]
    return [v.reshape(size, *[1] * (max(count) - k), *v.shape[1:]) for k, v in zip(count, moved, strict=True)]


def _functions(torch: Any) -> Any:
    """The `torch.autograd.Function` of a step; its gradient is another one, so that `torch.vmap` works on it, too."""

    def tensors(arrays: Mapping[str, np.ndarray], names: Sequence[str]) -> tuple[Any, ...]:
        return tuple(torch.from_numpy(np.ascontiguousarray(arrays[name])) for name in names)

    class Gradient(torch.autograd.Function):
        """Cotangents of the outputs times the Jacobian."""

        @staticmethod
        def forward(numbers: StepFunction, names: tuple[str, ...], by: tuple[str, ...], *given: Any) -> tuple[Any, ...]:
            inputs, cotangents = arrays(names, given[: len(names)]), arrays(numbers.outputs, given[len(names) :])
            found = numbers.vjp(inputs, cotangents, by)
            for name in by:
                # worlds that share an input add up
                extra = found[name].ndim - inputs[name].ndim
                found[name] = found[name].sum(axis=tuple(range(extra)))
                alike = tuple(i for i, n in enumerate(inputs[name].shape) if n == 1 < found[name].shape[i])
                found[name] = found[name].sum(axis=alike, keepdims=True)
            return tensors(found, by)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            """There are no second derivatives."""

        @staticmethod
        def backward(ctx: Any, *_: Any) -> Any:
            raise NotImplementedError("a step has no second derivatives")

        @staticmethod
        def vmap(info: Any, in_dims: Any, numbers: StepFunction, names: Any, by: Any, *given: Any) -> Any:
            named = [*zip((*names, *numbers.outputs), given, strict=True)]
            moved = worlds_first(numbers, info.batch_size, in_dims[3:], named)
            found = Gradient.apply(numbers, names, by, *moved)
            # without the axes that were put in
            shapes = {
                n: v.shape if k is None else v.movedim(k, 0).shape[1:]
                for k, (n, v) in zip(in_dims[3:], named, strict=True)
                if n in names
            }
            alike = tuple(g.reshape(info.batch_size, *shapes[n]) for n, g in zip(by, found, strict=True))
            return alike, (0,) * len(by)

    class Step(torch.autograd.Function):
        """Outputs of a step."""

        @staticmethod
        def forward(numbers: StepFunction, names: tuple[str, ...], *given: Any) -> tuple[Any, ...]:
            return tensors(numbers(arrays(names, given)), numbers.outputs)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.numbers, ctx.names, *given = inputs
            ctx.save_for_backward(*given)
            ctx.save_for_forward(*given)

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            given = ctx.saved_tensors
            by = tuple(n for n, asked in zip(ctx.names, ctx.needs_input_grad[2:], strict=True) if asked)
            found = dict(zip(by, Gradient.apply(ctx.numbers, ctx.names, by, *given, *cotangents), strict=True))
            return None, None, *(found.get(name) for name in ctx.names)

        @staticmethod
        def jvp(ctx: Any, _: None, __: None, *tangents: Any) -> tuple[Any, ...]:
            inputs = arrays(ctx.names, ctx.saved_tensors)
            moved = {n: t.detach().numpy() for n, t in zip(ctx.names, tangents, strict=True) if t is not None}
            return tensors(ctx.numbers.jvp(inputs, moved), ctx.numbers.outputs)

        @staticmethod
        def vmap(info: Any, in_dims: Any, numbers: StepFunction, names: tuple[str, ...], *given: Any) -> Any:
            moved = worlds_first(numbers, info.batch_size, in_dims[2:], [*zip(names, given, strict=True)])
            return Step.apply(numbers, names, *moved), (0,) * len(numbers.outputs)

    return Step
