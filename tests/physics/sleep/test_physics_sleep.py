"""Trees fall asleep and wake as in mujoco==4.0.0, in single worlds and batches; unsuitable models are refused."""

from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.batch.arrays import OF_SLEEP
from conjoint.batch.batch import worlds_of

BOX = '<body name="{0}" pos="{1} 0 {2}"><freejoint/><geom type="box" size=".1 .1 .1"/><site name="{0}"/></body>'
SCENE = f"""<mujoco><option><flag sleep="enable"/></option><worldbody><geom type="plane" size="50 50 1"/>
<body name="m" mocap="true" pos="-1.5 0 .1"><geom size=".1"/></body>
{BOX.format("a", 0, 0.0999)}{BOX.format("b", 1, 0.0999)}{BOX.format("c", 2, 0.0999)}{BOX.format("d", 3, 0.0999)}
<body name="e" pos=".03 0 .5"><freejoint/><geom size=".1"/></body>{BOX.format("f", -1, 0.0999)}
<body pos="0 3 1"><geom size=".02"/><body name="door"><joint axis="0 0 1" damping="1"/><geom size=".1" pos=".3 0 0"/>
</body></body></worldbody>
<equality><weld body1="b" body2="c" active="false"/></equality>
<tendon><spatial limited="true" range="0 1.05"><site site="c"/><site site="d"/></spatial></tendon>
<sensor><accelerometer site="a"/><touch site="a"/><velocimeter site="b"/></sensor></mujoco>"""
"""Model of boxes on a plane, a sphere that falls on one of them, a mocap body, and a door on a post."""


def disturb(d: Any, k: int) -> None:
    """Change state and inputs before step k."""
    d.eq_active[0] = k >= 60
    d.xfrc_applied[5, 0] = 30.0 * (120 <= k < 150)
    d.mocap_pos[0, 0] = -1.5 + 0.004 * max(k - 180, 0)
    if k == 40:
        d.qvel[-1] = 0.5
    if k == 320:
        d.qpos[2] += 0.02


ASLEEP = {
    1: ".......", 10: "ssss.ss", 41: "ssss.s.", 61: "s..s.s.", 102: "...s.s.", 110: ".sss.s.", 121: ".ss..s.",
    176: ".sss.s.", 194: "ssssss.", 256: "sssss..", 321: ".sss...",
}  # fmt: skip
"""Sleeping trees ("s"), keyed by the number of steps after which a tree falls asleep or wakes.

The states were recorded from mujoco==4.0.0, with `disturb` and SCENE.
"""

END = [
    -0.0028821, 0.0, 0.0996325, 1.0, 0.0, 1.5e-05, 0.0, 1.0, 0.0, 0.0998777, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0998777,
    1.0, 0.0, 0.0, 0.0, 3.0001386, 0.0, 0.0998935, 1.0, 0.0, 5.6e-05, 0.0, 0.0298769, 0.0, 0.2991694, 0.9998993, 0.0,
    0.0141895, 0.0, -0.4919275, 0.0, 0.1122334, 0.9982514, 0.0, -0.0591114, 0.0, 0.1651007,
]  # fmt: skip
"""Positions after 400 steps, recorded in the same simulation as `ASLEEP`."""


def asleep(d: Any) -> str:
    return "".join("s" if state >= 0 else "." for state in d.tree_asleep)


@pytest.mark.usefixtures("edition")
def test_trees_sleep_and_wake_as_officially() -> None:
    m = conjoint.MjModel.from_xml_string(SCENE)
    d, found, last = conjoint.MjData(m), {}, ""
    for k in range(400):
        disturb(d, k)
        conjoint.mj_step(m, d)
        if asleep(d) != last:
            last = found[k + 1] = asleep(d)
    assert found == ASLEEP
    np.testing.assert_allclose(d.qpos, END, atol=2e-7)


@pytest.mark.usefixtures("edition")
def test_worlds_of_a_batch_sleep_as_one_alone() -> None:
    m = conjoint.MjModel.from_xml_string(SCENE)
    worlds, b = [conjoint.MjData(m) for _ in range(3)], Batch(m, 3)
    for i, d in enumerate(worlds):
        d.qpos[30], d.qvel[6] = 0.5 + 0.1 * i, 0.3 * i
        b.qpos[i], b.qvel[i] = d.qpos, d.qvel
    for _ in range(12):
        b.step(10)
        conjoint.mj_step(m, worlds[0], 10)
        conjoint.mj_step(m, worlds[1], 10)
        conjoint.mj_step(m, worlds[2], 10)
    assert len({asleep(d) for d in worlds}) > 1
    for i, d in enumerate(worlds):
        for name in ("qpos", "qvel", "sensordata", "xpos"):
            np.testing.assert_array_equal(getattr(b, name)[i], getattr(d, name))


@pytest.mark.usefixtures("edition")
def test_what_sleeps_is_left_out_and_shown() -> None:
    m = conjoint.MjModel.from_xml_string(SCENE)
    d = conjoint.MjData(m)
    conjoint.mj_step(m, d, 12)
    felt = d.sensordata[2]
    assert asleep(d) == "ssss.ss" and (d.ncon, d.nefc, d.ntree_awake, d.nv_awake) == (0, 0, 1, 6)
    assert d.body_awake.tolist() == [-1, 1, 0, 0, 0, 0, 1, 0, -1, 0]
    assert d.dof_awake_ind[: d.nv_awake].tolist() == list(range(24, 30))
    # an accelerometer keeps its last value while its tree sleeps
    assert 9.7 < felt < 9.9
    conjoint.mj_step(m, d)
    assert d.sensordata[2] == felt and not d.sensordata[4:].any()
    copied = conjoint.MjData(m)
    conjoint.mj_copyData(copied, m, d)
    assert asleep(copied) == asleep(d)
    conjoint.mj_setConst(m, d)
    assert asleep(d) == "......."
    conjoint.mj_resetData(m, d)
    assert asleep(d) == "......."
    # without the flag, all trees are awake
    m.opt.enableflags = 0
    conjoint.mj_step(m, copied)
    assert asleep(copied) == "......." and copied.ncon > 0


@pytest.mark.parametrize(
    ("inside", "rest", "expected"),
    [
        ("", "", [2, 2, 2]),
        ('sleep="never"', "", [3, 2, 2]),
        ("", '<actuator><motor joint="a"/></actuator>', [1, 2, 2]),
        ('sleep="allowed"', '<actuator><motor joint="a"/></actuator>', [4, 2, 2]),
        ("", '<actuator><motor site="a" refsite="b"/></actuator>', [1, 1, 2]),
        ("", '<tendon><spatial stiffness="1"><site site="a"/><site site="b"/></spatial></tendon>', [1, 1, 2]),
        ("", '<tendon><spatial><site site="a"/><site site="b"/></spatial></tendon>', [2, 2, 2]),
        ("", '<tendon><spatial><site site="a"/><site site="b"/><site site="c"/></spatial></tendon>', [1, 1, 1]),
        ('sleep="init"', "", [5, 2, 2]),
    ],
)
def test_policies(inside: str, rest: str, expected: list[int]) -> None:
    """Sleep policies agree with mujoco==4.0.0."""
    body = '<body {1}><joint name="{0}"/><geom size=".1"/><site name="{0}"/></body>'
    bodies = body.format("a", inside) + body.format("b", "") + body.format("c", "")
    spec = conjoint.MjSpec.from_string(f"<mujoco><worldbody>{bodies}</worldbody>{rest}</mujoco>")
    m = spec.compile()
    assert m.tree_sleep_policy.tolist() == expected
    # saved models compile to the same policies
    again = conjoint.MjModel.from_xml_string(spec.to_xml())
    assert again.tree_sleep_policy.tolist() == expected


def test_servos_of_orientations_keep_trees_awake() -> None:
    """Orientation servos keep trees awake, as in mujoco==4.0.0."""
    body = '<body><joint name="{0}" type="ball"/><geom size=".1"/></body>'
    actuator = '<actuator><orientation joint="b"/></actuator>'
    m = conjoint.MjModel.from_xml_string(
        f"<mujoco><worldbody>{body.format('a')}{body.format('b')}</worldbody>{actuator}</mujoco>"
    )
    assert m.tree_sleep_policy.tolist() == [2, 1]


def test_lengths_of_dofs() -> None:
    """Lengths of dofs, which scale their velocities, agree with mujoco==4.0.0."""
    xml = """<mujoco><worldbody><body><joint pos="0 0 1"/><geom size=".1" pos="1 0 0"/><body pos="2 0 0"><joint/>
    <geom size=".3"/></body></body><body><freejoint/><geom type="capsule" size=".1 .5"/></body></worldbody></mujoco>"""
    m = conjoint.MjModel.from_xml_string(xml)
    np.testing.assert_allclose(m.dof_length, [np.sqrt(2), 0.3, 1, 1, 1, 0.6, 0.6, 0.6], atol=1e-12)
    # the rotational lengths of a free body include the distance from its frame
    m = conjoint.MjModel.from_xml_string(xml.replace('size=".1 .5"/>', 'size=".1 .5" pos="0 3 4"/>'))
    np.testing.assert_allclose(m.dof_length[-3:], 5, atol=1e-12)


@pytest.mark.usefixtures("edition")
def test_trees_that_begin_asleep() -> None:
    """Trees with sleep='init' start asleep; one that touches an awake tree stays awake, with a warning."""
    box = '<body pos="{0} 0 {1}" {2}><freejoint/><geom type="box" size=".1 .1 .1"/></body>'
    xml = '<mujoco><option><flag sleep="enable"/></option><worldbody><geom type="plane" size="9 9 1"/>{}</worldbody></mujoco>'
    m = conjoint.MjModel.from_xml_string(xml.format(box.format(0, 1, 'sleep="init"') + box.format(2, 1, "")))
    d = conjoint.MjData(m)
    assert d.tree_asleep.tolist() == [0, -10]
    conjoint.mj_step(m, d)
    assert d.qpos[2] == 1.0 and d.qpos[9] < 1.0 and d.qacc[2] == 0 and d.qacc[8] < -9.8
    d.qvel[2] = 1e-9
    conjoint.mj_step(m, d)
    assert d.qvel[2] < -0.01
    conjoint.mj_resetData(m, d)
    assert d.tree_asleep.tolist() == [0, -10]
    assert Batch(m, 2).qpos.shape == (2, 14)
    m = conjoint.MjModel.from_xml_string(xml.format(box.format(0, 0.1, 'sleep="init"') + box.format(0.1, 0.299, "")))
    with pytest.warns(UserWarning, match="1 trees were marked as sleep='init' but only 0 could sleep. Body 1"):
        d = conjoint.MjData(m)
    assert d.tree_asleep.tolist() == [-11, -10]


@pytest.mark.usefixtures("edition")
def test_what_sleep_does_not_go_with() -> None:
    m = conjoint.MjModel.from_xml_string(SCENE)
    d = conjoint.MjData(m)
    with pytest.raises(conjoint.FatalError, match="may sleep"):
        conjoint.mjd_transitionFD(m, d, 1e-6, True, np.zeros((2 * m.nv, 2 * m.nv)), None, None, None)
    with pytest.raises(conjoint.ModelError, match="sleep is for bodies that move"):
        conjoint.MjModel.from_xml_string('<mujoco><worldbody><body sleep="never"/></worldbody></mujoco>')
    bodies = "".join(
        f'<body {k}><joint/><geom size=".1"/><site name="s{i}"/></body>' for i, k in enumerate(('sleep="allowed"', ""))
    )
    tendon = '<tendon><spatial damping="1"><site site="s0"/><site site="s1"/></spatial></tendon>'
    with pytest.raises(conjoint.ModelError, match="stiffness or damping"):
        conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody>{tendon}</mujoco>")


@pytest.mark.usefixtures("edition")
def test_worlds_that_cannot_sleep_keep_nothing_of_it() -> None:
    """Batches store sleep fields only if the model can sleep, because every step receives these fields, which takes time."""
    flag = '<mujoco><option><flag sleep="enable"/></option>'
    text = "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>"
    models = [conjoint.MjModel.from_xml_string(xml) for xml in (text, text.replace("<mujoco>", flag, 1))]
    kept = [OF_SLEEP & worlds_of(conjoint.Batch(m, 2)).arrays.lasting.keys() for m in models]
    assert kept == [set(), OF_SLEEP]


@pytest.mark.usefixtures("edition")
def test_actuators_on_what_sleeps() -> None:
    """Actuators of sleeping trees exert no force, and their activations keep the last rates.

    Expected values are those of mujoco==4.0.0.
    """
    body = '<body pos="{1} 0 1" sleep="allowed"><joint name="{0}" axis="0 0 1" damping="9"/><geom size=".1" pos=".1 0 0"/></body>'
    xml = f"""<mujoco><option timestep=".005" sleep_tolerance="1"><flag sleep="enable"/></option><worldbody>
    {body.format("a", 0)}{body.format("b", 1)}</worldbody><actuator><intvelocity joint="a" kp=".01" actrange="-9 9"/>
    <general joint="a" dyntype="filter" dynprm=".1" gainprm=".01"/><dcmotor joint="a" resistance="1" motorconst=".001"
    inductance=".001"/><motor joint="b"/></actuator></mujoco>"""
    m = conjoint.MjModel.from_xml_string(xml)
    d, batch, found = conjoint.MjData(m), Batch(m, 2), []
    for step in range(14):
        d.ctrl[:] = batch.ctrl[:] = np.sin(step * 0.3 + np.arange(m.nu))
        conjoint.mj_step(m, d)
        batch.step()
        if step in (8, 9, 10, 13):
            found.append([*d.act, *d.act_dot, *d.actuator_force])
            np.testing.assert_allclose(batch.act[1], d.act, atol=1e-14)
    assert asleep(d) == "ss"
    np.testing.assert_allclose(found, ASLEEP_ACTUATORS, atol=1e-12)


ASLEEP_ACTUATORS = [
    [0.03042771920167, 0.1978036420771, -0.9506944768741, 0.6754631805512, -4.772049937936, -134.7277474174, 0.0002704483814359, 0.002216638917668, -0.0009506944768741, -0.772764487556],
    [0.03256461860284, 0.1614216529279, -0.9995917378401, 0.4273798802338, -6.912577938363, -0.3315197239923, 0.0003255814134619, 0.001614216529279, -0.0009999210238018, -0.5506855425976],
    [0.03470151800401, 0.126858763236, -0.9999210238018, 0.4273798802338, -6.912577938363, -0.3315197239923, 0.0, 0.0, 0.0, 0.0],
    [0.04111221620751, 0.02317009416058, -1.000908881687, 0.4273798802338, -6.912577938363, -0.3315197239923, 0.0, 0.0, 0.0, 0.0],
]  # fmt: skip
"""Values of act, act_dot and actuator_force after 9, 10, 11 and 14 steps."""


@pytest.mark.usefixtures("edition")
def test_delayed_controls_of_what_falls_asleep() -> None:
    """In the step in which a tree falls asleep, forces are recomputed with the current, not the delayed control, as in 4.0.0."""
    delayed = 'joint="j" nsample="1" delay=".01"'
    m = conjoint.MjModel.from_xml_string(
        f"""<mujoco><option timestep=".01" sleep_tolerance="1" gravity="0 0 0">
      <flag sleep="enable"/></option><worldbody><body sleep="allowed"><joint name="j" axis="0 1 0" damping=".3"/>
      <geom size=".1" pos=".1 0 0"/></body></worldbody><actuator><motor {delayed}/>
      <general {delayed} dyntype="filter" dynprm=".1"/></actuator>
      <sensor><actuatorfrc actuator="first" nsample="2"/></sensor></mujoco>""".replace("<motor", '<motor name="first"')
    )
    d = conjoint.MjData(m)
    for step in range(10):
        d.ctrl = 0.01 * (step + 1)
        conjoint.mj_step(m, d)
    assert d.tree_asleep.tolist() == [0]
    # the history contains the previous sensor value
    assert d.actuator_force[0] == 0.1 and d.sensordata[0] == 0.1 and 0.09 in d.history[-2:]
    conjoint.mj_step(m, d)
    np.testing.assert_allclose([d.act_dot[0], d.act[0]], [0.6513215599, 0.0413810596], rtol=1e-9)
