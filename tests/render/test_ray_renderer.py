"""`RayRenderer` draws scenes like MuJoCo's renderer, without OpenGL."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import conjoint
import official_pictures
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.render.film import FilmRenderer, smoothed
from places import ROOT
from waiting import PATIENCE

MODELS = ROOT / "models"
EDGES = 0.98
"""Minimum fraction of pixels at which the images of both renderers must agree."""

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="scenes are made by many kernels: compiled only")

RAYS = SimpleNamespace(
    Renderer=conjoint.RayRenderer, MjvOption=conjoint.MjvOption, mjtVisFlag=conjoint.mjtVisFlag,
    MjModel=conjoint.MjModel, MjData=conjoint.MjData, mj_forward=conjoint.mj_forward,
    mj_resetDataKeyframe=conjoint.mj_resetDataKeyframe,
)  # fmt: skip
"""Stand-in for the package, in which `Renderer` is the ray renderer."""

ROPES = """<mujoco><worldbody><geom type="plane" size="2 2 .1"/><site name="a" pos="-.5 0 1" size=".05"/>
<site name="b" pos=".5 0 1.2" size=".03"/><geom name="w" type="cylinder" size=".15 .2" pos="0 0 .7" euler="90 0 0"/>
<light pos="0 -1 3" dir="0 .3 -1"/></worldbody><tendon><spatial width=".03" rgba="1 .3 .1 1"><site site="a"/><geom geom="w"/>
<site site="b"/></spatial></tendon></mujoco>"""


def compare(path: Path, folder: Path, camera: int | str = -1, hidden: int = 0, difference: float = 4.0) -> None:
    theirs = official_pictures.official(path, camera, hidden, folder)
    ours = official_pictures.take(RAYS, *official_pictures.world(RAYS, str(path)), camera, hidden)
    near = theirs["depth"] < 0.99 * theirs["depth"].max()
    if near.any() and not hidden:
        assert np.mean(np.abs(ours["depth"][near] / theirs["depth"][near] - 1) < 5e-3) > EDGES
    assert np.mean((ours["number"] == theirs["number"]).all(axis=2)) > EDGES
    assert np.abs(ours["color"] - theirs["color"]).mean() < difference


@pytest.mark.parametrize(("name", "camera"), [("humanoid", -1), ("humanoid", "side"), ("hammock", -1)])
def test_models_look_as_officially(name: str, camera: int | str, tmp_path: Path) -> None:
    compare(MODELS / f"{name}.xml", tmp_path, camera)


def test_joints_and_tendons_are_seen(tmp_path: Path) -> None:
    compare(MODELS / "quadruped.xml", tmp_path, hidden=1)
    path = tmp_path / "ropes.xml"
    path.write_text(ROPES)
    compare(path, tmp_path)


def test_our_own_renderer_sees_the_same() -> None:
    model, data = official_pictures.world(conjoint, str(MODELS / "pile.xml"))
    made = {}
    for kind in ("Renderer", "RayRenderer"):
        try:
            renderer = getattr(conjoint, kind)(model, width=120, height=90)
        except (conjoint.FatalError, ImportError) as error:
            pytest.skip(f"no OpenGL: {error}")
        with renderer:
            renderer.update_scene(data)
            renderer.enable_segmentation_rendering()
            made[kind] = renderer.render()
    assert np.mean((made["Renderer"] == made["RayRenderer"]).all(axis=2)) > EDGES


def scene_of(text: str) -> tuple:
    model = conjoint.MjModel.from_xml_string(text)
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    return model, data


def test_geoms_of_programs_are_seen_and_normals_face_the_camera() -> None:
    model, data = scene_of('<mujoco><worldbody><camera pos="0 0 3"/><geom size=".1" pos="5 0 0"/></worldbody></mujoco>')
    renderer = conjoint.RayRenderer(model, 21, 21)
    renderer.update_scene(data, camera=0)
    scene = renderer.scene
    color = np.array([1, 0, 0, 1], np.float32)
    geom = conjoint.mjtGeom.mjGEOM_BOX
    conjoint.mjv_initGeom(scene.geoms[scene.ngeom], geom, [0.2, 0.2, 0.5], np.zeros(3), np.eye(3).ravel(), color)
    scene.ngeom += 1
    picture = renderer.render()
    assert picture[10, 10, 0] > 2 * picture[10, 10, 1:].max() and not picture[0, 0].any()
    assert renderer.render_normals()[10, 10].tolist() == [0, 0, 1]
    renderer.enable_depth_rendering()
    assert renderer.render()[10, 10] == pytest.approx(2.5)


FOGGY = """<mujoco><visual><map fogstart="2" fogend="6"/><rgba fog="1 0 0 1"/></visual><statistic extent="1"/><worldbody>
<camera xyaxes="1 0 0 0 0 1" pos="0 -1 0"/><geom type="box" size="3 .1 1" pos="-3 0 0"/>
<geom type="box" size="9 .1 1" pos="9 3 -1"/><geom type="box" size="9 .1 1" pos="0 9 1"/></worldbody></mujoco>"""


def test_fog_begins_and_ends_where_the_model_says() -> None:
    model, data = scene_of(FOGGY)
    seen = []
    for fog in (False, True):
        renderer = FilmRenderer(model, 40, 30, rays=True, fog=fog)
        seen.append(renderer.picture(data, 0).astype(int))
        renderer.close()
    clear, foggy = seen
    # the pixels show objects at 1 m, 4 m and 10 m
    assert (foggy[20, 5] == clear[20, 5]).all()
    assert abs(foggy[20, 25, 0] - (255 + clear[20, 25, 0]) / 2) < 8 and 0 < foggy[20, 25, 1] < clear[20, 25, 1]
    assert foggy[11, 25].tolist() == [255, 0, 0] != clear[11, 25].tolist()


def test_what_cannot_be_is_told() -> None:
    model, data = scene_of("<mujoco/>")
    with pytest.raises(ValueError, match="width must be an integer from 1 to 16384, not 0"):
        conjoint.RayRenderer(model, 0, 10)
    renderer = conjoint.RayRenderer(model, 20, 10)
    renderer.update_scene(data)
    with pytest.raises(ValueError, match=r"Expected `out.shape == \(10, 20, 3\)`"):
        renderer.render(out=np.zeros((20, 10, 3), np.uint8))


def test_films_are_recorded_by_rays(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from conjoint.cli.app import app

    given = ["--seconds", "0.1", "--fps", "20", "--width", "32", "--height", "24", "--rays"]
    result = CliRunner().invoke(app, ["record", str(MODELS / "cartpole.xml"), str(tmp_path / "film.png"), *given])
    assert result.exit_code == 0 and "2 pictures of 32 x 24" in result.output, result.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["film_00000.png", "film_00001.png"]


def test_a_single_picture_has_the_name_that_is_asked_for(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from conjoint.cli.app import app

    given = ["--seconds", "0.001", "--width", "32", "--height", "24", "--rays"]
    result = CliRunner().invoke(app, ["record", str(MODELS / "cartpole.xml"), str(tmp_path / "one.png"), *given])
    assert result.exit_code == 0 and "1 picture of 32 x 24" in result.output, result.output
    assert [path.name for path in tmp_path.iterdir()] == ["one.png"]


def test_no_opengl_is_needed() -> None:
    program = """
import sys
sys.modules["moderngl"] = None
import conjoint
model = conjoint.MjModel.from_xml_string('<mujoco><worldbody><geom size="1"/></worldbody></mujoco>')
data = conjoint.MjData(model)
conjoint.mj_forward(model, data)
with conjoint.RayRenderer(model, 8, 8) as renderer:
    renderer.update_scene(data)
    assert renderer.render().any()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE)


def test_only_edges_of_films_are_smoothed() -> None:
    """Smoothing mixes pixels at a jump in brightness with their neighbors, and leaves gradual changes unchanged."""
    picture = np.zeros((6, 8, 3), np.uint8)
    picture[:, 4:] = 200
    drawn = smoothed(picture)
    assert (drawn[:, :3] == 0).all() and (drawn[:, 5:] == 200).all()
    assert (drawn[:, 3] == 50).all() and (drawn[:, 4] == 150).all()
    slow = np.repeat(np.arange(0, 80, 10, dtype=np.uint8)[None, :, None], 6, axis=0).repeat(3, axis=2)
    assert (smoothed(slow) == slow).all()
