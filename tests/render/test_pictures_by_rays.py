"""Ray-traced images agree with MuJoCo's and Conjoint's renderers, and lidars agree with mj_ray."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import conjoint
import official_pictures
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from places import ROOT

MODELS = ROOT / "models"

EDGES = 0.98
"""Minimum fraction of pixels that agree with MuJoCo's renderer.

Not all do, because rays pass through pixel centers, and MuJoCo's renderer draws flat triangles.
"""

NEAR = 5e-3
"""Maximum relative difference between distances at agreeing pixels."""

compiled_only = pytest.mark.skipif(not jit_enabled(), reason="uncompiled, pictures take minutes")

CAMERA_SCENE = """<mujoco><visual><map znear=".01" zfar="20"/></visual><statistic extent="1" center="0 0 .5"/><worldbody>
<geom type="plane" size="2 2 .1" euler="0 5 0"/><geom type="plane" size="0 0 .1" pos="0 0 -.5"/>
<geom type="box" size=".2 .1 .3" pos=".5 0 .4" euler="10 20 30"/>
<geom type="ellipsoid" size=".1 .2 .15" pos="-.5 .2 .4"/><geom type="cylinder" size=".1 .2" pos="0 .6 .3" euler="50 0 0"/>
<geom size=".1" pos="0 0 2" group="3"/><geom size=".1" pos="0 .1 .9" rgba="1 1 1 0"/>
<body name="b" pos="0 0 .5"><freejoint/><geom type="capsule" size=".08 .2" euler="0 70 0"/>
<site pos="0 0 .2" size=".05"/><site type="box" size=".05 .02 .1" pos="0 .2 .1" group="4"/>
<camera name="inside" fovy="90" euler="80 0 20"/></body>
<camera name="fixed" pos="1.5 -1 1.2" xyaxes=".6 .8 0 -.3 .2 .9"/>
<camera name="follows" pos="0 -2 1" mode="trackcom" fovy="60"/>
<camera name="targets" pos="1 1 2" mode="targetbody" target="b"/>
<camera name="sensor" pos="0 -2 1" xyaxes="1 0 0 0 .3 1" resolution="160 120" sensorsize=".02 .01" focal=".02 .015"
 principal="{}"/>
<camera name="parallel" pos="1 -1 1.5" xyaxes="1 1 0 -.5 .5 1" orthographic="true" fovy="2"/>
<camera name="below" pos=".2 -1.5 -.4" xyaxes="1 0 0 0 -.8 1"/></worldbody></mujoco>"""
CAMERAS = CAMERA_SCENE.format(".001 -.002")
"""XML of a scene with every kind of camera and every primitive geom."""

ASSETS = """<mujoco><asset><hfield name="h" nrow="4" ncol="5" size="1 1.2 .4 .2"
 elevation="0 .2 .3 .1 0 .4 1 .5 .2 .1 0 .3 .8 .9 .2 .1 0 .2 .4 .3"/>
<mesh name="m" vertex="0 0 0 .6 0 0 0 .7 0 0 0 .8 .5 .6 .7"/></asset><worldbody>
<geom type="hfield" hfield="h"/><geom type="mesh" mesh="m" pos="0 0 .8" euler="20 30 40"/>
<camera name="side" pos="0 -3 1.6" xyaxes="1 0 0 0 .4 1"/></worldbody></mujoco>"""


def agree(path: Path, folder: Path, camera: int | str = -1, official: Path | None = None) -> None:
    """Assert that an image agrees with MuJoCo's image of the same model, or of the model in file `official`."""
    theirs = official_pictures.official(official or path, camera, 0, folder)
    model, data = official_pictures.world(conjoint, str(path))
    batch = Batch(model, 2, nthread=1)
    batch.set_data(data, worlds=1)
    height, width = official_pictures.SIZE
    depth, seen = batch.render(camera, width, height, ("depth", "segmentation"))
    near = theirs["depth"] < 0.99 * theirs["depth"].max()
    assert near.any() and np.mean(np.abs(depth[1][near] / theirs["depth"][near] - 1) < NEAR) > EDGES
    assert np.mean((seen[1] == theirs["number"]).all(axis=2)) > EDGES


@compiled_only
@pytest.mark.parametrize("name", ["humanoid", "pile", "flag", "soft_block"])
def test_models_are_seen_as_officially(name: str, tmp_path: Path) -> None:
    agree(MODELS / f"{name}.xml", tmp_path)


@compiled_only
@pytest.mark.parametrize("camera", ["inside", "fixed", "follows", "targets", "sensor", "below"])
def test_cameras_see_as_officially(camera: str, tmp_path: Path) -> None:
    path = tmp_path / "cameras.xml"
    path.write_text(CAMERAS)
    # MuJoCo mirrors the principal point vertically (pull request #3150), so its model has the opposite sign
    other = tmp_path / "mirrored.xml"
    other.write_text(CAMERA_SCENE.format(".001 .002"))
    agree(path, tmp_path, camera, official=other)


@compiled_only
def test_parallel_rays_see_the_same_objects(tmp_path: Path) -> None:
    """Orthographic cameras see the same objects as in MuJoCo, at the distances of rays; MuJoCo reports perspective depths."""
    path = tmp_path / "cameras.xml"
    path.write_text(CAMERAS)
    theirs = official_pictures.official(path, "parallel", 0, tmp_path)
    model, data = official_pictures.world(conjoint, str(path))
    height, width = official_pictures.SIZE
    depth, seen = Batch(model, 1).render("parallel", width, height, ("depth", "segmentation"))
    assert np.mean((seen[0] == theirs["number"]).all(axis=2)) > EDGES
    camera = model.camera("parallel").id
    axes = data.cam_xmat[camera].reshape(3, 3)
    start = data.cam_xpos[camera] + axes @ [(2 * 40.5 / 160 - 1) * 160 / 120, 1 - 2 * 70.5 / 120, 0]
    shown = np.array([1, 1, 1, 0, 0, 0], np.uint8)
    expected = conjoint.mj_ray(model, data, start, -axes[:, 2], shown, 1, -1, np.zeros(1, np.int32))
    assert depth[0, 70, 40] == pytest.approx(expected, rel=1e-6)


@compiled_only
@pytest.mark.parametrize("camera", [-1, "side"])
def test_meshes_and_height_fields_are_seen_as_officially(camera: int | str, tmp_path: Path) -> None:
    path = tmp_path / "assets.xml"
    path.write_text(ASSETS)
    agree(path, tmp_path, camera)


SCENES = {
    "primitives, spot light": """<light pos="0 0 3"/><geom type="plane" size="3 3 .1"/>
<geom type="sphere" size=".2" pos="0 0 .5"/><geom type="capsule" size=".1 .3" pos=".7 0 .5" euler="40 20 0"/>
<geom type="cylinder" size=".2 .3" pos="-.7 0 .5" euler="70 0 10"/><geom type="box" size=".2 .1 .3" pos="0 .7 .5"/>
<geom type="ellipsoid" size=".3 .1 .2" pos="0 -.7 .5" rgba="1 0 0 .9"/>""",
    "cube texture, sky, haze": """<geom type="box" size=".5 .3 .4" material="dice"/><geom size=".4" pos="1 0 0"
material="dice"/><geom type="plane" size="0 0 1" pos="0 0 -1" material="floor"/>""",
    "flat texture, directional light": """<light directional="true" dir=".3 .2 -1" castshadow="false"/>
<geom type="plane" size="2 2 1" material="tiles"/><geom type="mesh" mesh="m" material="tiles" pos="0 0 .5"/>""",
}
LOOKS = """<texture name="sky" type="skybox" builtin="gradient" rgb1=".4 .6 .8" rgb2="0 0 0" width="64" height="64"/>
<texture name="tiles" type="2d" builtin="checker" rgb1=".2 .3 .4" rgb2=".7 .6 .5" width="64" height="64"/>
<texture name="sides" type="cube" builtin="gradient" rgb1="1 0 0" rgb2="0 0 1" width="64" height="64"/>
<material name="tiles" texture="tiles"/><material name="dice" texture="sides" specular="1" shininess=".3"/>
<material name="floor" texture="tiles" texrepeat="3 2" texuniform="true"/>
<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" texcoord="0 0 1 0 0 1 1 1"/>"""

COLORS = 3.0
"""Maximum mean color difference (of 255), because Conjoint computes light per pixel, and its textures have no mipmaps."""


def colors_agree(path: Path, folder: Path, camera: int | str = -1) -> None:
    """Assert that a color image agrees with MuJoCo's."""
    theirs = official_pictures.official(path, camera, 0, folder)
    model, data = official_pictures.world(conjoint, str(path))
    batch = Batch(model, 1, nthread=1)
    batch.set_data(data, worlds=0)
    height, width = official_pictures.SIZE
    assert np.abs(batch.render(camera, width, height)[0] - theirs["color"]).mean() < COLORS


@compiled_only
@pytest.mark.parametrize("name", ["humanoid", "car", "flag"])
def test_models_are_coloured_as_officially(name: str, tmp_path: Path) -> None:
    colors_agree(MODELS / f"{name}.xml", tmp_path)


@compiled_only
@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_coloured_as_officially(name: str, tmp_path: Path) -> None:
    path = tmp_path / "scene.xml"
    path.write_text(f"<mujoco><asset>{LOOKS}</asset><worldbody>{SCENES[name]}</worldbody></mujoco>")
    colors_agree(path, tmp_path)


SHAPES = """<mujoco><asset><mesh name="m" builtin="sphere" params="2"/><hfield name="h" nrow="9" ncol="9" size="1 1 .5 .2"
 elevation="{}"/></asset><worldbody><camera name="top" pos=".1 .2 4" fovy="12"/><geom type="{}" {}/></worldbody></mujoco>"""


@pytest.mark.plain
@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("sphere", 'size=".5"'), ("capsule", 'size=".3 .4" euler="50 20 0"'), ("cylinder", 'size=".3 .4" euler="50 20 0"'),
        ("ellipsoid", 'size=".3 .4 .5" euler="50 20 0"'), ("box", 'size=".3 .4 .5" euler="50 20 0"'),
        ("plane", 'size="1 1 1" euler="20 0 0"'), ("mesh", 'mesh="m" euler="20 30 0"'), ("hfield", 'hfield="h"'),
    ],
)  # fmt: skip
def test_normals_are_across_what_is_seen(kind: str, given: str) -> None:
    """Rendered normals are perpendicular to the lines between neighboring pixels of a smooth surface."""
    slope = " ".join(f"{0.1 * r + 0.05 * c:.3f}" for r in range(9) for c in range(9))
    batch = Batch(conjoint.MjModel.from_xml_string(SHAPES.format(slope, kind, given)), 1, nthread=1)
    side = 40 if jit_enabled() else 12
    depth, seen, normal = batch.render("top", side, side, ("depth", "segmentation", "normal"))
    data = batch.get_data(0)
    conjoint.mj_forward(data.model, data)
    start, ways = rays_of(data, "top", side, side)
    points = start + ways * depth[0][:, :, None]
    shown = seen[0, :, :, 0] >= 0
    assert np.allclose(np.linalg.norm(normal[0][shown], axis=1), 1, atol=1e-6) and not normal[0][~shown].any()
    assert (np.einsum("rck,rck->rc", normal[0], ways)[shown] < 1e-6).all()
    across = points[:, 2:] - points[:, :-2]
    both = shown[:, 2:] & shown[:, :-2] & shown[:, 1:-1]
    tilt = np.abs(np.einsum("rck,rck->rc", across, normal[0][:, 1:-1])) / np.linalg.norm(across, axis=2)
    assert both.any() and np.median(tilt[both]) < (0.02 if jit_enabled() and kind != "mesh" else 0.1)


@pytest.mark.plain
def test_the_last_of_what_is_in_one_place_is_seen() -> None:
    """Pixels show the last of two coincident geoms, as in MuJoCo for a visible mesh and its collision copy."""
    text = """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody><camera pos="0 0 4"/>
 <geom type="mesh" mesh="m"/><geom type="mesh" mesh="m"/><geom pos=".9 0 0" size=".2"/><geom pos=".9 0 0" size=".2"/>
 </worldbody></mujoco>"""
    seen = Batch(conjoint.MjModel.from_xml_string(text), 1).render(0, 20, 20, "segmentation")[0, :, :, 0]
    assert set(np.unique(seen)) == {-1, 1, 3}


@pytest.mark.plain
def test_each_of_many_casts_its_shadow() -> None:
    """Each of 40 balls behind the camera casts the same shadow as it does alone."""
    rng = np.random.default_rng(2)
    balls = [f'<geom size=".1" pos="{x:.3f} {y:.3f} 3"/>' for x, y in rng.uniform(-1.5, 1.5, (40, 2))]

    def picture(shown: list[str]) -> np.ndarray:
        model = conjoint.MjModel.from_xml_string(f"""
<mujoco>
  <worldbody>
    <light directional="true" dir="0 .2 -1"/> <camera name="down" pos="0 0 2" fovy="80"/>
    <geom type="plane" size="0 0 1"/> {"".join(shown)}
  </worldbody>
</mujoco>""")
        return conjoint.Batch(model, 1).render("down", 40, 40)[0]

    together, alone = picture(balls), [picture([ball]) for ball in balls]
    assert (together == np.min(alone, axis=0)).all()
    assert 0.02 < (together < picture([])).any(axis=2).mean() < 0.9


def test_lights_shine_and_cast_shadows() -> None:
    text = """<mujoco><visual><headlight active="0"/></visual><worldbody><light pos="1 0 4" dir="0 0 -1" ambient="0 0 0"
 diffuse="1 1 1" specular="0 0 0" cutoff="60"/><camera pos="0 0 3"/><geom type="plane" size="5 5 1" rgba="1 .5 0 1"/>
 <body><freejoint/><geom size=".2" pos="0 0 1" mass="1" rgba="0 0 1 1"/></body></worldbody></mujoco>"""
    batch = Batch(conjoint.MjModel.from_xml_string(text), 2, nthread=1)
    batch.qpos[1, 0] = 50.0
    bright, dark = batch.render(0, 15, 15), batch.render(0, 15, 15, shadows=False)
    # directly below the light, the image has the floor's color
    assert bright[1, 7, 13] == pytest.approx([255, 127, 0], abs=1)
    # only the first world has the ball's shadow beside that point
    lost = (bright.astype(int) - dark)[:, :, :, 0] < -50
    assert lost[0].any() and not lost[1].any()


@pytest.mark.plain
def test_what_is_behind_shines_through() -> None:
    text = """<mujoco><visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/></visual><worldbody>
 <camera pos="0 0 3"/><geom type="box" size=".1 .1 .1" rgba="0 1 0 .5" pos="0 0 1"/>
 <geom type="box" size=".2 .2 .1" rgba="1 0 0 1"/><geom type="box" size=".1 .1 .1" rgba="0 0 1 .5" pos="0 0 -1"/>
 <geom type="box" size=".3 .3 .1" rgba="0 0 1 .5" pos="0 0 .5"/></worldbody></mujoco>"""
    picture = Batch(conjoint.MjModel.from_xml_string(text), 1, nthread=1).render(0, 9, 9)
    assert picture[0, 4, 4].tolist() == [64, 128, 64]


CORPUS = (
    "mujoco-3.3.5/model/humanoid/humanoid.xml", "mujoco-3.3.5/model/car/car.xml",
    "gymnasium-1.2.0/mujoco/assets/walker2d.xml",
)  # fmt: skip


@compiled_only
@pytest.mark.corpus
@pytest.mark.parametrize("path", CORPUS)
def test_public_models_are_seen_as_officially(corpus: Path, path: str, tmp_path: Path) -> None:
    agree(corpus / path, tmp_path)


def batch_of(text: str, nworld: int, seed: int = 0, **given) -> Batch:
    """Return a batch of worlds in different random states."""
    batch = Batch(conjoint.MjModel.from_xml_string(text), nworld, **given)
    batch.qpos += np.random.default_rng(seed).normal(0, 0.1, batch.qpos.shape)
    return batch


def rays_of(data, camera: str, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the origin and the vectors of the rays through the pixel centers of a perspective camera."""
    model = data.model
    c = model.camera(camera).id
    axes = data.cam_xmat[c].reshape(3, 3)
    half = np.tan(np.radians(model.cam_fovy[c]) / 2)
    v, u = np.meshgrid(1 - (2 * np.arange(height) + 1) / height, (2 * np.arange(width) + 1) / width - 1, indexing="ij")
    off = np.stack([u * half * width / height, v * half, -np.ones_like(u)], axis=-1)
    return data.cam_xpos[c], off @ axes.T


@pytest.mark.plain
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_pixels_are_rays(precision: str) -> None:
    """In each world, each pixel shows the result of mj_ray through its center."""
    batch = batch_of(CAMERAS, 3, precision=precision, nthread=2)
    height, width = 6, 8
    depth, seen = batch.render("fixed", width, height, ("depth", "segmentation"), sitegroup=[0] * 6)
    for world in range(3):
        data = batch.get_data(world)
        conjoint.mj_forward(data.model, data)
        start, ways = rays_of(data, "fixed", height, width)
        geom = np.zeros(1, np.int32)
        for row, column in np.ndindex(height, width):
            x = conjoint.mj_ray(data.model, data, start, ways[row, column], np.array([1, 1, 1, 0, 0, 0]), 1, -1, geom)
            assert seen[world, row, column].tolist() == ([geom[0], 5] if 0 <= x < 20 else [-1, -1])
            tolerance = 1e-6 if precision == "float64" else 1e-4
            assert depth[world, row, column] == pytest.approx(x if 0 <= x < 20 else 20.0, rel=tolerance)


@pytest.mark.plain
def test_pictures_show_the_state_as_it_is_and_leave_it() -> None:
    batch = batch_of(CAMERAS, 2, nthread=1)
    before = batch.snapshot()
    first = batch.render("follows", 8, 6, "depth")
    assert not np.array_equal(first[0], first[1])
    batch.qpos[0] = batch.qpos[1]
    second = batch.render("follows", 8, 6, "depth")
    assert np.array_equal(second[0], second[1]) and np.array_equal(second[1], first[1])
    batch.restore(before)
    assert np.array_equal(batch.render("follows", 8, 6, "depth"), first)
    assert all(np.array_equal(value, before[name]) for name, value in batch.snapshot().items())


@compiled_only
def test_neither_threads_nor_neighbours_change_a_pixel() -> None:
    made = []
    for nworld, nthread, width in ((9, 1, None), (9, 2, None), (20, 3, 2)):
        batch = Batch(conjoint.MjModel.from_xml_string(CAMERAS), nworld, nthread=nthread, lanes=width)
        batch.qpos[:9] += np.random.default_rng(5).normal(0, 0.1, (9, 7))
        made.append(batch.render("fixed", 40, 30, "depth")[:9])
    assert np.array_equal(made[0], made[1])
    assert np.allclose(made[0], made[2], rtol=1e-6)


@pytest.mark.plain
def test_worlds_of_their_own_geoms_are_seen_so() -> None:
    text = '<mujoco><worldbody><geom name="g" size=".5"/><camera pos="0 0 3"/></worldbody></mujoco>'
    batch = Batch(conjoint.MjModel.from_xml_string(text), 3, vary=["geom_size", "geom_rgba", "cam_pos", "geom_pos"])
    batch.geom_size[1, 0, 0] = 1.0
    batch.geom_rgba[2, 0, 3] = 0.0
    depth, seen = batch.render(0, 5, 5, ("depth", "segmentation"))
    assert depth[:2, 2, 2] == pytest.approx([2.5, 2.0]) and seen[:, 2, 2, 0].tolist() == [0, 0, -1]
    batch.geom_rgba[2, 0, 3] = 1.0
    batch.cam_pos[2, 0, 2] = 4.0
    assert batch.render(0, 5, 5, "depth")[:, 2, 2] == pytest.approx([2.5, 2.0, 3.5])


@pytest.mark.plain
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_lidars_measure_what_rays_do(precision: str) -> None:
    batch = batch_of(CAMERAS, 3, precision=precision, nthread=1)
    ways = np.random.default_rng(1).normal(size=(20, 3))
    distances, geoms = batch.lidar(0, ways, geomid=True)
    assert distances.shape == geoms.shape == (3, 20) and (geoms >= 0).any() and (geoms < 0).any()
    for world in range(3):
        data = batch.get_data(world)
        conjoint.mj_kinematics(data.model, data)
        official = mujoco.MjModel.from_xml_string(CAMERAS)
        theirs = mujoco.MjData(official)
        theirs.qpos[:] = data.qpos
        mujoco.mj_kinematics(official, theirs)
        units = ways / np.linalg.norm(ways, axis=1, keepdims=True)
        for k, way in enumerate(units @ theirs.site_xmat[0].reshape(3, 3).T):
            geom = np.zeros(1, np.int32)
            expected = mujoco.mj_ray(official, theirs, theirs.site_xpos[0], way, None, 1, 1, geom)
            tolerance = 1e-12 if precision == "float64" else 1e-4
            assert geoms[world, k] == geom[0]
            assert distances[world, k] == pytest.approx(expected, rel=tolerance, abs=tolerance)


@pytest.mark.plain
def test_lidars_are_cut_off_and_leave_out_what_they_shall() -> None:
    text = """<mujoco><worldbody><geom size=".1" pos="2 0 0"/><geom size=".1" pos="0 3 0" group="2"/>
<body pos="0 0 .5"><freejoint/><geom size=".2"/><geom size=".1" pos="0 0 1"/><site name="eye" pos="0 0 -.5"/></body>
</worldbody></mujoco>"""
    batch = Batch(conjoint.MjModel.from_xml_string(text), 2, nthread=1)
    ways = [[5, 0, 0], [0, 1, 0], [0, 0, 0.1]]
    assert batch.lidar("eye", ways) == pytest.approx(np.tile([1.9, 2.9, -1], (2, 1)))
    assert batch.lidar("eye", ways, cutoff=2.5)[0] == pytest.approx([1.9, -1, -1])
    assert batch.lidar("eye", ways, geomgroup=[1, 0, 0, 0, 0, 0])[0] == pytest.approx([1.9, -1, -1])
    assert batch.lidar("eye", ways, static=False, bodyexclude=-1)[0] == pytest.approx([-1, -1, 0.3])
    # a site of the world sees geoms that are fixed to the world
    fixed = conjoint.MjModel.from_xml_string(
        '<mujoco><worldbody><site/><geom size=".1" pos="1 0 0"/></worldbody></mujoco>'
    )
    assert Batch(fixed, 1).lidar(0, [[1, 0, 0]])[0, 0] == pytest.approx(0.9)
    assert Batch(fixed, 1).lidar(0, [[1, 0, 0]], bodyexclude=0)[0, 0] == -1


@pytest.mark.plain
@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"camera": "fixd"}, "there is no camera 'fixd'.*fixed"),
        ({"camera": 9}, "there is no camera 9: the model has 7"),
        ({"what": "depht"}, "there are no pictures of 'depht': choose from depth, segmentation"),
        ({"width": 0}, "width must be an integer from 1 to 16384, not 0"),
    ],
)
def test_pictures_that_cannot_be_are_told(given: dict, text: str) -> None:
    with pytest.raises(conjoint.FatalError, match=text):
        batch_of(CAMERAS, 1).render(**given)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("site", "ways", "more", "text"),
    [
        ("eye", [[1, 0, 0]], {}, "there is no site 'eye'"),
        (0, [[1, 0, 0], [0, 0, 0]], {}, r"direction 1 is \[0.0, 0.0, 0.0\]: its length must not be zero"),
        (0, [[1, 0]], {}, r"directions must have shape \(nray, 3\), not \(1, 2\)"),
        (0, [[1, 0, 0]], {"bodyexclude": 7}, "there is no body 7: the model has 2"),
    ],
)
def test_lidars_that_cannot_be_are_told(site: int | str, ways: list, more: dict, text: str) -> None:
    with pytest.raises(conjoint.FatalError, match=text):
        batch_of(CAMERAS, 1).lidar(site, ways, **more)


def test_cameras_that_follow_bodies_belong_into_the_model() -> None:
    camera = conjoint.MjvCamera()
    camera.type, camera.trackbodyid = int(conjoint.mjtCamera.mjCAMERA_TRACKING), 1
    with pytest.raises(conjoint.FatalError, match='mode="track"'):
        batch_of(CAMERAS, 1).render(camera)
