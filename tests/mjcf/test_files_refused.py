"""Unreadable files are rejected: pipes, devices, folders, empty or damaged files, and huge numbers."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

import conjoint

MESH = '<mujoco><asset><mesh name="m" file="{}"/></asset></mujoco>'
READERS = {
    "model": conjoint.MjModel.from_xml_path,
    "specification": conjoint.MjSpec.from_file,
    "binary": conjoint.MjModel.from_binary_path,
    "archive": conjoint.MjSpec.from_zip,
    "mesh": lambda path: conjoint.MjModel.from_xml_string(MESH.format(path)),
    "included": lambda path: conjoint.MjModel.from_xml_string(f'<mujoco><include file="{path}"/></mujoco>'),
    "attached": lambda path: conjoint.MjModel.from_xml_string(
        f'<mujoco><asset><model name="a" file="{path}"/></asset></mujoco>'
    ),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
@pytest.mark.parametrize("kind", ["pipe.obj", "folder.obj", "empty.obj", "device"])
def test_what_is_no_file_is_refused_at_once(kind: str, read, tmp_path: Path) -> None:
    path = tmp_path / kind
    if kind == "pipe.obj":
        os.mkfifo(path)
    elif kind == "folder.obj":
        path.mkdir()
    elif kind == "empty.obj":
        path.touch()
    else:
        path = Path("/dev/zero")
    with pytest.raises(conjoint.ModelError):
        read(str(path))


def archive(*names: str) -> bytearray:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            packed.writestr(name, "<mujoco/>" * 20)
    return bytearray(stream.getvalue())


def test_damaged_archives() -> None:
    rng = np.random.default_rng(0)
    whole = archive("a/a.xml", "a/m.obj")
    refused = 0
    for i in range(300):
        damaged = whole.copy()
        for place in rng.integers(len(damaged), size=rng.integers(1, 4)):
            damaged[place] = rng.integers(256)
        if i % 5 == 0:
            damaged = damaged[: rng.integers(len(damaged))]
        try:
            conjoint.MjSpec.from_zip(io.BytesIO(bytes(damaged)))
        except conjoint.ModelError:
            refused += 1
    assert refused > 100


def test_archives_that_are_refused(tmp_path: Path) -> None:
    secret = archive("a/a.xml")
    # set the flag of encrypted files, in the header of the file and in the list at the end
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        secret[secret.index(mark) + offset] |= 1
    with pytest.raises(conjoint.ModelError, match=r"is encrypted: 'a/a.xml' needs a password"):
        conjoint.MjSpec.from_zip(io.BytesIO(bytes(secret)))
    with pytest.raises(conjoint.ModelError, match=r"^there is no .xml file"):
        conjoint.MjSpec.from_zip(io.BytesIO(bytes(archive("a/m.obj"))))
    with pytest.raises(FileNotFoundError):
        conjoint.MjSpec.from_zip(tmp_path / "none.zip")
    for wrong in (None, 3, ["a.zip"]):
        with pytest.raises(TypeError, match="from_zip: expected the path"):
            conjoint.MjSpec.from_zip(wrong)


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**64, -(2**64)])
def test_options_have_32_bits(value: int) -> None:
    model = conjoint.MjModel.from_xml_string("<mujoco/>")
    with pytest.raises(TypeError, match=r"iterations must be an integer of 32 bits, not -?\d+"):
        model.opt.iterations = value
