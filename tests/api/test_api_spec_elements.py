"""Elements of editable models: sensors, assets and files compared with MuJoCo, and bindings to compiled models."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest

import conjoint
from compiled import differences
from spec_programs import CHILD


def test_elements_are_bound_to_models_and_data():
    spec = conjoint.MjSpec.from_string(CHILD)
    joints = [spec.joint("cj"), spec.joint("oj")]
    model = spec.compile()
    data = conjoint.MjData(model)
    data.qpos[:] = [1, 2]
    assert data.bind(joints[1]).qpos == [2] and data.bind(joints).qpos.tolist() == [1, 2]
    assert model.bind(joints).qposadr.tolist() == [0, 1] and model.bind([]).qposadr.tolist() == []
    data.bind(joints).qpos = [3, 4]
    model.bind(spec.geom("wg")).size[0] = 5
    assert data.qpos.tolist() == [3, 4] and model.geom("wg").size[0] == 5
    with pytest.raises(AttributeError):
        print(model.bind(joints).invalid)
    other = conjoint.MjSpec()
    other.worldbody.add_body(name="cb")
    with pytest.raises(ValueError, match="does not match"):
        model.bind(other.body("cb"))
    assert model.bind([joints[0], spec.geom("wg")]).pos.tolist() == [0] * 6
    with pytest.raises(TypeError):
        model.bind(["wg"])


def test_the_projection_of_a_camera():
    """The camera attribute `proj` of newer MuJoCo versions is equivalent to `orthographic`."""
    spec = conjoint.MjSpec()
    camera = spec.worldbody.add_camera(proj=conjoint.mjtProjection.mjPROJ_ORTHOGRAPHIC)
    assert camera.orthographic == 1 and camera.proj == conjoint.mjtProjection.mjPROJ_ORTHOGRAPHIC
    assert spec.compile().cam_orthographic.tolist() == [1]
    camera.proj = conjoint.mjtProjection.mjPROJ_PERSPECTIVE
    assert camera.orthographic == 0 and camera.proj == conjoint.mjtProjection.mjPROJ_PERSPECTIVE
    with pytest.raises(TypeError, match="proj should be an mjtProjection, not 1"):
        camera.proj = 1


CONTACT_SENSORS = [
    {"intprm": [1, 0, 0]},
    {"intprm": [0, 0, 1]},
    {"intprm": [1 << 10, 0, 1]},
    {"intprm": [1, 4, 1]},
    {"intprm": [1, 0, 1], "objtype": "CAMERA", "objname": "cam"},
    {"intprm": [1, 0, 1], "reftype": "SITE", "refname": "site"},
    {"intprm": [3, 1, 2], "objtype": "XBODY", "objname": "outer", "reftype": "GEOM", "refname": "geom"},
]


@pytest.mark.parametrize("number", range(len(CONTACT_SENSORS)))
def test_contact_sensors(number):
    results = []
    for M in (mujoco, conjoint):
        spec = M.MjSpec()
        spec.worldbody.add_geom(name="geom", size=[0.2, 0, 0])
        spec.worldbody.add_camera(name="cam")
        spec.worldbody.add_site(name="site")
        spec.worldbody.add_body(name="outer").add_body(name="inner").add_geom(size=[0.3, 0, 0])
        options = dict(CONTACT_SENSORS[number])
        for name in ("objtype", "reftype"):
            if name in options:
                options[name] = getattr(M.mjtObj, "mjOBJ_" + options[name])
        spec.add_sensor(type=M.mjtSensor.mjSENS_CONTACT, **options)
        try:
            results.append(spec.compile().sensor_dim.tolist())
        except ValueError:
            results.append(None)
    assert results[0] == results[1]


def test_pixels_of_a_texture():
    data = []
    for M in (mujoco, conjoint):
        spec = M.MjSpec()
        texture = spec.add_texture(name="t", height=2, width=3, nchannel=4, type=M.mjtTexture.mjTEXTURE_2D)
        texture.data = bytes(range(24))
        data.append(spec.compile().tex_data.tolist())
        texture.data = bytes(3)
        with pytest.raises(ValueError if M is mujoco else conjoint.ModelError):
            spec.compile()
    assert data[0] == data[1]


SHAPES = [
    ("make_cone", (5, 0)),
    ("make_cone", (6, 0.5)),
    ("make_hemisphere", (1,)),
    ("make_hemisphere", (4,)),
    ("make_sphere", (0,)),
    ("make_sphere", (2,)),
    ("make_supertorus", (10, 0.5, 1, 1)),
    ("make_supertorus", (7, 0.3, 0.5, 2)),
    ("make_supersphere", (12, 2, 1)),
    ("make_supersphere", (5, 0.7, 1.5)),
    ("make_plate", ([3, 4],)),
    ("make_wedge", ([3, 4], [90, 45], 0)),
    ("make_wedge", ([7, 5], [60, 40], 0.6)),
]


@pytest.mark.parametrize(("method", "arguments"), SHAPES)
def test_shapes_of_meshes(method, arguments):
    found = []
    for M in (mujoco, conjoint):
        mesh = M.MjSpec().add_mesh(name="m")
        getattr(mesh, method)(*arguments)
        found.append((np.array(mesh.uservert), np.array(mesh.userface), np.array(mesh.usernormal)))
    np.testing.assert_allclose(found[1][0], found[0][0], atol=1e-6)
    np.testing.assert_array_equal(found[1][1], found[0][1])
    np.testing.assert_allclose(found[1][2], found[0][2], atol=1e-6)


def test_assets_of_the_same_name():
    for M in (mujoco, conjoint):
        for override in (True, False):
            parent, child = M.MjSpec(), M.MjSpec()
            parent.assets, child.assets = {"a": b"1"}, {"a": b"2", "b": b"3"}
            parent.override_assets = override
            frame = parent.worldbody.add_frame()
            if override:
                parent.attach(child, frame=frame)
                assert parent.assets == {"a": b"2", "b": b"3"}
            else:
                with pytest.raises(ValueError, match="Asset a already exists in parent spec"):
                    parent.attach(child, frame=frame)


def test_files_included_and_assets(tmp_path):
    included = b'<mujoco><worldbody><body name="b"><geom type="box" size="1 1 1"/></body></worldbody></mujoco>'
    text = '<mujoco><include file="part.xml"/></mujoco>'
    spec = conjoint.MjSpec.from_string(text, include={"part.xml": included})
    assert spec.body("b").first_geom().type == conjoint.mjtGeom.mjGEOM_BOX
    cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4"
    spec.assets = {"cube.obj": cube}
    spec.add_mesh(name="cube", file="cube.obj")
    spec.worldbody.add_geom(type=conjoint.mjtGeom.mjGEOM_MESH, meshname="cube")
    model = spec.compile()
    assert model.nmeshvert == 4 and spec.assets["cube.obj"] is cube
    spec.to_zip(tmp_path / "model.zip")
    assert differences(conjoint.MjSpec.from_zip(tmp_path / "model.zip").compile().memory, model) == {}
    spec.to_file(tmp_path / "model.xml")
    assert (tmp_path / "model.xml").read_text() == spec.to_xml()
    (tmp_path / "cube.obj").write_text(cube)
    assert conjoint.MjSpec.from_file(tmp_path / "model.xml").compile().nmesh == 1


@pytest.mark.parametrize("text", [{}, None, 3, ["<mujoco/>"]])
def test_what_is_no_text_of_a_model(text):
    for read in (conjoint.MjSpec.from_string, conjoint.MjModel.from_xml_string):
        with pytest.raises(TypeError, match=f"expected the text of a model, MJCF or URDF, not {re.escape(repr(text))}"):
            read(text)


@pytest.mark.parametrize("given", ["part.xml", ["part.xml"], {"part.xml": 3}, {3: b""}])
def test_what_are_no_assets(given):
    for name in ("include", "assets"):
        with pytest.raises(TypeError, match="assets"):
            conjoint.MjSpec.from_string("<mujoco/>", **{name: given})


def test_assets_may_be_strings():
    text, part = '<mujoco><include file="part.xml"/></mujoco>', '<mujoco><option timestep="3"/></mujoco>'
    spec = conjoint.MjSpec.from_string(text, assets={"part.xml": part})
    assert spec.option.timestep == conjoint.MjModel.from_xml_string(text, {"part.xml": part}).opt.timestep == 3


def test_modelfiledir_ends_in_a_slash(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "m.xml").write_text("<mujoco/>")
    monkeypatch.chdir(tmp_path)
    for path in (str(tmp_path / "m.xml"), "m.xml", "sub/../m.xml", "./m.xml"):
        ours, theirs = (M.MjSpec.from_file(path).modelfiledir for M in (conjoint, mujoco))
        assert ours == theirs
