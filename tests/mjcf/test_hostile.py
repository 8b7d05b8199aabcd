"""Malicious input is rejected and needs little memory; `benchmarks.hostile` measures the time."""

from __future__ import annotations

from pathlib import Path

import pytest

import conjoint
from benchmarks import hostile
from benchmarks.hostile import HOSTILE, MEGABYTES, refuse, world, write
from waiting import PATIENCE


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_xml(data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hostile, "HANGS", PATIENCE)
    said, _, megabytes = refuse(write(data, tmp_path / "model.xml"))
    assert said.startswith("refused")
    assert megabytes < MEGABYTES


def test_files_outside_are_not_read(tmp_path: Path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    xml = f'<!DOCTYPE m SYSTEM "{secret.as_uri()}"><mujoco model="m"/>'
    assert conjoint.MjModel.from_xml_string(xml).names.startswith(b"m\0")


def test_a_chain_of_bodies_as_deep_as_the_stack_allows():
    for depth in (400, 3000):
        xml = world('<body pos="0 0 1"><joint/><geom size="1"/>' * depth + "</body>" * depth)
        try:
            assert conjoint.MjModel.from_xml_string(xml).nbody == depth + 1
        except conjoint.ModelError as error:
            assert depth == 3000 and ("deep" in str(error) or "depth" in str(error))


def test_elements_that_are_nested_too_deep():
    bodies = "<body>" * 3000 + "</body>" * 3000
    with pytest.raises(conjoint.ModelError, match=r"not well-formed XML: elements are nested too deep$"):
        conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
