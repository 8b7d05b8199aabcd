"""Skins, from numbers or SKN files (XML Reference chapter, deformable/skin)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conjoint.compiler import kinds
from conjoint.schema.constants import mjMINVAL
from conjoint.spec.files import Files, extension
from conjoint.spec.meshes.triangles import Integers, Singles

NAME_BYTES = 40
"""Length in bytes of a body name in a SKN file."""


@dataclass
class Bone:
    """Body that moves vertices of a skin: its bind pose, the vertices and their weights."""

    bodyname: str
    bindpos: Singles
    bindquat: Singles
    vertid: Integers
    vertweight: Singles


@dataclass
class Skin:
    """Compiled skin. `texcoord` has no rows if there are no texture coordinates."""

    vert: Singles
    texcoord: Singles
    face: Integers
    bones: list[Bone]


def compile_skin(element: kinds.Skin, files: Files) -> Skin:
    """Return the skin that `element` describes.

    Raises:
        ValueError: the file cannot be read, or data are missing or inconsistent.
    """
    if element.file:
        if element.vert or element.texcoord or element.face or element.bones:
            raise ValueError("give either a file, or attributes and bones")
        if extension(element.file, "", {}) != "skn":
            raise ValueError(f"unknown skin format of file '{element.file}': expected .skn")
        try:
            skin = _Reader(files.read(element, element.file)).skin()
        except ValueError as error:
            raise ValueError(f"file '{element.file}': {error}") from None
    else:
        skin = _written(element)
    _check(skin)
    _normalize(skin)
    return skin


def _written(element: kinds.Skin) -> Skin:
    """Return the skin that attributes and bones describe."""
    written = (("vertex", element.vert, 3), ("texcoord", element.texcoord, 2), ("face", element.face, 3))
    for name, numbers, width in written:
        if len(numbers) % width:
            raise ValueError(f"'{name}' has {len(numbers)} numbers, not a multiple of {width}")
    bones = [
        Bone(
            bone.bodyname, np.array(bone.bindpos, np.float32), np.array(bone.bindquat, np.float32),
            np.array(bone.vertid, np.int32), np.array(bone.vertweight, np.float32),
        )
        for bone in element.bones
    ]  # fmt: skip
    vert = np.array(element.vert, np.float32).reshape(-1, 3)
    texcoord = np.array(element.texcoord, np.float32).reshape(-1, 2)
    return Skin(vert, texcoord, np.array(element.face, np.int32).reshape(-1, 3), bones)


class _Reader:
    """Reader of the consecutive blocks of a SKN file."""

    def __init__(self, data: bytes):
        self.data = data
        self.at = 0

    def skin(self) -> Skin:
        """Read the whole file, and return its skin."""
        nvert, ntexcoord, nface, nbone = (int(number) for number in self.take("<i4", 4))
        if min(nvert, ntexcoord, nface, nbone) < 0:
            raise ValueError("a size in the header of the SKN file is negative")
        vert = self.take("<f4", 3 * nvert).reshape(-1, 3)
        texcoord = self.take("<f4", 2 * ntexcoord).reshape(-1, 2)
        face = self.take("<i4", 3 * nface).reshape(-1, 3)
        bones: list[Bone] = []
        while len(bones) < nbone:
            bones.append(self._bone())
        if self.at != len(self.data):
            raise ValueError(f"the SKN file has {len(self.data)} bytes, but its header requires {self.at}")
        return Skin(vert, texcoord, face, bones)

    def _bone(self) -> Bone:
        name = self.take("u1", NAME_BYTES).tobytes().split(b"\0")[0].decode("utf-8", "replace")
        pos, quat = self.take("<f4", 3), self.take("<f4", 4)
        count = int(self.take("<i4", 1)[0])
        return Bone(name, pos, quat, self.take("<i4", count), self.take("<f4", count))

    def take(self, kind: str, count: int) -> NDArray[Any]:
        """Return the next `count` numbers of type `kind`."""
        size = count * np.dtype(kind).itemsize
        if count < 0 or self.at + size > len(self.data):
            raise ValueError(f"the SKN file ends at byte {len(self.data)}, within a block of {count} numbers")
        block = np.frombuffer(self.data, kind, count, self.at).copy()
        self.at += size
        return block


def _check(skin: Skin) -> None:
    """Check that all parts exist, have matching sizes, and refer to existing vertices."""
    count = len(skin.vert)
    if not count or not len(skin.face) or not skin.bones:
        raise ValueError("a skin needs vertices, faces and bones")
    if len(skin.texcoord) not in (0, count):
        raise ValueError(f"it has {len(skin.texcoord)} texture coordinates for {count} vertices")
    for ids, what in ((skin.face, "face"), *((bone.vertid, f"bone '{bone.bodyname}'") for bone in skin.bones)):
        wrong = ids[(ids < 0) | (ids >= count)]
        if len(wrong):
            raise ValueError(f"{what} refers to vertex {wrong[0]}, there are {count}")
    for bone in skin.bones:
        for name, numbers, size in (("bindpos", bone.bindpos, 3), ("bindquat", bone.bindquat, 4)):
            if len(numbers) != size:
                raise ValueError(f"bone '{bone.bodyname}': {name} has {len(numbers)} numbers, expected {size}")
        if len(bone.vertid) != len(bone.vertweight) or not len(bone.vertid):
            raise ValueError(
                f"bone '{bone.bodyname}' has {len(bone.vertid)} vertices and {len(bone.vertweight)} weights: "
                "there must be as many, and at least one"
            )


def _normalize(skin: Skin) -> None:
    """Scale the weights at every vertex to a sum of one, and quaternions to length one."""
    total = np.zeros(len(skin.vert), np.float32)
    for bone in skin.bones:
        np.add.at(total, bone.vertid, bone.vertweight)
    wrong = np.flatnonzero(~(total > mjMINVAL))
    if len(wrong):
        raise ValueError(f"the weights of vertex {wrong[0]} must have a positive sum")
    for bone in skin.bones:
        bone.vertweight = bone.vertweight / total[bone.vertid]
        length = float(np.linalg.norm(bone.bindquat.astype(np.float64)))
        bone.bindquat = (bone.bindquat / (length if length > mjMINVAL else 1.0)).astype(np.float32)
