"""Rendered images agree with MuJoCo's renderer; if no renderer is available, an error is raised.

Depths and objects agree at all pixels except a few at edges. Colors agree approximately, because Conjoint computes light
per pixel and MuJoCo per vertex.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import conjoint
import official_pictures
from places import ROOT

MODELS = ROOT / "models"
EDGES = 0.98
"""Minimum fraction of pixels at which the images of both renderers must agree."""


pytestmark = pytest.mark.usefixtures("opengl")


@pytest.fixture
def egl(monkeypatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "egl")


def load(path_or_text: str) -> tuple:
    """Return the model and data for a path or an XML text."""
    if not path_or_text.endswith(".xml"):
        model = conjoint.MjModel.from_xml_string(path_or_text)
        data = conjoint.MjData(model)
        conjoint.mj_forward(model, data)
        return model, data
    return official_pictures.world(conjoint, path_or_text)


def compare(path: Path, folder: Path, camera: int | str = -1, difference: float = 4.0, hidden: int = 0) -> np.ndarray:
    """Render with both engines, assert that the images agree, and return the ids and types of visible objects."""
    ours = official_pictures.take(conjoint, *load(str(path)), camera, hidden)
    theirs = official_pictures.official(path, camera, hidden, folder)
    near = theirs["depth"] < 0.99 * theirs["depth"].max()
    # joints are so small that most of their pixels are at edges
    if near.any() and not hidden:
        assert np.mean(np.abs(ours["depth"][near] / theirs["depth"][near] - 1) < 5e-3) > EDGES
    assert np.mean((ours["number"] == theirs["number"]).all(axis=2)) > EDGES
    if not hidden:
        same_objects(ours["number"], theirs["number"])
    assert np.abs(ours["color"] - theirs["color"]).mean() < difference
    return ours["number"]


def objects(number: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    """Return masks of the pixels that show each object, keyed by the object's id and type."""
    found = {tuple(one) for one in number.reshape(-1, 2).tolist()}
    return {one: (number == one).all(axis=2) for one in found}


def same_objects(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Assert that objects are at the same pixels as in MuJoCo, except for outlines, which may be off by one pixel."""
    mine, its = objects(ours), objects(theirs)
    for one in mine.keys() | its.keys():
        nowhere = np.zeros(ours.shape[:2], bool)
        a, b = mine.get(one, nowhere), its.get(one, nowhere)
        assert not (inside(a) & ~b).any() and not (inside(b) & ~a).any(), (
            f"object {one}: {a.sum()}, officially {b.sum()}"
        )
        # thin objects have no inside, so also compare pixel counts
        assert abs(int(a.sum()) - int(b.sum())) <= 8 + rim(a | b).sum() / 2, (
            f"object {one}: {a.sum()}, officially {b.sum()}"
        )


def inside(shown: np.ndarray) -> np.ndarray:
    """Return a mask of the pixels that show an object and whose neighbors all show it, too."""
    padded = np.pad(shown, 1)
    near = [
        padded[1 + i : len(padded) - 1 + i, 1 + j : padded.shape[1] - 1 + j] for i in (-1, 0, 1) for j in (-1, 0, 1)
    ]
    return np.logical_and.reduce(near)


def rim(shown: np.ndarray) -> np.ndarray:
    """Return a mask of the pixels at an object's outline."""
    return shown & ~inside(shown)


@pytest.mark.parametrize(
    "name",
    ["humanoid", "car", "pile", "boxes", "quadruped", "flag", "hammock", "soft_block", "arm", "biped", "hand", "rover"],
)
def test_models_look_as_officially(name, egl, tmp_path) -> None:
    compare(MODELS / f"{name}.xml", tmp_path)


VIEWS = (
    'pos="0 -3 1.1" xyaxes="1 0 0 0 .2 1"',
    'pos="0 3 1.1" xyaxes="-1 0 0 0 .2 1"',
    'pos="2.6 .6 .8" xyaxes="-.2 1 0 0 0 1"',
)
"""Cameras that together see every geom of the humanoid."""


def test_each_geom_of_a_humanoid_is_seen_and_would_be_missed(egl, tmp_path) -> None:
    """Each geom of a humanoid is drawn; the fraction of agreeing pixels alone would hardly reveal a missing geom."""
    path = tmp_path / "humanoid.xml"
    text = (MODELS / "humanoid.xml").read_text()
    cameras = "".join(f'<camera name="view {k}" {view}/>' for k, view in enumerate(VIEWS))
    path.write_text(text.replace("<worldbody>", f"<worldbody>{cameras}", 1))
    theirs = [official_pictures.official(path, f"view {k}", 0, tmp_path)["number"] for k in range(len(VIEWS))]
    m, d = load(str(path))
    missed = []
    with conjoint.Renderer(m, *official_pictures.SIZE) as renderer:
        renderer.enable_segmentation_rendering()
        for hidden in range(-1, m.ngeom):
            alpha = m.geom_rgba[:, 3].copy()
            if hidden >= 0:
                m.geom_matid[hidden], m.geom_rgba[hidden, 3] = -1, 0.0
            noticed = False
            for k, official in enumerate(theirs):
                renderer.update_scene(d, f"view {k}")
                try:
                    same_objects(renderer.render(), official)
                except AssertionError:
                    noticed = True
            if noticed != (hidden >= 0):
                missed.append(hidden)
            m.geom_rgba[:, 3] = alpha
    assert missed == []


def test_a_camera_of_the_model(egl, tmp_path) -> None:
    compare(MODELS / "humanoid.xml", tmp_path, camera="side")


SCENES = {
    "all primitives, spot light, shadows": """
<geom type="plane" size="3 3 .1" rgba=".5 .5 .5 1"/><light pos="0 0 3" castshadow="true"/>
<geom type="sphere" size=".2" pos="0 0 .5"/><geom type="capsule" size=".1 .3" pos=".7 0 .5" euler="40 20 0"/>
<geom type="cylinder" size=".2 .3" pos="-.7 0 .5" euler="70 0 10"/><geom type="box" size=".2 .1 .3" pos="0 .7 .5"/>
<geom type="ellipsoid" size=".3 .1 .2" pos="0 -.7 .5" rgba="1 0 0 .5"/>""",
    "directional light, mirror": """
<geom type="plane" size="3 3 .1" material="glass"/><light pos="0 0 3" dir="1 0 -1" directional="true"/>
<geom type="box" size=".2 .2 .4" pos="0 0 .6" material="brick"/>""",
    "cube texture, sky": """
<geom type="box" size=".5 .3 .4" material="dice"/><geom type="sphere" size=".4" pos="1 0 0" material="dice"/>
<geom type="plane" size="0 0 1" pos="0 0 -1" material="floor"/>""",
    "a mirror on a box, of two": """
<geom type="box" size="1 1 .1" material="glass"/><geom type="plane" size="3 3 .1" pos="0 0 -1" material="glass"/>
<geom type="box" size=".2 .2 .2" pos="0 0 .6" rgba="1 0 0 1"/><camera pos="0 -2 2" euler="45 0 0"/>""",
    "a plane from below": """
<geom type="plane" size="1 1 .1" rgba=".2 .9 .2 1"/><geom size=".3" pos="0 0 .5"/><light pos="0 0 3"/>
<camera pos="0 -2 -2" euler="135 0 0"/>""",
    "a flat box in a cube texture": """
<geom type="box" size=".9 .5 .02" material="dice"/><camera pos="0 0 2"/>""",
    "lights that together are too bright": """
<geom type="box" size="1 1 .1" material="brick"/><light pos="0 0 2" castshadow="true" diffuse="1 1 1"/>
<light pos="1 0 2" dir="-.5 0 -1" castshadow="true" diffuse="1 1 1"/><camera pos="0 0 3"/>""",
    "a skin with a texture, one without": """
<light pos="0 0 3"/><body name="b"><geom size=".1"/></body><camera pos="0 0 2"/></worldbody><deformable>
<skin material="brick" texcoord="0 0 1 0 1 1 0 1" vertex="-.8 -.4 .2 0 -.4 .2 0 .4 .2 -.8 .4 .2" face="0 1 2 0 2 3">
<bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 1 1 1"/></skin>
<skin rgba=".9 .3 .1 1" vertex=".1 -.4 .2 .8 -.4 .2 .8 .4 .2 .1 .4 .2" face="0 1 2 0 2 3">
<bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 1 1 1"/></skin></deformable><worldbody>""",
    "balls in one place": """<geom size=".3"/><geom size=".3" rgba="1 0 0 1"/><geom size=".3" rgba="0 0 1 1"/>""",
    "no light": """<geom type="sphere" size=".5"/>""",
}
ASSETS = """
<texture name="sky" type="skybox" builtin="gradient" rgb1=".4 .6 .8" rgb2="0 0 0" width="64" height="64"/>
<texture name="tiles" type="2d" builtin="checker" rgb1=".2 .3 .4" rgb2=".7 .6 .5" width="64" height="64"/>
<texture name="sides" type="cube" builtin="gradient" rgb1="1 0 0" rgb2="0 0 1" width="64" height="64"/>
<material name="glass" reflectance=".4" rgba=".3 .4 .5 1"/><material name="brick" texture="tiles"/>
<material name="dice" texture="sides" specular="1" shininess=".3"/>
<material name="floor" texture="tiles" texrepeat="3 2" texuniform="true"/>
<material name="dim" rgba=".3 .3 .3 1" reflectance=".1" specular="0"/>
<material name="wax" rgba="0 .8 .4 1" specular=".5" shininess=".02"/>
<texture name="photo" type="2d" builtin="checker" rgb1=".6 .4 .5" rgb2=".2 .1 .3" width="8" height="8" colorspace="sRGB"/>
<material name="photo" texture="photo"/>"""


@pytest.mark.parametrize("name", SCENES)
def test_scenes_look_as_officially(name, egl, tmp_path) -> None:
    path = tmp_path / "scene.xml"
    path.write_text(f"<mujoco><asset>{ASSETS}</asset><worldbody>{SCENES[name]}</worldbody></mujoco>")
    for camera in range(-1, conjoint.MjModel.from_xml_path(str(path)).ncam):
        compare(path, tmp_path, camera, difference=5.0)


def test_point_lights_shine_as_by_rays(egl) -> None:
    """Point lights, which MuJoCo's renderer lacks, agree with the ray renderer."""
    scene = '<light type="point" pos="0 -.5 1" diffuse=".8 .6 .3"/><geom type="plane" size="1 1 1"/><geom size=".2" pos="0 .2 .3"/>'
    model = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{scene}</worldbody></mujoco>")
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    made = []
    for kind in (conjoint.Renderer, conjoint.RayRenderer):
        with kind(model, width=80, height=60) as renderer:
            renderer.scene.flags[conjoint.mjtRndFlag.mjRND_SHADOW] = kind is conjoint.Renderer
            renderer.update_scene(data)
            made.append(renderer.render().astype(float))
    assert np.abs(made[0] - made[1]).mean() < 3.0 < made[0].std()


@pytest.mark.parametrize("yaw", [0, 45])
@pytest.mark.parametrize("sky", [False, True])
@pytest.mark.parametrize("material", ["bare", "tiles"])
def test_floors_without_end_reach_as_far_as_officially(material, sky, yaw, egl, tmp_path) -> None:
    """Infinite floors reach as far as in MuJoCo, even where circular haze hides the square floor's color."""
    path = tmp_path / "scene.xml"
    texture = '<texture type="skybox" builtin="flat" rgb1=".2 .9 .2" width="8" height="8"/>' if sky else ""
    path.write_text(f"""<mujoco><visual><map zfar="10" haze=".3"/><rgba haze="0 0 1 1"/></visual><statistic extent="1"/>
<asset>{texture}<texture name="tiles" type="2d" builtin="flat" rgb1="1 .2 .2" width="8" height="8"/>
<material name="bare" rgba="1 .2 .2 1"/><material name="tiles" texture="tiles" texrepeat=".3 .3" texuniform="true"/></asset>
<worldbody><geom type="plane" size="0 0 1" material="{material}"/>
<body pos=".3 -1 3" euler="0 0 {yaw}"><camera xyaxes="1 0 0 0 .1 1" fovy="75"/></body></worldbody></mujoco>""")
    compare(path, tmp_path, camera=0)
    ours = official_pictures.take(conjoint, *load(str(path)), 0, 0)
    theirs = official_pictures.official(path, 0, 0, tmp_path)
    # below the horizon, the floor ends far outside the part that is visible through haze
    assert np.mean(np.abs(ours["depth"] / theirs["depth"] - 1) < 5e-3) > EDGES
    floor = theirs["number"][..., 0] == 0
    assert theirs["depth"][floor].max() > 9.0


BLUE, RED, GREEN = ('rgba="0 0 1 .5"', 'rgba="1 0 0 .5"', 'rgba="0 1 0 .5"')
CAMERA = '<camera pos="0 -2 .2" xyaxes="1 0 0 0 .1 1"/>'
CUBE = " ".join(f"{x} {y} {z}" for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-0.3, 0.3))
WALL = '''inertia="shell" vertex="-.8 0 -.5 .8 0 -.5 .8 0 .5 -.8 0 .5" face="0 1 2 0 2 3"
  normal="0 -1 0 0 -1 0 0 -1 0 .98 -.2 0"'''
"""Two triangles that form a wall, with a tilted normal at one corner."""
LAMP = f'<light pos=".5 -2 .5" dir="-.2 1 -.2" cutoff="60" exponent="1" diffuse=".4 .3 .1" castshadow="true"/>{CAMERA}'
CLOSELY = {
    "glass before glass": f"""<geom type="box" size=".3 .3 .3" {BLUE}/><geom type="box" size=".4 .3 .4" pos="0 1 0" {RED}/>
<geom type="box" size=".5 .3 .5" pos="0 2 0" {GREEN}/><geom type="box" size="1 .3 .3" pos="0 3 0"/>{CAMERA}""",
    "a plane from below": """<geom type="plane" size="3 3 .1" rgba="0 0 1 1"/>
<geom type="box" size=".5 .5 .5" rgba="1 0 0 .5" pos="0 0 1"/><geom type="box" size=".2 .2 .2" rgba="0 1 0 .5" pos="0 0 -1"/>
<camera pos="0 0 -3" euler="180 0 0"/>""",
    "corners without normals": f"""<geom type="mesh" mesh="cube"/>{CAMERA}""",
    "a wall that is lit at its corners": f"""<geom type="mesh" mesh="wall" contype="0" conaffinity="0"/>{LAMP}""",
    "a wall with a sharp edge": f"""<geom type="mesh" mesh="bare wall" contype="0" conaffinity="0"/>{LAMP}""",
    "a floor without end above the light": """<geom type="plane" size="0 0 1" rgba="1 1 1 .5"/>
<geom type="box" size=".3 .3 .3" pos="0 0 1"/><light pos="0 0 -4" dir="0 0 1"/><camera pos="0 0 -3" euler="180 0 0"/>""",
    "haze of a plane from below": f"""<geom type="plane" size="0 0 1" pos="0 0 .3"/>{CAMERA}""",
    "haze of a tilted plane": f"""<geom type="plane" size="0 0 1" pos="0 0 -.3" euler="10 20 0"/>{CAMERA}""",
    "a plane without end along one axis": f"""<geom type="plane" size="0 2 1" pos="0 0 -.3"/>{CAMERA}""",
    "sRGB": f"""<geom type="box" size=".5 .5 .5" material="photo"/>{CAMERA}""",
    "a mirror in a light with shadows": """<geom type="plane" size="3 3 1" material="dim"/>
<geom type="box" size=".3 .3 .5" pos="0 0 .6" material="wax"/><geom type="box" size=".2 .05 .1" pos="0 -.6 .6" material="wax"/>
<light pos="0 -3 1" dir="0 1 -.2" diffuse=".6 .6 .6" specular="1 1 1" directional="true" castshadow="true"/>
<camera pos="0 -3 1" xyaxes="1 0 0 0 .3 1"/>""",
}
"""Scenes of flat surfaces, whose colors do not depend on whether light is computed per pixel or per vertex."""


@pytest.mark.parametrize("name", CLOSELY)
def test_flat_scenes_have_the_official_colors(name, egl, tmp_path) -> None:
    path = tmp_path / "scene.xml"
    assets = f'{ASSETS}<mesh name="cube" vertex="{CUBE}"/><mesh name="bare wall" {WALL}/>'
    assets += f'<mesh name="wall" {WALL} texcoord="0 0 1 0 1 1 0 1"/>'
    head = (
        '<visual><headlight specular="0 0 0"/><map zfar="30"/><rgba haze="1 .2 .2 1"/></visual><statistic extent="1"/>'
    )
    path.write_text(f"<mujoco>{head}<asset>{assets}</asset><worldbody>{CLOSELY[name]}</worldbody></mujoco>")
    compare(path, tmp_path, 0, difference=0.6)


def test_scenes_say_in_which_order_they_are_drawn(egl) -> None:
    body = '<geom size=".1"/>' + "".join(f'<geom size=".2" pos="0 {y} 0" rgba="1 1 1 .5"/>' for y in (1, 3, 2))
    model, data = load(f"<mujoco><worldbody>{body}{CAMERA}</worldbody></mujoco>")
    with conjoint.Renderer(model, 40, 60) as renderer:
        renderer.update_scene(data, 0)
        renderer.render()
        scene = renderer.scene
        assert [geom.transparent for geom in scene.geoms[:4]] == [0, 1, 1, 1]
        assert scene.geomorder[:3].tolist() == [1, 3, 2]
        away = [0.0] + [float(np.hypot(2 + y, 0.2) - 0.2) for y in (1, 3, 2)]
        np.testing.assert_allclose([geom.camdist for geom in scene.geoms[:4]], away, rtol=1e-6)


def test_options_change_what_is_seen(egl, tmp_path) -> None:
    kinds = set(np.unique(compare(MODELS / "humanoid.xml", tmp_path, hidden=1)[:, :, 1]))
    assert int(conjoint.mjtObj.mjOBJ_JOINT) in kinds and int(conjoint.mjtObj.mjOBJ_GEOM) not in kinds


def test_crowded_scenes_look_as_if_they_were_drawn_in_full(egl, monkeypatch) -> None:
    """A scene of thousands of geoms omits invisible geoms and simplifies small ones without a visible effect."""
    model = conjoint.MjModel.from_xml_path(conjoint.sample_model("humanoid"))
    batch = conjoint.Batch(model, nworld=100)
    batch.qpos[:, 0], batch.qpos[:, 1] = np.arange(100) // 10 * 1.2, np.arange(100) % 10 - 5
    camera = conjoint.MjvCamera()
    camera.lookat[:], camera.distance, camera.elevation, camera.azimuth = (3, 0, 1), 4, -15, 20
    pictures = []
    with conjoint.Renderer(model, 240, 320) as renderer:
        for many in (2000, 10**6):
            monkeypatch.setattr("conjoint.render.detail.MANY", many)
            renderer.update_scene(batch, camera)
            pictures.append(renderer.render().astype(int))
            renderer.enable_segmentation_rendering()
            pictures.append(renderer.render())
            renderer.disable_segmentation_rendering()
    seen, objects_seen, whole, all_objects = pictures
    assert np.mean((objects_seen == all_objects).all(axis=2)) > EDGES
    assert np.abs(seen - whole).mean() < 2.5
    assert (all_objects[:, :, 0] > 0).mean() > 0.2


def test_pictures_are_written_into_arrays(egl) -> None:
    model, data = load(f"<mujoco><worldbody>{SCENES['no light']}</worldbody></mujoco>")
    with conjoint.Renderer(model, 40, 60) as renderer:
        renderer.update_scene(data)
        out = np.zeros((40, 60, 3), np.uint8)
        assert renderer.render(out=out) is out and out.any()
        assert np.array_equal(renderer.render(), out)
        with pytest.raises(ValueError, match=r"Expected `out.shape == \(40, 60, 3\)`"):
            renderer.render(out=np.zeros((60, 40, 3), np.uint8))
        with pytest.raises(ValueError, match='camera "top" does not exist'):
            renderer.update_scene(data, camera="top")
        with pytest.raises(ValueError, match="camera id 3 is out of range"):
            renderer.update_scene(data, camera=3)
    with pytest.raises(RuntimeError, match="after close"):
        renderer.render()
    renderer.close()


def test_pictures_larger_than_the_models_buffer_are_told(egl) -> None:
    model = conjoint.MjModel.from_xml_string("<mujoco/>")
    with pytest.raises(ValueError, match="offheight"):
        conjoint.Renderer(model, height=2000)
    with pytest.raises(ValueError, match="offwidth"):
        conjoint.Renderer(model, width=2000)
    with pytest.raises(ValueError, match="width must be an integer of at least 1, not 0"):
        conjoint.Renderer(model, width=0)


def test_a_backend_that_is_not_known_is_told(monkeypatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "vulkan")
    with pytest.raises(conjoint.FatalError, match="MUJOCO_GL=vulkan: the renderer knows egl, glfw, osmesa"):
        conjoint.Renderer(conjoint.MjModel.from_xml_string("<mujoco/>"))


@pytest.mark.parametrize("name", ["film.mp4", "film.gif", "film.png"])
def test_films_are_recorded(name, egl, tmp_path) -> None:
    from typer.testing import CliRunner

    from conjoint.cli.app import app

    given = ["--seconds", "0.2", "--fps", "20", "--width", "64", "--height", "48", "--ctrl", "random"]
    result = CliRunner().invoke(app, ["record", str(MODELS / "cartpole.xml"), str(tmp_path / "new" / name), *given])
    assert result.exit_code == 0 and "4 pictures of 64 x 48" in result.output, result.output
    written = sorted(path.name for path in (tmp_path / "new").iterdir())
    assert written == ([f"film_{k:05d}.png" for k in range(4)] if name.endswith("png") else [name])
    assert all((tmp_path / "new" / one).stat().st_size > 100 for one in written)


@pytest.mark.parametrize(
    ("target", "given", "text"),
    [
        ("film.avii", [], "the name must end in .png"),
        ("film.gif", ["--camera", "top"], "--camera top: the model has front"),
        ("film.gif", ["--ctrl", "none.npy"], "expected zero, random, keyframe, or an existing file"),
    ],
)
def test_films_that_cannot_be_are_told(target, given, text, egl, tmp_path) -> None:
    from typer.testing import CliRunner

    from conjoint.cli.app import app

    result = CliRunner().invoke(app, ["record", str(MODELS / "cartpole.xml"), str(tmp_path / target), *given])
    assert result.exit_code == 2 and text in " ".join(result.output.split())


def test_many_pictures_take_no_more_memory(egl) -> None:
    model, data = load(str(MODELS / "cartpole.xml"))
    status = Path("/proc/self/statm")

    def resident() -> int:
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    with conjoint.Renderer(model, 48, 64) as renderer:
        for count in range(300):
            renderer.update_scene(data)
            renderer.render()
            if count == 100:
                before = resident()
    assert resident() - before < 8e6


def test_notebooks_show_films(egl) -> None:
    from io import BytesIO

    from PIL import Image

    model, data = load(str(MODELS / "cartpole.xml"))
    with conjoint.Recorder(model, fps=20, height=48, width=64) as recorder:
        with pytest.raises(conjoint.FatalError, match="no pictures"):
            _ = recorder.film
        while data.time < 0.5:
            data.ctrl[:] = 1
            conjoint.mj_step(model, data)
            recorder.take(data)
    shown = conjoint.show(recorder.film)
    assert shown is conjoint.show(shown) and len(shown.frames) == 10 and shown.fps == 20
    gif = Image.open(BytesIO(shown._repr_mimebundle_()["image/gif"]))
    assert gif.size == (64, 48) and gif.n_frames > 1 and gif.info["duration"] == 50
    assert shown._repr_html_().startswith("<img src=")
    with pytest.raises(ValueError, match="at least one"):
        conjoint.show([])
    with pytest.raises(ValueError, match="fps must be a positive number"):
        conjoint.show(shown.frames, fps=0)


def test_films_are_saved_by_the_ending_of_a_name(tmp_path: Path) -> None:
    """Films are saved as animations or, with FFmpeg, as videos, in new folders if needed; other formats are rejected."""
    import imageio_ffmpeg
    from PIL import Image

    film = conjoint.show([np.full((48, 64, 3), 20 * k, np.uint8) for k in range(10)], fps=20)
    for name in ("a/film.gif", "film.webp", "b/film.mp4", "film.MKV"):
        film.save(tmp_path / name)
    assert Image.open(tmp_path / "a/film.gif").n_frames == 10
    assert Image.open(tmp_path / "film.webp").n_frames == 10
    for name in ("b/film.mp4", "film.MKV"):
        frames = imageio_ffmpeg.read_frames(str(tmp_path / name))
        assert next(frames)["size"] == (64, 48) and sum(1 for _ in frames) == 10
    with pytest.raises(ValueError, match=r"film.txt: the name of a film must end in .gif, .webp, .mp4"):
        film.save(str(tmp_path / "film.txt"))
    assert repr(film) == "<Film of 10 pictures, 64 x 48, 0.5 s: a notebook plays it, save writes it>"


def test_osmesa_is_drawn_by_egl(monkeypatch: pytest.MonkeyPatch) -> None:
    """MUJOCO_GL=osmesa selects EGL, because programs for headless machines request OSMesa."""
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    context = conjoint.GLContext(32, 32)
    context.make_current()
    context.free()
    model = conjoint.MjModel.from_xml_string('<mujoco><worldbody><light/><geom size="1"/></worldbody></mujoco>')
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    with conjoint.Renderer(model, 16, 16) as renderer:
        renderer.update_scene(data)
        assert renderer.render().max() > 0


WRONG_CAMERAS = {
    "nan lookat": (lambda m, d, cam: cam.lookat.fill(np.nan), "has pos = "),
    "nan distance": (lambda m, d, cam: setattr(cam, "distance", np.nan), "has pos = "),
    "infinite azimuth": (lambda m, d, cam: setattr(cam, "azimuth", np.inf), "has "),
    "nan near plane": (lambda m, d, cam: setattr(m.vis.map, "znear", np.nan), "has frustum_"),
    "near plane at 0": (lambda m, d, cam: setattr(m.vis.map, "znear", 0.0), "near plane at 0.0 m"),
    "far plane before the near one": (lambda m, d, cam: setattr(m.vis.map, "zfar", 1e-6), "near plane at"),
    "no field of view": (lambda m, d, cam: setattr(m.vis.global_, "fovy", 0.0), "field of view with zero height"),
}


@pytest.mark.parametrize("kind", ["Renderer", "RayRenderer"])
@pytest.mark.parametrize("name", WRONG_CAMERAS)
def test_cameras_that_see_nothing_are_told(name: str, kind: str, egl) -> None:
    """Cameras that see nothing raise an error instead of causing black images or a division by zero."""
    change, text = WRONG_CAMERAS[name]
    model, data = load('<mujoco><worldbody><geom size=".3"/></worldbody></mujoco>')
    camera = conjoint.MjvCamera()
    conjoint.mjv_defaultFreeCamera(model, camera)
    with getattr(conjoint, kind)(model, 8, 8) as renderer:
        renderer.update_scene(data, camera)
        assert renderer.render().any()
        change(model, data, camera)
        renderer.update_scene(data, camera)
        with pytest.raises(conjoint.FatalError, match=f"camera of the scene has .*{text.removeprefix('has ')}"):
            renderer.render()


def test_cameras_of_other_types_are_told(egl) -> None:
    model, data = load('<mujoco><worldbody><geom size=".3"/><camera name="eye"/></worldbody></mujoco>')
    with conjoint.Renderer(model, 8, 8) as renderer:
        for wrong in (None, 0.5, [0]):
            with pytest.raises(TypeError, match="camera must be a number, a name or an MjvCamera, not "):
                renderer.update_scene(data, wrong)
        renderer.update_scene(data, b"eye")
        renderer.update_scene(data, np.int32(0))


def test_pictures_larger_than_opengl_can_draw_are_told(egl) -> None:
    """Images larger than OpenGL supports raise an error, and an existing framebuffer keeps its size."""
    side = 1 << 20
    model = conjoint.MjModel.from_xml_string(
        f'<mujoco><visual><global offwidth="{side}" offheight="{side}"/></visual></mujoco>'
    )
    with pytest.raises(conjoint.FatalError, match="is too large: the maximum of this OpenGL driver"):
        conjoint.Renderer(model, 8, side)
    context = conjoint.GLContext(8, 8)
    context.make_current()
    with pytest.raises(conjoint.FatalError, match="is too large"):
        conjoint.MjrContext(model, 100)
    con = conjoint.MjrContext(conjoint.MjModel.from_xml_string("<mujoco/>"), 100)
    before = con.offWidth, con.offHeight
    for change in (
        lambda: conjoint.mjr_resizeOffscreen(side, side, con),
        lambda: conjoint.mjr_addAux(0, side, 8, 0, con),
    ):
        with pytest.raises(conjoint.FatalError, match="is too large"):
            change()
    assert (con.offWidth, con.offHeight) == before
    pixels = np.ones((8, 8, 3), np.uint8)
    conjoint.mjr_rectangle(conjoint.MjrRect(0, 0, 8, 8), 0, 0, 0, 1)
    conjoint.mjr_readPixels(pixels, None, conjoint.MjrRect(0, 0, 8, 8), con)
    assert not pixels.any()
    con.free()
    context.free()


HANGING = """<mujoco><visual><headlight ambient=".2 .2 .2" diffuse="0 0 0" specular="0 0 0"/></visual><worldbody>
<light pos="0 -2 4" dir="0 .5 -1" directional="{directional}" castshadow="true" diffuse=".8 .8 .8" specular="0 0 0"/>
<geom type="plane" size="4 4 1" rgba="1 1 1 1"/><geom type="box" size=".3 .3 .1" pos="-.6 0 .1"/>
<geom type="box" size=".3 .3 .02" pos=".6 0 1"/><camera pos="0 0 6" fovy="30"/></worldbody></mujoco>"""


@pytest.mark.parametrize("directional", ["true", "false"])
def test_soft_shadows_are_wider_far_from_what_casts_them(directional, egl) -> None:
    from conjoint.render.soft_renderer import StudioRenderer

    model, data = load(HANGING.format(directional=directional))
    columns = []
    for kind in (conjoint.Renderer, StudioRenderer):
        with kind(model, 480, 640) as renderer:
            renderer.update_scene(data, 0)
            # the upper half of the image has the shadows of the low and the high box side by side
            picture = renderer.render()[:225, :, 0].astype(int)
            columns.append([picture[:, 230], picture[:, 410]])
    (_, official), (near, far) = columns

    def edge(column: np.ndarray) -> int:
        """Return the width of the penumbra, between light and shadow, along a column (pixels)."""
        dark = int(np.flatnonzero(column < column.min() + 10)[0])
        return int((column[:dark] < column[:20].mean() - 10).sum())

    assert edge(far) > 2 * edge(near)
    assert edge(far) > 3 * edge(official)


def test_beams_of_rangefinders_cast_no_shadow() -> None:
    """Rangefinder beams, which are lines, cast no shadow, as in MuJoCo."""
    xml = """<mujoco><visual><quality shadowsize="64"/></visual><worldbody><geom type="plane" size="1 1 .1"/>
<body mocap="true"><site name="s" pos="-.8 0 .1" zaxis="1 0 0"/></body><geom type="box" size=".02 .3 .3" pos=".8 0 0"/><light pos="0 -2 2" directional="true" dir="0 1 -1"/><camera pos="0 0 3" fovy="30"/>
</worldbody><sensor><rangefinder site="s"/></sensor></mujoco>"""
    pictures = []
    for cast in ("true", "false"):
        model, data = load(xml.replace("<light ", f'<light castshadow="{cast}" '))
        with conjoint.Renderer(model, 120, 120) as renderer:
            renderer.update_scene(data, 0)
            pictures.append(renderer.render()[:, 20:90].astype(int))
    assert len(np.unique(pictures[0].reshape(-1, 3), axis=0)) > 1
    assert np.abs(pictures[0] - pictures[1]).max() < 10
