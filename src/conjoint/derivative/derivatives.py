"""Derivatives of fields with respect to other fields, as matrices and as products with vectors.

They are evaluated at one world or at all worlds of a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.batch.batch import Batch
from conjoint.derivative.inputs_check import check_names
from conjoint.derivative.pipeline import DualPipeline
from conjoint.derivative.worlds import Worlds, rows_of, stacked, worlds_at

Matrices = dict[str, dict[str, np.ndarray]]
Vectors = dict[str, np.ndarray]


def jacobian(
    model: MjModel | Batch,
    data: MjData | None = None,
    outputs: Sequence[str] = (),
    inputs: Sequence[str] = (),
    function: str = "mj_step",
) -> Matrices:
    """Return exact derivatives of fields with respect to other fields, at one world or at each world of a batch.

    Rows and columns are tangent coordinates: the numbers of a field; for `qpos`, the nv directions of its tangent space
    (as in `mj_integratePos`); for a quaternion, three directions. The world or batch does not change. For a batch, each
    world uses its own values of varying fields. Derivatives are in double precision, for the step of a single world.

    Args:
        model: the model, or a `Batch`, which needs no `data`: `jacobian(batch, outputs=[...], inputs=[...])`.
        data: the world, which provides the state and inputs.
        outputs: names of fields that the function writes: `qpos` and `qvel` of the next state, `sensordata`, `xpos`.
        inputs: names of fields of the world (`qpos`, `ctrl`, `mocap_pos`), or of the model (`body_mass`,
            `opt.timestep`).
        function: `mj_step`, `mj_forward` or `mj_inverse`.

    Returns:
        Matrices by output and input name, of shape (rows, columns) or (nworld, rows, columns). Rows are tangent
        coordinates of the output, and columns are tangent coordinates of the input.

    Raises:
        ArgumentError: the field does not exist, or a state is not finite.
        FatalError: the model cannot be differentiated.
        TypeError: names are not a list, or the first arguments are neither a model with its data nor a batch.
    """
    return jacobian_of(worlds_at(model, data, function), outputs, inputs)


def jvp(
    model: MjModel | Batch,
    data: MjData | None = None,
    directions: Mapping[str, Any] = {},
    outputs: Sequence[str] = (),
    function: str = "mj_step",
) -> Vectors:
    """Return changes in outputs for changes in inputs along given directions: the matrices of `jacobian` times vectors.

    Args:
        model, data, function: the same as in `jacobian`.
        directions: per input, a vector in tangent coordinates, shape (size,), or n vectors, shape (n, size); for a
            batch, shape (nworld, size) or (nworld, n, size). The number n of vectors is the same for all inputs.
        outputs: names of fields.

    Returns:
        For each output, by name, one vector in the output's tangent coordinates per direction.

    Raises:
        ArgumentError: as in `jacobian`, or directions have the wrong shape.
        TypeError: as in `jacobian`, or directions are not arrays by name.
    """
    return jvp_of(worlds_at(model, data, function), directions, outputs)


def vjp(
    model: MjModel | Batch,
    data: MjData | None = None,
    cotangents: Mapping[str, Any] = {},
    inputs: Sequence[str] = (),
    function: str = "mj_step",
) -> Vectors:
    """Return gradients with respect to inputs, given gradients with respect to outputs.

    They are vectors times the matrices of `jacobian`.

    Args:
        model, data, function: the same as in `jacobian`.
        cotangents: per output, a vector in tangent coordinates, shape (size,), or n vectors, shape (n, size); for a
            batch, shape (nworld, size) or (nworld, n, size). The number n of vectors is the same for all outputs.
        inputs: names of fields.

    Returns:
        For each input, by name, one vector in the input's tangent coordinates per cotangent.

    Raises:
        ArgumentError: as in `jacobian`, or cotangents have the wrong shape.
        TypeError: as in `jacobian`, or cotangents are not arrays by name.
    """
    return vjp_of(worlds_at(model, data, function), cotangents, inputs)


def jacobian_of(worlds: Worlds, outputs: Sequence[str], inputs: Sequence[str]) -> Matrices:
    """Return the matrices of `jacobian` for the given worlds."""
    rows, columns = check_names("outputs", outputs), check_names("inputs", inputs)
    found = worlds.each(lambda pipeline, _: pipeline.jacobian(rows, columns))
    if not worlds.axes:
        return found[0]
    size = {name: worlds.pipeline.coordinates(name).size for name in (*rows, *columns)}
    return {
        row: {name: stacked(worlds, [one[row][name] for one in found], (size[row], size[name])) for name in columns}
        for row in rows
    }


Product = Callable[[DualPipeline, tuple[str, ...], dict[str, np.ndarray]], Vectors]
"""Function that multiplies vectors (n, size) of some fields by derivative matrices at a pipeline's current values."""


def along(pipeline: DualPipeline, outputs: tuple[str, ...], directions: dict[str, np.ndarray]) -> Vectors:
    """Return the changes in outputs along directions of inputs, without computing matrices."""
    return pipeline.products(outputs, directions)


def jvp_of(worlds: Worlds, directions: Mapping[str, Any], outputs: Sequence[str], product: Product = along) -> Vectors:
    """Return the vectors of `jvp` for the given worlds."""
    return _products(worlds, rows_of(worlds, directions, "directions"), check_names("outputs", outputs), product)


def vjp_of(worlds: Worlds, cotangents: Mapping[str, Any], inputs: Sequence[str]) -> Vectors:
    """Return the vectors of `vjp` for the given worlds."""
    return _products(worlds, rows_of(worlds, cotangents, "cotangents"), check_names("inputs", inputs), pulled_back)


def _products(
    worlds: Worlds, rows: tuple[dict[str, np.ndarray], tuple[int, ...]], names: tuple[str, ...], product: Product
) -> Vectors:
    """Return the results of `product` for the vectors in `rows`, in all worlds, by name."""
    given, many = rows
    found = worlds.each(lambda pipeline, k: product(pipeline, names, {name: rows[k] for name, rows in given.items()}))
    if not worlds.axes:
        return found[0] if many else {name: rows[0] for name, rows in found[0].items()}
    size = {name: worlds.pipeline.coordinates(name).size for name in names}
    return {name: stacked(worlds, [one[name] for one in found], (*many, size[name])) for name in names}


def pushed_forward(pipeline: DualPipeline, outputs: tuple[str, ...], directions: Mapping[str, np.ndarray]) -> Vectors:
    """Return the Jacobian-vector products of a pipeline at its current values, for n directions of the inputs.

    Returns:
        An array of shape (n, size) for each output, by name.
    """
    matrices = pipeline.jacobian(outputs, tuple(directions))
    return {
        output: np.sum([rows @ matrices[output][name].T for name, rows in directions.items()], axis=0)
        for output in outputs
    }


def pulled_back(pipeline: DualPipeline, inputs: tuple[str, ...], cotangents: Mapping[str, np.ndarray]) -> Vectors:
    """Return the vector-Jacobian products of a pipeline at its current values, for n cotangents of the outputs.

    Returns:
        An array of shape (n, size) for each input, by name.
    """
    matrices = pipeline.jacobian(tuple(cotangents), inputs)
    return {
        name: np.sum([rows @ matrices[output][name] for output, rows in cotangents.items()], axis=0) for name in inputs
    }
