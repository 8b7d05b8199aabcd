"""The web viewer's page, operated by a headless browser that clicks, drags and types."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import conjoint
from browsers import new_page, screenshot
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.errors import ConjointError
from waiting import wait_for

pytest.importorskip("viser")
if not jit_enabled():
    pytest.skip("scenes are made by many kernels: compiled only", allow_module_level=True)

from conjoint.viewer import web
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.simulation import Simulation
from conjoint.viewer.web.page import Page, Pointer
from conjoint.viewer.web.panel import from_browser, to_browser
from conjoint.viewer.web.server import open_server
from conjoint.viewer.web.sky import sky_picture
from conjoint.viewer.web.takes import Takes

ROOM = """
<mujoco model="room">
  <option gravity="0 0 0"/>
  <statistic center="0 0 1" extent="2"/>
  <visual><global azimuth="90" elevation="-10"/></visual>
  <asset>
    <texture name="checks" type="2d" builtin="checker" width="16" height="16" rgb1="1 1 1" rgb2="0 0 0"/>
    <texture name="sides" type="cube" builtin="gradient" width="8" height="8" rgb1="1 0 0" rgb2="0 0 1"/>
    <material name="checks" texture="checks" texrepeat="4 4"/>
    <material name="sides" texture="sides"/>
    <mesh name="wedge" vertex="0 0 0 .3 0 0 0 .3 0 0 0 .3"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 .1" material="checks"/>
    <camera name="above" pos="0 0 4"/>
    <body name="box" pos="0 0 1">
      <freejoint/><geom type="box" size=".3 .3 .3" material="sides"/>
    </body>
    <body name="arm" pos="1 0 1">
      <joint name="turn" axis="0 1 0" damping="1"/>
      <geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/>
      <geom type="mesh" mesh="wedge" pos="0 0 .2"/>
      <geom type="sphere" size="1" pos="2 0 1" rgba="0 1 0 .2" contype="0" conaffinity="0"/>
      <geom type="cylinder" size=".1 .1" pos="0 .3 0"/><geom type="ellipsoid" size=".1 .2 .1" pos="0 -.3 0"/>
      <site name="tip" pos=".5 0 0"/>
    </body>
    <site name="hook" pos="1.5 0 2"/>
    <flexcomp name="cloth" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" pos="-1 0 1" radius=".01"/>
    <flexcomp name="rope" type="grid" dim="1" count="4 1 1" spacing=".1 .1 .1" pos="-1 1 1" radius=".01"/>
  </worldbody>
  <tendon><spatial name="string"><site site="hook"/><site site="tip"/></spatial></tendon>
  <actuator><motor name="motor" joint="turn" ctrlrange="-2 2"/></actuator>
  <sensor><jointpos name="angle" joint="turn"/></sensor>
  <keyframe><key name="begin" time="0"/></keyframe>
</mujoco>
"""


def room() -> conjoint.MjModel:
    return conjoint.MjModel.from_xml_string(ROOM)


@pytest.fixture
def served() -> Iterator[tuple[Page, Simulation]]:
    """Yield a web page and its simulation of a room with all geom types and two flexes."""
    m = room()
    simulation = Simulation(lambda: (m, conjoint.MjData(m)))
    page = Page(simulation, "127.0.0.1", 8740)
    simulation.start()
    wait_for(lambda: page._exchange is not None and len(page._nodes._nodes) + 2 == int(page._scn.ngeom))
    yield page, simulation
    simulation.stop()
    page.close()


def test_every_geom_has_a_node_and_stands_where_it_is(served: tuple[Page, Simulation]) -> None:
    page, simulation = served
    simulation.running = False
    nodes = page._nodes._nodes
    m = simulation.exchange.m
    kinds = {key[0] for key in nodes}
    assert {int(conjoint.mjtObj.mjOBJ_GEOM), int(conjoint.mjtObj.mjOBJ_TENDON)} <= kinds
    box = m.body("box").geomadr[0]
    handle = nodes[int(conjoint.mjtObj.mjOBJ_GEOM), int(box), int(conjoint.mjtGeom.mjGEOM_BOX), 0].handle
    simulation.submit(lambda m, d: d.qpos.__setitem__(slice(0, 3), [0.5, -0.5, 1.5]))
    wait_for(lambda: np.allclose(handle.position, [0.5, -0.5, 1.5], atol=1e-6))
    assert len(page._nodes._flexibles._handles) == 2


def test_labels_stand_beside_their_geoms(served: tuple[Page, Simulation]) -> None:
    page, _ = served
    exchange = page._exchange
    assert exchange is not None and not page._labels._nodes
    with exchange.lock:
        exchange.opt.label = int(conjoint.mjtLabel.mjLABEL_BODY)
    names = {exchange.m.body(i).name for i in range(1, exchange.m.nbody)}
    wait_for(lambda: len(page._labels._nodes) >= exchange.m.nbody - 1)
    shown = {node.text: node.position for node in page._labels._nodes if node.visible}
    assert {name for name in names if name} <= set(shown)
    beside: dict[str, np.ndarray] = {}

    def is_beside() -> bool:
        # the page may be updating its scene
        beside.update({geom.label: geom.pos for geom in page._scn.geoms[: page._scn.ngeom] if geom.label})
        return shown.keys() <= beside.keys()

    wait_for(is_beside)
    for text, place in shown.items():
        np.testing.assert_allclose(place, beside[text], atol=0.05)
    with exchange.lock:
        exchange.opt.label = int(conjoint.mjtLabel.mjLABEL_NONE)
    wait_for(lambda: not any(node.visible for node in page._labels._nodes))


def test_the_sky_is_a_picture_from_above_downwards_that_turns_with_the_camera() -> None:
    sky = '<texture type="skybox" builtin="gradient" rgb1=".2 .4 .6" rgb2="0 0 0" width="8" height="8"/>'
    m = conjoint.MjModel.from_xml_string(f"<mujoco><asset>{sky}</asset></mujoco>")
    picture = sky_picture(m, 0.0, 1.0)[:, 0, 2].astype(int)
    assert np.all(np.diff(picture) <= 0) and picture[0] > picture[-1]
    assert sky_picture(m, 0.5, 1.0)[:, 0, 2].mean() > picture.mean() > sky_picture(m, -0.5, 1.0)[:, 0, 2].mean()
    # models without a skybox get a sky that is brightest at the horizon
    bare = conjoint.MjModel.from_xml_string("<mujoco/>")
    for pitch, horizon in ((0.0, 64), (-0.2, 41)):
        assert sky_picture(bare, pitch, 1.0)[:, 0].sum(axis=1).argmax() == pytest.approx(horizon, abs=2)


def test_positions_and_normals_of_a_ball_are_not_the_same_bytes(served: tuple[Page, Simulation]) -> None:
    # browsers draw nothing if positions and normals share a buffer
    import io

    import trimesh

    page, _ = served
    sphere = conjoint.mjtGeom.mjGEOM_SPHERE
    ball = wait_for(lambda: next((file for look, file in list(page._nodes._files.items()) if look[0] == sphere), None))
    mesh = next(iter(trimesh.load(io.BytesIO(ball), file_type="glb").geometry.values()))
    assert np.abs(mesh.vertices - mesh.vertex_normals).max() > 0.1


def test_dragging_pulls_a_body_towards_the_mouse() -> None:
    m = room()
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    exchange = Exchange(m, d)
    pointer = Pointer(exchange, conjoint.MjvScene(m, 100))
    body = m.body("box").id
    conjoint.mjv_updateScene(
        m, d, exchange.opt, exchange.pert, exchange.cam, int(conjoint.mjtCatBit.mjCAT_ALL), pointer.scn
    )
    pointer.grab(body, np.array([0.0, -0.3, 1.0]))
    pointer.pull(np.array([0.0, -1.0, 1.0]))
    exchange.perturb(d, paused=False)
    assert d.xfrc_applied[body, 1] < 0 and abs(d.xfrc_applied[body, 0]) < 1e-9
    pointer.exchange.release()
    exchange.perturb(d, paused=False)
    assert not d.xfrc_applied[body].any()


def test_a_program_shows_its_world_and_gets_what_users_set() -> None:
    m = room()
    d = conjoint.MjData(m)
    with web.launch_passive(m, d, port=8760) as handle:
        assert handle.is_running() and handle.url.startswith("http://localhost:")
        assert handle.url in handle._repr_html_()
        handle._exchange.set("ctrl", 0, 1.5)
        handle.sync()
        assert d.ctrl[0] == 1.5
    assert not handle.is_running()


def test_worlds_of_a_batch_stand_side_by_side() -> None:
    m = room()
    batch = Batch(m, 4)
    qpos = np.array(batch.qpos)
    qpos[3, :3] = [0.0, 0.0, 2.0]
    batch.qpos[...] = qpos
    with web.Crowd(batch, spacing=3.0, port=8780, worlds=[3, 0]) as crowd:
        box = int(m.body("box").geomadr[0])
        key = int(conjoint.mjtObj.mjOBJ_GEOM), box, int(conjoint.mjtGeom.mjGEOM_BOX), 0
        heights = [nodes._nodes[key].handle.position[2] for nodes in crowd._worlds]
    assert np.allclose(heights, [2.0, 1.0], atol=1e-6)
    with pytest.raises(ValueError, match="are not valid worlds"):
        web.Crowd(batch, worlds=slice(0))


def test_a_film_of_the_page_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    m = conjoint.MjModel.from_xml_string(
        '<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    )
    m.vis.global_.offwidth, m.vis.global_.offheight = 32, 24
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    takes = Takes(SimpleNamespace(get_clients=dict), Exchange(m, d))
    takes.record(True)
    for _ in range(100):
        conjoint.mj_step(m, d)
        takes.follow(d)
    assert takes.recording and "0.2 s" in takes.note
    takes.record(False)
    wait_for(lambda: takes.note.startswith("Saved conjoint_001."))
    assert next(tmp_path.glob("conjoint_001.*")).stat().st_size > 100
    takes.record(True)
    takes.record(False)
    assert "no film" in takes.note


def test_a_recording_is_one_file(tmp_path: Path) -> None:
    m = room()
    states = [m.qpos0, m.qpos0]
    target = tmp_path / "page.html"
    assert web.export_page(m, states, target) == 2
    assert 20_000 < target.stat().st_size < 200_000
    assert "http:" not in target.read_text() and "https:" not in target.read_text()
    with pytest.raises(ValueError, match="nq ="):
        web.export_page(m, [np.zeros(3)], target)
    with pytest.raises(ValueError, match="no states"):
        web.export_page(m, [], target)
    with pytest.raises(ValueError, match="fps"):
        web.export_page(m, states, target, fps=0)


def test_a_wrong_model_is_told(served: tuple[Page, Simulation]) -> None:
    page, simulation = served

    def wrong() -> Any:
        raise ConjointError("line 3: there is no such mesh")

    simulation.load(wrong)
    wait_for(lambda: "no such mesh" in page._panel.status.content)
    assert page._exchange is simulation.exchange


def test_values_of_panels_go_to_the_browser_and_back(served: tuple[Page, Simulation]) -> None:
    page, simulation = served
    simulation.running = False
    controls = page._panel._controls
    assert len(controls) > 150
    for control in controls:
        value = control._value
        if value.kind not in ("slider", "color", "text"):
            assert np.allclose(np.array(from_browser(value, to_browser(value)), float), value.get(), rtol=1e-5), (
                value.label
            )
    gravity = next(control for control in controls if control._value.label == "gravity")
    assert to_browser(gravity._value) == "0 0 0" and from_browser(gravity._value, "0 x") is None
    # the browser shows values that a program changes
    simulation.submit(lambda m, d: m.opt.gravity.__setitem__(2, -3.0))
    wait_for(lambda: gravity._handle.value == "0 0 -3")


def pull_up(tab: Any, moved: Callable[[], bool]) -> bool:
    """Drag the object in the center upward while Control is held, and return True if it moved."""
    tab.keyboard.down("Control")
    tab.mouse.move(450, 320)
    # the page determines the object under the mouse when it draws an image
    time.sleep(1.0)
    tab.mouse.down()
    for y in range(310, 90, -10):
        time.sleep(0.2)
        tab.mouse.move(450, y)
    # if the drag missed the object, give up soon, so that the caller can retry
    for _ in range(150):
        if found := moved():
            break
        time.sleep(0.1)
    tab.mouse.up()
    tab.keyboard.up("Control")
    return found


def test_a_person_pauses_steps_and_pulls(served: tuple[Page, Simulation], browser: Any) -> None:
    page, simulation = served
    tab = new_page(browser, 900, 600)
    tab.goto(page.url)
    run = tab.get_by_label("Run")
    run.wait_for()
    assert simulation.running
    run.click()
    wait_for(lambda: not simulation.running)
    before = simulation.exchange.take().time
    tab.get_by_role("button", name="Step", exact=True).click()
    wait_for(lambda: simulation.exchange.take().time > before)
    run.click()
    wait_for(lambda: simulation.running)
    # look at the box in the center; some browsers draw it only after a while
    for client in page.server.get_clients().values():
        client.camera.position, client.camera.look_at = (0.0, -3.0, 1.5), (0.0, 0.0, 1.0)
    box = simulation.exchange.m.body("box").id
    pert = simulation.exchange.pert

    def click() -> None:
        tab.mouse.click(450, 320)
        time.sleep(1.0)

    wait_for(lambda: pert.select == box, click)
    start = float(simulation.exchange.take().xpos[box, 2])
    # retry if the drag misses the box because no image was drawn in time
    wait_for(lambda: pull_up(tab, lambda: float(simulation.exchange.take().xpos[box, 2]) > start + 0.05))
    tab.close()


def test_a_recording_plays_without_a_server(browser: Any, tmp_path: Path) -> None:
    m = room()
    target = tmp_path / "page.html"
    web.export_page(m, [m.qpos0] * 30, target)
    tab = new_page(browser, 600, 400)
    tab.goto(f"file://{os.path.abspath(target)}")

    def colours() -> int:
        return len(np.unique(screenshot(tab)[:300].reshape(-1, 3), axis=0))

    wait_for(lambda: colours() > 300)
    tab.close()


def test_a_recording_is_orbited_paused_and_scrubbed(browser: Any, tmp_path: Path) -> None:
    m = room()
    target = tmp_path / "page.html"
    states = [m.qpos0 + 0.01 * k * (np.arange(m.nq) == 2) for k in range(31)]
    web.export_page(m, states, target, fps=10)
    tab = new_page(browser, 600, 400)
    tab.goto(target.as_uri())
    wait_for(lambda: tab.evaluate("Boolean(window.player)"))
    wait_for(lambda: tab.evaluate("player.time > 0"))
    tab.get_by_label("Pause").click()
    tab.get_by_label("Time").fill("2.05")
    # the time is midway between two frames, so their states are averaged
    box = next(k for k, node in enumerate(tab.evaluate("player.recording.nodes")) if node["mapping"] == 3)
    wait_for(lambda: abs(tab.evaluate(f"player.painter.state[11 * {box} + 2]") - (m.qpos0[2] + 0.205)) < 1e-4)
    before, azimuth = screenshot(tab), tab.evaluate("player.view.azimuth")
    tab.mouse.move(300, 150)
    tab.mouse.down()
    tab.mouse.move(400, 150)
    tab.mouse.up()
    assert tab.evaluate("player.view.azimuth") == pytest.approx(azimuth - 35)
    wait_for(lambda: (screenshot(tab) != before).any())
    tab.close()


def test_a_host_that_is_no_address_of_this_machine_is_told() -> None:
    """A host that is not an address of this machine raises an error.

    The tested address 203.0.113.1 is reserved for documentation (RFC 5737), so no machine has it.
    """
    for host in ("203.0.113.1", "999.1.1.1"):
        with pytest.raises(ValueError, match=f"cannot be served at host '{host}', which is no address of this"):
            open_server(host, 8080)
