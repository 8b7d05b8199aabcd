"""Memory access in compiled code: field addresses are linked and read before loops, and lanes are stored whole."""

from __future__ import annotations

import re

import pytest

from conjoint.lang import Field, kernel, where
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.memory.realisation import WORLD, Realisation, lanes
from conjoint.lang.objects.compile_worker import optimised, target_machine
from conjoint.lang.objects.native import host
from conjoint.lang.objects.shipped_objects import KINDS

MODEL = (Field("n", "int"), Field("chosen", "int", ("n",)))
DATA = (Field("x", "real", ("n",)), Field("y", "real", ("n",)), Field("z", "real", ("n",)))


@kernel
def add_to(d, i):
    d.z[i] = d.x[i] + d.y[i]


@kernel
def sum_chosen(m, d):
    """Call a helper in a branch of a loop; the compiler inlines the helper."""
    for i in range(m.n):
        if m.chosen[i] > 0:
            add_to(d, i)


def blocks(text: str) -> dict[str, list[str]]:
    """Return the instructions of each basic block in an LLVM text with a single function, keyed by block label."""
    (body,) = re.findall(r"^define [^\n]*\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    # the first block has no label unless another block jumps to it
    found: dict[str, list[str]] = {"entry": []}
    for line in body.splitlines():
        label = re.match(r"([\w.]+):", line)
        if label:
            found.setdefault(label[1], [])
        elif line.strip():
            found[list(found)[-1]].append(line)
    return found


def test_addresses_are_read_before_the_loop() -> None:
    text, _ = stage_module("unit", sum_chosen, WORLD, MODEL, DATA)
    found = blocks(str(optimised(text, host())))
    assert len(found) > 2
    reads = {label: sum("!invariant.load" in line and "load ptr" in line for line in found[label]) for label in found}
    # m.n, m.chosen, d.x, d.y, d.z
    assert sum(reads.values()) == 5, reads
    assert reads["entry"] == 5, reads


@pytest.mark.parametrize("realisation", [WORLD, lanes("float64", 4)], ids=lambda r: r.name)
def test_places_are_linked(realisation: Realisation) -> None:
    text, description = stage_module("unit", sum_chosen, realisation, MODEL, DATA)
    assert description.fields == ["d.x", "d.y", "d.z", "m.chosen", "m.n"]
    assert set(re.findall(r'^@"slot\.([^"]*)" = external', text, re.MULTILINE)) == set(description.fields)
    assert "load i64, ptr @" not in text


@kernel
def keep_larger(m, d):
    for i in range(m.n):
        d.z[i] = where(d.x[i] > d.y[i], d.x[i], d.z[i])


@pytest.mark.parametrize("realisation", [WORLD, lanes("float64", 4), lanes("float32", 8)], ids=lambda r: r.name)
def test_choices_are_no_masked_stores(realisation: Realisation) -> None:
    """`where` does not compile to masked stores, which take dozens of cycles on AMD processors."""
    target = KINDS["linux-x86-64-v3"].target
    text, _ = stage_module("unit", keep_larger, realisation, MODEL, DATA)
    assembly = target_machine(target).emit_assembly(optimised(text, target))
    assert "vblendvp" in assembly and "maskmov" not in assembly
