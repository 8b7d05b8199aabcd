"""Compilation of meshes from files or numbers, with caching (XML Reference chapter, asset/mesh)."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np

from conjoint.compiler import kinds
from conjoint.compiler.assets.cache import CACHE, digest, lasting
from conjoint.compiler.assets.mesh import Mesh, Needs
from conjoint.lang.memory.layout import number_array
from conjoint.once import MAKING
from conjoint.physics.plugins import OURS
from conjoint.spec.files import Files, extension

SETTINGS = ("content_type", "scale", "refpos", "refquat", "inertia", "smoothnormal", "maxhullvert")
NUMBERS = ("uservert", "usernormal", "usertexcoord", "userface", "userfacetexcoord")
"""Attributes of a mesh that are lists of numbers."""
Answer = TypeVar("Answer")


def compile_mesh(element: kinds.Mesh, files: Files, needs: Needs, plugin: Any = None) -> Mesh:
    """Return the compiled mesh of `element`. Its source is a file, else the shape of a `plugin`, else attributes.

    Raises:
        ValueError: the file cannot be read, or the element does not describe a mesh.
    """
    settings = (needs, _numbers(element), *(getattr(element, name) for name in SETTINGS))
    kind = extension(element.file, "", {}) if element.file else ""
    identity: Hashable = None
    if element.file:
        identity = _about_file(element, files.identity)
    elif plugin is not None:
        identity = (plugin.plugin_name, *sorted(plugin.config.items()))

    def make() -> Mesh:
        # on disk, a file is identified by its contents
        data = _about_file(element, files.read) if element.file else None
        return _lasting(("mesh", digest(data) if data else identity, kind, settings), element, data, needs, plugin)

    mesh = CACHE.get(("mesh", identity, kind, settings), make, Mesh.weight)
    mesh.triangles.check_complete(element.file)
    # a copy, because fitting geoms moves the mesh
    return replace(mesh)


def _lasting(key: tuple[object, ...], element: kinds.Mesh, data: bytes | None, needs: Needs, plugin: Any) -> Mesh:
    """Return the mesh from the disk cache, or else create it.

    The modules that create meshes are imported only if needed.
    """

    def make() -> Mesh:
        with MAKING.held:
            from conjoint.compiler.assets.make_mesh import make_mesh

        return make_mesh(element, data, needs, plugin)

    # no caching: in the next process, the plugin may define another shape
    if data is None and plugin is not None and plugin.plugin_name not in OURS:
        return make()
    return lasting(key, make)


def _about_file(element: kinds.Mesh, ask: Callable[[Any, str], Answer]) -> Answer:
    """Return the result of `ask(element, file)` for the file of `element`. Add the file name to error messages."""
    try:
        return ask(element, element.file)
    except ValueError as error:
        raise ValueError(f"file '{element.file}': {error}") from None


def _numbers(element: kinds.Mesh) -> bytes | None:
    """Return a digest of the lists of numbers that the attributes of a mesh contain, or None if there are none."""
    lists = [getattr(element, name, ()) for name in NUMBERS]
    if not any(map(len, lists)):
        return None
    digest = blake2b(repr([len(numbers) for numbers in lists]).encode(), digest_size=16)
    for numbers in lists:
        digest.update(number_array(numbers, np.dtype(np.float64)).tobytes())
    return digest.digest()
