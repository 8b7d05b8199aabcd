"""Structs of the abstract visualizer have the fields and defaults of MuJoCo's."""

import copy
import pickle

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model
from conjoint.api.objects.struct import fields_of

RECORDS = ["MjvCamera", "MjvOption", "MjvPerturb", "MjvFigure", "MjvGeom", "MjvLight", "MjvGLCamera"]
SCENE = """
<mujoco>
  <worldbody>
    <flexcomp name="cloth" type="grid" count="4 3 1" dim="2" spacing=".1 .1 .1"/>
    <flexcomp name="block" type="grid" count="4 3 3" dim="3" spacing=".1 .1 .1" pos="0 0 1"/>
    <flexcomp name="rope" type="grid" count="4 1 1" dim="1" spacing=".1 .1 .1" pos="0 0 2"/>
    <body name="a"><geom size=".1"/></body>
  </worldbody>
  <deformable>
    <skin vertex="0 0 0 1 0 0 0 1 0 1 1 0" face="0 1 2 1 2 3">
      <bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 1 1 1"/>
    </skin>
  </deformable>
</mujoco>
"""
UNSET = {
    "geomorder",
    "flexvert",
    "flexface",
    "flexnormal",
    "flextexcoord",
    "flexfaceused",
    "flexedgeadr",
    "skinvert",
    "skinnormal",
}
"""Fields that MuJoCo leaves uninitialized until the scene is updated."""


def fields(official: object) -> list[str]:
    return [name for name in dir(official) if not name.startswith("_")]


@pytest.mark.parametrize("name", RECORDS)
def test_defaults_equal_the_official_ones(name: str) -> None:
    """All fields have MuJoCo's names, types and default values."""
    ours, theirs = getattr(conjoint, name)(), getattr(mujoco, name)()
    assert set(fields(theirs)) == set(fields_of(ours))
    for field in fields(theirs):
        mine, its = getattr(ours, field), getattr(theirs, field)
        assert type(mine) is type(its), field
        assert np.asarray(mine).dtype == np.asarray(its).dtype and np.shape(mine) == np.shape(its), field
        np.testing.assert_array_equal(mine, its, err_msg=field)


@pytest.mark.parametrize("name", ["MjvCamera", "MjvOption", "MjvPerturb", "MjvFigure"])
def test_default_functions_set_all_fields(name: str) -> None:
    record, official = getattr(conjoint, name)(), getattr(mujoco, name)()
    for field in fields_of(record):
        value = getattr(record, field)
        record._member_view(fields_of(record)[field])[...] = b"x" if np.asarray(value).dtype.kind == "S" else 5
    assert record != getattr(conjoint, name)()
    function = f"mjv_default{name.removeprefix('Mjv')}"
    getattr(conjoint, function)(record)
    getattr(mujoco, function)(official)
    for field in fields_of(record):
        np.testing.assert_array_equal(getattr(record, field), getattr(official, field), err_msg=field)


@pytest.mark.parametrize("name", RECORDS)
def test_records_are_copied(name: str) -> None:
    record = getattr(conjoint, name)()
    first = next(field for field in fields_of(record) if isinstance(getattr(record, field), int | float))
    setattr(record, first, 3)
    for copied in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert copied == record
        setattr(copied, first, 4)
        assert getattr(record, first) == 3


@pytest.mark.parametrize("package", [conjoint, mujoco])
def test_texts(package: object) -> None:
    """Labels are Python strings of at most 99 bytes; lists of labels are byte arrays."""
    geom, figure = package.MjvGeom(), package.MjvFigure()
    geom.label = "x" * 99
    assert geom.label == "x" * 99
    geom.label = "ü"
    assert geom.label == "ü"
    with pytest.raises(ValueError, match="cannot exceed 99: got length 100"):
        geom.label = "x" * 100
    figure.xformat = "%.3f"
    figure.linename[1] = "speed"
    assert figure.xformat == "%.3f" and figure.linename[1] == b"speed" and figure.linename[0] == b""


def test_subclasses_and_rectangles() -> None:
    class Camera(conjoint.MjvCamera):
        """Subclass of MjvCamera, as programs define such subclasses."""

    camera = Camera()
    camera.distance = 3
    assert camera.distance == 3.0
    rect = conjoint.MjrRect(1, 2, 3, 4)
    assert (rect.left, rect.bottom, rect.width, rect.height) == (1, 2, 3, 4)


def test_default_free_camera() -> None:
    official = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='.3' pos='1 0 0'/></worldbody></mujoco>")
    ours, theirs = conjoint.MjvCamera(), mujoco.MjvCamera()
    conjoint.mjv_defaultFreeCamera(adopt_model(official), ours)
    mujoco.mjv_defaultFreeCamera(official, theirs)
    for field in fields_of(ours):
        np.testing.assert_allclose(getattr(ours, field), getattr(theirs, field), err_msg=field)


@pytest.mark.parametrize("with_model", [False, True])
def test_scenes_begin_as_officially(with_model: bool) -> None:
    """A new scene has MuJoCo's sizes, capacity and settings, and with a model also its flexes and skins."""
    m = mujoco.MjModel.from_xml_string(SCENE)
    theirs = mujoco.MjvScene(m, 7) if with_model else mujoco.MjvScene()
    ours = conjoint.MjvScene(adopt_model(m), maxgeom=7) if with_model else conjoint.MjvScene()
    lists = {"geoms", "lights", "camera"}
    assert set(fields(theirs)) == {*fields_of(ours), *lists}
    for field in lists:
        assert len(getattr(ours, field)) == len(getattr(theirs, field)), field
    for field in fields_of(ours):
        mine, its = getattr(ours, field), getattr(theirs, field)
        assert type(mine) is type(its) and np.asarray(mine).dtype == np.asarray(its).dtype, field
        assert np.shape(mine) == np.shape(its), field
        if field not in UNSET:
            np.testing.assert_array_equal(mine, its, err_msg=field)
    assert list(ours.flexedgeadr) == ([0, 23, 23 + 139] if with_model else [])


def test_geoms_of_a_scene() -> None:
    """Single-geom records and arrays over all geoms are views of the same memory."""
    scene = conjoint.MjvScene(adopt_model(mujoco.MjModel.from_xml_string(SCENE)), maxgeom=5)
    scene.ngeom += 1
    geom = scene.geoms[0]
    geom.rgba = [1, 0, 0, 1]
    geom.mat[0, 1] = 3
    geom.label = "here"
    assert scene.geoms.rgba[0].tolist() == [1, 0, 0, 1] and scene.geoms.mat[0, 0, 1] == 3
    assert scene.geoms[0].label == "here" and scene.geoms[1].label == ""
    assert isinstance(geom, conjoint.MjvGeom) and isinstance(scene.camera[1], conjoint.MjvGLCamera)
    for copied in (copy.copy(scene), pickle.loads(pickle.dumps(scene))):
        assert copied == scene and copied.ngeom == 1
        copied.geoms[0].type = 3
        assert copied != scene


def test_scenes_that_cannot_be_made() -> None:
    m = adopt_model(mujoco.MjModel.from_xml_string(SCENE))
    with pytest.raises(TypeError, match="no arguments, or a model"):
        conjoint.MjvScene(m)
    with pytest.raises(TypeError, match="from an MjModel"):
        conjoint.MjvScene("m", 3)
    with pytest.raises(ValueError, match="maxgeom must be an integer of at least 0, not -3"):
        conjoint.MjvScene(m, -3)


def test_subclasses_hide_attributes() -> None:
    """A property of a subclass can read the attribute that it overrides, as in dm_control."""

    class Scene(conjoint.MjvScene):
        """Scene whose `geoms` contains only the geoms in use."""

        @property
        def geoms(self) -> object:
            return super().geoms[: super().ngeom]

    assert len(Scene(adopt_model(mujoco.MjModel.from_xml_string(SCENE)), 5).geoms) == 0
