"""File and element names in all forms: Windows separators, absolute Windows paths, bytes and pathlib paths."""

import os
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
    """Write the files to a temporary folder, make it the current folder, and return its path."""
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
    # the saved model finds the same files
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


# --- bytes and pathlib paths ---

XML = (
    '<mujoco><worldbody><body name="arm"><joint name="hinge"/><geom name="ball" size=".1"/><site name="tip"/></body>'
    '</worldbody><actuator><motor name="motor" joint="hinge"/></actuator><keyframe><key name="start"/></keyframe></mujoco>'
)
NOT_UTF8 = b"\xff\xfe"


@pytest.fixture
def model_file(tmp_path):
    path = tmp_path / "modèle.xml"
    path.write_text(XML)
    return path


@pytest.mark.parametrize("give", [os.fsencode, lambda path: bytearray(os.fsencode(path)), Path, str, np.str_])
def test_paths_are_given_in_any_form(model_file, give):
    model = conjoint.MjModel.from_xml_path(give(model_file))
    assert conjoint.MjSpec.from_file(give(model_file)).compile().nbody == 2
    folder = model_file.parent
    for name, save in (
        ("a.mjb", lambda path: conjoint.mj_saveModel(model, path, None)),
        ("b.xml", lambda path: conjoint.mj_saveLastXML(path, model)),
        ("c.txt", lambda path: conjoint.mj_printModel(model, path)),
        ("d.xml", conjoint.MjSpec.from_string(XML).to_file),
        ("e.zip", conjoint.MjSpec.from_string(XML).to_zip),
    ):
        save(give(folder / name))
        assert (folder / name).stat().st_size > 0
    assert conjoint.MjModel.from_binary_path(give(folder / "a.mjb")).nbody == 2
    assert conjoint.MjSpec.from_zip(give(folder / "e.zip")).compile().nbody == 2


def test_texts_and_files_are_given_as_bytes():
    assert conjoint.MjModel.from_xml_string(bytearray(XML.encode())).nbody == 2
    assert conjoint.MjSpec.from_string(XML.encode()).compile().nbody == 2
    mesh = MESH.format("", "m.obj")
    for key, contents in ((b"m.obj", OBJ.encode()), (Path("m.obj"), OBJ), ("m.obj", memoryview(OBJ.encode()))):
        assert conjoint.MjModel.from_xml_string(mesh, {key: contents}).nmesh == 1
        assert conjoint.MjSpec.from_string(mesh, assets={key: contents}).compile().nmesh == 1
    assert conjoint.MjModel.from_xml_path(b"main.xml", {b"main.xml": XML}).nbody == 2
    assert conjoint.MjSpec.from_string(INCLUDE.format("q.xml"), include={b"q.xml": XML}).compile().nbody == 2


@pytest.mark.parametrize("as_name", [str.encode, lambda name: bytearray(name.encode()), np.bytes_, np.str_])
def test_names_are_given_in_any_form(as_name):
    spec = conjoint.MjSpec.from_string(XML)
    model = spec.compile()
    data = conjoint.MjData(model)
    assert conjoint.mj_name2id(model, conjoint.mjtObj.mjOBJ_BODY, as_name("arm")) == 1
    assert model.body(as_name("arm")).id == data.body(as_name("arm")).id == 1
    assert model.key(as_name("start")).id == data.joint(as_name("hinge")).id == data.actuator(as_name("motor")).id == 0
    assert spec.body(as_name("arm")) is spec.worldbody.find_child(as_name("arm")) is spec.bodies[1]
    assert spec.key(as_name("start")).name == "start"
    assert spec.find_default(as_name("main")).name == "main"
    with pytest.raises(KeyError, match="Invalid name 'leg'"):
        model.body(as_name("leg"))


@pytest.mark.parametrize("as_name", [str.encode, np.bytes_, np.str_])
def test_elements_take_texts_in_any_form(as_name):
    spec = conjoint.MjSpec.from_string(XML)
    part = conjoint.MjSpec.from_string(XML)
    spec.meshdir, spec.modelname = as_name("folder"), as_name("robot")
    mesh = spec.add_mesh(name=as_name("m"), file=as_name("m.obj"))
    body = spec.worldbody.add_body(name=as_name("other"))
    body.name = as_name("leg")
    spec.worldbody.add_frame().attach_body(part.body("arm"), as_name("x-"), as_name("-y"))
    tendon = spec.add_tendon(name=as_name("t"))
    tendon.wrap_joint(as_name("hinge"), 1.0)
    tuples = spec.add_tuple(name="group", objname=[as_name("arm")])
    assert spec.add_default(as_name("soft"), spec.default).name == "soft"
    texts = [spec.meshdir, spec.modelname, mesh.name, mesh.file, body.name, spec.bodies[-1].name, tuples.objname[0]]
    assert texts == ["folder", "robot", "m", "m.obj", "leg", "x-arm-y", "arm"]
    assert {type(text) for text in texts} == {str}


def test_paths_of_pathlib_in_a_specification(here):
    spec = conjoint.MjSpec()
    spec.meshdir = Path("a")
    spec.add_mesh(name="m").file = Path("b") / "m.obj"
    assert spec.compile().nmesh == 1


def test_bytes_that_are_no_text_are_refused_in_a_sentence(tmp_path):
    spec = conjoint.MjSpec.from_string(XML)
    model = spec.compile()
    for call in (
        lambda: conjoint.MjModel.from_xml_path(NOT_UTF8),
        lambda: conjoint.MjModel.from_binary_path(NOT_UTF8),
        lambda: conjoint.MjSpec.from_file(NOT_UTF8),
        lambda: setattr(spec.body("arm"), "name", NOT_UTF8),
        lambda: spec.worldbody.add_body(name=NOT_UTF8),
    ):
        with pytest.raises((TypeError, ValueError), match="bytes in UTF-8, not") as caught:
            call()
        assert not isinstance(caught.value, UnicodeDecodeError)
    # no element has such a name
    assert conjoint.mj_name2id(model, conjoint.mjtObj.mjOBJ_BODY, NOT_UTF8) == -1
    assert spec.body(NOT_UTF8) is None
    with pytest.raises(KeyError, match="Invalid name"):
        model.body(NOT_UTF8)
    for wrong in (3, None, 1.5, ["m.xml"]):
        with pytest.raises(TypeError, match="should be the path of a file"):
            conjoint.MjModel.from_xml_path(wrong)
    with pytest.raises(TypeError, match="an element is selected by its name or id, not by"):
        model.body(1.0)
    with pytest.raises(ValueError, match="zero character"):
        conjoint.MjModel.from_xml_path("a\0b")
