"""Caches of results computed from assets, in memory and on disk, keyed by their inputs.

In a file, a result is a line of JSON that describes its structure, followed by its arrays. It may contain numbers,
strings, arrays and a few classes, but no code. Each part follows its size and is padded to its alignment, so that
arrays can be used without a copy.
"""

import json
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from conjoint.lang.objects import disk_cache
from conjoint.lang.objects.source_state import source_state
from conjoint.once import ForkLock, made_once

ALIGNMENT = 16
"""Alignment of arrays in a cache file, in bytes."""

CLASSES = {
    "Mesh": "conjoint.compiler.assets.mesh",
    "MassProperties": "conjoint.compiler.assets.mesh",
    "Octree": "conjoint.compiler.assets.sdf",
    "Polygons": "conjoint.compiler.assets.polygons",
    "Trees": "conjoint.compiler.bounding",
    "Triangles": "conjoint.spec.meshes.triangles",
}
"""Classes that a result may contain, and their modules, which are imported on first use."""

KINDS = "biuf"
"""Allowed array data types (NumPy, `dtype.kind`): booleans, integers and reals."""


def packed(value: object) -> Iterator[bytes | memoryview]:
    """Yield the parts of the file that stores a result.

    Raises:
        TypeError: the result contains a type that cannot be written.
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
    """Return the result stored in the output of `packed`. Its arrays are read-only views of `data`.

    Raises:
        ValueError: the data are not a stored result.
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
    """Return a JSON representation of a value. Its arrays are appended to `arrays` and referred to by index."""
    if value is None or isinstance(value, (bool, int, str)) or type(value) is float:
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind not in KINDS:
            raise TypeError(f"an array of {value.dtype} cannot be kept")
        # store an array in column order as its transpose, to keep its memory order
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
    """Return the value that a JSON description represents."""
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


@cache
def library_file() -> Path | None:
    """Return the path of the Qhull library, or None if it is not installed, as on Windows."""
    for folder in sys.path:
        for found in sorted(Path(folder).glob("cmeel.prefix/lib/libqhull_r.[sd][oy]*")):
            return found
    return None


@cache
def hull_maker() -> Path | None:
    """Return a file that identifies the hull library (Qhull or SciPy), for cache keys; None if none is installed."""
    scipy = None if library_file() else find_spec("scipy")
    return Path(scipy.origin).with_name("version.py") if scipy and scipy.origin else library_file()


Made = TypeVar("Made")

MOST_BYTES = 1 << 28
"""Maximum memory of cached results in bytes. The least recently used results are dropped first."""


class Cache:
    """Thread-safe cache of results by key, with limited memory. Results must not be changed."""

    def __init__(self, most: int = MOST_BYTES):
        self.most = most
        self.size = 0
        self.kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self.lock = ForkLock()

    def get(self, key: Hashable, make: Callable[[], Made], weigh: Callable[[Made], int]) -> Made:
        """Return the result cached under `key`, or else compute and cache it.

        Args:
            key: identifies the result.
            make: function that computes the result.
            weigh: function that returns the size of a result in bytes.
        """
        with self.lock.held:
            if key in self.kept:
                self.kept.move_to_end(key)
                found: Made = self.kept[key][0]
                return found
        made = make()
        weight = weigh(made)
        if weight <= self.most:
            with self.lock.held:
                self.size += weight - self.kept.pop(key, (None, 0))[1]
                self.kept[key] = (made, weight)
                while self.size > self.most:
                    self.size -= self.kept.popitem(last=False)[1][1]
        return made

    def clear(self) -> None:
        """Drop all cached results."""
        with self.lock.held:
            self.kept.clear()
            self.size = 0


CACHE = Cache()
"""Cache of results of this process."""


def lasting(key: tuple[object, ...], make: Callable[[], Made]) -> Made:
    """Return the result cached on disk under `key`, or else compute it by `make()` and cache it.

    Args:
        key: all inputs of the result, identified by their `repr`. Files are represented by their `digest`.
        make: function that computes the result.
    """
    name = f"{key[0]}-{digest(repr((_makers(), key)).encode())}.asset"
    data = disk_cache.load(name)
    if data is not None:
        # recompute the result if the file is not valid
        with suppress(ValueError):
            found: Made = unpacked(data)
            return found
    made = make()
    disk_cache.store(name, *packed(made))
    return made


def digest(data: bytes) -> str:
    """Return a hexadecimal digest that identifies `data`."""
    return blake2b(data, digest_size=16).hexdigest()


@made_once
def _makers() -> tuple[object, ...]:
    """Return the versions of this package and of the libraries it uses, for cache keys.

    The libraries are not imported.
    """
    images, hulls = find_spec("PIL"), hull_maker()
    files = [Path(images.origin).with_name("_version.py")] if images and images.origin else []
    files += [Path(hulls)] if hulls else []
    return source_state(), np.__version__, *(digest(file.read_bytes()) for file in files)
