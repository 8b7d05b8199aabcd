"""Replacing `include` by the contents of the file it names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from conjoint.lang.errors import ModelError
from conjoint.mjcf.document import Node, read_file, read_text
from conjoint.spec.filename import base_name, given_file

MOST_DEPTH = 64
"""Files that may include each other in a row."""


def expand(root: Node, directory: str, assets: Mapping[str, bytes] | None = None) -> None:
    """Replace every `include` below `root`, in place.

    Args:
        root: the `mujoco` element of the main file.
        directory: folder of the main file, which all names are relative to.
        assets: files by name, looked at before the disk.

    Raises:
        ModelError: a file is missing, broken, or included twice.
    """
    _expand(root, directory, assets or {}, set(), 0)


def _expand(node: Node, directory: str, assets: Mapping[str, bytes], seen: set[str], depth: int) -> None:
    """Replace what is below `node`; `seen` holds the files included so far."""
    if not any(child.tag == "include" for child in node.children):
        for child in node.children:
            _expand(child, directory, assets, seen, depth)
        return
    children: list[Node] = []
    for child in node.children:
        if child.tag != "include":
            _expand(child, directory, assets, seen, depth)
            children.append(child)
            continue
        included = _load(child, directory, assets, seen, depth)
        _expand(included, directory, assets, seen, depth + 1)
        children.extend(included.children)
    node.children = children


def _load(node: Node, directory: str, assets: Mapping[str, bytes], seen: set[str], depth: int) -> Node:
    """Root of the file that the include `node` names."""
    name = node.attributes.get("file", "")
    if not name:
        raise ModelError(f"{node.at()}: <include>: the attribute 'file' is missing")
    if set(node.attributes) != {"file"} or node.children:
        raise ModelError(f"{node.at()}: <include>: only the attribute 'file' is allowed")
    given = given_file(assets, name)
    key = str(Path(directory) / name) if given is None else base_name(name).lower()
    if key in seen or depth > MOST_DEPTH:
        raise ModelError(f"{node.at('file')}: <include>: the file '{name}' is included more than once")
    seen.add(key)
    if given is not None:
        return read_text(given.encode() if isinstance(given, str) else given, name)
    if not Path(key).is_file():
        raise ModelError(f"{node.at('file')}: <include>: there is no file '{key}'")
    return read_file(key)
