"""The front end keeps constants as numbers, and never inspects the LLVM text that it generates."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from conjoint.lang import Field, kernel
from conjoint.lang.frontend import machine as machines
from conjoint.lang.frontend.machine import Extent, Literal, Machine
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.frontend.number import Number, Product, lifted
from conjoint.lang.frontend.writer import Writer
from conjoint.lang.memory.realisation import WORLD, lanes

MODEL = (Field("n", "int"),)
DATA = (Field("x", "real", (8,)), Field("small", "byte", (4,), uniform=True))


@pytest.mark.parametrize(("number", "kind"), [(4, "int"), (-3, "int"), (0.5, "real"), (True, "bool")])
def test_a_constant_is_known_as_such(number: float, kind: str) -> None:
    machine = Machine.of(lanes("float64", 8))
    out = Writer(machine)
    one = lifted(out, number)
    wide = one.to(kind, Extent.LANES)
    for item, start in ((one, ""), (wide, "splat (")):
        assert isinstance(item.constant, Literal)
        assert item.constant.number == number
        assert item.text.startswith(start)
    assert out.lines == []
    assert Number(out, "%x", kind).constant is None
    # reading the property emits no instruction for the product
    assert Product(out, one.text, one.text, Extent.ONE).constant is None
    assert out.lines == []


@kernel
def divides(m, d):
    by = 4
    q = m.n // by
    d.x[0] = q + m.n % by
    d.small[0] = -1
    d.small[1] = by


def test_what_is_written_of_constants() -> None:
    text, _ = stage_module("unit", divides, WORLD, MODEL, DATA)
    assert "ashr i64" in text and "and i64" in text and "sdiv" not in text and "srem" not in text
    assert "store i8 255," in text and "store i8 4," in text


def test_no_text_is_read() -> None:
    """The front end never inspects the text of the names and constants that it generates."""
    for file in Path(machines.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Compare):
                texts = [c.value for c in node.comparators if isinstance(c, ast.Constant)]
                assert "%" not in texts, f"{file}:{node.lineno}"
