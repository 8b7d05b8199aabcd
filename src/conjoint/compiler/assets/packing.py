"""What was made of assets as bytes, and back: numbers, texts, arrays and a few classes, and nothing that could run.

A result is a line of JSON, which says what it is made of, and its arrays. Every part has its size before it and room to
its alignment behind it, so that arrays can stay where they are read.
"""

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

ALIGNMENT = 16
"""Bytes of which the places of arrays in a file are multiples."""

CLASSES = {
    "Mesh": "conjoint.compiler.assets.mesh",
    "MassProperties": "conjoint.compiler.assets.mesh_inertia",
    "Octree": "conjoint.compiler.assets.sdf",
    "Polygons": "conjoint.compiler.assets.polygons",
    "Trees": "conjoint.compiler.bounding",
    "Triangles": "conjoint.spec.meshes.triangles",
}
"""Classes of results, and the modules that have them, which are imported where one is found."""

KINDS = "biuf"
"""Kinds of arrays (NumPy, `dtype.kind`): conditions, integers and reals."""


def packed(value: object) -> Iterator[bytes | memoryview]:
    """The parts of a result, one after the other.

    Raises:
        TypeError: there is something in it that is not written.
    """
    arrays: list[np.ndarray] = []
    tree = _described(value, arrays)
    about = [(array.dtype.str, array.shape) for array in arrays]
    parts: list[bytes | memoryview] = [json.dumps([tree, about]).encode(), *map(_bytes, arrays)]
    for part in parts:
        yield len(part).to_bytes(ALIGNMENT, "little")
        yield part
        yield bytes(-len(part) % ALIGNMENT)


def unpacked(data: memoryview) -> Any:
    """The opposite of `packed`; arrays stay where they are, and cannot be written to.

    Raises:
        ValueError: that is no result.
    """
    parts, at = [], 0
    while at < len(data):
        start = at + ALIGNMENT
        end = start + int.from_bytes(data[at:start], "little")
        parts.append(data[start:end])
        at = end + -end % ALIGNMENT
    try:
        tree, about = json.loads(bytes(parts[0]))
        arrays = [_array(part, *row) for part, row in zip(parts[1:], about, strict=True)]
        return _made(tree, arrays)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"no kept result: {error}") from None


def _bytes(array: np.ndarray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _array(part: memoryview, dtype: str, shape: list[int]) -> np.ndarray:
    kind = np.dtype(dtype)
    if kind.kind not in KINDS:
        raise ValueError(f"an array of {dtype}")
    return np.ndarray(shape, kind, part)


def _described(value: Any, arrays: list[np.ndarray]) -> Any:
    """What stands for a value in JSON; its arrays join `arrays`, and it says which they are."""
    if value is None or isinstance(value, (bool, int, str)) or type(value) is float:
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind not in KINDS:
            raise TypeError(f"an array of {value.dtype} cannot be kept")
        # columns that lie together stay together
        turned = value.ndim > 1 and value.flags.f_contiguous and not value.flags.c_contiguous
        arrays.append(np.asarray(value.T if turned else value, order="C"))
        return {"number" if isinstance(value, np.generic) else "turned" if turned else "array": len(arrays) - 1}
    if type(value) in (list, tuple):
        return {type(value).__name__: [_described(item, arrays) for item in value]}
    name = type(value).__name__
    if name not in CLASSES or _class(name) is not type(value):
        raise TypeError(f"a {name} cannot be kept")
    return {name: {key: _described(item, arrays) for key, item in vars(value).items()}}


def _made(tree: Any, arrays: list[np.ndarray]) -> Any:
    """The value that a description stands for."""
    if not isinstance(tree, dict):
        return tree
    ((name, inner),) = tree.items()
    if name in ("array", "number", "turned"):
        array = arrays[inner]
        return array.T if name == "turned" else array[()] if name == "number" else array
    if name in ("list", "tuple"):
        items = [_made(item, arrays) for item in inner]
        return items if name == "list" else tuple(items)
    return _class(name)(**{key: _made(item, arrays) for key, item in inner.items()})


def _class(name: str) -> Any:
    return getattr(import_module(CLASSES[name]), name)
