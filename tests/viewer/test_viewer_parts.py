"""Tests of the viewer window's parts that need no display: history, pace, exchange with the simulation, and panels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import conjoint
from conjoint.render.camera import eye_of
from conjoint.viewer import panels
from conjoint.viewer.exchange import Exchange
from conjoint.viewer.plots import plots_of
from conjoint.viewer.simulation import RATES, History, Pace, Simulation, faster, slower
from conjoint.viewer.units import control_unit

BALL = """
<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>
"""


@pytest.fixture
def world() -> tuple:
    m = conjoint.MjModel.from_xml_string(BALL)
    return m, conjoint.MjData(m)


def test_history_goes_back_and_forgets_what_came_after(world) -> None:
    m, d = world
    history = History(m)
    for _ in range(5):
        history.add(d)
        conjoint.mj_step(m, d)
    assert history.go(d, -4) and d.time == 0
    assert history.go(d, -1) and d.time == pytest.approx(3 * m.opt.timestep)
    assert not history.go(d, -1)
    # there is nothing before the first state
    assert history.go(d, -100) and d.time == 0
    history.go(d, -2)
    conjoint.mj_step(m, d)
    history.add(d)
    assert len(history) == 4 and history.position == 0


def test_history_keeps_the_newest(world) -> None:
    m, d = world
    history = History(m)
    room = len(history._states)
    for k in range(room + 3):
        d.time = k
        history.add(d)
    assert len(history) == room
    history.go(d, -room)
    assert d.time == 3


def test_pace_makes_up_for_little_and_forgets_much(monkeypatch) -> None:
    import conjoint.viewer.simulation as module

    now = 0.0
    monkeypatch.setattr(module.time, "perf_counter", lambda: now)
    pace = Pace(1.0)
    assert pace.due(0.0, 0.001) == 0
    pace.made(1, 1e-5, 0.0)
    now = 0.1
    assert pace.due(0.0, 0.001) == pytest.approx(100, abs=1)
    now = 10.0
    assert pace.due(0.0, 0.001) == 1
    # a slow model makes one step at a time
    pace.made(1, 1.0, 0.0)
    pace.cost = 1.0
    now = 10.3
    assert pace.due(0.0, 0.001) == 1


def test_rates_are_a_ladder() -> None:
    assert RATES[0] == 1.0 and RATES[-1] == 0.001
    assert slower(1.0) == RATES[1] and faster(slower(1.0)) == 1.0
    assert faster(1.0) == 1.0 and slower(0.001) == 0.001


def test_the_window_commands_and_the_owner_obeys(world) -> None:
    m, d = world
    exchange = Exchange(m, d)
    exchange.set("qpos", 2, 5.0)
    assert exchange.take().qpos[2] == 5.0 and d.qpos[2] == 0
    assert exchange.execute(d) and d.qpos[2] == 5.0
    assert not exchange.execute(d)
    d.time = 1.0
    exchange.publish(d)
    d.time = 2.0
    exchange.publish(d)
    # a published copy is kept until it is taken
    assert exchange.take().time == 1.0
    exchange.publish(d)
    d.time = 3.0
    exchange.publish(d, again=True)
    assert exchange.take().time == 3.0


def test_a_pull_ends_when_it_is_let_go(world) -> None:
    m, d = world
    conjoint.mj_forward(m, d)
    exchange = Exchange(m, d)
    pert = exchange.pert
    pert.select, pert.active = 1, int(conjoint.mjtPertBit.mjPERT_TRANSLATE)
    pert.localmass, pert.refselpos = 1.0, (1.0, 0.0, 0.0)
    assert exchange.perturb(d, paused=False) and d.xfrc_applied[1, 0] > 0
    pert.active = 0
    assert not exchange.perturb(d, paused=False)
    assert not d.xfrc_applied.any()


ARM = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <camera name="above" pos="0 0 4"/>
    <body><joint name="turn" axis="0 1 0" range="-1 1" limited="true"/><geom size=".1"/></body>
    <body><freejoint/><geom size=".1" pos="1 0 0"/></body>
  </worldbody>
  <equality><joint joint1="turn"/></equality>
  <actuator><motor name="motor" joint="turn" ctrlrange="-2 2" group="3"/></actuator>
  <keyframe><key name="begin" qpos=".5 0 0 1 1 0 0 0"/></keyframe>
</mujoco>
"""


@pytest.fixture
def arm() -> tuple[Simulation, Exchange]:
    m = conjoint.MjModel.from_xml_string(ARM)
    simulation = Simulation(None)
    simulation.history = History(m)
    return simulation, Exchange(m, conjoint.MjData(m))


def values_of(items: tuple[panels.Item, ...]) -> Iterator[panels.Value]:
    for item in items:
        if isinstance(item, panels.Value):
            yield item
        elif isinstance(item, panels.Folder | panels.Row):
            yield from values_of(item.items)


def all_panels(simulation: Simulation, exchange: Exchange) -> tuple[panels.Item, ...]:
    return (
        *panels.simulation_items(exchange, simulation),
        *panels.view_items(exchange, keys=True),
        *panels.model_panels(exchange).values(),
    )


def test_every_value_of_a_panel_stays_when_it_is_set_to_itself(arm) -> None:
    simulation, exchange = arm
    d = conjoint.MjData(exchange.m)
    option = exchange.opt.memory.bytes.copy()
    model = exchange.m.memory.bytes.copy()
    found = list(values_of(all_panels(simulation, exchange)))
    assert len(found) > 150
    for value in found:
        before = np.copy(value.get())
        value.set(value.get())
        exchange.execute(d)
        assert np.array_equal(value.get(), before), value.label
    assert np.array_equal(exchange.opt.memory.bytes, option)
    assert np.array_equal(exchange.m.memory.bytes, model)


def test_values_of_panels_change_the_model_the_world_and_the_view(arm) -> None:
    simulation, exchange = arm
    m, d = exchange.m, conjoint.MjData(exchange.m)
    by_name = {value.label: value for value in values_of(all_panels(simulation, exchange))}
    chosen = {
        "timestep": 0.004, "gravity": np.array([0.0, 0, -1]), "integrator": 1, "Gravity": True, "turn": 0.5, "motor": -1.0,
        "group 3": True, "joint 0": False, "Speed": 50.0, "Run": False, "Labels": 2, "Joint J": True, "haze": np.ones(4),
        "geom": np.array([1, 1, 1, 1, 0, 0]),
    }  # fmt: skip
    for name, new in chosen.items():
        by_name[name].set(new)
    assert not by_name["motor"].disabled()
    exchange.execute(d)
    assert by_name["motor"].disabled()
    assert m.opt.timestep == 0.004 and m.opt.gravity[2] == -1 and m.opt.integrator == 1
    assert m.opt.disableflags == conjoint.mjtDisableBit.mjDSBL_GRAVITY and m.opt.disableactuator == 8
    assert d.qpos[0] == 0.5 and d.ctrl[0] == -1 and not d.eq_active[0]
    assert simulation.pace.rate == 0.5 and not simulation.running
    assert exchange.opt.label == 2 and exchange.opt.flags[conjoint.mjtVisFlag.mjVIS_JOINT] == 1
    assert m.vis.rgba.haze[0] == 1 and exchange.opt.geomgroup[3] == 1
    assert by_name["turn"].ends() == (-1, 1) and by_name["Keyframe"].options == ("begin",)


def test_a_pull_is_a_spring_from_the_body_to_the_mouse(world) -> None:
    m, d = world
    conjoint.mj_forward(m, d)
    exchange, scn = Exchange(m, d), conjoint.MjvScene(m, 300)
    exchange.update_scene(d, scn)
    alone, exchange.pert.select = scn.ngeom, 1
    exchange.pert.localpos, exchange.pert.refselpos = (0.1, 0, 0), (1.0, 0, 0.5)
    exchange.update_scene(d, scn)
    assert scn.ngeom == alone
    exchange.pert.active = int(conjoint.mjtPertBit.mjPERT_TRANSLATE)
    for coiled, parts in ((False, 3), (True, 90)):
        exchange.update_scene(d, scn, coiled)
        spring = scn.geoms[alone : scn.ngeom]
        assert len(spring) >= parts
        assert spring[0].pos == pytest.approx([0.1, 0, 0]) and spring[1].pos == pytest.approx([1.0, 0, 0.5])
    assert exchange.opt.flags[conjoint.mjtVisFlag.mjVIS_PERTOBJ] == 1
    exchange.opt.flags[conjoint.mjtVisFlag.mjVIS_PERTOBJ] = 0
    exchange.update_scene(d, scn)
    assert scn.ngeom == alone


WIDE = """
<mujoco><worldbody><geom type="box" size="30 30 .1"/><geom type="plane" size="60 60 1"/>
<geom type="box" size="9 9 9" pos="0 0 50" group="4"/>
<body pos="8 2 1"><freejoint/><geom type="capsule" size=".1 .5"/></body>
<body pos="8.5 2 1"><joint type="slide" axis="1 0 0" range="-1 1"/><geom type="box" size=".1 .1 .1"/></body>
</worldbody></mujoco>
"""


def test_the_first_camera_fits_what_moves_and_comes_back_to_it() -> None:
    m = conjoint.MjModel.from_xml_string(WIDE)
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    exchange, scn = Exchange(m, d), conjoint.MjvScene(m, 100)
    cam = exchange.cam

    def heights() -> np.ndarray:
        exchange.update_scene(d, scn)
        eye = eye_of(scn, 640, 480)
        seen = [eye.place_of(d.geom_xpos[g] + [0, 0, side]) for g in (3, 4) for side in (-0.1, 0.1)]
        return np.array([place if place is not None else (9, 9) for place in seen])

    exchange.free_camera(640 / 480)
    # the near plane of a 60 m model would clip it
    exchange.update_scene(d, scn)
    assert 0 < scn.camera[0].frustum_near < 0.2
    assert ((heights() > 0.1) & (heights() < 0.9)).all() and cam.distance < 6
    side, near = (cam.azimuth, cam.elevation), cam.distance
    # after a reset, a moved camera keeps its view, unless it would see nothing
    cam.lookat[0] += 0.2
    exchange.keep_in_view(d)
    assert cam.lookat[0] == pytest.approx(8.25 + 0.2, abs=0.3)
    cam.lookat[0], cam.distance = -50, 200
    exchange.keep_in_view(d)
    assert (heights() > 0).all() and (heights() < 1).all()
    assert (cam.azimuth, cam.elevation) == side and cam.distance < 2 * near


def test_a_camera_that_follows_a_body_survives_its_divergence(world) -> None:
    m, d = world
    conjoint.mj_forward(m, d)
    exchange, scn = Exchange(m, d), conjoint.MjvScene(m, 100)
    exchange.cam.type, exchange.cam.trackbodyid = int(conjoint.mjtCamera.mjCAMERA_TRACKING), 1
    broken = conjoint.MjData(m)
    broken.subtree_com[:] = broken.xpos[:] = np.nan
    exchange.update_scene(broken, scn)
    exchange.update_scene(d, scn)
    assert np.isfinite(exchange.cam.lookat).all()


def test_models_without_lights_get_a_key_light_in_viewers_only(world) -> None:
    m, d = world
    conjoint.mj_forward(m, d)
    scn = conjoint.MjvScene(m, 100)
    Exchange(m, d).update_scene(d, scn)
    assert scn.nlight == 2 and scn.lights[1].castshadow and scn.lights[1].diffuse[0] > 0.5
    m.vis.headlight.diffuse = 0.2
    Exchange(m, d).update_scene(d, scn)
    assert scn.nlight == 1


ACTUATED = """
<mujoco><worldbody><body><joint name="turn"/><geom size=".1"/>
<body pos="1 0 0"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".1"/></body></body></worldbody>
<actuator><motor name="motor" joint="turn" gear="40"/><position name="servo" joint="slide" kp="10"/>
<velocity name="speed" joint="turn" kv="3" gear="2"/><muscle name="muscle" joint="turn" lengthrange="0 1"/></actuator>
<sensor><jointpos joint="turn"/><framepos name="place" objtype="body" objname="world"/></sensor></mujoco>
"""


def test_controls_have_units() -> None:
    m = conjoint.MjModel.from_xml_string(ACTUATED)
    assert [control_unit(m, u) for u in range(m.nu)] == [(40, "N m"), (1, "m"), (0.5, "rad/s"), (1, "")]
    panel = panels.controls_panel(Exchange(m, conjoint.MjData(m)))
    assert [value.unit for value in values_of(panel.items)] == ["N m", "m", "rad/s", ""]
    assert "1 is 40 N m" in next(values_of(panel.items)).hint


def test_plots_follow_what_is_chosen() -> None:
    m = conjoint.MjModel.from_xml_string(ACTUATED)
    d = conjoint.MjData(m)
    first, second = plots_of(m)
    assert first.source.lines == ("sensor 0", "place[0]", "place[1]", "place[2]") and second.source is None
    titles = [source.title for source in first.sources]
    assert len(set(titles)) == len(titles)
    choice = next(values_of(panels.plot_items((second,))))
    choice.set(choice.options.index("turn velocity (rad/s)"))
    d.qvel[0] = 2.0
    for _ in range(3):
        conjoint.mj_step(m, d)
        assert first.follow(d) and second.follow(d) and not second.follow(d)
    assert second.values.shape == (1, 3) and second.values[0, 0] == pytest.approx(2.0, rel=0.1)
    # if time goes back, the plot starts again
    conjoint.mj_resetData(m, d)
    second.follow(d)
    assert second.times.tolist() == [0]
