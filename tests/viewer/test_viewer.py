"""The viewer window, operated by real mouse and keyboard events on a virtual display."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from desktop import Person, desktop, missing
from waiting import PATIENCE, wait_for

glfw = pytest.importorskip("glfw")
pytest.importorskip("imgui_bundle")
pytest.importorskip("moderngl")

REASON = missing() if jit_enabled() else "scenes are made by many kernels: compiled only"
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON or "there is a display")

ROOM = """
<mujoco model="room">
  <option gravity="0 0 0"/>
  <statistic center="0 0 1" extent="2"/>
  <visual><global azimuth="90" elevation="-10"/><quality shadowsize="256" offsamples="0"/></visual>
  <worldbody>
    <light pos="0 0 4"/>
    <geom name="floor" type="plane" size="3 3 .1" rgba=".3 .4 .3 1"/>
    <camera name="above" pos="0 0 4"/>
    <body name="box" pos="0 0 1">
      <freejoint/><geom type="box" size=".3 .3 .3" rgba=".9 .1 .1 1"/>
      <site name="middle"/>
    </body>
    <body name="arm" pos="1.5 0 1">
      <joint name="elbow" axis="0 1 0" range="-90 90"/><geom type="capsule" size=".05" fromto="0 0 0 0 0 .5"/>
    </body>
  </worldbody>
  <actuator><motor name="pull" joint="elbow" ctrlrange="-2 2"/></actuator>
  <equality><joint name="stiff" joint1="elbow" active="false"/></equality>
  <sensor><velocimeter name="speed" site="middle"/></sensor>
  <keyframe><key name="away" qpos="0 0 2 1 0 0 0 0.5"/></keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def display():
    """Yield the name of a display that all windows of this file share."""
    before = os.environ.get("DISPLAY")
    with desktop() as name:
        os.environ["DISPLAY"] = name
        yield name
        glfw.terminate()
    os.environ.pop("DISPLAY")
    if before is not None:
        os.environ["DISPLAY"] = before


@pytest.fixture
def room(tmp_path) -> Path:
    path = tmp_path / "room.xml"
    path.write_text(ROOM)
    return path


@pytest.fixture
def person(display, room, tmp_path, monkeypatch):
    """Yield a simulated user of a window that shows the paused simulation of a room."""
    from conjoint.viewer.application import Application
    from conjoint.viewer.simulation import Simulation, file_loader

    monkeypatch.chdir(tmp_path)
    simulation = Simulation(file_loader(str(room)))
    simulation.running = False
    application = Application(simulation, size=(1000, 700))
    simulation.start()
    try:
        found = Person(application, display)
        found.wait(lambda: application.picture is not None)
        # use a camera that does not depend on the window size
        exchange = application.picture.exchange
        conjoint.mjv_defaultFreeCamera(exchange.m, exchange.cam)
        found.look()
        yield found
    finally:
        simulation.stop()
        application.finish()


def test_it_shows_the_model_between_its_panels(person) -> None:
    middle = person.part(0.45, 0.4, 0.55, 0.6).astype(int)
    red = (middle[..., 0] > 2 * middle[..., 1]).mean()
    assert red > 0.5
    panels = person.part(0.0, 0.0, 0.25, 1.0)
    assert len(np.unique(panels.reshape(-1, 3), axis=0)) > 20
    # without panels, the scene fills the window
    person.press("ctrl+Tab")
    assert person.application.viewport.width == person.application.window.pixels[0]


def test_space_runs_and_pauses_and_arrows_step(person) -> None:
    app = person.application
    timestep = app.d.model.opt.timestep
    person.press("Right")
    person.wait(lambda: app.d.time > 0)
    assert app.d.time == pytest.approx(timestep)
    person.press("Right")
    person.wait(lambda: app.d.time > 1.5 * timestep)
    person.press("Left")
    person.wait(lambda: app.d.time < 1.5 * timestep)
    person.press("Left")
    person.wait(lambda: app.d.time == 0)
    # step forward again through the history
    person.press("Right")
    person.wait(lambda: app.d.time == pytest.approx(timestep))
    person.press("space")
    person.wait(lambda: app.d.time > 0.3)
    person.press("space")
    assert not app.simulation.running
    person.press("BackSpace")
    person.wait(lambda: app.d.time == 0)


def test_time_passes_at_the_asked_rate(person) -> None:
    app = person.application
    for _ in range(6):
        person.press("minus")
    assert app.simulation.pace.rate == pytest.approx(0.25)
    person.press("space")
    person.wait(lambda: app.d.time > 0.05)
    # the pace itself is tested with a simulated clock in test_viewer_parts.py
    before = app.d.time
    person.wait(lambda: app.d.time > before + 0.1)


def test_the_mouse_moves_the_camera(person) -> None:
    person.press("ctrl+a")
    cam = person.application.picture.exchange.cam
    azimuth, elevation, distance, lookat = cam.azimuth, cam.elevation, cam.distance, cam.lookat.copy()
    person.drag((0.5, 0.5), (0.6, 0.5))
    assert cam.azimuth != azimuth
    person.drag((0.5, 0.5), (0.5, 0.6))
    assert cam.elevation < elevation
    person.move(0.5, 0.5)
    person.wheel(3)
    assert cam.distance < distance
    person.drag((0.5, 0.5), (0.55, 0.5), button=3)
    assert np.abs(cam.lookat - lookat).max() > 0.01
    person.press("ctrl+a")
    assert cam.distance == distance
    # over a panel, the mouse does not move the camera
    person.drag((0.1, 0.97), (0.12, 0.9))
    assert cam.azimuth == azimuth


def test_mirrors_are_where_they_are(person, room) -> None:
    """The mirror image of the box is below the box, even if panels take up part of the window."""
    app = person.application
    text = ROOM.replace('rgba=".3 .4 .3 1"', 'material="glass"').replace(
        "<worldbody>", '<asset><material name="glass" reflectance=".9" rgba=".2 .2 .2 1"/></asset><worldbody>', 1
    )
    room.write_text(text)
    old = app.d.model
    person.press("ctrl+l")
    person.wait(lambda: app.d.model is not old)
    person.press("shift+Tab")
    person.look()
    picture = person.screen()[:, int(app.viewport.left) :].astype(int)
    red = (picture[..., 0] > 2 * picture[..., 1]) & (picture[..., 0] > 30)
    rows, columns = np.nonzero(red)
    real = rows < len(picture) / 2
    assert 0.3 < (~real).mean() < 0.7
    assert columns[real].mean() == pytest.approx(columns[~real].mean(), abs=20)


def test_cameras_are_chosen_by_keys(person) -> None:
    cam = person.application.picture.exchange.cam
    person.press("bracketright")
    assert (cam.type, cam.fixedcamid) == (conjoint.mjtCamera.mjCAMERA_FIXED, 0)
    person.press("Escape")
    assert cam.type == conjoint.mjtCamera.mjCAMERA_FREE
    person.drag((0.5, 0.5), (0.5, 0.5))
    person.application.mouse._last = (-1, 0.0)
    # Ctrl and a double right click make the camera follow the body
    person._do("keydown", "ctrl")
    person.click(0.5, 0.5, button=3, repeat=2)
    person._do("keyup", "ctrl")
    assert cam.type == conjoint.mjtCamera.mjCAMERA_TRACKING
    assert cam.trackbodyid == person.application.d.model.body("box").id


def test_a_double_click_selects_and_ctrl_drag_pulls(person) -> None:
    app = person.application
    pert = app.picture.exchange.pert
    person.click(0.5, 0.5, repeat=2)
    assert pert.select == app.d.model.body("box").id
    # simulate slowly, because a drag takes a while
    app.simulation.pace.rate = 0.1
    person.press("space")
    forces: list[np.ndarray] = []

    def moves() -> bool:
        forces.append(app.d.xfrc_applied[pert.select, :3].copy())
        return app.d.qpos[0] > 0.05

    def held() -> None:
        assert pert.active == conjoint.mjtPertBit.mjPERT_TRANSLATE
        person.wait(moves)

    # the camera looks along y: x points to the right and z up
    person.drag((0.5, 0.5), (0.62, 0.5), button=3, hold="ctrl", during=held)
    strongest = max(forces, key=np.linalg.norm)
    assert strongest[0] > np.abs(strongest[1:]).max()
    # after the release, no force remains
    person.wait(lambda: not app.d.xfrc_applied.any())


def test_ctrl_drag_turns(person) -> None:
    app = person.application
    person.click(0.5, 0.5, repeat=2)
    person.press("space")
    person.drag((0.5, 0.5), (0.6, 0.5), hold="ctrl", during=lambda: person.wait(lambda: abs(app.d.qvel[5]) > 0.05))


def test_a_paused_body_is_moved(person) -> None:
    app = person.application
    person.click(0.5, 0.5, repeat=2)
    person.drag((0.5, 0.5), (0.5, 0.4), button=3, hold="ctrl", during=lambda: person.wait(lambda: app.d.qpos[2] > 1.1))
    assert app.d.time == 0


def test_sliders_set_joints_and_controls(person) -> None:
    app = person.application
    # joints and controls are the first panels on the right, with these rows: header, slider, header, button, slider
    rows = [43, 118]
    height, width = app.window.size[1], app.window.size[0]
    x = (width - app.column + 130) / width
    person.click(x, rows[0] / height)
    person.wait(lambda: app.d.qpos[7] > 0.2)
    person.click(x, rows[1] / height)
    person.wait(lambda: app.d.ctrl[0] > 0.2)
    # the simulation also uses the value
    person.press("space")
    person.wait(lambda: app.d.time > 0.1)
    assert app.d.ctrl[0] > 0.2 and app.d.qvel[6] > 0


def test_switches_of_panels_are_clicked(person) -> None:
    app = person.application
    width, height = app.window.size
    left = (width - app.column + 18) / width
    # collapse the joints and controls panels; the equality panel is below them
    for row in (68, 18):
        person.click(left + 0.05, row / height)
    person.click(left + 0.05, 68 / height)
    person.look()
    assert not app.d.eq_active[0]
    person.click(left, 93 / height)
    person.wait(lambda: app.d.eq_active[0])


def test_a_path_is_typed_and_letters_switch_nothing(person, tmp_path) -> None:
    app = person.application
    width, height = app.window.size
    (tmp_path / "jcw.xml").write_text('<mujoco model="typed"><worldbody><geom size=".1"/></worldbody></mujoco>')
    before = app.picture.exchange.opt.flags.copy()
    person.click(80 / width, 43 / height)
    person.write("jcw.xml")
    assert np.array_equal(app.picture.exchange.opt.flags, before)
    person.press("Return")
    person.wait(lambda: app.d.model.ngeom == 1)


def test_a_file_with_an_error_leaves_the_old_model(person, room) -> None:
    app = person.application
    old = app.d.model
    room.write_text(ROOM.replace('name="box"', 'name="box" colour="blue"'))
    person.press("ctrl+l")
    person.wait(lambda: app.simulation.message)
    assert "colour" in app.simulation.message
    assert app.d.model is old
    before = person.screen()
    room.write_text(ROOM.replace('rgba=".9 .1 .1 1"', 'rgba=".1 .1 .9 1"'))
    person.press("ctrl+l")
    person.wait(lambda: app.d.model is not old)
    person.look()
    assert app.simulation.message == ""
    assert np.any(person.screen() != before)
    middle = person.part(0.45, 0.4, 0.55, 0.6).astype(int)
    assert (middle[..., 2] > 2 * middle[..., 1]).mean() > 0.5


def test_files_are_dropped(person, tmp_path) -> None:
    app = person.application
    other = tmp_path / "other.xml"
    other.write_text('<mujoco model="other"><worldbody><geom size=".1"/></worldbody></mujoco>')
    broken = tmp_path / "broken.xml"
    broken.write_text("<mujoco><worldbody><geom/></worldbody></mujoco>")
    # dropping files needs a second program, so call GLFW's drop callback with their names instead
    handle = app.window._handle
    dropped = glfw.set_drop_callback(handle, None)
    dropped(handle, 2, [os.fsencode(other), os.fsencode(broken)])
    person.wait(lambda: app.d.model.ngeom == 1)
    assert app.exchange.path == str(other)
    # if the new model has an error, the error is shown and the old model stays
    dropped(handle, 1, [os.fsencode(broken)])
    person.wait(lambda: "broken.xml" in app.simulation.message)
    assert app.d.model.ngeom == 1 and app.exchange.path == str(other)


def test_the_window_fills_the_display_and_goes_back(person) -> None:
    app = person.application
    handle, before = app.window._handle, app.window.size
    assert not glfw.get_window_monitor(handle)
    person.press("F5")
    person.wait(lambda: glfw.get_window_monitor(handle))
    width, height = glfw.get_video_mode(glfw.get_primary_monitor()).size
    person.wait(lambda: tuple(app.window.size) == (width, height))
    middle = person.part(0.45, 0.4, 0.55, 0.6).astype(int)
    assert (middle[..., 0] > 2 * middle[..., 1]).mean() > 0.3
    person.press("F5")
    person.wait(lambda: not glfw.get_window_monitor(handle) and app.window.size == before)


def test_keys_switch_what_is_shown(person) -> None:
    picture = person.application.picture
    option, flags = picture.exchange.opt, picture.scn.flags
    for key, owner, flag in (
        ("j", option.flags, conjoint.mjtVisFlag.mjVIS_JOINT), ("c", option.flags, conjoint.mjtVisFlag.mjVIS_CONTACTPOINT),
        ("w", flags, conjoint.mjtRndFlag.mjRND_WIREFRAME), ("apostrophe", option.flags, conjoint.mjtVisFlag.mjVIS_SCLINERTIA),
    ):  # fmt: skip
        before = owner[flag]
        person.press(key)
        assert owner[flag] != before, key
    person.press("0")
    assert not option.geomgroup[0]
    person.press("F7")
    assert option.label == conjoint.mjtLabel.mjLABEL_BODY
    person.press("F6")
    assert option.frame == conjoint.mjtFrame.mjFRAME_BODY


@pytest.mark.parametrize("key", ["F1", "F2", "F3", "F4"])
def test_function_keys_show_more(person, key) -> None:
    before = person.part(0.3, 0.0, 0.7, 1.0)
    person.press(key)
    person.press("Right")
    person.look()
    assert np.mean(person.part(0.3, 0.0, 0.7, 1.0) != before) > 0.01
    person.press(key)


def test_pictures_and_models_are_written(person, tmp_path) -> None:
    from PIL import Image

    app = person.application
    person.press("ctrl+p")
    picture = np.asarray(Image.open(tmp_path / "conjoint_001.png"))
    assert picture.shape == (app.viewport.height, app.viewport.width, 3)
    person.press("ctrl+s")
    saved = conjoint.MjModel.from_xml_path(str(tmp_path / "model_001.xml"))
    assert saved.nbody == app.d.model.nbody
    person.press("ctrl+c")
    assert 'qpos="0 0 1 1 0 0 0 0"' in app.window.pasted()


def test_a_video_is_written(person, tmp_path) -> None:
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    person.press("ctrl+r")
    person.press("space")
    person.wait(lambda: person.application.d.time > 0.5)
    person.press("ctrl+r")
    frames, _ = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "conjoint_001.mp4"))
    assert frames > 5


def test_keyframes_are_loaded_and_saved(person) -> None:
    app = person.application
    app.simulation.load_key(0)
    person.wait(lambda: app.d.qpos[2] == 2)
    person.press("space")
    app.simulation.submit(lambda m, d: d.qvel.__setitem__(0, 1.0))
    person.wait(lambda: app.d.qpos[0] > 0.1)
    person.press("space")
    app.simulation.save_key(0)
    person.wait(lambda: app.d.model.key_qpos[0, 0] > 0.1)


def test_the_camera_as_xml_is_a_camera(person) -> None:
    from conjoint.viewer import actions

    text = actions.camera_xml(person.application)
    m = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    assert np.allclose(m.cam_pos[0], person.application.picture.eye.pos, atol=2e-3)


def test_a_watch_finds_any_field(person) -> None:
    from conjoint.viewer.panels import watch

    d = person.application.d
    assert watch(d, "qpos", 2) == "1"
    assert watch(d, "opt.timestep", 0) == "0.002"
    assert watch(d, "body_mass", 1) == f"{d.model.body_mass[1]:.6g}"
    assert "no" in watch(d, "nothing", 0) or "neither" in watch(d, "nothing", 0)


def test_a_slow_model_does_not_slow_the_window(person, monkeypatch) -> None:
    import conjoint.viewer.simulation as simulation

    step = simulation.mj_step
    begun, over = threading.Event(), threading.Event()

    def endless(m, d, nstep=1) -> None:
        begun.set()
        over.wait()
        step(m, d, nstep)

    monkeypatch.setattr(simulation, "mj_step", endless)
    before = person.application.d.time
    try:
        person.press("space")
        person.wait(begun.is_set)
        # images are still drawn while a step runs indefinitely
        person.look(20)
    finally:
        over.set()
    person.wait(lambda: person.application.d.time > before)


# ---- programs that step the simulation themselves


@pytest.fixture
def world(room) -> tuple:
    m = conjoint.MjModel.from_xml_path(str(room))
    return m, conjoint.MjData(m)


def test_a_passive_window_shows_what_it_is_given(display, world) -> None:
    import conjoint.viewer

    m, d = world
    keys: list[int] = []
    with conjoint.viewer.launch_passive(m, d, key_callback=keys.append, show_left_ui=False) as viewer:
        assert viewer.is_running() and viewer.m is m and viewer.d is d
        assert viewer.viewport.height > 0
        for _ in range(10):
            conjoint.mj_step(m, d)
            viewer.sync()
        wait_for(lambda: viewer._exchange.take().time == d.time)
        with viewer.lock():
            viewer.cam.distance = 3.0
            viewer.opt.flags[conjoint.mjtVisFlag.mjVIS_JOINT] = 1
            viewer.user_scn.ngeom = 1
            conjoint.mjv_initGeom(
                viewer.user_scn.geoms[0], conjoint.mjtGeom.mjGEOM_SPHERE, np.array([0.2, 0, 0]), np.array([0, 0, 2.0]),
                np.eye(3).ravel(), np.array([0, 1, 0, 1], np.float32),
            )  # fmt: skip
        viewer.set_texts((None, None, "height", "2 m"))
        figure = conjoint.MjvFigure()
        figure.linepnt[0] = 2
        figure.linedata[0][:4] = 0, 0, 1, 1
        viewer.set_figures((conjoint.MjrRect(0, 0, 200, 150), figure))
        viewer.set_images((conjoint.MjrRect(200, 0, 40, 30), np.full((30, 40, 3), 200, np.uint8)))
        with pytest.raises(ValueError, match="does not match"):
            viewer.set_images((conjoint.MjrRect(0, 0, 40, 30), np.zeros((40, 30, 3), np.uint8)))
        viewer.update_texture(0)
        picture = viewer._viewer.picture
        wait_for(lambda: picture.scn.ngeom > 0 and np.any(picture.scn.geoms.rgba[: picture.scn.ngeom, 1] == 1))
        viewer.clear_texts()
        viewer.clear_figures()
        viewer.clear_images()
        person = subprocess.run(["xdotool", "search", "--sync", "--name", "Conjoint"], capture_output=True, text=True)
        subprocess.run(["xdotool", "windowfocus", person.stdout.split()[-1], "key", "a"], check=True)
        wait_for(lambda: keys)
        assert keys == [ord("A")]
    assert not viewer.is_running()
    viewer.sync()


def test_a_passive_window_refuses_what_is_no_model(world) -> None:
    import conjoint.viewer

    m, d = world
    with pytest.raises(ValueError, match=r"not a mujoco\.MjModel"):
        conjoint.viewer.launch_passive(d, d)
    with pytest.raises(ValueError, match=r"not a mujoco\.MjData"):
        conjoint.viewer.launch_passive(m, m)
    with pytest.raises(ValueError, match="not callable"):
        conjoint.viewer.launch_passive(m, d, key_callback=3)


def test_two_windows_at_once_and_a_program_that_leaves_them_open(display, room) -> None:
    program = f"""
import conjoint
conjoint.install_as_mujoco()
import mujoco, mujoco.viewer
worlds = []
for k in range(2):
    m = mujoco.MjModel.from_xml_path({str(room)!r})
    d = mujoco.MjData(m)
    worlds.append((m, d, mujoco.viewer.launch_passive(m, d)))
for k in range(200):
    for m, d, viewer in worlds:
        mujoco.mj_step(m, d)
        viewer.sync()
assert all(viewer.is_running() for _, _, viewer in worlds)
print("done")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr


def test_windows_open_and_close(display, world) -> None:
    from conjoint.viewer.application import Application
    from conjoint.viewer.exchange import Exchange

    exchange, sizes = Exchange(*world), []
    for _ in range(16):
        application = Application(exchange, size=(200, 150))
        application.frame()
        application.finish()
        gc.collect()
        sizes.append(resident())
    assert threading.active_count() < 20
    # drivers keep some memory; a window has some tens of megabytes
    assert sizes[-1] - sizes[6] < 24e6


def resident() -> int:
    """Return the resident memory of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("end", ["ctrl+q", "interrupt"])
def test_the_command_opens_a_window_until_it_is_ended(display, room, end) -> None:
    command = [sys.executable, "-m", "conjoint", "view", str(room)]
    # a background process of a shell ignores interrupts, and its child processes would, too
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    try:
        found = subprocess.run(
            ["xdotool", "search", "--sync", "--onlyvisible", "--name", "Conjoint: room"],
            capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        if end == "interrupt":
            process.send_signal(signal.SIGINT)
        else:
            subprocess.run(["xdotool", "windowfocus", found.stdout.split()[-1], "key", end], check=True)
        _, said = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert "Traceback" not in said
    assert process.returncode == (0 if end == "ctrl+q" else 130), said


class Dropped:
    """Object whose destructor raises a Ctrl+C interrupt, which may also arrive in destructors of graphics objects."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)


class Watched:
    """Stub of a window that deletes a `Dropped` object when it starts, and then runs until it is closed."""

    closed = False

    def run(self) -> int:
        thing = Dropped()
        del thing
        for turn in range(1000):
            if self.closed:
                return turn
        return 1000


def test_an_interrupt_in_a_destructor_closes_the_window(monkeypatch) -> None:
    from conjoint.viewer.application import closes

    monkeypatch.setattr(sys, "unraisablehook", lambda report: None)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    turns = None
    try:
        with pytest.raises(KeyboardInterrupt), closes(window := Watched()):
            turns = window.run()
        assert turns == 0
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        # without `closes`, Python drops the interrupt
        assert Watched().run() == 1000
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handler_of_the_program_stays() -> None:
    from conjoint.viewer.application import closes

    heard: list[int] = []

    def hear(number: int, frame: object) -> None:
        heard.append(number)

    before = signal.signal(signal.SIGINT, hear)
    try:
        window = Watched()
        with closes(window):
            assert window.run() == 1000
        assert heard == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


# ---- systems without a display or the viewer's packages


def test_without_a_display_there_is_a_sentence(room) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    command = [sys.executable, "-m", "conjoint", "view", str(room)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE)
    assert done.returncode == 2
    assert "display" in done.stderr and "Traceback" not in done.stderr


def test_without_the_packages_there_is_a_sentence(world, monkeypatch) -> None:
    import conjoint.viewer

    monkeypatch.setitem(sys.modules, "imgui_bundle", None)
    with pytest.raises(conjoint.FatalError, match=r"pip install 'conjoint\[viewer\]'"):
        conjoint.viewer.launch_passive(*world)
