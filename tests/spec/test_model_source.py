"""Model names that are not plain files: folders, ROS packages, robot_descriptions, MuJoCo Menagerie."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import conjoint
from asset_files import FACES, TETRAHEDRON, obj
from conjoint.cli.app import app

pytestmark = pytest.mark.plain

MODEL = '<mujoco model="{}"><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>'
PART = "<mujocoinclude><body/></mujocoinclude>"
MESH = obj(TETRAHEDRON, *(f"f {a} {b} {c}" for a, b, c in FACES + 1))
URDF = """<robot name="arm"><link name="l"><collision><geometry><mesh filename="package://arm/meshes/m.obj"/></geometry>
</collision></link></robot>"""
XACRO = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm"/>'


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "COLCON_PREFIX_PATH", "MUJOCO_MENAGERIE_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)


def write(folder: Path, *names: str, text: str | None = None) -> Path:
    """Write models into a folder, each named after its file unless `text` is given, and return the folder."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(MODEL.format(Path(name).stem) if text is None else text)
    return folder


def name_of(model: str | os.PathLike[str], **given: Any) -> str:
    """Return the name of the model that a path or name refers to."""
    spec = conjoint.MjSpec.from_file(model, **given)
    assert conjoint.MjModel.from_xml_path(model, **given).nbody == spec.compile().nbody
    return spec.modelname


def test_a_folder_is_its_scene_or_its_only_model(tmp_path: Path) -> None:
    folder = write(tmp_path / "go", "go.xml")
    write(folder, "package.xml", text="<package><name>go</name></package>")
    write(folder, "assets.xml", text=PART)
    assert name_of(folder) == "go"
    write(folder, "go_mjx.xml")
    with pytest.raises(conjoint.ModelError, match=r"go is a folder with 2 models: name one of go.xml, go_mjx.xml"):
        conjoint.MjModel.from_xml_path(folder)
    write(folder, "scene.xml")
    assert name_of(str(folder)) == name_of(os.fsencode(folder)) == "scene"


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    write(tmp_path / "robots", "go/scene.xml", "arm/arm.xml")
    with pytest.raises(conjoint.ModelError, match=r"without a model; name one of its folders arm, go"):
        conjoint.MjSpec.from_file(tmp_path / "robots")
    write(tmp_path / "macros", "robots/arm.urdf.xacro", text=XACRO)
    with pytest.raises(conjoint.ModelError, match=r"expand its xacro file first: xacro \S+arm.urdf.xacro > robot.urdf"):
        conjoint.MjModel.from_xml_path(tmp_path / "macros")


def test_plain_paths_are_as_ever(tmp_path: Path) -> None:
    write(tmp_path, "menagerie:go")
    assert name_of("menagerie:go", assets={"menagerie:go": MODEL.format("given").encode()}) == "given"
    os.chdir(tmp_path)
    assert name_of("menagerie:go") == "menagerie:go"
    with pytest.raises(conjoint.ModelError, match=r"nowhere.xml: cannot read the model: No such file or directory$"):
        conjoint.MjModel.from_xml_path("nowhere.xml")


def package(folder: Path) -> Path:
    """Create a ROS package with a robot whose mesh has a package URL, and return its folder."""
    write(folder, "package.xml", text="<package><name>arm</name></package>")
    write(folder, "urdf/arm.urdf", text=URDF)
    (folder / "meshes").mkdir()
    (folder / "meshes" / "m.obj").write_bytes(MESH)
    return folder


PLACES: dict[str, tuple[str, str, str]] = {
    "ROS 1": ("ROS_PACKAGE_PATH", "src", "src/arm"),
    "ROS 2": ("AMENT_PREFIX_PATH", "install", "install/share/arm"),
    "colcon": ("COLCON_PREFIX_PATH", "install", "install/arm/share/arm"),
    "colcon, merged": ("COLCON_PREFIX_PATH", "install", "install/share/arm"),
    "above": ("", "", "arm"),
}
"""Environment variable, its value, and the folder of the package, by the way in which the package is found."""


@pytest.mark.parametrize("way", PLACES)
def test_packages_are_found_by_name(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variable, value, folder = PLACES[way]
    package(tmp_path / folder)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / value))
    for model in ("package://arm/urdf/arm.urdf", "package://arm/urdf", "package://arm/", "package://arm"):
        assert conjoint.MjModel.from_xml_path(model).nmesh == 1


def test_missing_packages_have_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "src" / "arm_description")
    assert conjoint.MjModel.from_xml_path("package://arm", package_path=tmp_path / "src").nmesh == 1
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "src"))
    with pytest.raises(conjoint.ModelError, match=r"no package 'arm_descripton' in .*did you mean 'arm_description'"):
        conjoint.MjModel.from_xml_path("package://arm_descripton/urdf/arm.urdf")
    with pytest.raises(conjoint.ModelError, match=r"leg.urdf: no such file; the package 'arm' is at '.*'"):
        conjoint.MjModel.from_xml_path("package://arm/urdf/leg.urdf")


def test_file_addresses(tmp_path: Path) -> None:
    write(tmp_path / "go", "go.xml")
    assert name_of(f"file://{tmp_path}/go/go.xml") == name_of(f"file://{tmp_path}/go") == "go"


def test_a_checkout_of_menagerie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(conjoint.ModelError, match=r"clone https://github.com/\S+ and set MUJOCO_MENAGERIE_PATH"):
        conjoint.MjModel.from_xml_path("menagerie:unitree_go2")
    checkout = write(tmp_path / "mujoco_menagerie", "unitree_go2/scene.xml", "unitree_go2/go2.xml", "unitree_a1/a1.xml")
    # the checkout may be beside the working folder, in the cache of robot_descriptions, or where the variable points
    for place in (checkout, tmp_path / "cache" / "mujoco_menagerie", tmp_path / "elsewhere"):
        if place != checkout:
            place.parent.mkdir(exist_ok=True)
            checkout = checkout.rename(place)
        if place.name == "elsewhere":
            monkeypatch.setenv("MUJOCO_MENAGERIE_PATH", str(place))
        assert name_of("menagerie:unitree_go2") == "scene"
    assert name_of("menagerie:unitree_go2/go2.xml") == name_of(checkout / "unitree_go2" / "go2.xml") == "go2"
    for wrong, right in (("go2", "unitree_go2"), ("unitre_a1", "unitree_a1"), ("unitree_go2/go.xml", "go2.xml")):
        with pytest.raises(conjoint.ModelError, match=rf"has no '{wrong}'; did you mean .*{right}"):
            conjoint.MjModel.from_xml_path(f"menagerie:{wrong}")


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Yield a function that adds a module to a stub of the package robot_descriptions."""
    folder = tmp_path / "site" / "robot_descriptions"
    write(folder, "__init__.py", text="")
    monkeypatch.syspath_prepend(str(folder.parent))
    yield lambda name, text: write(folder, f"{name}.py", text=text) and None
    for name in [name for name in sys.modules if name.partition(".")[0] == "robot_descriptions"]:
        del sys.modules[name]


def test_robot_descriptions(stand_in: Callable[[str, str], None], tmp_path: Path) -> None:
    write(tmp_path, "panda.xml", "panda.urdf", text=None)
    arm = package(tmp_path / "arm")
    stand_in("panda_mj_description", f"MJCF_PATH = {str(tmp_path / 'panda.xml')!r}")
    stand_in("panda_description", f"URDF_PATH = {str(arm / 'urdf' / 'arm.urdf')!r}")
    stand_in("leg_description", f"XACRO_PATH = {str(tmp_path / 'leg.urdf.xacro')!r}")
    stand_in("far_description", "raise RuntimeError('no route\\nto host')")
    stand_in("loaders", "raise RuntimeError('not to be imported')")
    assert "robot_descriptions" not in sys.modules
    assert name_of("robot_descriptions:panda") == name_of("robot_descriptions:panda_mj_description") == "panda"
    assert conjoint.MjModel.from_xml_path("robot_descriptions:panda_description").nmesh == 1
    for name, text in (
        ("leg", r"neither MJCF nor URDF: expand it first: xacro \S+leg.urdf.xacro > leg.urdf"),
        ("far", "robot_descriptions.far_description cannot be downloaded: no route to host"),
        ("pnda", "has no robot 'pnda'; did you mean panda"),
        ("loaders", "has no robot 'loaders'"),
    ):
        with pytest.raises(conjoint.ModelError, match=text):
            conjoint.MjModel.from_xml_path(f"robot_descriptions:{name}")


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    with pytest.raises(conjoint.FatalError, match=r"pip install 'conjoint\[robots\]'"):
        conjoint.MjModel.from_xml_path("robot_descriptions:panda")


def test_commands_take_all_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: Callable[[str, str], None]
) -> None:
    write(tmp_path / "mujoco_menagerie", "go/scene.xml")
    package(tmp_path / "arm")
    stand_in("panda_description", f"MJCF_PATH = {str(tmp_path / 'mujoco_menagerie' / 'go' / 'scene.xml')!r}")
    for model in (
        "menagerie:go",
        str(tmp_path / "mujoco_menagerie" / "go"),
        "package://arm",
        "robot_descriptions:panda",
    ):
        done = CliRunner().invoke(app, ["compile", model, str(tmp_path / "out.xml")])
        assert (done.exit_code, done.stderr) == (0, ""), done.output
    done = CliRunner().invoke(app, ["testspeed", "menagerie:goo"])
    assert done.exit_code == 2 and done.stderr.endswith("has no 'goo'; did you mean go?\n")
