"""Expansion of `include` elements to the contents of the named files."""

import os
from collections.abc import Mapping

from conjoint.lang.errors import ModelError
from conjoint.mjcf.document import Node, read_file, read_text
from conjoint.spec import Problems
from conjoint.spec.filename import base_name, elsewhere, forward, given_file, place

MOST_DEPTH = 64
"""Maximum nesting depth of includes."""


def expand(root: Node, directory: str, problems: Problems, assets: Mapping[str, bytes | str] | None = None) -> set[str]:
    """Replace every `include` below `root` by the contents of its file, in place. Return the tags in all files.

    Args:
        root: the `mujoco` element of the main file.
        directory: folder of the main file, which is searched before the folder of the including file.
        problems: receives problems: files that are missing, broken, or included twice. Their includes are skipped.
        assets: files by name, looked up before the disk.
    """
    includes = _Includes(directory, problems, assets or {})
    includes.expand(root, 0)
    return includes.tags


class _Includes:
    """Expansion of the include elements of one model.

    Attributes:
        seen: the files included so far.
        tags: tags of all elements in the files so far, except roots.
    """

    def __init__(self, directory: str, problems: Problems, assets: Mapping[str, bytes | str]):
        self.directory = directory
        self.problems = problems
        self.assets = assets
        self.seen: set[str] = set()
        self.tags: set[str] = set()

    def expand(self, root: Node, depth: int) -> None:
        """Expand the includes below the root of a file."""
        self.tags |= root.document.tags
        if "include" in root.document.tags:
            self._below(root, depth)

    def _below(self, node: Node, depth: int) -> None:
        """Expand the includes below `node`."""
        children: list[Node] = []
        for child in node.children:
            if child.tag == "include":
                children.extend(self._contents(child, depth))
            else:
                self._below(child, depth)
                children.append(child)
        node.children = children

    def _contents(self, node: Node, depth: int) -> list[Node]:
        """Return the elements that `node` includes.

        If the file cannot be read, report a problem and return an empty list.
        """
        try:
            included = self._load(node, depth)
        except ModelError as error:
            self.problems.add(f"<include>: {error}", node, "file")
            return []
        self.expand(included, depth + 1)
        return included.children

    def _load(self, node: Node, depth: int) -> Node:
        """Return the root of the file that `node` includes. Raises ModelError if it is missing or cannot be read."""
        name = node.attributes.get("file", "")
        if not name:
            raise ModelError("the attribute 'file' is missing")
        if set(node.attributes) != {"file"} or node.children:
            raise ModelError("only the attribute 'file' is allowed")
        given = given_file(self.assets, name)
        folders = (self.directory, node.document.folder or self.directory)
        places = [place(folder, name) for folder in folders]
        path = next(filter(os.path.isfile, places), None) if given is None else places[0]
        if path is None:
            tried = " nor ".join(f"'{each}'" for each in dict.fromkeys(places))
            raise ModelError(f"there is no file {tried}{elsewhere(forward(name), self.directory)}")
        key = path if given is None else base_name(name).lower()
        if key in self.seen or depth > MOST_DEPTH:
            raise ModelError(f"the file '{name}' is included more than once; is there a cycle?")
        self.seen.add(key)
        folder = os.path.dirname(path)
        return read_file(path, folder) if given is None else read_text(given, name, folder)
