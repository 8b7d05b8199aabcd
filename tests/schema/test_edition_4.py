"""Differences between edition 4.0 and 3.3.5, tested by properties that need no other engine."""

import numpy as np
import pytest

import conjoint
from conjoint.cli.recording import tree_roots

LOOP = """<mujoco><worldbody>
<body name="a" pos="0 0 1"><joint type="ball"/><geom type="box" size=".1 .2 .05"/>
 <body name="b" pos=".3 0 0"><joint type="hinge" axis="0 1 1"/><geom type="box" size=".1 .05 .05"/>
  <site name="sb" pos=".1 .1 0" euler="20 30 40"/></body></body>
<body name="c" pos="0 1 1"><freejoint/><geom type="box" size=".1 .2 .05"/><site name="sc" euler="70 30 40"/></body>
</worldbody><equality>{}</equality></mujoco>"""


def read(edition: str, xml: str) -> conjoint.MjModel:
    """Return the model that an XML text defines in the given edition."""
    with conjoint.semantics(edition):
        return conjoint.MjModel.from_xml_string(xml)


@pytest.mark.parametrize(
    "equality",
    [
        '<weld body1="b" body2="c" anchor=".3 .1 .2"/><connect body1="b" anchor=".1 .2 .3"/>',
        '<weld site1="sb" site2="sc" torquescale="2"/>',
    ],
)
def test_jdotv_is_the_rate_of_the_jacobian(equality: str) -> None:
    """In edition 4.0, reference accelerations are reduced by the time derivative of J times qvel, even in lanes.

    The derivative is compared with a difference quotient of J qvel along the motion.
    """
    models = [read(edition, LOOP.format(equality)) for edition in ("3.3.5", "4.0")]
    rng = np.random.default_rng(1)
    qpos, qvel = models[0].qpos0.copy(), 2 * rng.normal(size=models[0].nv)
    conjoint.mj_integratePos(models[0], qpos, rng.normal(size=models[0].nv), 0.4)

    def forward(m: conjoint.MjModel, dt: float = 0.0) -> conjoint.MjData:
        d = conjoint.MjData(m)
        d.qpos, d.qvel = qpos, qvel
        conjoint.mj_integratePos(m, d.qpos, qvel, dt)
        conjoint.mj_forward(m, d)
        return d

    before, after = (forward(models[0], dt).efc_vel.copy() for dt in (-1e-5, 1e-5))
    without, with_it = map(forward, models)
    np.testing.assert_allclose(without.efc_aref - with_it.efc_aref, (after - before) / 2e-5, rtol=1e-7, atol=1e-7)
    batch = conjoint.Batch(models[1], 9)
    batch.qpos[:], batch.qvel[:] = qpos, qvel
    batch.forward()
    np.testing.assert_allclose(batch.qacc[4], with_it.qacc, rtol=1e-10, atol=1e-10)


WRAP = """<mujoco><worldbody><geom name="g" type="{}" size=".3 .5"/><body><joint type="slide"/><geom size=".1"/></body>
<site name="a" pos=".5 -.1 0"/><site name="b" pos=".4 .3 0"/><site name="s" pos="{} 0 0"/></worldbody>
<tendon><spatial><site site="a"/><geom geom="g" sidesite="s"/><site site="b"/></spatial></tendon></mujoco>"""


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
def test_sidesites_decide_about_the_way_around(kind: str) -> None:
    """A side site in front of the geom leaves a tendon straight; one behind it makes the tendon wrap by more than half a turn."""
    a, b, radius = np.array([0.5, -0.1]), np.array([0.4, 0.3]), 0.3
    for place, expected in ((0.6, np.linalg.norm(a - b)), (-0.6, None)):
        m = read("4.0", WRAP.format(kind, place))
        d = conjoint.MjData(m)
        conjoint.mj_forward(m, d)
        if expected is None:
            away = [np.linalg.norm(p) for p in (a, b)]
            turn = 2 * np.pi - np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b)
            arc = turn - sum(np.arccos(radius / rho) for rho in away)
            expected = radius * arc + sum(np.sqrt(rho * rho - radius * radius) for rho in away)
        np.testing.assert_allclose(d.ten_length[0], expected, rtol=1e-12)


ARM = """<mujoco><default>{}</default><worldbody><body><joint name="a" axis="0 1 0" armature=".1"/>
<geom type="capsule" size=".1" fromto="0 0 0 .5 0 0"/><body pos=".5 0 0"><joint name="b" axis="0 1 0"/>
<geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/></body></body></worldbody>
<tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="b" coef="1e-3"/></fixed></tendon>
<actuator>{}</actuator></mujoco>"""


@pytest.mark.parametrize(
    ("classes", "written", "gain", "bias", "dynamics"),
    [
        # values of mujoco==4.0.0, inherited from the same shortcut, from general, from neither, or from a parent class
        ('<position kp="50" kv="3"/>', '<position joint="a"/>', (50, 0), (0, -50, -3), 1),
        ('<position kp="50" kv="3"/>', '<velocity joint="a"/>', (1, 0), (0, 0, -1), 1),
        ('<general gainprm="7 8" biasprm="1 -7 -2"/>', '<position joint="a"/>', (7, 0), (0, -7, -2), 1),
        ('<general gainprm="7 8" biasprm="1 -7 -2"/>', '<motor joint="a"/>', (1, 0), (0, 0, 0), 1),
        ('<position kp="5"/><velocity kv="6"/>', '<position joint="a"/>', (1, 0), (0, -1, 0), 1),
        ('<cylinder area="3" bias="4 5 6" timeconst="2"/>', '<cylinder joint="a"/>', (3, 0), (4, 5, 6), 2),
        ('<position kp="50"/><default class="x"><motor gear="4"/></default>', '<position class="x" joint="a"/>',
         (50, 0), (0, -50, 0), 1),
    ],
)  # fmt: skip
def test_shortcuts_inherit_from_their_own_kind(
    classes: str, written: str, gain: tuple, bias: tuple, dynamics: float
) -> None:
    """Actuator shortcuts inherit mechanical attributes from all shortcuts.

    Gains and dynamics are inherited only from the same shortcut or from `general`.
    """
    m = read("4.0", ARM.format(classes, written))
    np.testing.assert_array_equal(m.actuator_gainprm[0, :2], gain)
    np.testing.assert_array_equal(m.actuator_biasprm[0, :3], bias)
    assert m.actuator_dynprm[0, 0] == dynamics


def test_dampratio_takes_the_inertia_that_is_felt() -> None:
    """The damping ratio uses the reflected inertia 1 / (J inv(M) J'), for joints and tendons."""
    servos = '<position joint="a" kp="10" dampratio="1"/><position tendon="t" kp="10" dampratio=".5"/>'
    m = read("4.0", ARM.format("", servos))
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    M = np.zeros((m.nv, m.nv))
    conjoint.mj_fullM(m, M, d.qM)
    for i, (ratio, J) in enumerate(((1.0, np.array([1, 0])), (0.5, np.array([1, 1e-3])))):
        inertia = 1 / (J @ np.linalg.solve(M, J))
        np.testing.assert_allclose(m.actuator_biasprm[i, 2], -2 * ratio * np.sqrt(10 * inertia), rtol=1e-10)


SPIN = """<mujoco><option integrator="RK4" timestep="{}" gravity="0 0 0"/><worldbody><body><freejoint/>
<geom type="box" size=".1 .2 .3"/></body></worldbody></mujoco>"""


def test_rk4_is_of_fourth_order_on_rotations() -> None:
    """Halving the timestep divides RK4's error by sixteen, even for rotations."""

    def turned(edition: str, steps: int) -> np.ndarray:
        m = read(edition, SPIN.format(0.8 / steps))
        d = conjoint.MjData(m)
        d.qvel[3:] = 1, -2, 3
        for _ in range(steps):
            before = d.qvel.copy()
            conjoint.mj_step(m, d)
        if edition == "4.0":
            np.testing.assert_allclose(d.qacc, (d.qvel - before) / m.opt.timestep, atol=1e-12)
        return np.array(d.qpos[3:])

    fine = turned("4.0", 400)
    errors = {edition: [np.abs(turned(edition, n) - fine).max() for n in (10, 20)] for edition in ("3.3.5", "4.0")}
    assert 14 < errors["4.0"][0] / errors["4.0"][1] < 18
    assert 3 < errors["3.3.5"][0] / errors["3.3.5"][1] < 5


def test_energy_changes_no_step_of_rk4() -> None:
    """Computing the energy between RK4 stages does not change the step."""
    ends = []
    for flag in ("", '<flag energy="enable"/>'):
        m = read("4.0", SPIN.format(0.05).replace("/><worldbody>", f">{flag}</option><worldbody>"))
        d = conjoint.MjData(m)
        d.qvel[3:] = 1, -2, 3
        conjoint.mj_step(m, d)
        ends.append(np.array(d.qpos))
    np.testing.assert_array_equal(*ends)


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast"])
def test_warmstart_changes_with_the_step(integrator: str) -> None:
    """`mj_forward` leaves the warm start unchanged and a step stores it, even in separate stages and in lanes."""
    m = read("4.0", f"""<mujoco><option iterations="2" integrator="{integrator}"/><worldbody><geom type="plane"
      size="1 1 1"/><body pos="0 0 .1" euler="1 2 3"><freejoint/><geom type="box" size=".1 .2 .1"/></body></worldbody>
      </mujoco>""")  # fmt: skip
    d = conjoint.MjData(m)
    for _ in range(5):
        conjoint.mj_step(m, d)
    # with RK4, qacc is a mean of the stages, and solvers start from the last stage's result, as in 4.0.0
    assert np.array_equal(d.qacc_warmstart, d.qacc) == (integrator != "RK4")
    started, found = d.qacc_warmstart.copy(), []
    for _ in range(2):
        conjoint.mj_forward(m, d)
        found.append(d.qacc.copy())
        np.testing.assert_array_equal(d.qacc_warmstart, started)
    np.testing.assert_array_equal(found[0], found[1])
    assert np.any(found[0] != started)
    batch = conjoint.Batch(m, 9)
    for _ in range(5):
        batch.step()
    np.testing.assert_allclose(batch.qacc_warmstart[3], started, rtol=1e-11, atol=1e-11)


def test_inertia_has_exact_axes() -> None:
    """Principal axes are exact even for a small body, whose moments are so tiny that the search of MuJoCo 3.3.5 stops early."""
    full = np.array([2e-8, 1e-8, 1.5e-8, 1e-9, 2e-9, -1e-9])
    xml = f"""<mujoco><worldbody><body><freejoint/><inertial pos="0 0 0" mass="1e-3"
      fullinertia="{" ".join(map(str, full))}"/></body></worldbody></mujoco>"""
    tensor = np.array([[full[0], full[3], full[4]], [full[3], full[1], full[5]], [full[4], full[5], full[2]]])
    errors = []
    for edition in ("3.3.5", "4.0"):
        m = read(edition, xml)
        R = np.zeros(9)
        conjoint.mju_quat2Mat(R, m.body_iquat[1])
        R = R.reshape(3, 3)
        errors.append(np.abs(R @ np.diag(m.body_inertia[1]) @ R.T - tensor).max() / tensor.max())
    assert errors[0] > 1e-6 and errors[1] < 1e-14


def test_inertia_leaves_meshes_that_are_nearly_aligned() -> None:
    """A mesh is rotated only if a product of inertia exceeds 1e-7 of the largest moment, as in MuJoCo 4.0.0."""
    turned = []
    for shear in (2 * 2**-23, 3 * 2**-23):
        corners = [(x + shear * y, 0.5 * y, 0.25 * z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        m = read(
            "4.0",
            f"""<mujoco><asset><mesh name="box" vertex="{" ".join(map(repr, np.ravel(corners).tolist()))}"/>
          </asset><worldbody><geom type="mesh" mesh="box"/></worldbody></mujoco>""",
        )
        turned.append(m.mesh_quat[0])
    np.testing.assert_allclose(turned[0], [0, np.sqrt(0.5), 0, np.sqrt(0.5)], rtol=0, atol=1e-14)
    np.testing.assert_allclose(turned[1][[0, 2]], [-8.42936970e-08, 8.42936970e-08], rtol=1e-8)


def test_massless_geoms_do_not_turn_the_axes_of_the_only_geom_that_weighs() -> None:
    """Massless geoms do not affect the inertial frame, as in mujoco==4.0.0."""
    xml = """<mujoco><worldbody><body><geom type="sphere" size=".01" mass="0" pos="1 0 0"/>
      <geom type="box" size=".3 .2 .1" mass="1"/></body></worldbody></mujoco>"""
    np.testing.assert_array_equal(read("4.0", xml).body_iquat[1], [1, 0, 0, 0])
    np.testing.assert_array_equal(read("3.3.5", xml).body_iquat[1] != 0, [False, True, False, True])


MOCAP = """<mujoco><option jacobian="{}"/><worldbody><geom name="w" size=".3"/>
<body name="m" mocap="true" pos=".1 0 0"><geom name="m" size=".3"/><body><geom name="mm" size=".3"/></body>
 <body name="c" pos="0 0 .1"><joint axis="0 1 0"/><geom name="c" size=".3"/></body></body>
<body name="n" mocap="true" pos=".2 0 0"><geom name="n" size=".3"/></body>
<body name="f" pos="0 .4 0"><freejoint/><geom name="f" size=".3"/></body></worldbody>
<contact><pair geom1="w" geom2="m"/></contact></mujoco>"""


def test_massless_geoms_say_nothing_of_inertia() -> None:
    """Massless geoms do not contribute to a body's pose or inertia, as in MuJoCo 4.0.0; 3.3.5 rejects several of them."""
    for geoms, given, ipos, old in (
        ('<geom size=".1" mass="0" pos=".5 0 0"/>', "", (0.1, 0.2, 0.3), (0.5, 0, 0)),
        ('<geom size=".1" mass="1e-14" pos=".5 0 0"/>', "", (0.1, 0.2, 0.3), (0.5, 0, 0)),
        ('<geom size=".1" mass="2e-14" pos=".5 0 0"/>', "", (0.5, 0, 0), (0.5, 0, 0)),
        ('<geom size=".1" mass="0"/><geom size=".1" mass="0" pos=".9 0 0"/>', "", (0.1, 0.2, 0.3), (0.1, 0.2, 0.3)),
        ('<geom size=".1" mass="0"/><geom size=".1" mass="1" pos=".9 0 0"/>', "", (0.9, 0, 0), (0.9, 0, 0)),
        ('<geom size=".1" mass="0"/>', '<inertial pos=".7 0 0" mass="1" diaginertia="1 1 1"/>', (0.7, 0, 0), (0, 0, 0)),
    ):
        xml = f"""<mujoco><compiler inertiafromgeom="true"/><worldbody><body><joint/><geom size=".1" pos=".3 0 0"/>
          <body name="b" pos=".1 .2 .3">{given}{geoms}</body></body></worldbody></mujoco>"""
        for edition, place in (("4.0", ipos), ("3.3.5", old)):
            spec = conjoint.MjSpec.from_string(xml)
            spec.semantics = edition
            m = spec.compile()
            np.testing.assert_allclose(m.body("b").ipos, place, atol=1e-15)
            assert abs(m.body("b").mass[0] - (place[0] in (0.7, 0.9))) < 1e-13


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_mocap_bodies_are_no_part_of_the_world(jacobian: str) -> None:
    """Mocap bodies form their own weld groups, touch only moving bodies and are hit by rays, as in MuJoCo 4.0.0."""
    m = read("4.0", MOCAP.format(jacobian))
    assert m.body_weldid.tolist() == [0, 1, 1, 3, 4, 5]
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    found = {"".join(sorted(m.geom(g).name + "," for g in pair)) for pair in d.contact.geom.tolist()}
    assert found == {"c,w,", "c,n,", "c,f,", "f,m,", "f,mm,", "f,n,", "f,w,", "m,w,"}
    # the explicit pair, whose bodies cannot move, has no rows
    assert d.nefc == 4 * (d.ncon - 1)
    seen = [np.zeros(1, np.int32) for _ in range(2)]
    for static, geom in zip((1, 0), seen, strict=True):
        conjoint.mj_ray(m, d, np.array([0.0, -5, 0]), np.array([0.0, 1, 0]), None, static, -1, geom)
    assert seen[0][0] == m.geom("w").id and seen[1][0] == m.geom("m").id
    # the check of edited models accepts the weld groups of mocap bodies
    batch = conjoint.Batch(m, 3)
    batch.forward()
    np.testing.assert_allclose(batch.qacc[1], d.qacc, rtol=1e-9, atol=1e-9)


@pytest.mark.usefixtures("edition")
def test_recordings_follow_what_moves_by_joints() -> None:
    """The children of a mocap body are roots of trees, but the mocap body is not."""
    m = conjoint.MjModel.from_xml_string(MOCAP.format("auto"))
    assert tree_roots(m) == [m.body("c").id, m.body("f").id]


ISLANDS = """<mujoco><option><flag {}/></option><worldbody><geom type="plane" size="5 5 1"/>
<body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
<body pos="1 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""


def test_islands_are_found_unless_they_are_disabled() -> None:
    """Islands are enabled unless the file or the model disables them, and saved files keep the flag."""
    for flag, expected in (("", 2), ('island="disable"', 0), ('island="enable"', 2)):
        m = read("4.0", ISLANDS.format(flag))
        d = conjoint.MjData(m)
        conjoint.mj_forward(m, d)
        assert d.nisland == expected, flag
    spec = conjoint.MjSpec.from_string(ISLANDS.format('island="disable"').replace(
        "<worldbody>", '<custom><text name="conjoint.semantics" data="4.0"/></custom><worldbody>'
    ))  # fmt: skip
    again = conjoint.MjModel.from_xml_string(spec.to_xml())
    assert again.opt.disableflags == conjoint.mjtDisableBit.mjDSBL_ISLAND
    again.opt.disableflags = 0
    d = conjoint.MjData(again)
    conjoint.mj_step(again, d)
    assert d.nisland == 2
    batch = conjoint.Batch(again, 9)
    batch.step()
    assert not again.plans.current.single
    np.testing.assert_allclose(batch.qpos[3], d.qpos, rtol=0, atol=1e-12)


SERVO = """<mujoco><worldbody><site name="w"/><body><joint name="b" type="ball"/><geom size=".1"/><site name="s"/></body>
</worldbody><actuator>{}</actuator></mujoco>"""


@pytest.mark.parametrize(
    ("servo", "control", "act", "force", "rate"),
    [
        ('<position joint="b" gear="0 0 1" kp="2"/>', 5, None, 2 * (5 - 2 * np.pi), None),
        ('<position joint="b" gear="0 0 -2"/>', 7, None, 7 - 4 * np.pi, None),
        ('<position site="s" refsite="w" gear="0 0 0 0 3 4"/>', 20, None, 20 - 10 * np.pi, None),
        ('<position site="s" refsite="w" gear="0 0 .1 0 0 1"/>', 5, None, 5, None),
        ('<position joint="b" gear="0 0 1" timeconst=".1"/>', 0, 5, 5 - 2 * np.pi, 10 * (2 * np.pi - 5)),
        ('<intvelocity joint="b" gear="0 0 1" kp="2"/>', 5, 5, 2 * (5 - 2 * np.pi), 5),
        ('<velocity joint="b" gear="0 0 1" kv="2"/>', 5, None, 10, None),
        ('<general joint="b" gear="0 0 1" gainprm="2" biastype="affine" biasprm="0 -1"/>', 5, None, 10, None),
    ],
)
def test_servos_turn_to_the_nearest_setpoint(
    servo: str, control: float, act: float | None, force: float, rate: float | None
) -> None:
    """Angular servos rotate to the nearest setpoint, by less than half a turn, as in mujoco==4.0.0."""
    m = read("4.0", SERVO.format(servo))
    d = conjoint.MjData(m)
    d.ctrl[:] = control
    if act is not None:
        d.act[:] = act
    conjoint.mj_forward(m, d)
    np.testing.assert_allclose(d.actuator_force, force, atol=1e-12)
    if rate is not None:
        np.testing.assert_allclose(d.act_dot, rate, atol=1e-12)


def test_setpoints_are_each_worlds_own() -> None:
    """In edition 4.0, each lane wraps its own setpoint; in edition 3.3.5, setpoints are not wrapped."""
    servo = SERVO.format('<position joint="b" gear="0 0 1" kp="2"/>')
    m = read("4.0", servo)
    batch = conjoint.Batch(m, 9)
    batch.ctrl[:, 0] = controls = np.linspace(-9, 9, 9)
    batch.forward()
    np.testing.assert_allclose(batch.actuator_force[:, 0], 2 * (controls - 2 * np.pi * np.round(controls / 2 / np.pi)))
    d = conjoint.MjData(before := read("3.3.5", servo))
    d.ctrl[:] = 5
    conjoint.mj_forward(before, d)
    assert d.actuator_force[0] == 10


@pytest.mark.parametrize(
    ("attributes", "limited"), [("", 0), ('actrange="-1 1"', 1), ('actrange="-1 1" actlimited="false"', 0)]
)
def test_intvelocity_is_clamped_where_it_has_a_range(attributes: str, limited: int) -> None:
    """`intvelocity` is clamped if it has a range, as in the documentation of MuJoCo 4.0.0, whose code ignores `actlimited`."""
    assert read("4.0", SERVO.format(f'<intvelocity joint="b" {attributes}/>')).actuator_actlimited[0] == limited


BALL = """<mujoco><worldbody><site name="w"/><body><joint axis="0 1 0" armature=".1"/><geom size=".1" pos=".2 0 0"/>
<body pos=".5 0 0"><joint name="b" type="ball" armature=".05"/><geom type="box" size=".1 .05 .02" pos=".1 .02 0"/>
<site name="s" euler="10 20 30"/></body></body></worldbody><actuator>{}</actuator></mujoco>"""


@pytest.mark.parametrize(
    "servo", ['<orientation joint="b"', '<orientation site="s" refsite="w"', '<pid joint="b" gear="0 1 2"']
)
def test_dampratio_of_several_outputs_takes_their_mean(servo: str) -> None:
    """The damping ratio of an actuator with several outputs uses the mean of J inv(M) J' over its outputs."""
    m = read("4.0", BALL.format(f'{servo} kp="3" dampratio=".7"/>'))
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    arms, inertia = np.zeros((m.nout, m.nv)), np.zeros((m.nv, m.nv))
    conjoint.mju_sparse2dense(arms, d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind)
    conjoint.mj_fullM(m, inertia, d.qM)
    answer = np.trace(arms @ np.linalg.solve(inertia, arms.T)) / m.nout
    np.testing.assert_allclose(m.actuator_biasprm[0, 2], -1.4 * np.sqrt(3 / answer), rtol=1e-9)


def test_set_to_begins_anew() -> None:
    """`set_to_*` shortcuts reset gains, dynamics and layout of the actuator, as in mujoco==4.0.0."""
    calls = {
        "motor": (), "position": (3, 2), "intvelocity": (3,), "velocity": (3,), "damper": (3,), "adhesion": (3,),
        "cylinder": (0.1, 0.2, 0.3), "muscle": ((-1, -1), 0), "pid": (3, 2), "orientation": (3, 2),
    }  # fmt: skip
    names = "gainprm", "biasprm", "dynprm", "gaintype", "biastype", "dyntype", "actdim", "actearly", "actlimited"

    def values(edition: str, name: str, used: bool) -> list[object]:
        with conjoint.semantics(edition):
            actuator = conjoint.MjSpec().add_actuator()
        if used:
            actuator.gainprm[:], actuator.biasprm[:], actuator.dynprm[:] = np.arange(30).reshape(3, 10)
            actuator.dyntype, actuator.actdim = conjoint.mjtDyn.mjDYN_FILTER, 2
            actuator.actearly, actuator.actlimited = 1, 0
        getattr(actuator, f"set_to_{name}")(*calls[name])
        return [np.array(getattr(actuator, field)).tolist() for field in names]

    for name in calls:
        assert values("4.0", name, True) == values("4.0", name, False), name
        assert values("3.3.5", name, True) != values("3.3.5", name, False), name
    assert values("4.0", "intvelocity", False)[-1] == 2 != values("3.3.5", "intvelocity", False)[-1]
