"""Derivatives with respect to inputs that are zero or at bounds are one-sided, toward the allowed side."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import conjoint as mj
from conjoint.derivative import jacobian, jvp, transition, vjp

CLOSE = 2e-4
"""Tolerance of derivatives, relative to the largest one; the error of one-sided differences is proportional to their step."""

STEP = 1e-6

Setting = Callable[[mj.MjData], None]


def rows_of(m: mj.MjModel, d: mj.MjData, outputs: Sequence[str], name: str, function: str = "mj_step") -> np.ndarray:
    """Return exact derivatives of the outputs, stacked in rows."""
    found = jacobian(m, d, outputs, [name], function)
    return np.vstack([found[output][name] for output in outputs])


def difference(xml: str, outputs: Sequence[str], name: str, k: int, step: float, put: Setting) -> np.ndarray:
    """Return the one-sided difference of a step with respect to element k of an input of the model or the data."""

    def after(change: float) -> np.ndarray:
        m = mj.MjModel.from_xml_string(xml)
        d = mj.MjData(m)
        put(d)
        owner: object = d if hasattr(d, name) and name in ("ctrl", "act", "xfrc_applied", "qpos", "qvel") else m
        *path, field = name.split(".")
        for part in path:
            owner = getattr(owner, part)
        if np.ndim(getattr(owner, field)):
            getattr(owner, field).reshape(-1)[k] += change
        else:
            setattr(owner, field, getattr(owner, field) + change)
        if owner is not d:
            mj.mj_setConst(m, mj.MjData(m))
        mj.mj_step(m, d)
        return np.concatenate([np.ravel(getattr(d, output)) for output in outputs])

    return (after(step) - after(0.0)) / step


def check(xml: str, name: str, k: int = 0, put: Setting = lambda d: None, side: float = 1.0, **rest) -> np.ndarray:
    """Compare a column of exact derivatives with a one-sided difference, and return the column."""
    outputs = rest.get("outputs", ("qvel",))
    m = mj.MjModel.from_xml_string(xml)
    d = mj.MjData(m)
    put(d)
    exact = rows_of(m, d, outputs, name)[:, k]
    wanted = difference(xml, outputs, name, k, side * STEP, put)
    np.testing.assert_allclose(exact, wanted, atol=CLOSE * max(1e-3, np.abs(wanted).max()), err_msg=name)
    assert np.abs(wanted).max() > 0.0, name
    return exact


# ---- parameters that enable a computation if they are not zero

ARM = """<mujoco><option timestep=".01" integrator="INTEGRATOR"/><worldbody><body>
<joint name="x" axis="0 1 0"/><geom size=".1" pos=".3 0 0" mass="1"/></body></worldbody>
<tendon><fixed><joint joint="x" coef="1.5"/></fixed></tendon>
<actuator><position joint="x" kp="100"/></actuator></mujoco>"""

BODY = """<mujoco><option timestep=".01" integrator="INTEGRATOR"/><worldbody><body pos="0 0 1"><freejoint/>
<geom type="box" size=".1 .2 .3" mass="2" FLUID/></body></worldbody></mujoco>"""

OF_THE_ARM = (
    "jnt_stiffness", "tendon_stiffness", "tendon_damping", "tendon_armature", "dof_damping", "dof_armature",
    "jnt_stiffnesspoly", "dof_dampingpoly", "tendon_stiffnesspoly", "tendon_dampingpoly",
)  # fmt: skip
"""Parameters of the arm that are zero."""


def bent(d: mj.MjData) -> None:
    d.qpos[0], d.qvel[0], d.ctrl[0] = 0.4, 0.7, 1.0


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_gates_open_for_parameters_that_are_zero(integrator: str) -> None:
    xml = ARM.replace("INTEGRATOR", integrator)
    for name in OF_THE_ARM:
        check(xml, name, 0, bent)
    # a negative value is -kv; a positive one would be a damping ratio
    check(xml, "actuator_biasprm", 2, bent, -1.0)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("fluid", ["", 'fluidshape="ellipsoid"'])
def test_the_medium_is_there_where_derivatives_are_by_it(fluid: str) -> None:
    def moving(d: mj.MjData) -> None:
        d.qvel[:] = np.random.default_rng(0).normal(size=6)

    xml = BODY.replace("FLUID", fluid).replace("INTEGRATOR", "implicitfast")
    for name in ("opt.density", "opt.viscosity"):
        check(xml, name, 0, moving)


@pytest.mark.usefixtures("edition")
def test_gravity_compensation_without_gravity() -> None:
    xml = """<mujoco><option gravity="0 0 0"/><worldbody><body gravcomp=".5"><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>
    <body pos="0 1 0"><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></worldbody></mujoco>"""
    check(xml, "opt.gravity", 2)
    check(xml.replace("0 0 0", "0 0 -9.81"), "body_gravcomp", 2)


@pytest.mark.usefixtures("edition")
def test_edges_of_flexes_that_nothing_acts_along() -> None:
    def moving(d: mj.MjData) -> None:
        generator = np.random.default_rng(0)
        d.qpos[:], d.qvel[:] = 0.01 * generator.normal(size=len(d.qpos)), generator.normal(size=len(d.qvel))

    xml = """<mujoco><worldbody><flexcomp name="f" type="grid" count="3 2 1" spacing=".1 .1 .1" dim="2" mass="1" pos="0 0 1"/>
    </worldbody></mujoco>"""
    for name in ("flex_edgestiffness", "flex_edgedamping"):
        check(xml, name, 0, moving)


@pytest.mark.usefixtures("edition")
def test_forces_on_bodies_that_are_zero() -> None:
    m = mj.MjModel.from_xml_string(BODY.replace("INTEGRATOR", "Euler").replace("FLUID", ""))
    d = mj.MjData(m)
    found = jacobian(m, d, ["qvel"], ["xfrc_applied"])["qvel"]["xfrc_applied"]
    np.testing.assert_allclose(found[:3, 6:9], 0.005 * np.eye(3), atol=1e-12)
    gradient = vjp(m, d, {"qvel": np.eye(6)[0]}, ["xfrc_applied"])["xfrc_applied"]
    np.testing.assert_allclose(np.ravel(gradient), found[0], atol=1e-12)
    batch = jacobian(mj.Batch(m, 2, nthread=1), outputs=["qvel"], inputs=["xfrc_applied"])["qvel"]["xfrc_applied"]
    np.testing.assert_allclose(batch[1], found, atol=1e-12)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("integrator", ["implicit", "implicitfast"])
def test_an_ellipsoid_begins_to_move_in_a_medium(integrator: str) -> None:
    """At rest, where drag has a kink, the derivative is one-sided rather than the mean of both sides."""
    xml = f"""<mujoco><option timestep="0.01" integrator="{integrator}" density="1000" gravity="0 0 0"/><worldbody><body>
    <joint axis="0 0 1"/><geom type="ellipsoid" size=".2 .1 .05" fluidshape="ellipsoid" mass="1"/></body></worldbody></mujoco>"""
    check(xml, "qvel", 0, lambda d: d.qfrc_applied.__setitem__(0, 1.0))


# ---- dead bands and bounds


@pytest.mark.usefixtures("edition")
def test_a_spring_of_a_tendon_pulls_from_its_rest_length() -> None:
    spring = """<mujoco><worldbody><site name="o" pos="0 0 1"/><body><joint type="slide" axis="0 0 1"/><geom size=".1" mass="1"
    contype="0" conaffinity="0"/><site name="s"/></body></worldbody>
    <tendon><spatial stiffness="50" SPRING><site site="o"/><site site="s"/></spatial></tendon></mujoco>"""
    m = mj.MjModel.from_xml_string(spring.replace("SPRING", ""))
    assert rows_of(m, mj.MjData(m), ["qacc"], "qpos", "mj_forward")[0, 0] == pytest.approx(-50.0)
    A, _, _, _ = transition(mj.Batch(m, 2, nthread=1))
    assert A[1][1, 0] == pytest.approx(-50.0 * m.opt.timestep)
    yielding = mj.MjModel.from_xml_string(spring.replace("SPRING", 'springyield=".1"'))
    assert rows_of(yielding, mj.MjData(yielding), ["qacc"], "qpos", "mj_forward")[0, 0] == pytest.approx(-50.0)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("height", ["1", "-1"])
def test_a_spring_at_the_end_of_its_dead_band_has_the_steeper_side(height: str) -> None:
    """At the edge of its dead band, a spring has its full stiffness; stiffnesses of opposite springs do not add up."""
    xml = f"""<mujoco><worldbody><site name="o" pos="0 0 {height}"/><site name="p" pos="0 0 -{height}"/><body>
    <joint type="slide" axis="0 0 1"/><joint type="ball"/><geom size=".1" mass="1" contype="0" conaffinity="0"/><site name="s"/>
    </body></worldbody><tendon><spatial stiffness="50" springlength="0 1"><site site="o"/><site site="s"/></spatial>OTHER</tendon>
    </mujoco>""".replace("--", "")
    other = '<spatial stiffness="50" springlength="0 1"><site site="p"/><site site="s"/></spatial>'
    for text in (xml.replace("OTHER", ""), xml.replace("OTHER", other)):
        m = mj.MjModel.from_xml_string(text)
        found = jacobian(m, mj.MjData(m), ["qacc"], ["qpos", "body_mass", "qfrc_applied"], "mj_forward")["qacc"]
        assert found["qpos"][0, 0] == pytest.approx(-50.0)
        np.testing.assert_allclose(found["qfrc_applied"][0, 0], 1.0)


MUSCLE = """<mujoco><worldbody><body><joint name="a" axis="0 1 0" damping=".3"/><geom type="capsule" size=".03"
fromto="0 0 0 .3 0 0"/></body></worldbody>
<actuator><muscle joint="a" lengthrange="-1 1" LIMIT/></actuator></mujoco>"""


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("limit", ['ctrlrange="0 1"', ""])
@pytest.mark.parametrize(("control", "activation"), [(0.0, 0.0), (1.0, 0.0), (0.0, 0.5), (1.0, 0.5), (1.0, 1.0)])
def test_muscles_move_inward_from_their_bounds(control: float, activation: float, limit: str) -> None:
    def put(d: mj.MjData) -> None:
        d.ctrl[0], d.act[0] = control, activation

    xml, outputs = MUSCLE.replace("LIMIT", limit), ("act",)
    by_control = check(xml, "ctrl", 0, put, -1.0 if control == 1.0 else 1.0, outputs=outputs)
    check(xml, "act", 0, put, -1.0 if activation == 1.0 else 1.0, outputs=outputs)
    m = mj.MjModel.from_xml_string(xml)
    d = mj.MjData(m)
    put(d)
    for direction in (1.0, -1.0):
        change = jvp(m, d, {"ctrl": np.array([direction])}, ["act"])["act"]
        np.testing.assert_allclose(change, direction * by_control)


@pytest.mark.usefixtures("edition")
def test_controls_and_forces_move_inward_from_their_ranges() -> None:
    xml = """<mujoco><worldbody><body><joint name="x" type="slide"/><geom size=".1"/></body></worldbody><actuator>
    <motor joint="x" ctrlrange="-1 1" forcerange="-1 1"/><general joint="x" dyntype="integrator" actrange="0 2"/></actuator></mujoco>"""
    for control, side in ((1.0, -1.0), (-1.0, 1.0)):
        check(xml, "ctrl", 0, lambda d, u=control: d.ctrl.__setitem__(0, u), side)
    for activation, side in ((0.0, 1.0), (2.0, -1.0)):
        put = lambda d, a=activation: d.act.__setitem__(0, a)  # noqa: E731
        check(xml, "act", 0, put, side, outputs=("act", "qvel"))


# ---- yielding springs, and lengths


@pytest.mark.usefixtures("edition")
def test_what_yields_is_differentiated_after_the_step() -> None:
    xml = """<mujoco><option gravity="0 0 0" timestep="0.01"/><worldbody><body><joint type="KIND" stiffness="50" springyield=".2"/>
    <geom type="box" size=".1 .2 .3" mass="1"/></body></worldbody></mujoco>"""

    def turned(d: mj.MjData) -> None:
        d.qpos[:] = (np.cos(0.2), 0, np.sin(0.2), 0) if len(d.qpos) == 4 else 0.4

    for kind in ("ball", "hinge"):
        check(xml.replace("KIND", kind), "jnt_springyield", 0, turned, outputs=("plastic",))


@pytest.mark.usefixtures("edition")
def test_the_length_of_an_axis_counts() -> None:
    xml = """<mujoco><worldbody><body pos="0 0 1"><joint axis="1 2 .5" pos=".1 0 .05"/>
    <geom type="box" size=".1 .2 .3" mass="1" pos=".2 .1 0"/></body></worldbody></mujoco>"""
    for k in range(3):
        check(xml, "jnt_axis", k, lambda d: d.qpos.__setitem__(0, 0.4))


# ---- models without degrees of freedom


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("inside", ["", "<site name='s'/>", "<body><joint/><geom size='.1'/></body>"])
def test_models_without_degrees_of_freedom_have_empty_matrices(inside: str) -> None:
    sensor = "<sensor><framepos objtype='site' objname='s'/></sensor>" if "site" in inside else ""
    m = mj.MjModel.from_xml_string(f"<mujoco><worldbody><geom size='.1'/>{inside}</worldbody>{sensor}</mujoco>")
    nx, nu, ns = 2 * m.nv + m.na, m.nu, m.nsensordata
    shapes = [matrix.shape for matrix in transition(mj.Batch(m, 2, nthread=1))]
    assert shapes == [(2, nx, nx), (2, nx, nu), (2, ns, nx), (2, ns, nu)]


# ---- contacts


def of_contact(xml: str, d_of: Setting, k: int) -> tuple[np.ndarray, list[float]]:
    """Return derivatives of the first constraint row's distance.

    These are the exact derivatives with respect to qpos, and the one-sided differences along dof k, forward and backward.
    """
    m = mj.MjModel.from_xml_string(xml)
    d = mj.MjData(m)
    d_of(d)
    mj.mj_forward(m, d)
    exact = rows_of(m, d, ["efc_pos"], "qpos", "mj_forward")[0]
    sides = []
    for step in (STEP, -STEP):
        e, way = mj.MjData(m), np.zeros(m.nv)
        e.qpos[:], way[k] = d.qpos, step
        mj.mj_integratePos(m, e.qpos, way, 1.0)
        mj.mj_forward(m, e)
        sides.append((e.efc_pos[0] - d.efc_pos[0]) / step)
    return exact, sides


@pytest.mark.usefixtures("edition")
def test_the_rim_of_a_cylinder_on_an_edge_is_no_cap() -> None:
    xml = """<mujoco><default><geom condim="1"/></default><worldbody><geom type="box" size="1 .1 .1" euler="45 0 0"/>
    <body><freejoint/><geom type="cylinder" size=".08 .1"/></body></worldbody></mujoco>"""

    def put(d: mj.MjData) -> None:
        axis = np.array([np.cos(0.513), np.sin(0.513), 0])
        d.qpos[:] = [0, 0.03, 0.259022, np.cos(0.15), *np.sin(0.15) * axis]

    m = mj.MjModel.from_xml_string(xml)
    d = mj.MjData(m)
    put(d)
    mj.mj_forward(m, d)
    np.testing.assert_allclose(of_contact(xml, put, 0)[0], d.efc_J.reshape(-1, m.nv)[0], atol=2e-3)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("several", ["enable", "disable"])
def test_a_contact_as_deep_as_its_deepest_corner_has_a_side(several: str) -> None:
    xml = f"""<mujoco><option><flag multiccd="{several}"/></option><asset><mesh name="a" scale=".1 .3 .2"
    vertex="-1 -1 -1 1 -1 -1 1 1 -1 1 1 1 1 -1 1 -1 1 -1 -1 1 1 -1 -1 1"/></asset><default><geom condim="1"/></default><worldbody>
    <geom type="box" size="2 2 .1" pos="0 0 -.1"/><body pos="0 0 .2" euler="0 20 0"><freejoint/><geom type="mesh" mesh="a"/></body>
    </worldbody></mujoco>"""

    def put(d: mj.MjData) -> None:
        d.qpos[2] = 0.1 * np.sin(np.radians(20)) + 0.2 * np.cos(np.radians(20)) - 0.001

    exact, (forward, backward) = of_contact(xml, put, 3)
    assert forward * backward < 0 and exact[3] == pytest.approx(forward, abs=1e-4)


@pytest.mark.usefixtures("edition")
def test_contacts_of_height_fields_move_with_their_sizes() -> None:
    xml = """<mujoco><asset><hfield name="h" nrow="3" ncol="3" size=".3 .3 .1 .05" elevation="1 1 1 1 1 1 1 1 .9"/></asset>
    <worldbody><geom type="hfield" hfield="h"/><body pos=".05 .03 .199"><freejoint/><geom size=".1" condim="1"/></body></worldbody>
    </mujoco>"""
    for name, k in (("hfield_size", 2), ("geom_margin", 1)):
        check(xml, name, k)


# ---- zero derivatives that are reported


@pytest.mark.usefixtures("edition")
def test_a_control_that_friction_holds_is_warned_of_once() -> None:
    xml = """<mujoco><worldbody><body><joint name="rail" type="slide" axis="1 0 0" frictionloss="1"/><geom size=".1"/></body>
    <body><joint name="free" axis="1 0 0"/><geom size=".1" pos="0 .1 0"/></body></worldbody>
    <actuator><motor joint="rail"/><motor joint="free"/></actuator></mujoco>"""
    m = mj.MjModel.from_xml_string(xml)
    d = mj.MjData(m)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            jacobian(m, d, ["qvel"], ["ctrl"])
    (text,) = [str(one.message) for one in caught]
    assert "ctrl[0]" in text and "'rail'" in text and "frictionloss 1" in text
    d.ctrl[0] = 5.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jacobian(
            mj.MjModel.from_xml_string(xml.replace('frictionloss="1"', 'damping="1"')), mj.MjData(m), ["qvel"], ["ctrl"]
        )
