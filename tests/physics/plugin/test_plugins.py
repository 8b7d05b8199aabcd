"""Built-in plugins agree with MuJoCo, and programs can register their own."""

import importlib.metadata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang import kernel
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.physics import plugins as table
from conjoint.physics.plugin.plugin import number, plugin_number
from conjoint.runtime.user import installed, plugins
from places import ROOT

FIELDS = ("qpos", "qvel", "act", "act_dot", "qacc", "qfrc_passive", "actuator_force", "sensordata", "plugin_state")

PID = """<mujoco><option timestep=".01" {option}/><extension><plugin plugin="mujoco.pid"><instance name="a">
<config key="kp" value="4"/><config key="ki" value="3"/><config key="slewmax" value="2"/><config key="imax" value=".05"/></instance>
<instance name="b"><config key="kp" value="2"/><config key="ki" value="5"/><config key="kd" value=".3"/></instance></plugin></extension>
<worldbody><body><joint name="x" type="slide"/><geom size=".1"/></body><body pos="1 0 0"><joint name="y" type="slide"/><geom size=".1"/></body></worldbody>
<actuator><motor joint="x"/><general joint="x" dyntype="integrator"/>
<plugin joint="y" plugin="mujoco.pid" instance="b" actdim="2" dyntype="filter" dynprm=".1" actrange="-.02 .02" actlimited="true" {second}/>
<plugin joint="x" plugin="mujoco.pid" instance="a" actdim="2" ctrlrange="-1 1" ctrllimited="true"/></actuator></mujoco>"""

CABLE = """<mujoco><option {option}/><extension><plugin plugin="mujoco.elasticity.cable"/></extension><worldbody>
<composite prefix="a" type="cable" curve="cos(s) sin(s) s" count="7 1 1" size="1 .3 .1" initial="{initial}" offset="0 0 1">
<plugin plugin="mujoco.elasticity.cable"><config key="twist" value="1e7"/><config key="bend" value="4e6"/><config key="flat" value="{flat}"/>
</plugin><joint kind="main" damping=".01"/><geom type="{geom}" size=".02 .01 .015" density="500"/></composite></worldbody></mujoco>"""

GRID = """<mujoco><option timestep=".005" {option}/><extension><plugin plugin="mujoco.sensor.touch_grid"/></extension>
<worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .35"><freejoint/><geom type="box" size=".2 .3 .05" mass="2"/>
<site name="s" pos=".02 .01 .2" euler="10 5 0"/></body><body pos=".05 .02 .7"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody>
<sensor><jointpos joint="j"/><plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="s" {cutoff}><config key="size" value="5 4"/>
<config key="fov" value="100 70"/><config key="gamma" value="{gamma}"/><config key="nchannel" value="{nchannel}"/></plugin></sensor></mujoco>""".replace(
    '<jointpos joint="j"/>', "<clock/>"
)

SCENES = {
    "pid": PID.format(option="", second=""),
    "pid, implicit, early": PID.format(option='integrator="implicitfast"', second='actearly="true"'),
    "pid, Runge-Kutta": PID.format(option='integrator="RK4"', second=""),
    "cable": CABLE.format(option="", initial="free", flat="false", geom="capsule"),
    "flat cable of boxes": CABLE.format(option='integrator="implicit"', initial="none", flat="true", geom="box"),
    "cable of cylinders": CABLE.format(option="", initial="ball", flat="false", geom="cylinder"),
    "grid": GRID.format(option="", cutoff="", gamma=0, nchannel=3),
    "grid, finer in the middle": GRID.format(option='cone="elliptic"', cutoff='cutoff="2"', gamma=0.7, nchannel=6),
}


def both(xml: str) -> list[tuple[Any, Any, Any]]:
    """Return package, model and data for MuJoCo and for Conjoint."""
    made = []
    for package in (mujoco, conjoint):
        model = package.MjModel.from_xml_string(xml)
        made.append((package, model, package.MjData(model)))
    return made


def agree(made: list, nstep: int, tolerance: float = 1e-9) -> None:
    """Check that both engines agree in every step with random controls."""
    random = np.random.default_rng(0)
    (_, _, theirs), (_, m, ours) = made
    for _ in range(nstep):
        ctrl = random.normal(size=m.nu)
        for package, model, data in made:
            data.ctrl[:] = ctrl
            package.mj_step(model, data)
        for name in FIELDS:
            a, b = getattr(theirs, name), getattr(ours, name)
            np.testing.assert_allclose(b, a, atol=tolerance * max(1, np.abs(a).max(initial=0)), err_msg=name)


@pytest.mark.plain
@pytest.mark.parametrize("scene", SCENES)
def test_as_officially(scene: str) -> None:
    made = both(SCENES[scene])
    agree(made, 60 if jit_enabled() else 20)
    if "grid" in scene and jit_enabled():
        # the lower box is pressed by the upper one
        assert made[1][2].sensordata[1:21].max() > 0.5


@pytest.mark.parametrize("flag", ["passive", "actuation", "sensor"])
@pytest.mark.parametrize("scene", ["pid", "cable", "grid"])
def test_disabled(scene: str, flag: str) -> None:
    agree(both(SCENES[scene].replace("<extension>", f'<option><flag {flag}="disable"/></option><extension>')), 20)


@pytest.mark.parametrize("scene", ["pid", "cable", "grid"])
@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-9), ("float32", 2e-3)])
def test_in_batches(scene: str, precision: str, tolerance: float) -> None:
    model = conjoint.MjModel.from_xml_string(SCENES[scene])
    batch = Batch(model, 5, precision=precision, keep=("sensordata",))
    data = conjoint.MjData(model)
    data.ctrl[:] = batch.ctrl[3] = np.linspace(-1, 1, model.nu)
    for _ in range(20):
        conjoint.mj_step(model, data)
    batch.step(20)
    for name in ("qpos", "act", "sensordata"):
        wanted = getattr(data, name)
        np.testing.assert_allclose(
            getattr(batch, name)[3], wanted, atol=tolerance * max(1, np.abs(wanted).max(initial=0))
        )


def test_a_bent_cable_resists_by_its_stiffness() -> None:
    """The moment of a bent cable is the bending stiffness E pi r^4 / 4, divided by the length, times the angle."""
    xml = """<mujoco><option gravity="0 0 0"/><extension><plugin plugin="mujoco.elasticity.cable"><instance name="c">
    <config key="bend" value="3e6"/></instance></plugin></extension><worldbody><body><geom type="capsule" size=".02 .1"/><plugin instance="c"/>
    <body pos=".5 0 0"><joint type="ball"/><geom type="capsule" size=".02 .1"/><plugin instance="c"/></body></body></worldbody></mujoco>"""
    model = conjoint.MjModel.from_xml_string(xml)
    data = conjoint.MjData(model)
    data.qpos[:] = np.cos(0.1), 0, np.sin(0.1), 0
    conjoint.mj_forward(model, data)
    stiffness = 3e6 * np.pi * 0.02**4 / 4 / 0.5
    np.testing.assert_allclose(data.qfrc_passive, [0, -0.2 * stiffness, 0], atol=1e-12)


@pytest.mark.plain
@pytest.mark.parametrize(("flat", "offset"), [("false", 0.0), ("true", 0.2)])
def test_a_cable_with_a_hinge_resists_by_its_stiffness(flat: str, offset: float) -> None:
    """A hinged cable resists bending from its rest pose, or from straight, by its stiffness; MuJoCo differs."""
    xml = f"""<mujoco><option gravity="0 0 0"/><extension><plugin plugin="mujoco.elasticity.cable"><instance name="c">
    <config key="bend" value="3e6"/><config key="flat" value="{flat}"/></instance></plugin></extension><worldbody><body euler="10 20 30">
    <geom type="capsule" size=".02 .1"/><plugin instance="c"/><body pos=".5 0 0" axisangle="0 1 0 {np.rad2deg(0.2)}"><joint axis="0 1 0"/>
    <geom type="capsule" size=".02 .1"/><plugin instance="c"/></body></body></worldbody></mujoco>"""
    model = conjoint.MjModel.from_xml_string(xml)
    data = conjoint.MjData(model)
    data.qpos[:] = 0.1
    conjoint.mj_forward(model, data)
    stiffness = 3e6 * np.pi * 0.02**4 / 4 / 0.5
    np.testing.assert_allclose(data.qfrc_passive, -(0.1 + offset) * stiffness, rtol=1e-12)


def test_cables_that_are_none_are_refused() -> None:
    xml = """<mujoco><extension><plugin plugin="mujoco.elasticity.cable"><instance name="c"/></plugin></extension><worldbody>
    <body><geom size=".1"/><plugin instance="c"/><body><geom size=".1"/></body></body><body><geom size=".1"/><plugin instance="c"/></body>
    </worldbody></mujoco>"""
    with pytest.raises(conjoint.ModelError, match="the bodies of a cable must form a chain, and each needs a geom"):
        conjoint.MjData(conjoint.MjModel.from_xml_string(xml))


# ---- plugins of users

MINE = """<mujoco><option timestep=".01" gravity="0 0 0"/><extension><plugin plugin="mine.spring"/><plugin plugin="mine.lag"/><plugin plugin="mine.speed"/></extension><worldbody>
<body><joint name="x" type="slide" damping=".1"/><geom size=".1"/><plugin plugin="mine.spring"><config key="stiffness" value="30"/></plugin></body>
<body pos="1 0 0"><joint name="y" type="slide"/><geom size=".1"/></body></worldbody>
<actuator><plugin joint="y" plugin="mine.lag" actdim="1"><config key="time" value=".2"/></plugin></actuator>
<sensor><clock/><plugin plugin="mine.speed"/></sensor></mujoco>"""

PASSIVE, ACTUATOR, SENSOR = (
    getattr(conjoint.mjtPluginCapabilityBit, "mjPLUGIN_" + sort) for sort in ("PASSIVE", "ACTUATOR", "SENSOR")
)


def spring(m: Any, d: Any, i: int) -> None:
    """Apply a spring force to the first joint."""
    d.qfrc_passive[0] = d.qfrc_passive[0] - plugin_number(m, i, 0) * d.qpos[0]


def python_spring(m: Any, d: Any, i: int) -> None:
    """Apply the same force as `spring`, as a Python function instead of a kernel."""
    d.qfrc_passive[0] -= float(conjoint.mj_getPluginConfig(m, i, "stiffness")) * d.qpos[0]


def lag(m: Any, d: Any, i: int) -> None:
    """Compute the rate of an activation that follows the control."""
    a = m.actuator_actadr[0]
    d.act_dot[a] = (d.ctrl[0] - d.act[a]) / plugin_number(m, i, 0)


def python_lag(m: Any, d: Any, i: int) -> None:
    """Compute the same rate as `lag`, as a Python function instead of a kernel."""
    a = m.actuator_actadr[0]
    d.act_dot[a] = (d.ctrl[0] - d.act[a]) / float(conjoint.mj_getPluginConfig(m, i, "time"))


def push(m: Any, d: Any, i: int) -> None:
    """Set the actuator force to twice the activation."""
    d.actuator_force[0] = 2.0 * d.act[m.actuator_actadr[0]]


def speed(m: Any, d: Any, i: int) -> None:
    """Report the plugin state and the speed of the first joint."""
    d.sensordata[1] = d.plugin_state[m.plugin_stateadr[i]]
    d.sensordata[2] = d.qvel[0]


def remember(m: Any, d: Any, i: int) -> None:
    """Integrate the squared speed of the first joint in the plugin state."""
    a = m.plugin_stateadr[i]
    d.plugin_state[a] = d.plugin_state[a] + d.qvel[0] * d.qvel[0] * m.opt.timestep


@pytest.fixture
def no_plugins_left() -> Iterator[None]:
    """Remove all plugins after each test, because they are global."""
    before = list(table.PLUGINS)
    yield
    table.PLUGINS[:] = before
    installed._plugins = ()
    installed.set_callbacks((), {})


def register(as_kernels: bool) -> None:
    """Register the plugins as kernels or as Python functions."""
    of = (lambda function: kernel(function)) if as_kernels else (lambda function: function)
    settings = lambda key: lambda m, instance, config: [number(config, key)]  # noqa: E731
    mine = conjoint.mjpPlugin(
        "mine.spring",
        PASSIVE,
        ("stiffness",),
        init=settings("stiffness"),
        compute=of(spring) if as_kernels else python_spring,
    )
    conjoint.mjp_registerPlugin(mine)
    one = lambda config: 1  # noqa: E731
    mine = conjoint.mjpPlugin(
        "mine.lag",
        ACTUATOR,
        ("time",),
        actuator_actdim=one,
        init=settings("time"),
        compute=of(push),
        actuator_act_dot=of(lag) if as_kernels else python_lag,
    )
    conjoint.mjp_registerPlugin(mine)
    mine = conjoint.mjpPlugin(
        "mine.speed", SENSOR, needstage=conjoint.mjtStage.mjSTAGE_VEL, nstate=one, nsensordata=lambda config: 2,
        compute=of(speed), advance=of(remember),
    )  # fmt: skip
    assert conjoint.mjp_registerPlugin(mine) == conjoint.mjp_pluginCount() - 1
    assert conjoint.mjp_registerPlugin(mine) == conjoint.mjp_pluginCount() - 1


def expected(nstep: int) -> list[float]:
    """Return positions, activation and plugin state after `nstep` steps, computed here with semi-implicit Euler."""
    h, mass = 0.01, 1000 * 4 / 3 * np.pi * 1e-3
    x, v, y, w, act, way = 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
    for _ in range(nstep):
        force = 2 * act
        act += h * (1.5 - act) / 0.2
        v += h * (-30 * x - 0.1 * v) / (mass + 0.1 * h)
        w += h * force / mass
        x, y = x + h * v, y + h * w
        way += v * v * h
    return [x, y, act, way]


@pytest.mark.plain
@pytest.mark.parametrize("as_kernels", [True, False])
def test_of_programs(as_kernels: bool, no_plugins_left: None) -> None:
    register(as_kernels)
    model = conjoint.MjModel.from_xml_string(MINE)
    assert model.npluginstate == 1 and model.nsensordata == 3 and model.na == 1
    data = conjoint.MjData(model)
    data.qvel[0], data.ctrl[0] = 1.0, 1.5
    for _ in range(30):
        conjoint.mj_step(model, data)
    np.testing.assert_allclose([*data.qpos, *data.act, *data.plugin_state], expected(30), atol=1e-12)
    np.testing.assert_allclose(data.sensordata[1], expected(29)[3], atol=1e-12)
    conjoint.mj_resetData(model, data)
    assert data.plugin_state[0] == 0


def test_kernels_of_programs_run_in_batches(no_plugins_left: None) -> None:
    register(True)
    batch = Batch(conjoint.MjModel.from_xml_string(MINE), 9)
    batch.qvel[:, 0], batch.ctrl[:] = 1.0, 1.5
    batch.step(30)
    found = np.concatenate([batch.qpos, batch.act, batch.plugin_state], axis=1)
    np.testing.assert_allclose(found, np.tile(expected(30), (9, 1)), atol=1e-12)


@pytest.mark.plain
def test_the_example_of_the_docs(no_plugins_left: None, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "plugins.md").read_text()
    (tmp_path / "example.py").write_text(page.split("```python\n")[1].split("```")[0])
    # kernels are read from source files
    code = compile((tmp_path / "example.py").read_text(), str(tmp_path / "example.py"), "exec")
    exec(code, {"__name__": "example"})
    xml = """<mujoco><extension><plugin plugin="mine.spring"/></extension><worldbody><body><joint type="slide" axis="1 0 0"/><geom size=".1"/>
    <plugin plugin="mine.spring"><config key="stiffness" value="30"/></plugin></body></worldbody></mujoco>"""
    model = conjoint.MjModel.from_xml_string(xml)
    data = conjoint.MjData(model)
    data.qpos[0] = 0.1
    conjoint.mj_forward(model, data)
    np.testing.assert_allclose(data.qfrc_passive, [-3])


def test_functions_of_programs_do_not(no_plugins_left: None) -> None:
    register(False)
    batch = Batch(conjoint.MjModel.from_xml_string(MINE), 2)
    with pytest.raises(conjoint.FatalError, match=r"mine\.spring\.compute.*make it a kernel"):
        batch.step()


def test_from_files(tmp_path: Path, no_plugins_left: None) -> None:
    (tmp_path / "mine.py").write_text(
        "import conjoint\nPUSH = conjoint.mjpPlugin('mine.push', conjoint.mjtPluginCapabilityBit.mjPLUGIN_PASSIVE,\n"
        "    compute=lambda m, d, i: d.qfrc_passive.__iadd__(2.0))\n"
    )
    conjoint.mj_loadAllPluginLibraries(str(tmp_path))
    xml = """<mujoco><extension><plugin plugin="mine.push"/></extension><worldbody><body><joint type="slide"/><geom size=".1"/>
    <plugin plugin="mine.push"/></body></worldbody></mujoco>"""
    model = conjoint.MjModel.from_xml_string(xml)
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    assert data.qfrc_passive[0] == 2
    (tmp_path / "none.py").write_text("x = 1\n")
    with pytest.raises(conjoint.FatalError, match="defines no plugin"):
        conjoint.mj_loadPluginLibrary(str(tmp_path / "none.py"))
    with pytest.raises(conjoint.FatalError, match="not a Python file"):
        conjoint.mj_loadPluginLibrary(str(tmp_path / "nothing.so"))


def test_of_installed_packages(monkeypatch: pytest.MonkeyPatch, no_plugins_left: None) -> None:
    class Point:
        def load(self) -> Any:
            return conjoint.mjpPlugin("mine.installed", PASSIVE, compute=kernel(spring))

    points = {"conjoint.plugins": [Point()]}
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points.get(group, []))
    plugins.load_installed.cache_clear()
    conjoint.MjModel.from_xml_string('<mujoco><extension><plugin plugin="mine.installed"/></extension></mujoco>')
    plugins.load_installed.cache_clear()


def test_settings() -> None:
    model = conjoint.MjModel.from_xml_string(SCENES["pid"])
    assert (
        conjoint.mj_getPluginConfig(model, 0, "imax") == ".05" and conjoint.mj_getPluginConfig(model, 1, "imax") == ""
    )
    with pytest.raises(conjoint.FatalError, match="no setting 'gain'"):
        conjoint.mj_getPluginConfig(model, 0, "gain")
    with pytest.raises(conjoint.FatalError, match="no instance 2 of"):
        conjoint.mj_getPluginConfig(model, 2, "imax")


offset = 2.0
LIMIT = 2.0


def test_kernels_with_variables_that_may_change_are_refused(no_plugins_left: None) -> None:
    @kernel
    def loose(m, d, instance):
        d.qfrc_passive[0] = offset

    @kernel
    def firm(m, d, instance):
        d.qfrc_passive[0] = LIMIT

    passive = int(conjoint.mjtPluginCapabilityBit.mjPLUGIN_PASSIVE)
    with pytest.raises(conjoint.FatalError, match=r"plugin 'x': the kernel loose uses the variable offset.* OFFSET if"):
        conjoint.mjp_registerPlugin(conjoint.mjpPlugin("x", capabilityflags=passive, compute=loose))
    conjoint.mjp_registerPlugin(conjoint.mjpPlugin("x", capabilityflags=passive, compute=firm))


def test_names_are_taken_once(no_plugins_left: None) -> None:
    with pytest.raises(conjoint.FatalError, match=r"another plugin 'mujoco\.pid'"):
        conjoint.mjp_registerPlugin(conjoint.mjpPlugin("mujoco.pid", ACTUATOR))


def test_elasticity_without_a_flex_is_refused() -> None:
    xml = """<mujoco><extension><plugin plugin="mujoco.elasticity.solid"/></extension><worldbody><body><geom size="1"/>
    <plugin plugin="mujoco.elasticity.solid"/></body></worldbody></mujoco>"""
    with pytest.raises(
        conjoint.ModelError, match=r"'mujoco\.elasticity\.solid': no body with this plugin carries a vertex"
    ):
        conjoint.MjData(conjoint.MjModel.from_xml_string(xml))
