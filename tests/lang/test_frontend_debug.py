"""Debug information: debuggers and profilers see kernels, files and lines in machine code."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conjoint.lang import Field, kernel, sqrt
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.memory.realisation import WORLD
from conjoint.lang.objects.compile_worker import object_file
from conjoint.lang.objects.native import host

MODEL, DATA = (Field("n", "int"),), (Field("x", "real", ("n",)),)


@kernel
def rooted(d, i):
    d.x[i] = sqrt(d.x[i])  # first


@kernel
def stage(m, d):
    for i in range(m.n):
        rooted(d, i)
        d.x[i] = d.x[i] + 3.0  # second


def marked(word: str) -> int:
    """Return the number of the line in this file that ends with the comment `word`."""
    return 1 + [line.endswith(f"# {word}") for line in Path(__file__).read_text().splitlines()].index(True)


def test_instructions_know_their_lines() -> None:
    text, _ = stage_module("unit", stage, WORLD, MODEL, DATA)
    sum_of = re.search(r"= fadd .*, !dbg !(\d+)", text)
    assert sum_of and f"!{sum_of[1]} = !DILocation(line: {marked('second')}," in text
    root = re.search(r"llvm.sqrt.*, !dbg !(\d+)", text)
    assert root and f"!{root[1]} = !DILocation(line: {marked('first')}," in text
    assert re.search(r'DISubprogram\(name: "rooted"', text)


@pytest.mark.skipif(shutil.which("objdump") is None, reason="no objdump: binutils has it")
def test_objects_know_their_lines(tmp_path: Path) -> None:
    text, _ = stage_module("unit", stage, WORLD, MODEL, DATA)
    (tmp_path / "stage.o").write_bytes(object_file(text, host()))
    command = ["objdump", "--disassemble", "--line-numbers", str(tmp_path / "stage.o")]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for word in ("first", "second"):
        assert f"{Path(__file__).name}:{marked(word)}" in listing
