"""Abstract scenes equal MuJoCo's for every flag, frame, label, camera and category."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from places import ROOT, model_text
from scenes import Pair

MODELS = ROOT / "models"

RICH = """<mujoco><visual><global fovy="40" ipd="0.05"/></visual><statistic meansize="0.3"/><asset>
<texture name="t" type="2d" builtin="checker" width="8" height="8" rgb1="1 0 0" rgb2="0 1 0"/>
<material name="mt" texture="t" rgba="1 .5 1 .7" emission=".1" specular=".2" shininess=".3" reflectance=".4"/>
<mesh name="me" vertex="0 0 0 1 0 0 0 1 0 0 0 1 .2 .2 .2"/><hfield name="hf" nrow="2" ncol="2" size="1 2 3 4"/>
<mesh name="mx" vertex="0 0 0 1 0 0 0 1 0 0 0 1" texcoord="0 0 0 1 1 0 1 1"/></asset>
<worldbody><light name="L" pos="0 0 3" dir="0 0 -1" cutoff="30"/><light pos="1 0 3" type="directional"/>
<light pos="1 2 3" type="point" attenuation=".1 .2 .3"/><light active="false"/>
<camera name="C" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/><camera name="O" pos="0 -3 2" fovy="2" orthographic="true"/>
<geom name="floor" type="plane" size="0 0 1" material="mt"/><geom type="plane" size="2 3 1" pos="0 0 -1" group="4"/>
<geom type="plane" size="2 3 1" pos="0 0 -2"/><geom type="hfield" hfield="hf" pos="9 9 0"/>
<site name="S0" pos=".5 0 1" size=".02"/>
<body name="A" pos="0 0 .3"><freejoint name="F"/><geom name="g" size=".3"/><site name="s1" pos="0 0 .3"/>
<geom type="mesh" mesh="me" group="1" rgba="1 1 0 .5"/><geom size=".1" rgba="1 1 1 0"/>
<geom type="mesh" mesh="mx" material="mt"/>
<body pos="0 0 .5"><joint name="J" axis="0 1 0" pos="0 0 -.1" range="-1 1"/><joint type="slide" axis="1 0 0"/>
<geom type="capsule" size=".05 .2" group="3"/><site name="s2" pos="0 0 .3" type="box" size=".1 .02 .03" material="mt"/>
<camera pos="0 0 1" mode="trackcom"/></body></body>
<body name="B" pos="1.2 0 .6"><joint type="ball" name="BJ"/><geom type="ellipsoid" size=".1 .2 .3"/>
<site name="s3"/><geom type="cylinder" size=".1 .2" pos="0 0 1"/></body>
<body name="fixed"><geom size=".1"/><site/></body><body name="hand" mocap="true" pos="0 0 4"><geom size=".1"/></body>
</worldbody><tendon><spatial name="T" range="0 1" width=".01" rgba="0 1 0 1"><site site="S0"/><site site="s1"/>
<geom geom="g"/><site site="s3"/></spatial><fixed name="TF"><joint joint="J" coef="1"/></fixed>
<spatial name="loose" range="0 6"><site site="S0"/><site site="s3"/></spatial></tendon>
<equality><connect name="eq" body1="A" body2="B" anchor="0 0 0"/><weld body1="B"/><joint joint1="J"/>
<weld site1="s1" site2="s2"/><connect body1="A" anchor="0 0 0" active="false"/></equality>
<actuator><motor joint="J" ctrllimited="true" ctrlrange="-1 2"/><motor tendon="T"/><general site="s1" name="AS"/>
<adhesion body="A" ctrlrange=".1 1"/><general joint="F" gear="1 0 0 0 0 0"/><motor joint="BJ"/>
<general cranksite="s1" slidersite="s2" cranklength=".1"/><general cranksite="s1" slidersite="s3" cranklength="2"/>
<general joint="J" dyntype="integrator"/></actuator><sensor><rangefinder site="s2"/></sensor></mujoco>"""

FLAGS = {int(flag): flag.name for flag in list(conjoint.mjtVisFlag)[:-1]}


@pytest.fixture(scope="module")
def rich() -> Pair:
    pair = Pair(RICH, steps=10, ctrl=0.5)
    pair.worlds[1].xfrc_applied[1] = [1, 2, 3, 0.1, 0.2, 0.3]
    pair.copy_state()
    return pair


@pytest.mark.parametrize("name", sorted(path.name for path in MODELS.glob("*.xml")))
def test_default_scenes_of_models_agree(name: str) -> None:
    pair = Pair(model_text(MODELS / name), steps=20, ctrl=0.2)
    assert pair.agree()
    # in a second update, infinite planes follow the cameras of the previous scene
    assert pair.agree()


@pytest.mark.parametrize("flag", FLAGS, ids=FLAGS.values())
def test_flags_show_what_they_show(rich: Pair, flag: int) -> None:
    default = conjoint.MjvOption().flags[flag]
    rich.agree(opt_flags={flag: 1 - default})


@pytest.mark.parametrize("depth", range(4))
@pytest.mark.parametrize("marked", ["true", "false"])
def test_bounding_volumes_of_bodies_are_shown(depth: int, marked: str) -> None:
    """Bounding volumes are drawn as in MuJoCo, with and without the color that marks active volumes."""
    pair = Pair(RICH.replace('<global fovy="40"', f'<global fovy="40" bvactive="{marked}"'), steps=10)
    pair.agree(opt_flags={int(conjoint.mjtVisFlag.mjVIS_BODYBVH): 1}, opt_bvh_depth=depth)


@pytest.mark.parametrize("bits", [1, 2, 3])
@pytest.mark.parametrize("select", [1, 3])
def test_perturbations_show_where_a_body_shall_go(rich: Pair, bits: int, select: int) -> None:
    place = {"pert_refpos": (0.3, 0.2, 0.1), "pert_refselpos": (1, 2, 3), "pert_localpos": (0.1, 0.2, 0.3)}
    for name in ("pert_active", "pert_active2"):
        rich.agree(pert_select=select, pert_refquat=(0.8, 0.6, 0, 0), **place, **{name: bits})


def test_a_body_without_geoms_is_turned_as_a_cube() -> None:
    body = '<body pos="1 0 0"><joint/><inertial pos="0 .1 0" mass="2" diaginertia="1 1 1"/></body>'
    pair = Pair(f'<mujoco><statistic meansize=".7"/><worldbody>{body}</worldbody></mujoco>')
    scenes = pair.update(pert_select=1, pert_active=2, pert_refquat=(0.8, 0.6, 0, 0))
    assert scenes[0].ngeom == scenes[1].ngeom > 0
    pair.agree(pert_select=1, pert_active=2, pert_refquat=(0.8, 0.6, 0, 0))


@pytest.mark.parametrize("frame", range(1, int(conjoint.mjtFrame.mjNFRAME)))
def test_frames_are_where_they_are(rich: Pair, frame: int) -> None:
    rich.agree(opt_frame=frame)


@pytest.mark.parametrize("label", range(1, int(conjoint.mjtLabel.mjNLABEL)))
def test_labels_say_what_they_say(rich: Pair, label: int) -> None:
    rich.agree(opt_label=label, opt_flags=dict.fromkeys((2, 3, 4, 6, 9, 14, 16, 21), 1), pert_select=1)


def test_forces_in_two_parts_have_one_label(rich: Pair) -> None:
    rich.agree(opt_label=int(conjoint.mjtLabel.mjLABEL_CONTACTFORCE), opt_flags={16: 1, 17: 1})


@pytest.mark.parametrize("category", range(8))
def test_categories_are_chosen(rich: Pair, category: int) -> None:
    rich.agree(category, opt_frame=1, opt_flags={2: 1, 14: 1})


@pytest.mark.parametrize("kind", ["geom", "site", "joint", "tendon", "actuator"])
def test_groups_are_hidden(rich: Pair, kind: str) -> None:
    rich.agree(**{f"opt_{kind}group": {0: 0, 3: 1}}, opt_flags={2: 1, 4: 1})


@pytest.mark.parametrize("select", range(1, 6))
def test_selected_bodies_glow(rich: Pair, select: int) -> None:
    rich.agree(pert_select=select, opt_flags={2: 1, 10: 1, 21: 1}, opt_label=12)


def test_nothing_is_shown_of_a_body_that_does_not_exist() -> None:
    model = conjoint.MjModel.from_xml_string(RICH)
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    scene, option, perturb = conjoint.MjvScene(model, 1000), conjoint.MjvOption(), conjoint.MjvPerturb()
    option.flags[conjoint.mjtVisFlag.mjVIS_SELECT] = option.flags[conjoint.mjtVisFlag.mjVIS_PERTOBJ] = 1
    perturb.active = 3
    found = []
    for select in (0, model.nbody, 10**9):
        perturb.select = select
        conjoint.mjv_updateScene(model, data, option, perturb, conjoint.MjvCamera(), 7, scene)
        found.append(scene.ngeom)
    assert len(set(found)) == 1


@pytest.mark.parametrize("camera", range(3))
def test_cameras_of_the_model_look(rich: Pair, camera: int) -> None:
    rich.agree(cam_type=2, cam_fixedcamid=camera)


def test_tracking_cameras_follow(rich: Pair) -> None:
    rich.agree(cam_type=1, cam_trackbodyid=1, cam_azimuth=33.0, cam_distance=3.0)


def test_free_cameras_are_orthographic(rich: Pair) -> None:
    rich.agree(cam_orthographic=1, cam_elevation=12.0)


def test_cameras_that_do_not_exist_are_refused(rich: Pair) -> None:
    with pytest.raises(conjoint.FatalError, match="track body id -1"):
        rich.update(cam_type=1)
    with pytest.raises(conjoint.FatalError, match="fixed camera id 9"):
        rich.update(cam_type=2, cam_fixedcamid=9)


ISLANDS = RICH.replace("<asset>", '<option><flag island="enable"/></option><asset>', 1).replace(
    "<equality>", '<equality><tendon tendon1="T"/>'
)


@pytest.fixture(scope="module")
def islands() -> Pair:
    return Pair(ISLANDS, steps=30, ctrl=0.5)


@pytest.mark.parametrize("flag", FLAGS, ids=FLAGS.values())
def test_islands_have_colours(islands: Pair, flag: int) -> None:
    assert islands.worlds[1].nisland > 0
    islands.agree(
        opt_flags={flag: 1 - conjoint.MjvOption().flags[flag]}, opt_label=int(conjoint.mjtLabel.mjLABEL_ISLAND)
    )


PATHS = """<mujoco><worldbody><geom name="g" size=".1" pos="0 0 3"/><geom name="h" size=".1" pos="1 0 .05"/>
<site name="a"/><site name="b" pos="2 0 0"/><site name="c" pos="2 1 0"/></worldbody><tendon>
<spatial range="0 3"><site site="a"/><geom geom="g"/><site site="b"/></spatial>
<spatial range="0 3"><site site="a"/><geom geom="h"/><site site="b"/></spatial>
<spatial range="0 3"><site site="a"/><site site="b"/></spatial>
<spatial range="0 3"><site site="a"/><site site="b"/><pulley divisor="2"/><site site="b"/><site site="c"/></spatial>
<spatial range="0 3"><pulley divisor="2"/><site site="a"/><site site="b"/><pulley divisor="2"/><site site="b"/>
<site site="c"/></spatial></tendon></mujoco>"""


def test_tendons_are_labelled_where_they_begin() -> None:
    Pair(PATHS).agree(opt_label=int(conjoint.mjtLabel.mjLABEL_TENDON))


@pytest.mark.parametrize("hull", [0, 1])
def test_geoms_fitted_to_meshes_tell_which(hull: int) -> None:
    vertices = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1"'
    meshes = f'<mesh name="a" {vertices}/><mesh name="b" {vertices} texcoord="0 0 0 1 1 0 1 1"/>'
    kinds = ("box", "sphere", "mesh")
    geoms = "".join(f'<geom type="{kind}" mesh="{name}"/>' for kind in kinds for name in "ab")
    geoms += '<geom type="mesh" mesh="a" contype="0" conaffinity="0"/>'
    pair = Pair(f"<mujoco><asset>{meshes}</asset><worldbody>{geoms}</worldbody></mujoco>")
    pair.agree(opt_flags={int(conjoint.mjtVisFlag.mjVIS_CONVEXHULL): hull})


FRUSTUM = """<mujoco><visual><map znear=".01"/><scale frustum="3"/></visual><worldbody><geom size="1"/>
<camera pos="0 0 1" euler="10 20 30" focal=".008 .004" resolution="1920 1200" sensorsize="9.6e-3 6e-3"
principal=".001 {}"/><camera pos="1 1 1"/><camera orthographic="true" pos="0 0 1" focal=".008 .004"
resolution="1920 1200" sensorsize="9.6e-3 6e-3"/></worldbody></mujoco>"""


@pytest.mark.parametrize("frame", [0, int(conjoint.mjtFrame.mjFRAME_CAMERA)])
def test_frusta_show_what_cameras_see(frame: int) -> None:
    # MuJoCo mirrors the principal point vertically (pull request #3150), so its model has the opposite sign
    pair = Pair(FRUSTUM.format(0.002), official=FRUSTUM.format(-0.002))
    label = int(conjoint.mjtLabel.mjLABEL_CAMERA)
    geoms = pair.agree(opt_flags={int(conjoint.mjtVisFlag.mjVIS_CAMERA): 1}, opt_frame=frame, opt_label=label)
    assert sum(g.type == int(conjoint.mjtGeom.mjGEOM_TRIANGLE) for g in geoms) == 16
    for camera in range(3):
        pair.agree(cam_type=2, cam_fixedcamid=camera)


def test_geoms_that_find_no_room_are_told() -> None:
    m = conjoint.MjModel.from_xml_string(RICH)
    d, scene = conjoint.MjData(m), conjoint.MjvScene(m, 3)
    conjoint.mj_forward(m, d)
    with pytest.warns(UserWarning, match="it has space for 3 visual geoms"):
        conjoint.mjv_updateScene(m, d, conjoint.MjvOption(), None, conjoint.MjvCamera(), 7, scene)
    assert scene.ngeom == 3
    assert d.warning[conjoint.mjtWarning.mjWARN_VGEOMFULL].number == 1


LOOSE = """<mujoco><worldbody><site name="a"/><body pos="{span} 0 .2"><joint type="slide"/><geom size=".01"/><site name="b"/>
</body></worldbody><tendon><spatial limited="true" range="0 {length}"><site site="a"/><site site="b"/></spatial></tendon>
</mujoco>"""


@pytest.mark.parametrize("span, parts", [(0.0, 2), (0.0199, 2), (0.0201, 28), (0.5, 28)])
def test_cables_between_points_above_each_other_are_straight(span: float, parts: int) -> None:
    geoms = Pair(LOOSE.format(span=span, length=2)).agree()
    assert sum(g.objtype == int(conjoint.mjtObj.mjOBJ_TENDON) for g in geoms) == parts


DRIVEN = """<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody><actuator>
<motor joint="j" ctrllimited="true" ctrlrange=".1 1"/><motor joint="j" ctrllimited="true" ctrlrange="-1 -.5"/>
<motor joint="j" ctrllimited="true" ctrlrange="-.01 1"/><motor joint="j" group="2"/></actuator>
<option actuatorgroupdisable="2"/></mujoco>"""


@pytest.mark.parametrize("ctrl", [-2, -0.75, -0.1, 0, 0.05, 0.3, 2])
def test_actuators_show_how_they_are_driven(ctrl: float) -> None:
    pair = Pair(DRIVEN)
    for world in pair.worlds:
        world.ctrl[:] = ctrl
    geoms = pair.agree(opt_flags={int(conjoint.mjtVisFlag.mjVIS_ACTUATOR): 1})
    # one actuator is disabled
    assert {g.objid for g in geoms if g.objtype == int(conjoint.mjtObj.mjOBJ_ACTUATOR)} == {0, 1, 2}


VOLUMES = """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
<geom type="sdf" mesh="m" pos="0 0 2"/><body name="b" pos="0 0 1">
<flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" dof="trilinear"><contact selfcollide="none"/></flexcomp>
</body></worldbody></mujoco>"""


@pytest.mark.parametrize("depth", range(3))
def test_octrees_and_boxes_of_flexes_are_shown(depth: int) -> None:
    geoms = Pair(VOLUMES).agree(opt_flags={int(conjoint.mjtVisFlag.mjVIS_MESHBVH): 1}, opt_bvh_depth=depth)
    assert sum(g.type == int(conjoint.mjtGeom.mjGEOM_LINE) for g in geoms) == 12


def test_bounding_volumes_of_hidden_flexes_are_not_shown() -> None:
    pair = Pair(
        '<mujoco><worldbody><flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1"/></worldbody></mujoco>'
    )
    flags = {int(conjoint.mjtVisFlag.mjVIS_MESHBVH): 1}
    shown, hidden = pair.agree(opt_flags=flags), pair.agree(opt_flags=flags, opt_flexgroup={0: 0})
    assert len(shown) > len(hidden)


CABLE = """<mujoco><extension><plugin plugin="mujoco.elasticity.cable"/></extension><worldbody>
<composite prefix="a" type="cable" curve="cos(s) sin(s) s" count="9 1 1" size="1 .3 .1" initial="none" offset="0 0 1">
<plugin plugin="mujoco.elasticity.cable"><config key="twist" value="1e7"/><config key="bend" value="4e6"/>
<config key="flat" value="true"/><config key="vmax" value="{most}"/></plugin>
<joint kind="main" damping=".01"/><geom type="capsule" size=".02" density="500"/></composite></worldbody></mujoco>"""


@pytest.mark.parametrize("most", [0, 0.5, 2.5, 5, 20, 80])
def test_cables_have_the_colours_of_their_moments(most: float) -> None:
    pair = Pair(CABLE.format(most=most), steps=20)
    pair.agree()
    # a scene that is updated calls the plugin again
    mujoco.mj_step(pair.models[1], pair.worlds[1], 20)
    mujoco.mj_forward(pair.models[1], pair.worlds[1])
    pair.copy_state()
    pair.agree()


GRID = """<mujoco><option timestep=".005"/><extension><plugin plugin="mujoco.sensor.touch_grid"/></extension>
<worldbody><geom type="plane" size="3 3 .1" friction=".4"/><geom type="box" size=".2 .2 .2" pos=".3 0 0" euler="10 20 30"/>
<body pos="0 0 .5"><freejoint/><geom type="box" size=".3 .4 .2" euler="0 3 0"/><site name="s" pos=".05 .02 .2" euler="5 0 20"/></body></worldbody>
<sensor><plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="s"><config key="size" value="6 5"/>
<config key="fov" value="70 80"/><config key="gamma" value="{gamma}"/><config key="nchannel" value="{channels}"/></plugin></sensor></mujoco>"""


@pytest.mark.parametrize("channels", [1, 2, 3, 6])
@pytest.mark.parametrize("gamma", [0, 0.6])
def test_touch_grids_show_a_box_where_they_are_touched(channels: int, gamma: float) -> None:
    pair = Pair(GRID.format(channels=channels, gamma=gamma), steps=100)
    geoms = pair.agree()
    boxes = [
        g
        for g in geoms
        if g.category == int(conjoint.mjtCatBit.mjCAT_DECOR) and g.type == int(conjoint.mjtGeom.mjGEOM_BOX)
    ]
    assert len(boxes) > 1
    # the boxes are drawn for any category mask
    assert [g.segid for g in pair.agree(catmask=0)] == list(range(len(boxes)))


def test_touch_grids_tell_that_there_is_no_room() -> None:
    pair = Pair(GRID.format(channels=1, gamma=0), steps=100)
    model, data = pair.models[0], pair.worlds[0]
    scene = conjoint.MjvScene(model, 1)
    with pytest.warns(UserWarning, match="it has space for 1 visual geoms"):
        conjoint.mjv_updateScene(model, data, conjoint.MjvOption(), None, conjoint.MjvCamera(), 0, scene)
    assert scene.ngeom == 1 and data.warning[conjoint.mjtWarning.mjWARN_VGEOMFULL].number == 1


def test_touch_grids_without_a_force_show_nothing() -> None:
    pair = Pair(
        GRID.format(channels=1, gamma=0).replace('pos="0 0 .5"', 'pos="3 0 .2"').replace("0 3 0", "0 0 0"), steps=0
    )
    assert pair.worlds[0].ncon and not pair.agree(catmask=0)


def test_fixed_tendons_of_two_joints_hang_somewhere() -> None:
    """Fixed tendons of two joints are drawn as cables, as in MuJoCo."""
    bodies = "".join(f'<body><joint name="j{k}"/><geom size=".1"/></body>' for k in range(2))
    coefs = "".join(f'<joint joint="j{k}" coef="1"/>' for k in range(2))
    Pair(
        f"<mujoco><worldbody>{bodies}</worldbody><tendon>"
        f'<fixed limited="true" range="0 1">{coefs}</fixed><fixed>{coefs}</fixed></tendon></mujoco>'
    ).agree()


def test_plugins_show_themselves() -> None:
    """A plugin's Python `visualize` function adds geoms to every scene, including updated ones."""
    seen = []

    def visualize(m, d, opt, scn, instance):
        seen.append((instance, d.time))
        box = scn.geoms[scn.ngeom]
        conjoint.mjv_initGeom(
            box, conjoint.mjtGeom.mjGEOM_BOX, np.ones(3), np.zeros(3), np.eye(3).ravel(), np.ones(4, np.float32)
        )
        scn.ngeom += 1

    passive = conjoint.mjtPluginCapabilityBit.mjPLUGIN_PASSIVE
    conjoint.mjp_registerPlugin(conjoint.mjpPlugin("tests.shown", passive, visualize=visualize))
    model = conjoint.MjModel.from_xml_string(
        '<mujoco><extension><plugin plugin="tests.shown"/></extension>'
        '<worldbody><body><geom size="1"/><plugin plugin="tests.shown"/></body></worldbody></mujoco>'
    )
    data = conjoint.MjData(model)
    scene, camera, option = conjoint.MjvScene(model, 10), conjoint.MjvCamera(), conjoint.MjvOption()
    conjoint.mj_step(model, data)
    for k in range(3):
        data.time = k
        conjoint.mjv_updateScene(model, data, option, None, camera, 7, scene)
        kinds = [int(geom.type) for geom in scene.geoms[: scene.ngeom]]
        assert kinds == [conjoint.mjtGeom.mjGEOM_BOX, conjoint.mjtGeom.mjGEOM_SPHERE]
    assert seen == [(0, 0.0), (0, 1.0), (0, 2.0)]
