"""Tests of films: the times that their frames show, their formats and their shadows."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.render.film import FilmRenderer

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="scenes are made by many kernels: compiled only")

SLIDER = """
<mujoco>
  <option timestep="0.002" gravity="0 0 0"/>
  <worldbody>
    <light pos="0 0 3"/><camera name="eye" pos="0 -2 0" xyaxes="1 0 0 0 0 1"/>
    <body><joint name="slide" type="slide" axis="1 0 0"/><geom size=".2" rgba="1 0 0 1"/></body>
  </worldbody>
</mujoco>
"""
"""Model (XML) of a red ball that moves along x."""

SIZE = {"height": 24, "width": 32}


def moving_ball() -> tuple[conjoint.MjModel, conjoint.MjData]:
    """Return the model and data of a ball at x = 0 that moves at 1 m/s, so that x equals time."""
    model = conjoint.MjModel.from_xml_string(SLIDER)
    data = conjoint.MjData(model)
    data.qvel[0] = 1.0
    conjoint.mj_forward(model, data)
    return model, data


def picture_at(time: float) -> np.ndarray:
    """Return an image of the ball at the given time (s)."""
    model, data = moving_ball()
    data.qpos[0] = time
    conjoint.mj_forward(model, data)
    with conjoint.Recorder(model, **SIZE, camera="eye", rays=True) as recorder:
        recorder.take(data)
    return recorder.frames[0]


@pytest.mark.parametrize("fps", [25.0, 30.0])
def test_a_recorder_takes_its_pictures_on_time(fps: float) -> None:
    """Frame k shows the first state at or after k / fps seconds, for any ratio of frame interval to timestep."""
    model, data = moving_ball()
    times = []
    with conjoint.Recorder(model, fps=fps, **SIZE, camera="eye", rays=True) as recorder:
        while data.time < 0.2:
            if recorder.take(data):
                times.append(data.time)
            conjoint.mj_step(model, data)
            # the poses after a step are those before it, so compute them
            conjoint.mj_forward(model, data)
    expected = np.arange(len(times)) / fps
    assert len(times) == np.ceil(round(0.2 * fps, 6))
    late = times - expected
    assert late.min() > -1e-9 and late.max() < model.opt.timestep
    for time, picture in zip(times, recorder.frames, strict=True):
        assert np.array_equal(picture, picture_at(time))
    assert recorder.film.fps == fps and len(recorder.film.frames) == len(times)


def test_a_recorder_begins_where_the_world_is_and_goes_on_after_a_reset() -> None:
    """The first frame shows the first state, whatever its time. A reset, which sets time back, neither skips nor adds frames."""
    model, data = moving_ball()
    data.time = 7.003
    taken = []
    with conjoint.Recorder(model, fps=50.0, **SIZE, camera="eye", rays=True) as recorder:
        for k in range(40):
            if k == 25:
                conjoint.mj_resetData(model, data)
                conjoint.mj_forward(model, data)
            taken.append(recorder.take(data))
            data.time += 0.01
    assert taken == [True, False] * 12 + [True] + [True, False] * 7 + [True]


@pytest.mark.parametrize("end", ["with", "close"])
def test_a_recorder_that_is_closed_keeps_its_pictures_and_takes_no_more(end: str) -> None:
    model, data = moving_ball()
    recorder = conjoint.Recorder(model, **SIZE, rays=True)
    if end == "with":
        with recorder as entered:
            assert entered is recorder and recorder.take(data)
    else:
        assert recorder.take(data)
        recorder.close()
    assert len(recorder.film.frames) == 1
    data.time += 1
    with pytest.raises(RuntimeError, match="after close"):
        recorder.take(data)
    assert len(recorder.frames) == 1


@pytest.mark.parametrize(("fps", "milliseconds"), [(20.0, 50), (30.0, 33), (1000.0, 20)])
def test_a_film_shows_each_picture_as_long_as_its_rate_says(fps: float, milliseconds: int) -> None:
    """Animations show each frame for the time given by the frame rate, but at least for 20 ms, the minimum in browsers."""
    from io import BytesIO

    from PIL import Image

    film = conjoint.show([np.full((6, 8, 3), 60 * k, np.uint8) for k in range(4)], fps)
    gif = Image.open(BytesIO(film.gif()))
    assert gif.n_frames == 4 and gif.info["loop"] == 0
    for k in range(4):
        gif.seek(k)
        # animations store durations in hundredths of a second
        assert abs(gif.info["duration"] - milliseconds) < 10
        assert np.abs(np.asarray(gif.convert("RGB")).astype(int) - 60 * k).max() <= 8
    assert f"8 x 6, {4 / fps:.3g} s" in repr(film)


@pytest.mark.parametrize("fps", [0, -1.0, np.inf, np.nan])
def test_rates_that_are_none_are_refused(fps: float) -> None:
    model, _ = moving_ball()
    for make in (
        lambda: conjoint.Recorder(model, fps=fps),
        lambda: conjoint.show([np.zeros((2, 2, 3), np.uint8)], fps),
    ):
        with pytest.raises(ValueError, match=r"fps must be a positive number \(1/s\)"):
            make()
    with pytest.raises(TypeError, match="fps"):
        conjoint.Recorder(model, fps="fast")


@pytest.mark.parametrize(
    "pictures",
    [
        [],
        [np.zeros((2, 2))],
        [np.zeros((2, 2, 4))],
        [np.zeros((2, 2, 3)), np.zeros((2, 3, 3))],
        [np.zeros((2, 2, 3, 1))],
    ],
)
def test_what_is_no_film_is_refused(pictures: list) -> None:
    with pytest.raises(ValueError, match="shape"):
        conjoint.show(pictures)


def balls(nworld: int) -> conjoint.Batch:
    """Return a batch with a ball in each world; the balls are side by side and alternately red, green and blue."""
    batch = conjoint.Batch(conjoint.MjModel.from_xml_string(SLIDER), nworld, vary=["geom_rgba"])
    batch.qpos[:, 0] = np.arange(nworld) - 1.0
    batch.geom_rgba[:, 0, :3] = np.eye(3)[np.arange(nworld) % 3]
    return batch


def test_a_scene_shows_all_worlds_of_a_batch() -> None:
    """Worlds are drawn at their own positions in their own colors; static geoms are drawn once."""
    fixed = "".join(
        f'<geom size=".2" pos="{x} 0 0" rgba="{color} 1"/>' for x, color in ((-1, "1 0 0"), (0, "0 1 0"), (1, "0 0 1"))
    )
    begin, _, end = SLIDER.partition("<body>")
    alone = conjoint.MjModel.from_xml_string(begin + fixed + end.partition("</body>")[2])
    data = conjoint.MjData(alone)
    conjoint.mj_forward(alone, data)
    batch = balls(3)
    with conjoint.RayRenderer(batch.model, 32, 24) as renderer, conjoint.RayRenderer(alone, 32, 24) as other:
        renderer.update_scene(batch, "eye")
        other.update_scene(data, "eye")
        assert renderer.scene.ngeom == 3
        assert np.array_equal(renderer.render(), other.render())


def test_a_recorder_films_all_worlds_of_a_batch() -> None:
    """Frames of a batch are recorded at the right times, and each frame shows all worlds."""
    batch = balls(3)
    with conjoint.Recorder(batch.model, fps=100, **SIZE, camera="eye", rays=True) as recorder:
        for _ in range(11):
            recorder.take(batch)
            batch.step()
    assert len(recorder.frames) == 3
    colors = recorder.frames[-1].reshape(-1, 3).astype(int)
    assert all(((colors[:, k] > 100) & (colors.sum(axis=1) < 2 * colors[:, k])).any() for k in range(3))


def test_worlds_that_do_not_fit_into_one_scene_are_told() -> None:
    """If worlds do not fit into a scene, the error names the setting to change; batches with flexes are rejected."""
    small = conjoint.RayRenderer(balls(3).model, 32, 24, max_geom=2)
    with pytest.raises(conjoint.FatalError, match="max_geom"):
        small.update_scene(balls(3), "eye")
    cloth = conjoint.Batch(conjoint.MjModel.from_xml_path(conjoint.sample_model("flag")), 2)
    with conjoint.RayRenderer(cloth.model, 32, 24) as renderer, pytest.raises(conjoint.FatalError, match="flexes"):
        renderer.update_scene(cloth)


SHADED = """
<mujoco>
  <visual><headlight active="0"/><map shadowclip="1"/><quality shadowsize="512" offsamples="1"/></visual>
  <statistic extent="2"/>
  <worldbody>
    <light directional="true" dir=".4 .3 -1" pos="-1 -1 3" specular="0 0 0"/>
    <camera pos="0 0 4"/><geom type="plane" size="2 2 .1"/><geom type="box" size=".3 .3 .1" pos="0 0 1.2"/>
  </worldbody>
</mujoco>
"""
"""Model (XML) of a floating box that casts a shadow on a floor."""


def test_shadows_of_films_have_soft_edges() -> None:
    """Shadow edges have many intermediate grays in a film and almost none in images rendered as in MuJoCo."""
    model = conjoint.MjModel.from_xml_string(SHADED)
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    try:
        official = conjoint.Renderer(model, 120, 160)
    except (conjoint.FatalError, ImportError) as error:
        pytest.skip(f"no OpenGL: {error}")
    official.update_scene(data, 0)
    film = FilmRenderer(model, 160, 120)
    between = []
    for picture in (official.render(), film.picture(data, 0)):
        # consider only the image region beside the box
        gray = picture[:50, 100:, 0].astype(int)
        between.append(np.count_nonzero((gray > gray.min() + 10) & (gray < gray.max() - 10)))
    assert between[1] > 2 * between[0]
    official.close()
    film.close()
