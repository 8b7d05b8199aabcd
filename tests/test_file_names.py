"""Names of files and folders from other systems: separators of Windows, absolute paths of Windows."""

from pathlib import Path

import numpy as np
import pytest

import conjoint

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
HFIELD = np.array([2, 2], np.int32).tobytes() + np.array([0, 0.5, 0.5, 1], np.float32).tobytes()
PART = '<mujoco><worldbody><body name="part"><joint/><geom size=".1"/></body></worldbody></mujoco>'
NESTED = r'<mujoco><include file="..\b\part.xml"/></mujoco>'
IN_FOLDER = (
    r'<mujoco><compiler meshdir="..\b"/><asset><mesh name="m" file="m.obj"/></asset><worldbody><body name="part">'
    '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
)
FILES = {
    "a/b/m.obj": OBJ.encode(), "a/b/h.hf": HFIELD, "a/b/part.xml": PART.encode(), "a/b/nested.xml": NESTED.encode(),
    "a/b/meshes.xml": IN_FOLDER.encode(),
}  # fmt: skip

MESH = '<mujoco><compiler {}/><asset><mesh name="m" file="{}"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>'
HFIELDS = (
    '<mujoco><compiler {}/><asset><hfield name="h" size="1 1 1 1" file="{}"/></asset>'
    '<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>'
)
FLEX = (
    '<mujoco><compiler {}/><worldbody><geom size=".1"/>'
    '<flexcomp name="f" type="mesh" dim="2" file="{}" radius=".01" mass="1"/></worldbody></mujoco>'
)
ATTACH = (
    '<mujoco><asset><model name="p" file="{}"/></asset>'
    '<worldbody><attach model="p" body="part" prefix="x"/></worldbody></mujoco>'
)
INCLUDE = '<mujoco><include file="{}"/></mujoco>'
URDF = (
    '<robot name="r"><mujoco><compiler {}/></mujoco><link name="l"><collision><geometry><mesh filename="{}"/>'
    "</geometry></collision></link></robot>"
)
MODELS = {
    "mesh": MESH.format("", r"a\b\m.obj"),
    "mixed": MESH.format("", r"a/b\m.obj"),
    "meshdir": MESH.format(r'meshdir="a\b"', "m.obj"),
    "meshdir ends": MESH.format('meshdir="a\\b\\"', "m.obj"),
    "meshdir with dots": MESH.format(r'meshdir=".\a\..\a\b"', "m.obj"),
    "meshdir and folder": MESH.format('meshdir="a"', r"b\m.obj"),
    "assetdir": MESH.format(r'assetdir="a\b"', "m.obj"),
    "hfield": HFIELDS.format(r'meshdir="a\b"', "h.hf"),
    "flexcomp": FLEX.format("", r"a\b\m.obj"),
    "flexcomp in meshdir": FLEX.format(r'meshdir="a\b"', "m.obj"),
    "include": INCLUDE.format(r"a\b\part.xml"),
    "nested include": INCLUDE.format(r"a\b\nested.xml"),
    "model": ATTACH.format(r"a\b\part.xml"),
    "model with a folder": ATTACH.format(r"a\b\meshes.xml"),
    "URDF meshdir": URDF.format(r'meshdir="a\b"', "m.obj"),
    "URDF file": URDF.format('strippath="false"', r"a\b\m.obj"),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Folder with the files, which is the current one."""
    for name, contents in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("text", MODELS.values(), ids=MODELS.keys())
def test_backslashes_separate_folders(here, text):
    Path("model.xml").write_text(text)
    assert conjoint.MjModel.from_xml_path("model.xml").ngeom == 1
    spec = conjoint.MjSpec.from_file("model.xml")
    spec.compile()
    saved = spec.to_xml()
    assert "\\" not in saved
    # what is saved finds the same files
    conjoint.MjModel.from_xml_string(saved)


@pytest.mark.parametrize("separator", ["/", "\\"])
@pytest.mark.parametrize("text", MODELS.values(), ids=MODELS.keys())
def test_backslashes_in_given_files(tmp_path, monkeypatch, text, separator):
    monkeypatch.chdir(tmp_path)
    assets = {name.replace("/", separator): contents for name, contents in FILES.items()}
    assert conjoint.MjModel.from_xml_string(text, assets).ngeom == 1


@pytest.mark.parametrize(
    ("settings", "file"),
    [
        ({"meshdir": r"a\b"}, "m.obj"), ({"modelfiledir": "a\\b\\"}, "m.obj"),
        ({"modelfiledir": "a", "meshdir": r".\b"}, "m.obj"), ({}, r"a\b\m.obj"),
    ],
)  # fmt: skip
def test_backslashes_in_a_specification(here, settings, file):
    spec = conjoint.MjSpec()
    for name, value in settings.items():
        setattr(spec, name, value)
    mesh = spec.add_mesh(name="m")
    mesh.file = file
    spec.worldbody.add_geom(type=conjoint.mjtGeom.mjGEOM_MESH, meshname="m")
    assert spec.compile().nmeshvert == 4


def test_path_with_backslashes(here):
    assert conjoint.MjModel.from_xml_path(r"a\b\part.xml").ngeom == 1
    assert conjoint.MjSpec.from_file(r"a\b\nested.xml").compile().ngeom == 1


def test_a_folder_with_a_backslash_in_its_name(here):
    folder = here / "we\\ird"
    folder.mkdir()
    (folder / "m.obj").write_text(OBJ)
    (folder / "model.xml").write_text(MESH.format("", "m.obj"))
    (folder / "main.xml").write_text(INCLUDE.format("model.xml"))
    assert conjoint.MjModel.from_xml_path(str(folder / "model.xml")).nmesh == 1
    assert conjoint.MjModel.from_xml_path(str(folder / "main.xml")).nmesh == 1


@pytest.mark.parametrize(
    "text",
    [
        MESH.format("", r"C:\x\m.obj"), MESH.format(r'meshdir="C:\x"', "m.obj"), MESH.format("", r"\\server\x\m.obj"),
        INCLUDE.format(r"C:\x\part.xml"), ATTACH.format("C:/x/part.xml"), URDF.format('strippath="false"', r"C:\m.obj"),
    ],
)  # fmt: skip
def test_absolute_paths_of_windows_are_named(text):
    with pytest.raises(conjoint.ModelError, match="absolute path of Windows"):
        conjoint.MjModel.from_xml_string(text)
