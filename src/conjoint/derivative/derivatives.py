"""Derivatives of what a function computes: as matrices, and as products with vectors forward and backward."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.derivative.inputs_check import check_function, check_names, check_world, rows_of
from conjoint.derivative.pipeline import DualPipeline


class Known(threading.local):
    """Pipelines of a thread, by model and function: each has memory for one world."""

    def __init__(self) -> None:
        self.pipelines: WeakKeyDictionary[MjModel, dict[str, DualPipeline]] = WeakKeyDictionary()


_known = Known()


def pipeline_of(m: MjModel, function: str) -> DualPipeline:
    """This thread's pipeline of a function, made on first use, and anew when the model was changed."""
    known = _known.pipelines.setdefault(m, {})
    found = known.get(function)
    if found is None or not found.holds(m):
        check_function(function)
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
        FatalError: there is no such field, the state is not finite, or the model cannot be differentiated.
        TypeError: names are no list.
    """
    check_world(m, d)
    names = check_names("outputs", outputs), check_names("inputs", inputs)
    pipeline = pipeline_of(m, function)
    pipeline.at(d)
    return pipeline.jacobian(*names)


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
        FatalError: there is no such field, a vector has another size, the state is not finite, or the model cannot be
            differentiated.
    """
    check_world(m, d)
    names = check_names("outputs", outputs)
    pipeline = pipeline_of(m, function)
    given = rows_of(pipeline, directions, "directions")
    pipeline.at(d)
    found = pipeline.products(names, given)
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
        FatalError: there is no such field, a vector has another size, the state is not finite, or the model cannot be
            differentiated.
    """
    check_world(m, d)
    names = check_names("inputs", inputs)
    pipeline = pipeline_of(m, function)
    given = rows_of(pipeline, cotangents, "cotangents")
    pipeline.at(d)
    found = pulled_back(pipeline, given, names)
    alone = all(np.ndim(value) == 1 for value in cotangents.values())
    return {name: rows[0] for name, rows in found.items()} if alone else found


def pulled_back(
    pipeline: DualPipeline, cotangents: Mapping[str, np.ndarray], inputs: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Products of rows of cotangents with the matrices at the values of the pipeline: by input, (n, size)."""
    matrices = pipeline.jacobian(tuple(cotangents), inputs)
    return {
        name: np.sum([rows @ matrices[output][name] for output, rows in cotangents.items()], axis=0) for name in inputs
    }
