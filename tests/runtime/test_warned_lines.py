"""Warnings name the program line that caused them, for every function that can warn."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

import conjoint

MISPLACED = '<mujoco><body/><worldbody><geom size="1"/></worldbody></mujoco>'
URDF = '<robot name="r"><link name="a"/><transmission/></robot>'
FLEX = (
    '<mujoco><worldbody><flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" radius=".01">'
    '<contact condim="2"/></flexcomp></worldbody></mujoco>'
)
MANY = [f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)] + ["f 1 2 4", "f 1 4 3", "f 5 8 6", "f 5 7 8"]
"""Lines of an OBJ file. `LARGE` adds a polygon with too many corners, and so much text that threads read the file."""
LARGE = "\n".join([*MANY, "f " + " ".join(str(1 + i % 8) for i in range(150)), "#" * 40000])


def line() -> int:
    """Return the caller's line number."""
    return sys._getframe(1).f_lineno


@pytest.mark.parametrize(
    "way", ["string", "path", "spec", "spec path", "zero byte", "two roots", "urdf", "compile", "threads"]
)
def test_a_warning_names_the_line_of_the_program(way: str, tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(MISPLACED)
    spec = conjoint.MjSpec.from_string(FLEX)
    mesh = '<mesh name="{0}" file="{0}.obj"/>'
    meshes = f"<mujoco><asset>{mesh.format('a')}{mesh.format('b')}</asset></mujoco>"
    files = {"a.obj": LARGE.encode(), "b.obj": LARGE.encode() + b"\n"}
    calls = {
        "string": lambda: conjoint.MjModel.from_xml_string(MISPLACED),
        "path": lambda: conjoint.MjModel.from_xml_path(path),
        "spec": lambda: conjoint.MjSpec.from_string(MISPLACED),
        "spec path": lambda: conjoint.MjSpec.from_file(path),
        "zero byte": lambda: conjoint.MjModel.from_xml_string(b"<mujoco/>\0more"),
        "two roots": lambda: conjoint.MjModel.from_xml_string("<mujoco/><mujoco/>"),
        "urdf": lambda: conjoint.MjModel.from_xml_string(URDF),
        "compile": spec.compile,
        "threads": lambda: conjoint.MjModel.from_xml_string(meshes, files),
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        here = line() + 1
        calls[way]()
    assert caught
    # a lambda's line is that of its definition
    lines = {here} if way == "compile" else {calls[way].__code__.co_firstlineno}
    assert {(warning.filename, warning.lineno) for warning in caught} <= {(__file__, number) for number in lines}
