"""Random damage to files that models refer to."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import asset_files as make
import conjoint
from conjoint.api.objects.binary import PREFIX
from fuzz.seeds import SEEDS

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], float)
ASCII_STL = b"solid s\n" + b"".join(
    b"facet normal 0 0 1\nouter loop\n" + b"".join(b"vertex %g %g %g\n" % tuple(point) for point in make.TETRAHEDRON[face])
    + b"endloop\nendfacet\n" for face in make.FACES
) + b"endsolid s\n"  # fmt: skip
GMSH_OLD = (
    b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
    b"$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n"
)
GMSH_NEW = (
    b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
    b"$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n"
)
HFIELD = struct.pack("<2i", 3, 4) + np.arange(12, dtype="<f4").tobytes()
TEXTURE = struct.pack("<2i", 2, 3) + bytes(range(18))
NUMBERS = (0, 1, -1, 2, 7, 1 << 16, 1 << 24, 1 << 28, (1 << 31) - 1, -(1 << 31), 0x7F800000, 0x7FC00000)
"""Replacement values of a four-byte word: counts, and the bits of infinity and NaN."""
WORDS = (b"nan", b"inf", b"-1", b"1e30", b"1000000000", b"", b" ", b"/", b"99999999999999999999", b"#", b"\n", b"\0")


@dataclass(frozen=True)
class Sample:
    """Model with one file, or a binary model, whose `xml` is empty."""

    xml: str
    file: str
    data: bytes


def _mesh(file: str, attributes: str = "") -> str:
    return make.with_mesh(f'file="{file}" {attributes}')


def _flexcomp(file: str) -> str:
    return f'<mujoco><worldbody><body name="b"><flexcomp name="f" type="gmsh" dim="3" file="{file}"/></body></worldbody></mujoco>'


def _asset(inside: str) -> str:
    return f"<mujoco><asset>{inside}</asset></mujoco>"


def _binary() -> bytes:
    """Return a binary model with many features."""
    model = conjoint.MjModel.from_xml_string(next(iter(SEEDS.values())))
    data = np.zeros(conjoint.mj_sizeModel(model), np.uint8)
    conjoint.mj_saveModel(model, buffer=data)
    return data.tobytes()


SAMPLES = {
    "stl": Sample(_mesh("m.stl"), "m.stl", make.stl(make.TETRAHEDRON[make.FACES])),
    "ascii stl": Sample(_mesh("m.stl"), "m.stl", ASCII_STL),
    "obj": Sample(_mesh("m.obj"), "m.obj", make.obj(CUBE, "vt 0 1", "vn 0 0 1", "f 1/1/1 2/1/1 4/1/1 3/1/1", "f 5 7 8 6",
                                                       "f 1 5 6 2", "f -6 -5 8 7", "f 1 3 7 5", "f 2 6 8 4")),
    "msh": Sample(_mesh("m.msh"), "m.msh", make.msh(make.TETRAHEDRON, face=make.FACES)),
    "gmsh 2.2": Sample(_flexcomp("m.msh"), "m.msh", GMSH_OLD),
    "gmsh 4.1": Sample(_flexcomp("m.msh"), "m.msh", GMSH_NEW),
    "skn": Sample(
        '<mujoco><asset><skin file="s.skn"/></asset><worldbody><body name="b"/></worldbody></mujoco>', "s.skn",
        make.skn(make.TETRAHEDRON, make.FACES, [("b", (0, 0, 0), (1, 0, 0, 0), (0, 1, 2, 3), (1, 1, 1, 1))]),
    ),
    "png": Sample(_asset('<texture type="2d" file="t.png"/>'), "t.png", make.png((4, 6, 3))),
    "png of heights": Sample(_asset('<hfield name="h" file="h.png" size="1 1 1 1"/>'), "h.png", make.png((4, 6))),
    "heights": Sample(_asset('<hfield name="h" file="h.bin" size="1 1 1 1"/>'), "h.bin", HFIELD),
    "binary model": Sample("", "m.mjb", _binary()),
    "texture": Sample(_asset('<texture type="2d" file="t.bin"/>'), "t.bin", TEXTURE),
}  # fmt: skip
"""Samples to damage, by name."""


def damage(source: random.Random, data: bytes) -> bytes:
    """Return a copy of `data` with one to three random kinds of damage."""
    for _ in range(source.randint(1, 3)):
        data = source.choice(ACCIDENTS)(source, data)
    return data


def sealed(data: bytes) -> bytes:
    """Return a damaged binary model with a recomputed checksum."""
    if len(data) < PREFIX.size:
        return data
    return data[: PREFIX.size - 4] + struct.pack("<I", zlib.crc32(data[PREFIX.size :])) + data[PREFIX.size :]


def _truncate(source: random.Random, data: bytes) -> bytes:
    return data[: source.randint(0, len(data))]


def _flip(source: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    if changed:
        changed[source.randrange(len(changed))] ^= 1 << source.randrange(8)
    return bytes(changed)


def _word(source: random.Random, data: bytes) -> bytes:
    """Return a copy of `data` in which one aligned 32-bit word is replaced, usually near the start."""
    place = 4 * source.randint(0, min(len(data), source.choice((16, 100, 1000))) // 4)
    return data[:place] + struct.pack("<i", source.choice(NUMBERS)) + data[place + 4 :]


def _repeat(source: random.Random, data: bytes) -> bytes:
    start = source.randint(0, len(data))
    piece = data[start : start + source.randint(1, 60)]
    return data[:start] + piece * source.choice((1, 2, 100)) + data[start:]


def _cut(source: random.Random, data: bytes) -> bytes:
    start = source.randint(0, len(data))
    return data[:start] + data[start + source.randint(1, 30) :]


def _text(source: random.Random, data: bytes) -> bytes:
    """Return a copy of a text file's contents in which one word is replaced."""
    words = data.split(b" ")
    words[source.randrange(len(words))] = source.choice(WORDS)
    return b" ".join(words)


ACCIDENTS: tuple[Callable[[random.Random, bytes], bytes], ...] = (_truncate, _flip, _word, _word, _repeat, _cut, _text)
