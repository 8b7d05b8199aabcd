"""Formats of mesh files: bytes to triangles, by file extension."""

from collections.abc import Callable

from conjoint.spec.meshes.msh import read_msh
from conjoint.spec.meshes.obj import read_obj
from conjoint.spec.meshes.stl import read_stl
from conjoint.spec.meshes.triangles import Triangles

READERS: dict[str, Callable[[bytes], Triangles]] = {"stl": read_stl, "obj": read_obj, "msh": read_msh}
"""Reader of each file extension."""

CONTENT_TYPES = {"model/stl": "stl", "model/obj": "obj", "model/vnd.mujoco.msh": "msh"}
"""File extension that stands for each `content_type`."""
