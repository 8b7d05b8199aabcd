"""Derivatives of what a function computes: as matrices, and as products with vectors forward and backward."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol
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


class Points(Protocol):
    """Worlds at whose states derivatives are taken: one, or those of a batch."""

    def each(self, work: Callable[[DualPipeline, int], Any]) -> list[Any]:
        """Return what `work(pipeline, world)` returns for every world, whose values the pipeline has."""
        ...

    def rows(self, given: Mapping[str, Any], what: str) -> list[dict[str, np.ndarray]]:
        """Return vectors in the coordinates of fields, checked: for every world n of each field, as rows."""
        ...

    def matrix(self, found: Sequence[np.ndarray]) -> np.ndarray:
        """Return one array of the matrices of all worlds."""
        ...

    def vectors(self, found: Sequence[np.ndarray], given: Mapping[str, Any]) -> np.ndarray:
        """Return one array of the rows of all worlds, in the form in which vectors were given."""
        ...


class OneWorld:
    """A world as `Points`."""

    def __init__(self, m: MjModel, d: MjData, function: str):
        check_world(m, d)
        self._pipeline, self._d = pipeline_of(m, function), d

    def each(self, work: Callable[[DualPipeline, int], Any]) -> list[Any]:
        """`Points.each`."""
        self._pipeline.at(self._d)
        return [work(self._pipeline, 0)]

    def rows(self, given: Mapping[str, Any], what: str) -> list[dict[str, np.ndarray]]:
        """`Points.rows`: of each field one vector, or n as rows."""
        return [rows_of(self._pipeline, given, what)]

    def matrix(self, found: Sequence[np.ndarray]) -> np.ndarray:
        """`Points.matrix`: that of the world."""
        return found[0]

    def vectors(self, found: Sequence[np.ndarray], given: Mapping[str, Any]) -> np.ndarray:
        """`Points.vectors`: one vector, if one of each field was given."""
        return found[0][0] if all(np.ndim(value) == 1 for value in given.values()) else found[0]


def jacobian_at(points: Points, outputs: Sequence[str], inputs: Sequence[str]) -> dict[str, dict[str, np.ndarray]]:
    """`jacobian` of a world or of worlds."""
    rows, columns = check_names("outputs", outputs), check_names("inputs", inputs)
    found = points.each(lambda pipeline, _: pipeline.jacobian(rows, columns))
    return {row: {name: points.matrix([one[row][name] for one in found]) for name in columns} for row in rows}


def jvp_at(points: Points, directions: Mapping[str, Any], outputs: Sequence[str]) -> dict[str, np.ndarray]:
    """`jvp` of a world or of worlds."""
    names = check_names("outputs", outputs)
    given = points.rows(directions, "directions")
    found = points.each(lambda pipeline, world: pipeline.products(names, given[world]))
    return {name: points.vectors([one[name] for one in found], directions) for name in names}


def vjp_at(points: Points, cotangents: Mapping[str, Any], inputs: Sequence[str]) -> dict[str, np.ndarray]:
    """`vjp` of a world or of worlds."""
    names = check_names("inputs", inputs)
    given = points.rows(cotangents, "cotangents")
    found = points.each(lambda pipeline, world: pulled_back(pipeline, given[world], names))
    return {name: points.vectors([one[name] for one in found], cotangents) for name in names}


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
    return jacobian_at(OneWorld(m, d, function), outputs, inputs)


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
    return jvp_at(OneWorld(m, d, function), directions, outputs)


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
    return vjp_at(OneWorld(m, d, function), cotangents, inputs)


def pulled_back(
    pipeline: DualPipeline, cotangents: Mapping[str, np.ndarray], inputs: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Products of rows of cotangents with the matrices at the values of the pipeline: by input, (n, size)."""
    matrices = pipeline.jacobian(tuple(cotangents), inputs)
    return {
        name: np.sum([rows @ matrices[output][name] for output, rows in cotangents.items()], axis=0) for name in inputs
    }
