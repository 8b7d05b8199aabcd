"""Derivatives of what a function computes: as matrices, and as products with vectors forward and backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.derivative.pipeline import DualPipeline

_pipelines: WeakKeyDictionary[MjModel, dict[str, DualPipeline]] = WeakKeyDictionary()


def pipeline_of(m: MjModel, function: str) -> DualPipeline:
    """The pipeline of a function in dual numbers, made on first use, and anew when the model was changed."""
    known = _pipelines.setdefault(m, {})
    found = known.get(function)
    if found is None or not found.holds(m):
        found = known[function] = DualPipeline(m, function)
    return found


def jacobian(
    m: MjModel, d: MjData, outputs: Sequence[str], inputs: Sequence[str], function: str = "mj_step"
) -> dict[str, dict[str, np.ndarray]]:
    """Exact derivatives of fields by fields, at the state and the inputs of a world, which stays as it is.

    Args:
        m: the model.
        d: the world.
        outputs: names of fields that the function writes: `qpos` and `qvel` of the next state, `sensordata`, `xpos`.
        inputs: names of fields of the world (`qpos`, `ctrl`, `mocap_pos`), or of the model (`body_mass`,
            `opt.timestep`).
        function: `mj_step`, `mj_forward` or `mj_inverse`.

    Returns:
        by output and input a matrix, with a row for each coordinate of the output and a column for each of the input:
        the numbers of the field, of `qpos` the nv directions of its tangent space, of quaternions three each.

    Raises:
        FatalError: there is no such field, or the model cannot be differentiated.
    """
    pipeline = pipeline_of(m, function)
    pipeline.at(d)
    return pipeline.jacobian(tuple(outputs), tuple(inputs))


def jvp(
    m: MjModel, d: MjData, directions: Mapping[str, np.ndarray], outputs: Sequence[str], function: str = "mj_step"
) -> dict[str, np.ndarray]:
    """Changes of fields when the inputs change along given directions: the matrices of `jacobian` times vectors.

    Args:
        m, d, function: as of `jacobian`.
        directions: by input, a vector in its coordinates, or n of them as rows; as many for each input.
        outputs: names of fields.

    Returns:
        by output, a vector in its coordinates, or n of them as rows.

    Raises:
        FatalError: there is no such field, or the model cannot be differentiated.
    """
    pipeline = pipeline_of(m, function)
    pipeline.at(d)
    given = {name: np.atleast_2d(np.asarray(value, float)) for name, value in directions.items()}
    found = pipeline.products(tuple(outputs), given)
    alone = all(np.ndim(value) == 1 for value in directions.values())
    return {name: rows[0] for name, rows in found.items()} if alone else found


def vjp(
    m: MjModel, d: MjData, cotangents: Mapping[str, np.ndarray], inputs: Sequence[str], function: str = "mj_step"
) -> dict[str, np.ndarray]:
    """Gradients by inputs of a number of which the gradients by outputs are given: vectors times the matrices.

    Args:
        m, d, function: as of `jacobian`.
        cotangents: by output, a vector in its coordinates, or n of them as rows.
        inputs: names of fields.

    Returns:
        by input, a vector in its coordinates, or n of them as rows.

    Raises:
        FatalError: there is no such field, or the model cannot be differentiated.
    """
    matrices = jacobian(m, d, tuple(cotangents), inputs, function)
    return {
        name: sum(np.asarray(c, float) @ matrices[output][name] for output, c in cotangents.items()) for name in inputs
    }
