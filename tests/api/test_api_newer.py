"""Names, signatures and minor rules of MuJoCo versions after 3.3.5, for programs that require those versions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.compat import data_fields, model_fields
from conjoint.compat import enums as moved
from conjoint.schema import enums, enums_newer
from conjoint.schema.newer_names import BITS, MEMBERS, NOT_BUILT, official_bits, own_bits
from conjoint.schema.version import ADDED, STANDS_FOR, Version, parsed
from places import ROOT
from waiting import PATIENCE

PENDULUM = """<mujoco>
  <worldbody>
    <site name="box" type="box" size=".1 .2 .3" pos="1 0 0"/>
    <body name="arm"><joint name="swing" axis="0 1 0" damping="3" stiffness="2"/><geom name="bob" size=".1" pos="0 0 -.5"/>
      <site name="tip" pos="0 0 -.6"/></body>
    <body name="cart" pos="0 2 0"><joint name="slide" type="slide" axis="1 0 0"/><geom type="box" size=".1 .2 .3"/></body>
  </worldbody>
  <tendon><fixed name="coupled"><joint joint="swing" coef="1"/><joint joint="slide" coef="2"/></fixed></tendon>
  <actuator><position name="servo" joint="swing" kp="5"/></actuator>
  <sensor><framepos objtype="site" objname="tip"/></sensor>
</mujoco>"""


def world(xml: str = PENDULUM) -> tuple[Any, Any]:
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    return m, d


# --- names ---


def test_numbers_of_members_are_distinct() -> None:
    """Newer enum members have distinct values, so they can be combined with older ones."""
    for name, members in MEMBERS.items():
        kinds = getattr(conjoint, name)
        for member in members.split():
            assert member in kinds.__members__, member
            assert kinds[member].name == member, f"{member} is another name of {kinds[member]}"
            assert member not in getattr(mujoco, name).__members__


def test_counts_are_the_last_members() -> None:
    """Counts such as `mjNGEOM` are the last enum members, because programs list all members except the last."""
    for name in dir(mujoco):
        members = [*getattr(getattr(mujoco, name), "__members__", [""])]
        if name.startswith("mjt") and members[-1].startswith("mjN"):
            assert [*getattr(conjoint, name).__members__][-1] == members[-1], name


def test_bits_are_translated_both_ways() -> None:
    for kind, pairs in BITS.items():
        for own, official in pairs:
            back = official_bits(kind, own)
            assert back & official
            assert own_bits(kind, official) == own
    flags = enums.mjtDisableBit
    both = moved.mjtDisableBit.mjDSBL_SPRING | moved.mjtDisableBit.mjDSBL_DAMPER
    assert official_bits("disableflags", flags.mjDSBL_PASSIVE) == both
    # bits that MuJoCo does not have stay unchanged
    assert own_bits("enableflags", 2, int(enums.mjtEnableBit.mjENBL_ISLAND)) == 2 | 32


def test_versions() -> None:
    assert [parsed(text) for text in ("3.3.5", "4.0", "3.11")] == [(3, 3, 5), (4, 0, 0), (3, 11, 0)]
    for wrong in ("", "5", "3.2.7", "4.0.1", "3.x", "3.3.5.1"):
        with pytest.raises(ValueError, match="is not available"):
            parsed(wrong)
    version = Version()
    assert (version.text, version.number, version.moved) == ("3.3.5", 335, False)
    version.become("4.0")
    assert (version.text, version.number, version.moved) == ("4.0.0", 4000000, True)


def test_the_page_says_what_versions_between_lack() -> None:
    page = (ROOT / "docs" / "newer-versions.md").read_text(encoding="utf-8")
    table = page.partition("| since | part of the second set |\n|---|---|\n")[2].partition("\n\n")[0]
    assert [parsed(row.split("|")[1].strip()) for row in table.splitlines()] == [*ADDED.values()]


CHOSEN = """
import json, sys, conjoint
conjoint.install_as_mujoco(version=sys.argv[1])
import mujoco
from importlib import metadata
m = mujoco.MjModel.from_xml_string('<mujoco><option><flag gravity="disable" passive="disable"/></option></mujoco>')
bits, state = mujoco.mjtDisableBit, mujoco.mjtState
read = m.opt.disableflags
m.opt.disableflags |= bits.mjDSBL_CONTACT
spec = mujoco.MjSpec()
spec.option.disableflags = bits.mjDSBL_GRAVITY
body = spec.worldbody.add_body()
body.add_geom(size=[1])
joint = body.add_joint(damping=2)
def typed(body, number):
    try:
        body.geoms[0].type = number
        return body.add_geom(type=number, size=[1, 1, 1]).type.name
    except (TypeError, ValueError):
        return "refused"
print(json.dumps([
    mujoco.__version__, mujoco.mj_versionString(), metadata.version("mujoco"),
    mujoco.mjVERSION_HEADER == mujoco.mj_version(),
    read, m.opt.disableflags, int(bits.mjDSBL_GRAVITY), len(mujoco.mjDISABLESTRING) == bits.mjNDISABLE,
    mujoco.mj_stateSize(m, state.mjSTATE_INTEGRATION), mujoco.mj_stateSize(m, state.mjSTATE_XFRC_APPLIED),
    spec.option.disableflags, "gravity" in spec.to_xml(), getattr(joint.damping, "tolist", lambda: 2)(),
    conjoint.schema.enums.mjtDisableBit.mjDSBL_GRAVITY, typed(body, 6),
    hasattr(mujoco.MjModel, "tree_dofnum"), "tree_dofnum" in dir(m), "tree_awake" in dir(mujoco.MjData(m)),
]))
try:
    conjoint.install_as_mujoco(version="3.4")
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        (
            "3.3.5",
            [*["3.3.5"] * 3, True, 96, 112, 64, True, 7, 6, 64, True, 2, 64, "refused", *[False] * 3],
        ),
        (
            "4.0",
            [
                *["4.0.0"] * 3,
                True,
                224,
                240,
                128,
                True,
                7,
                6,
                128,
                True,
                [2.0, 0.0, 0.0],
                64,
                "mjGEOM_BOX",
                *[True] * 3,
            ],
        ),
    ],
)
def test_a_program_chooses_its_version(requested: str, expected: list[Any]) -> None:
    done = subprocess.run([sys.executable, "-c", CHOSEN, requested], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    found, other = done.stdout.splitlines()
    assert json.loads(found) == expected
    assert "is installed already" in other


def test_what_is_not_built_is_refused() -> None:
    m, d = world()
    m.opt.enableflags = conjoint.mjtEnableBit.mjENBL_IPC
    with pytest.raises(conjoint.FatalError, match="mjENBL_IPC"):
        conjoint.mj_step(m, d)
    m.opt.enableflags, m.opt.integrator = 0, conjoint.mjtIntegrator.mjINT_DISCRETE
    with pytest.raises(conjoint.FatalError, match="integrator 4"):
        conjoint.mj_step(m, d)
    assert "mjINT_DISCRETE" in NOT_BUILT


def test_types_that_do_not_suit_an_actuator_change_no_other_memory() -> None:
    """Any actuator type and number of inputs is safe: absent actuator fields are never read or written."""
    m, d = world()
    for gain in (conjoint.mjtGain.mjGAIN_SO3, conjoint.mjtGain.mjGAIN_PID, conjoint.mjtGain.mjGAIN_DCMOTOR):
        m.actuator_gaintype[0], m.actuator_ctrlspec[0] = gain, 15
        conjoint.mj_step(m, d)
        assert d.actuator_force.shape == (1,)


def test_newer_enumerations_are_public() -> None:
    for name in vars(enums_newer):
        if name.startswith("mjt"):
            assert getattr(conjoint, name) is getattr(enums_newer, name)


# --- flags ---


@pytest.mark.parametrize("integrator", ["Euler", "implicit"])
def test_springs_and_dampers_are_turned_off_apart(integrator: str) -> None:
    forces = {}
    for words in ("", 'spring="disable"', 'damper="disable"', 'spring="disable" damper="disable"', 'passive="disable"'):
        option = f'<option integrator="{integrator}"><flag {words}/></option>'
        m, d = world(PENDULUM.replace("<worldbody>", option + "<worldbody>", 1))
        d.qpos[0], d.qvel[0] = 0.5, 1.0
        before = d.qvel[0]
        conjoint.mj_step(m, d)
        forces[words] = d.qfrc_spring[0], d.qfrc_damper[0], (d.qvel[0] - before) * 1e6
    spring, damper = -2 * 0.5, -3.0
    assert [each[:2] for each in forces.values()] == [(spring, damper), (0, damper), (spring, 0), (0, 0), (0, 0)]
    # a disabled damper is not integrated implicitly either
    m, d = world(PENDULUM.replace("<worldbody>", '<option><flag damper="disable"/></option><worldbody>', 1))
    d.qvel[0] = 1.0
    conjoint.mj_forward(m, d)
    acceleration, before = float(d.qacc[0]), float(d.qvel[0])
    conjoint.mj_step(m, d)
    assert d.qvel[0] - before == pytest.approx(acceleration * m.opt.timestep, rel=1e-12)


# --- models ---

KEYED = """<mujoco><worldbody><body pos="1 2 3" quat="0 1 0 0"><freejoint/><geom size=".1"/></body>
  <body pos="4 5 6" mocap="true"/><body pos="7 8 9" mocap="true"/><body><joint name="a" ref="30"/><geom size=".1"/></body>
  </worldbody><actuator><motor joint="a"/><motor joint="a"/></actuator><keyframe><key {}/></keyframe></mujoco>"""


@pytest.mark.parametrize(
    ("written", "name", "expected"),
    [
        ('qpos="1 1"', "key_qpos", [1, 1, 3, 0, 1, 0, 0, np.pi / 6]),
        ('qpos="0 0 0 1 0 0 0"', "key_qpos", [0, 0, 0, 1, 0, 0, 0, np.pi / 6]),
        ('qvel="1 2"', "key_qvel", [1, 2, 0, 0, 0, 0, 0]),
        ('ctrl="1"', "key_ctrl", [1, 0]),
        ('mpos="1 1"', "key_mpos", [4, 5, 6, 7, 8, 9]),
        ('mpos="1 1 1"', "key_mpos", [1, 1, 1, 7, 8, 9]),
        ('mquat="0 0 1 0"', "key_mquat", [0, 0, 1, 0, 1, 0, 0, 0]),
    ],
)
def test_short_keyframes_are_completed(written: str, name: str, expected: list[float]) -> None:
    m = conjoint.MjModel.from_xml_string(KEYED.format(written))
    np.testing.assert_allclose(getattr(m, name)[0].ravel(), expected, atol=1e-15)


def test_long_keyframes_are_refused() -> None:
    with pytest.raises(conjoint.ModelError, match="ctrl has 3 numbers, expected 2"):
        conjoint.MjModel.from_xml_string(KEYED.format('ctrl="1 2 3"'))


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
ROBOT = (
    '<robot name="r"><link name="a"><collision><geometry><mesh filename="{}"/></geometry></collision></link></robot>'
)


@pytest.mark.parametrize(("folder", "kept"), [("meshes/sub", "meshes/sub/t.obj"), ("", "t.obj")])
def test_meshes_of_urdf_are_found_with_and_without_their_folders(tmp_path: Path, folder: str, kept: str) -> None:
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / folder / "t.obj").write_text(TETRAHEDRON)
    (tmp_path / "r.urdf").write_text(ROBOT.format("meshes/sub/t.obj"))
    m = conjoint.MjModel.from_xml_path(str(tmp_path / "r.urdf"))
    assert m.paths == kept.encode() + b"\0"


def test_contacts_of_any_subtree() -> None:
    m, d = (
        world("""<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="0 0 .08"><freejoint/><geom size=".1"/>
      <body name="b" pos=".3 0 0"><joint/><geom size=".1"/><body name="c" pos=".3 0 0"><geom size=".1"/></body></body></body>
      </worldbody><sensor><contact name="all" subtree1="a"/><contact name="some" subtree1="b" noise=".1" user="1 2"/>
      <contact name="one" subtree1="c" body2="world"/></sensor></mujoco>""")
    )
    assert d.sensordata.tolist() == [3, 2, 1]
    assert m.sensor("some").noise[0] == 0.1
    assert m.sensor("some").user.tolist() == [1, 2]


# --- editing ---


def test_keywords_that_are_none_leave_the_default() -> None:
    spec = conjoint.MjSpec()
    body = spec.worldbody.add_body(name=None, pos=None, quat=[0, 1, 0, 0])
    geom = body.add_geom(size=[0.5], rgba=None, euler=None, axisangle=None)
    assert geom.size.tolist() == [0.5, 0, 0]
    assert body.add_site(size=[0.2, 0.1]).size.tolist() == [0.2, 0.1, 0]
    for wrong in ([], [1, 2, 3, 4]):
        with pytest.raises(ValueError, match="size should be a list/array of size 1 to 3"):
            body.add_geom(size=wrong)
    with pytest.raises(TypeError, match="Invalid colour keyword argument"):
        body.add_geom(colour=None)


def test_frames_have_what_is_added_to_them() -> None:
    spec = conjoint.MjSpec()
    body = spec.worldbody.add_body(name="b")
    frame = body.add_frame(pos=[1, 0, 0])
    inner = frame.add_frame(pos=[0, 1, 0])
    added = [
        frame.add_body(),
        inner.add_geom(size=[0.1]),
        inner.add_joint(),
        frame.add_site(),
        frame.add_camera(),
        frame.add_light(),
    ]
    assert [each.frame for each in added] == [frame, inner, inner, frame, frame, frame]
    assert all(each.parent is body for each in added)
    m = spec.compile()
    assert m.geom_pos.tolist() == [[1, 1, 0]]
    assert m.body_pos[2].tolist() == [1, 0, 0]


def test_paths_of_tendons_can_be_read() -> None:
    spec = conjoint.MjSpec.from_string(PENDULUM)
    tendon = spec.tendons[0]
    assert [piece.target.name for piece in tendon.path] == ["swing", "slide"]
    assert [piece.coef for piece in tendon.path] == [1, 2]
    assert tendon.path[0] is tendon.path[0]
    spatial = spec.add_tendon()
    first, pulley = spatial.wrap_site("box"), spatial.wrap_pulley(2)
    around = spatial.wrap_geom("bob", "tip")
    assert list(spatial.path) == [first, pulley, around]
    assert (pulley.target, pulley.divisor, pulley.type) == (None, 2, conjoint.mjtWrap.mjWRAP_PULLEY)
    assert (around.target, around.sidesite) == (spec.geom("bob"), spec.site("tip"))


def test_groups_of_a_model_are_assigned() -> None:
    m, _ = world()
    other = conjoint.MjModel.from_xml_string(
        '<mujoco><option timestep="0.1"/><visual><global fovy="50"/></visual></mujoco>'
    )
    m.opt, m.vis, m.stat = other.opt, other.vis, other.stat
    assert (m.opt.timestep, m.vis.global_.fovy) == (0.1, 50)
    other.opt.timestep = 0.2
    assert m.opt.timestep == 0.1
    for wrong in (m.vis, 3, None):
        with pytest.raises(TypeError, match=r"MjModel\.opt takes another MjOption"):
            m.opt = wrong


# --- functions ---


def test_both_forms_of_functions_can_be_called() -> None:
    m, d = world()
    one, other = np.zeros((m.nv, m.nv)), np.zeros((m.nv, m.nv))
    conjoint.mj_fullM(m, one, d.qM)
    conjoint.mj_fullM(m, d, other)
    assert np.array_equal(one, other) and one[0, 0] > 0
    conjoint.mju_sym2dense(other, d.M, m.M_rownnz, m.M_rowadr, m.M_colind)
    assert np.array_equal(one, other)
    geom, distance, normal = np.zeros(1, np.int32), np.zeros(1), np.zeros(3)
    start, way = np.array([0, 0, 3.0]), np.array([0, 0, -1.0])
    expected = conjoint.mj_ray(m, d, start, way, None, 1, -1, geom)
    assert conjoint.mj_ray(m, d, start, way, None, 1, -1, geom, normal) == expected == pytest.approx(3.4)
    assert normal.tolist() == [0, 0, 1]
    conjoint.mj_multiRay(m, d, start, way, None, 1, -1, geom, distance, 1, 10.0)
    conjoint.mj_multiRay(m, d, start, way, None, 1, -1, geom, distance, normal, 1, 10.0)
    assert distance[0] == expected
    with pytest.raises(TypeError, match="mj_fullM: dst"):
        conjoint.mj_fullM(m, 3, one)
    cam, again = conjoint.MjvCamera(), conjoint.MjvCamera()
    scn = conjoint.MjvScene(m, 10)
    for each in (cam, again):
        conjoint.mjv_defaultFreeCamera(m, each)
    conjoint.mjv_updateCamera(m, d, cam, scn)
    for action in (
        conjoint.mjtMouse.mjMOUSE_MOVE_H,
        conjoint.mjtMouse.mjMOUSE_ROTATE_V,
        conjoint.mjtMouse.mjMOUSE_ZOOM,
    ):
        conjoint.mjv_moveCamera(m, action, 0.1, 0.2, scn, cam)
        conjoint.mjv_moveCamera(m, action, 0.1, 0.2, again)
        # scenes have single precision
        assert np.allclose(cam.lookat, again.lookat, atol=1e-6) and cam.azimuth == again.azimuth
        conjoint.mjv_updateCamera(m, d, cam, scn)


def test_normals_of_shapes() -> None:
    """A ray towards the center of each shape hits it at a point whose normal points back along the ray."""
    m, d = (
        world("""<mujoco><asset><mesh name="m" vertex="-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1" scale=".1 .1 .1"/>
      <hfield name="h" nrow="2" ncol="2" size=".2 .2 .1 .1" elevation="1 1 1 1"/></asset><worldbody>
      <geom type="plane" size="1 1 1"/><geom type="sphere" size=".1"/><geom type="capsule" size=".1 .1"/><geom type="box" size=".1 .2 .1"/>
      <geom type="ellipsoid" size=".1 .2 .3"/><geom type="cylinder" size=".1 .2"/><geom type="mesh" mesh="m"/>
      <geom type="hfield" hfield="h"/></worldbody></mujoco>""")
    )
    for geom in range(m.ngeom):
        normal = np.zeros(3)
        shown = (
            [
                conjoint.mju_rayGeom(
                    d.geom_xpos[geom],
                    d.geom_xmat[geom],
                    m.geom_size[geom],
                    np.array([0.01, 0.01, 2.0]),
                    np.array([0, 0, -1.0]),
                    int(m.geom_type[geom]),
                    normal,
                )
            ]
            if geom < 6
            else []
        )
        if geom == 6:
            shown = [conjoint.mj_rayMesh(m, d, geom, np.array([0.01, 0.02, 2.0]), np.array([0, 0, -1.0]), normal)]
        elif geom == 7:
            shown = [conjoint.mj_rayHfield(m, d, geom, np.array([0.01, 0.02, 2.0]), np.array([0, 0, -1.0]), normal)]
        assert shown[0] > 0 and normal[2] > 0.9 and np.linalg.norm(normal) == pytest.approx(1), geom


def test_states_are_copied_in_part() -> None:
    m, d = world()
    d.qpos[:], d.ctrl[:], d.time = [0.3, 0.4], 2, 1.5
    other = conjoint.MjData(m)
    state = conjoint.mjtState
    conjoint.mj_copyState(m, d, other, state.mjSTATE_QPOS | state.mjSTATE_CTRL)
    assert (other.time, other.qpos.tolist(), other.ctrl.tolist()) == (0, [0.3, 0.4], [2])
    whole = np.zeros(conjoint.mj_stateSize(m, state.mjSTATE_INTEGRATION))
    conjoint.mj_getState(m, d, whole, state.mjSTATE_INTEGRATION)
    part = np.zeros(3)
    conjoint.mj_extractState(m, whole, state.mjSTATE_INTEGRATION, part, state.mjSTATE_TIME | state.mjSTATE_QPOS)
    assert part.tolist() == [1.5, 0.3, 0.4]
    with pytest.raises(conjoint.FatalError, match="not a subset"):
        conjoint.mj_extractState(m, np.zeros(1), state.mjSTATE_TIME, part, state.mjSTATE_QPOS)
    conjoint.mj_resetCtrl(m, d)
    assert d.ctrl[0] == 0 and conjoint.mj_stateSize(m, state.mjSTATE_HISTORY | state.mjSTATE_PLASTIC) == 0


def test_functions_without_new_physics() -> None:
    m, d = world()
    for point, inside in (([1, 0, 0], 1), ([1.09, 0.19, -0.29], 1), ([1.11, 0, 0], 0)):
        assert conjoint.mj_insideSite(m, d, 0, np.array(point, float)) == inside
    solref, solimp = np.zeros(2), np.zeros(5)
    conjoint.mj_defaultSolRefImp(solref, solimp)
    assert solref.tolist() == m.geom_solref[0].tolist() and solimp.tolist() == m.geom_solimp[0].tolist()
    assert conjoint.mj_actuatorInputName(m, 0, 0) == "pos" and conjoint.mj_actuatorInputName(m, 0, 1) is None
    assert conjoint.mj_readSensor(m, d, 0, 0.0, np.zeros(3), 0).tolist() == d.sensordata.tolist()
    fresh = conjoint.MjData(m)
    fresh.qpos[0] = 0.3
    conjoint.mj_fwdKinematics(m, fresh)
    d.qpos[0] = 0.3
    conjoint.mj_forward(m, d)
    assert np.array_equal(fresh.site_xpos, d.site_xpos) and np.array_equal(fresh.ten_length, d.ten_length)


def test_dependencies_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "t.obj").write_text(TETRAHEDRON)
    (tmp_path / "inner.xml").write_text('<mujoco><compiler meshdir="m"/><asset><mesh file="t.obj"/></asset></mujoco>')
    (tmp_path / "outer.xml").write_text('<mujoco><include file="inner.xml"/></mujoco>')
    found = conjoint.mju_getXMLDependencies(str(tmp_path / "outer.xml"))
    assert found == [str(tmp_path / name).replace("\\", "/") for name in ("outer.xml", "inner.xml", "m/t.obj")]
    with pytest.raises(ValueError, match="cannot read"):
        conjoint.mju_getXMLDependencies(str(tmp_path / "none.xml"))


# --- fields ---


def test_fields_of_newer_versions() -> None:
    m, d = world()
    for owner, fields in ((m, model_fields), (d, data_fields)):
        for made in (*fields.SIZES, *fields.ARRAYS, *fields.FLAGS):
            value = getattr(owner, made.field.name)
            assert value is not None and (np.ndim(value) > 0) == bool(made.field.shape)
    assert (m.nactuator, m.nout, m.nJten, m.nhistory) == (1, 1, 2, 0)
    assert m.ten_J_colind.tolist() == [0, 1] and m.tendon_type.tolist() == [0] and m.tendon_treeid.tolist() == [[0, 1]]
    assert m.tree_bodyadr.tolist() == [1, 2] and m.tree_dofnum.tolist() == [1, 1]
    assert np.array_equal(m.M_colind, d.M_colind) and m.actuator_ctrlspec.tolist() == [
        conjoint.mjtCtrlInput.mjINPUT_POS
    ]
    matrix = np.zeros(9)
    for quat, expected in (
        (d.xiquat[1], d.ximat[1]),
        (d.geom_xquat[0], d.geom_xmat[0]),
        (d.site_xquat[1], d.site_xmat[1]),
    ):
        conjoint.mju_quat2Mat(matrix, quat)
        np.testing.assert_allclose(matrix, expected, atol=1e-15)
    assert (d.nbody_awake, d.nv_awake, d.body_awake.tolist()) == (3, 2, [-1, 1, 1])
    # Some intermediate versions had fields that 4.0.0 lacks. Programs read all fields of their version.
    assert m.flex_bandwidth.shape == d.efm_L_colind.shape == (0,)
    with pytest.raises(ValueError, match="read-only"):
        m.dof_length[0] = 1


def test_bodies_are_stored_as_others_are() -> None:
    """A body with `simple="false"` stores all its rows of the inertia matrix, with the same sizes as in MuJoCo 4.0.0."""
    xml = """<mujoco><worldbody><body name="a" {}><freejoint/><geom size=".1"/></body>
        <body pos="1 0 0"><joint type="slide" axis="1 0 0"/><geom size=".1"/></body></worldbody></mujoco>"""
    found = {}
    for requested in ("", 'simple="auto"', 'simple="false"'):
        spec = conjoint.MjSpec.from_string(xml.format(requested))
        for m in (spec.compile(), conjoint.MjModel.from_xml_string(spec.to_xml())):
            d = conjoint.MjData(m)
            d.qvel[:] = 1
            conjoint.mj_step(m, d)
            found[requested] = [m.body_simple.tolist(), m.nC, d.qpos.tolist(), d.M.tolist()[:3]]
            assert ('simple="false"' in spec.to_xml()) == ("false" in requested)
    assert found[""] == found['simple="auto"'] and found[""][:2] == [[1, 1, 2], 7]
    assert found['simple="false"'][:2] == [[1, 0, 2], 22]
    np.testing.assert_allclose(found['simple="false"'][2], found[""][2], atol=1e-14)
    body = conjoint.MjSpec.from_string(xml.format("")).body("a")
    assert body.simple == 1
    body.simple = False
    assert body.simple == 0


@pytest.mark.parametrize(
    ("dim", "resists", "expected"),
    [
        (1, '<edge equality="true"/>', [0, 0, [-1], [-1]]),
        (2, '<edge equality="true"/>', [0, 0, [-1], [-1]]),
        (2, '<elasticity young="1" thickness=".1" elastic2d="stretch"/>', [0, 2 * 21, [-1], [0]]),
        (2, '<elasticity young="1" thickness=".1" elastic2d="both"/>', [5 * 16, 2 * 21, [0], [0]]),
        (3, '<elasticity young="1"/>', [0, 6 * 21, [-1], [0]]),
    ],
)
def test_flexes_without_elasticity_have_no_parameters(dim: int, resists: str, expected: list[Any]) -> None:
    """Flexes without elasticity have no stiffness parameters, as in MuJoCo 4.0.0."""
    count = " ".join(["2"] * dim + ["1"] * (3 - dim))
    m = conjoint.MjModel.from_xml_string(f"""<mujoco><worldbody>
        <flexcomp name="soft" type="grid" dim="{dim}" count="{count}" spacing=".1 .1 .1" radius=".01">
        {resists}</flexcomp></worldbody></mujoco>""")
    found = [m.nflexbending, m.nflexstiffness, m.flex_bendingadr.tolist(), m.flex_stiffnessadr.tolist()]
    assert found == expected


ARMS = """<mujoco><option jacobian="{}"/><worldbody><site name="w" pos="0 0 1"/>
    <body><joint axis="0 1 0"/><geom size=".1"/><body pos="1 0 0"><joint name="c" axis="0 1 0"/><geom size=".1"/>
    <site name="s" pos=".3 0 0"/></body></body><body pos="0 1 0"><joint type="slide"/><geom size=".1"/></body>
    <flexcomp name="f" type="grid" count="2 2 1" spacing=".1 .1 .1" dim="2" radius=".01" pos="0 0 3">
    <edge equality="true"/><pin id="0"/></flexcomp></worldbody><tendon><fixed><joint joint="c" coef="2"/></fixed>
    <spatial><site site="s"/><site site="w"/></spatial></tendon></mujoco>"""


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_moment_arms_without_zeros(monkeypatch, jacobian: str) -> None:
    """Moment arms are sparse for tendons since MuJoCo 3.6 and for flex edges since 3.5, regardless of the `jacobian` option."""
    m = conjoint.MjModel.from_xml_string(ARMS.format(jacobian))
    dense = conjoint.MjModel.from_xml_string(ARMS.format("dense"))
    whole, kept = conjoint.MjData(dense), conjoint.MjData(m)
    fields = {"ten_J": whole.ten_J, "flexedge_J": whole.flexedge_J}
    for parts, packed in (((3, 5, 0), ["flexedge_J"]), ((4, 0, 0), ["ten_J", "flexedge_J"])):
        monkeypatch.setattr(STANDS_FOR, "parts", parts)
        d = conjoint.MjData(m) if parts < (4, 0, 0) else kept
        arms = {name: getattr(d, name) for name in packed}
        for model, data in ((dense, whole), (m, d)):
            conjoint.mj_resetData(model, data)
            data.qvel[:] = 1
            conjoint.mj_step(model, data, 3)
            conjoint.mj_forward(model, data)
        for name, matrix in fields.items():
            assert (getattr(d, name).ndim == 1) == (name in packed)
            if name in packed:
                structure = [getattr(m, f"{name}_{part}") for part in ("rownnz", "rowadr", "colind")]
                found = np.zeros_like(matrix)
                conjoint.mju_sparse2dense(found, arms[name], *structure)
                np.testing.assert_allclose(found, matrix, atol=1e-12)
                assert matrix.any() and getattr(d, name) is arms[name]


def test_elements_of_D_lie_in_M() -> None:
    m, _ = world()
    lower = dict(enumerate(zip(np.repeat(np.arange(m.nv), m.M_rownnz).tolist(), m.M_colind.tolist(), strict=True)))
    both = dict(enumerate(zip(np.repeat(np.arange(m.nv), m.D_rownnz).tolist(), m.D_colind.tolist(), strict=True)))
    for k, (i, j) in both.items():
        assert lower[int(m.mapM2D[k])] == (max(i, j), min(i, j))
    for k, place in lower.items():
        assert both[int(m.mapD2M[k])] == place
