"""Model files that are given by URLs: ROS packages and other schemes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import conjoint
from asset_files import FACES, TETRAHEDRON, obj, png

MESH = obj(TETRAHEDRON, *(f"f {a} {b} {c}" for a, b, c in FACES + 1))
URDF = """<robot name="r">{}<link name="l"><collision><geometry><mesh filename="package://arm/meshes/m.obj"/></geometry></collision>
</link></robot>"""
KEPT = '<mujoco><compiler strippath="false"/></mujoco>'


@pytest.fixture(autouse=True)
def _no_ros(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(name, raising=False)


def package(folder: Path, name: str = "") -> Path:
    """Create a ROS package with a mesh; the name in its package.xml may differ from the folder's."""
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "m.obj").write_bytes(MESH)
    if name:
        (folder / "package.xml").write_text(f"<?xml version='1.0'?><package>\n<name> {name} </name></package>")
    return folder


def placed(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, dict[str, Any]]:
    """Create a package that is found in the given way; return the model's folder and the arguments for loading."""
    models = tmp_path / "elsewhere" / "models"
    models.mkdir(parents=True)
    if way == "argument":
        return models, {"package_path": package(tmp_path / "src" / "arm").parent}
    if way == "arguments":
        return models, {"package_path": [str(tmp_path), package(tmp_path / "src" / "cloned", "arm")]}
    if way == "ROS 1":
        package(tmp_path / "work" / "group" / "arm", "arm")
        monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join([str(tmp_path / "none"), str(tmp_path / "work")]))
    elif way == "ROS 2":
        package(tmp_path / "install" / "share" / "arm", "arm")
        monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    elif way == "beside":
        package(tmp_path / "elsewhere" / "arm")
    elif way == "inside":
        models = package(tmp_path / "arm") / "urdf"
        models.mkdir()
    else:
        models = package(tmp_path / "cloned", "arm") / "urdf" / "more"
        models.mkdir(parents=True)
    return models, {}


@pytest.mark.plain
@pytest.mark.parametrize("head", ["", KEPT], ids=["stripped", "kept"])
@pytest.mark.parametrize("way", ["argument", "arguments", "ROS 1", "ROS 2", "beside", "inside", "cloned"])
def test_packages_are_looked_up(way: str, head: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, given = placed(tmp_path, way, monkeypatch)
    (folder / "r.urdf").write_text(URDF.format(head))
    path = folder / "r.urdf"
    assert conjoint.MjModel.from_xml_path(path, **given).nmesh == 1
    spec = conjoint.MjSpec.from_file(path, **given)
    assert spec.compile().nmesh == 1
    # the saved model needs no search
    monkeypatch.undo()
    assert conjoint.MjModel.from_xml_string(spec.to_xml()).nmesh == 1


@pytest.mark.plain
def test_all_kinds_of_files_may_be_in_packages(tmp_path: Path) -> None:
    arm = package(tmp_path / "arm")
    (arm / "t.png").write_bytes(png((8, 8, 3)))
    (arm / "part.xml").write_text('<mujoco><worldbody><geom name="part" size="1"/></worldbody></mujoco>')
    (arm / "whole.xml").write_text('<mujoco model="whole"><worldbody><body name="w"/></worldbody></mujoco>')
    text = """<mujoco><include file="package://arm/part.xml"/><asset><mesh name="m" file="package://arm/meshes/m.obj"/>
    <texture name="t" type="2d" file="package://arm/t.png"/><hfield name="h" size="1 1 1 1" file="package://arm/t.png"/>
    <model name="w" file="package://arm/whole.xml"/></asset><worldbody><body name="b"><flexcomp name="f" type="mesh" dim="2"
    file="package://arm/meshes/m.obj" mass="1" radius=".01"/></body><attach model="w" body="w" prefix="x"/></worldbody></mujoco>"""
    m = conjoint.MjModel.from_xml_string(text, package_path=tmp_path)
    assert (m.nmesh, m.ntex, m.nhfield, m.nflex, m.ngeom) == (1, 1, 1, 1, 1) and m.body("xw").id > 0
    assert conjoint.MjSpec.from_string(text, package_path=[tmp_path]).compile().nmesh == 1
    spec = conjoint.MjSpec()
    spec.modelfiledir = str(arm)
    spec.add_mesh(name="m", file="package://arm/meshes/m.obj")
    assert spec.compile().nmesh == 1


@pytest.mark.plain
@pytest.mark.parametrize("head", ["", KEPT], ids=["stripped", "kept"])
def test_missing_packages_and_files_are_named(head: str, tmp_path: Path) -> None:
    text = URDF.format(head)
    with pytest.raises(
        conjoint.ModelError, match=r"'package://arm/meshes/m.obj'.*no package 'arm' in package_path, ROS_PACK"
    ):
        conjoint.MjModel.from_xml_string(text)
    (tmp_path / "arm").mkdir()
    with pytest.raises(conjoint.ModelError, match=r"the package 'arm' is at '.*arm', but does not contain this file"):
        _in(tmp_path, text)
    # files passed as assets take precedence
    assert conjoint.MjModel.from_xml_string(text, {"m.obj": MESH}).nmesh == 1


def _in(folder: Path, text: str) -> Any:
    (folder / "r.urdf").write_text(text)
    return conjoint.MjModel.from_xml_path(folder / "r.urdf")


@pytest.mark.plain
def test_other_addresses(tmp_path: Path) -> None:
    for head in ("", KEPT):
        text = URDF.format(head)
        path = package(tmp_path / f"p{len(head)}") / "meshes" / "m.obj"
        assert conjoint.MjModel.from_xml_string(text.replace("package://arm/meshes/m.obj", f"file://{path}")).nmesh == 1
        with pytest.raises(conjoint.ModelError, match="model:// addresses are not supported"):
            conjoint.MjModel.from_xml_string(text.replace("package://arm/", "model://arm/"))
        with pytest.raises(conjoint.ModelError, match=r"cannot read 'file:///nowhere/m.obj': No such file"):
            conjoint.MjModel.from_xml_string(text.replace("package://arm/meshes/m.obj", "file:///nowhere/m.obj"))
    with pytest.raises(TypeError, match="package_path should be a folder or a list of folders, not 3"):
        conjoint.MjModel.from_xml_string(text, package_path=3)
