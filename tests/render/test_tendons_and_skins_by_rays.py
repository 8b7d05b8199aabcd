"""Tendons, skins, sliders and cranks in ray-traced images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_pictures_by_rays import agree, batch_of, colors_agree

import conjoint
import official_pictures
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled

compiled_only = pytest.mark.skipif(not jit_enabled(), reason="uncompiled, pictures take minutes")

GEOM, TENDON = int(conjoint.mjtObj.mjOBJ_GEOM), int(conjoint.mjtObj.mjOBJ_TENDON)
SKIN, ACTUATOR = int(conjoint.mjtObj.mjOBJ_SKIN), int(conjoint.mjtObj.mjOBJ_ACTUATOR)

ROPES = """<mujoco><visual><quality numslices="9"/></visual><asset><material name="red" rgba=".9 .1 .1 1" emission=".3"/></asset><worldbody>
<light pos="0 -1 3" dir="0 .3 -1"/><geom type="plane" size="2 2 .1"/><camera name="side" pos="0 -2.2 1.2" xyaxes="1 0 0 0 .3 1"/>
<site name="a" pos="-.6 0 1" size=".04"/><site name="c" pos=".6 0 1.1" size=".04"/><site name="d" pos=".9 .2 1.2"/><site name="e" pos="-.9 .1 1.2"/>
<geom name="drum" type="cylinder" size=".15 .2" pos="-.3 0 .9" euler="90 0 0"/>
<body name="b" pos="0 .1 .6"><freejoint/><geom size=".12"/><site name="b" pos="0 0 .2"/></body></worldbody>
<tendon><spatial width=".03" material="red"><site site="a"/><geom geom="drum"/><site site="b"/><pulley divisor="2"/><site site="b"/>
<site site="c"/></spatial><spatial width=".02" rgba=".2 .9 .3 1" limited="true" range="0 2.4"><site site="d"/><site site="e"/></spatial>
<spatial width=".05" rgba="0 0 1 .5"><site site="e"/><site site="c"/></spatial>
<spatial width=".05" group="4"><site site="d"/><site site="a"/></spatial></tendon></mujoco>"""
"""Scene (XML) with tendons that wrap, branch, sag, are transparent, or are hidden by default."""

CRANKS = """<mujoco><visual><scale slidercrank=".5"/></visual><worldbody><light pos="0 0 3"/><geom type="plane" size="1 1 .1" pos="0 .5 0"/>
<body name="wheel" pos="0 0 .5"><joint axis="0 1 0"/><geom type="cylinder" size=".2 .02" euler="90 0 0"/>
<site name="pin" pos=".15 -.1 0"/></body><site name="rail" pos="-.6 -.1 .5" euler="0 90 0"/><site name="far" pos="-.6 -.1 .9" euler="0 90 0"/>
<camera name="side" pos="-.2 -1.6 .6" xyaxes="1 0 0 0 0 1"/></worldbody><actuator><general cranksite="pin" slidersite="rail" cranklength=".3"/>
<general cranksite="pin" slidersite="far" cranklength=".1"/></actuator></mujoco>"""

SKINNED = """<mujoco><asset><texture name="t" type="2d" builtin="checker" rgb1="1 .2 .1" rgb2=".1 .3 1" width="32" height="32"/>
<material name="m" texture="t"/></asset><worldbody><light pos="0 -.5 3" dir="0 .1 -1"/><geom type="plane" size="1 1 .1"/>
<camera name="side" pos=".2 -1.6 1" xyaxes="1 .1 0 0 .4 1"/><body name="a" pos="0 0 .3"><freejoint/><geom size=".04"/>
<body name="b" pos="0 0 .3"><joint type="ball"/><geom size=".03" pos=".3 0 0"/></body></body></worldbody>
<deformable><skin {} inflate=".02" vertex="-.2 -.2 0 .2 -.2 0 .2 .2 0 -.2 .2 0 -.2 -.2 .4 .2 -.2 .4 .2 .2 .4 -.2 .2 .4"
face="0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7">
<bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3 4 5" vertweight="1 1 1 1 .4 .7"/>
<bone body="b" bindpos="0 0 .3" bindquat="1 0 0 0" vertid="4 5 6 7" vertweight=".6 .3 1 1"/></skin></deformable></mujoco>"""
COORDINATES = 'material="m" texcoord="0 0 1 0 1 1 0 1 0 1 1 1 1 0 0 0"'
"""XML attributes of a skin with texture coordinates."""

SCENES = {
    "ropes": ROPES, "cranks": CRANKS, "skin": SKINNED.format('rgba=".4 .7 .3 1"'),
    "textured skin": SKINNED.format(COORDINATES), "transparent skin": SKINNED.format('rgba=".4 .7 .3 .4"'),
}  # fmt: skip


@compiled_only
@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_seen_and_coloured_as_officially(name: str, tmp_path: Path) -> None:
    path = tmp_path / "scene.xml"
    path.write_text(SCENES[name])
    agree(path, tmp_path, "side")
    colors_agree(path, tmp_path, "side")


@compiled_only
@pytest.mark.parametrize("name", SCENES)
def test_a_batch_sees_what_a_scene_shows(name: str) -> None:
    """A batch renders the same image as `RayRenderer`, up to the single precision of its scenes."""
    batch = batch_of(SCENES[name], 2)
    data = batch.get_data(1)
    conjoint.mj_forward(data.model, data)
    height, width = official_pictures.SIZE
    depth, seen, color = batch.render("side", width, height, ("depth", "segmentation", "color"))
    with conjoint.RayRenderer(data.model, width, height) as renderer:
        renderer.update_scene(data, camera="side")
        assert np.abs(renderer.render().astype(float) - color[1]).mean() < 0.5
        renderer.enable_depth_rendering()
        assert np.mean(np.abs(renderer.render() / depth[1] - 1) < 1e-4) > 0.998
        renderer.disable_depth_rendering()
        renderer.enable_segmentation_rendering()
        assert np.mean((renderer.render() == seen[1]).all(axis=2)) > 0.998


TWINS = """<mujoco><statistic extent="1" meansize=".5"/><visual><scale slidercrank=".2"/></visual><asset>
<mesh name="m" inertia="shell" vertex="0 0 0 .6 0 0 0 .7 0 0 0 .8" face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset>
<worldbody><camera name="top" pos=".1 .2 3" fovy="30"/><body name="b"><freejoint/><geom size=".01" group="3"/>
<site name="a" euler="0 90 0"/><site name="c" pos=".5 .3 0"/>{}</body></worldbody>{}</mujoco>"""
"""Model (XML) of a body with placeholders for geoms and for drawn elements of the same shape."""

PAIRS = {
    "tendon": ("""<geom type="capsule" fromto="0 0 0 .5 .3 0" size=".1"/>""", """<tendon><spatial width=".1"><site site="a"/>
<site site="c"/></spatial></tendon>""", TENDON),
    # the crank reaches back by .4 m along the slider's axis
    "slider and crank": ("""<geom type="cylinder" fromto="0 0 0 .1 0 0" size=".1"/>
<geom type="capsule" fromto=".1 0 0 .5 .3 0" size=".05"/>""", """<actuator><general cranksite="c" slidersite="a"
cranklength=".5"/></actuator>""", ACTUATOR),
    "skin": ('<geom type="mesh" mesh="m"/>', """<deformable><skin vertex="0 0 0 .6 0 0 0 .7 0 0 0 .8"
face="0 2 1 0 1 3 0 3 2 1 2 3"><bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 1 1 1"/>
</skin></deformable>""", SKIN),
}  # fmt: skip


@pytest.mark.plain
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_what_is_drawn_is_seen_as_geoms_of_its_form(name: str, precision: str) -> None:
    geoms, drawn, kind = PAIRS[name]
    side = 40 if jit_enabled() else 10
    pictures = []
    for text in (TWINS.format(geoms, ""), TWINS.format("", drawn)):
        batch = Batch(conjoint.MjModel.from_xml_string(text), 2, precision=precision, nthread=1)
        batch.qpos[1] = [0.1, -0.1, 0.3, 0.9, 0.2, -0.3, 0.1]
        kinds = "depth", "segmentation", "normal"
        pictures.append(batch.render("top", side, side, kinds, sitegroup=[0] * 6))
    (depth, seen, normal), (other, found, across) = pictures
    same = (seen[..., 0] >= 0) == (found[..., 0] >= 0)
    assert same.mean() > 0.998 and set(np.unique(found[..., 1])) == {-1, kind}
    assert other[same] == pytest.approx(depth[same], rel=1e-5)
    # normals of the skin differ, because it is smooth while the mesh has edges
    assert kind == SKIN or np.allclose(normal[same], across[same], atol=1e-3)


@pytest.mark.plain
def test_groups_and_opacity_hide_what_is_drawn() -> None:
    model = conjoint.MjModel.from_xml_string(ROPES)
    batch = Batch(model, 2, nthread=1, vary=["tendon_rgba"])
    batch.tendon_rgba[1, 1, 3] = 0.0
    width, height = (160, 120) if jit_enabled() else (40, 30)

    def tendons(world: int, **given) -> set[int]:
        seen = batch.render("side", width, height, "segmentation", **given)[world]
        return set(np.unique(seen[seen[..., 1] == TENDON][:, 0]).tolist())

    assert tendons(0) == {0, 1, 2} and tendons(1) == {0, 2}
    assert tendons(0, tendongroup=[0, 0, 0, 0, 1, 0]) == {3}
    skinned = Batch(conjoint.MjModel.from_xml_string(SKINNED.format('group="1"')), 1, nthread=1)
    assert (skinned.render("side", 20, 15, "segmentation")[..., 1] == SKIN).any()
    assert not (skinned.render("side", 20, 15, "segmentation", skingroup=[1, 0, 1, 0, 0, 0])[..., 1] == SKIN).any()


@pytest.mark.plain
@pytest.mark.parametrize("name", ["ropes", "cranks", "textured skin"])
def test_each_world_is_seen_as_if_it_were_alone(name: str) -> None:
    width, height = (40, 30) if jit_enabled() else (12, 9)
    batch = batch_of(SCENES[name], 3, nthread=2)
    pictures = batch.render("side", width, height, ("color", "depth", "normal"))
    for world in range(3):
        alone = Batch(batch.model, 1, nthread=1)
        alone.qpos[0] = batch.qpos[world]
        for together, single in zip(
            pictures, alone.render("side", width, height, ("color", "depth", "normal")), strict=True
        ):
            assert np.array_equal(together[world], single[0])
    assert not np.array_equal(pictures[1][0], pictures[1][1])


@pytest.mark.plain
def test_cables_hang_along_the_gravity_of_their_world() -> None:
    batch = Batch(conjoint.MjModel.from_xml_string(ROPES), 2, nthread=1, vary=["opt.gravity"])
    batch.opt.gravity[1] = [0.0, 0.0, 3.0]
    width, height = (160, 120) if jit_enabled() else (40, 30)
    seen = batch.render("side", width, height, "segmentation")
    rows = [np.nonzero((picture == [1, TENDON]).all(axis=2))[0] for picture in seen]
    # both ends are high, and with upward gravity the cable rises from them
    assert rows[0].max() > rows[0].min() + height / 4 and rows[1].max() < rows[0].min() + height / 12


@pytest.mark.plain
def test_cables_of_more_parts_find_room() -> None:
    """The number of slices of tendons may be increased after images were rendered."""
    model = conjoint.MjModel.from_xml_string(ROPES)
    batch = Batch(model, 1, nthread=1)
    before = batch.render("side", 24, 18, "depth")
    model.vis.quality.numslices = 60
    assert np.mean(np.abs(batch.render("side", 24, 18, "depth") / before - 1) < 0.02) > 0.9


def test_shadows_of_tendons_and_skins_fall() -> None:
    for text in (ROPES, SKINNED.format("")):
        batch = Batch(conjoint.MjModel.from_xml_string(text), 1, nthread=1)
        height, width = (120, 160) if jit_enabled() else (12, 16)
        hidden = {"tendongroup": [0] * 6, "skingroup": [0] * 6, "sitegroup": [0] * 6}
        seen = batch.render("side", width, height, "segmentation")[0]
        with_them, without = batch.render("side", width, height), batch.render("side", width, height, **hidden)
        floor = (seen == [0, GEOM]).all(axis=2)
        darker = with_them[0].sum(axis=2).astype(int) < without[0].sum(axis=2).astype(int) - 30
        assert (darker & floor).any()


def sheet(x: float, side: int = 5) -> str:
    """Return the XML of a horizontal square skin of many triangles, 0.4 m wide."""
    points = [
        f"{0.4 * c / side - 0.2 + x:.4f} {0.4 * r / side - 0.2:.4f} .5"
        for r in range(side + 1)
        for c in range(side + 1)
    ]
    corners = [r * (side + 1) + c for r in range(side) for c in range(side)]
    faces = [f"{k} {k + 1} {k + side + 2} {k} {k + side + 2} {k + side + 1}" for k in corners]
    numbers = range(len(points))
    return f"""<skin vertex="{" ".join(points)}" face="{" ".join(faces)}"><bone body="b" bindpos="0 0 0" bindquat="1 0 0 0"
vertid="{" ".join(map(str, numbers))}" vertweight="{" ".join("1" for _ in numbers)}"/></skin>"""


@pytest.mark.plain
def test_skins_of_many_triangles_cast_the_shadows_of_boxes() -> None:
    scene = """<mujoco><worldbody><light pos=".3 0 3" cutoff="80" exponent="0"/><geom type="plane" size="1 1 1"/>
<camera pos="0 -1.5 1.5" xyaxes="1 0 0 0 1 1"/><body name="b"><freejoint/><geom size=".01" group="4"/>{}</body></worldbody>{}</mujoco>"""
    boxes = "".join(f'<geom type="box" size=".2 .2 .0001" pos="{x} 0 .5"/>' for x in (-0.4, 0.4))
    skins = f"<deformable>{sheet(-0.4)}{sheet(0.4)}</deformable>"
    width, height = (160, 120) if jit_enabled() else (24, 18)
    made = []
    for text in (scene.format(boxes, ""), scene.format("", skins)):
        batch = Batch(conjoint.MjModel.from_xml_string(text), 1, nthread=1)
        made.append(batch.render(0, width, height, ("color", "segmentation")))
    floor = [(seen[0] == [0, GEOM]).all(axis=2) for _, seen in made]
    both = floor[0] & floor[1]
    dark = made[0][0][0][both].sum(axis=1) < 200
    same = (made[0][0][0][both] == made[1][0][0][both]).all(axis=1)
    assert dark.any() and not dark.all() and same.mean() > 0.99 and same[dark].mean() > 0.95
