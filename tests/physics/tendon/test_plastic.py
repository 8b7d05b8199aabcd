"""Springs that yield (springyield), and their rest positions (plastic).

Expected values are those of mujoco==4.0.0 after a number of steps from the keyframe.
"""

import pickle

import numpy as np
import pytest

import conjoint
from conjoint.derivative import Trajectory, jacobian

MODEL = """<mujoco><option timestep=".01"><flag energy="enable"/></option><worldbody><site name="a" pos="0 0 1"/>
<body><joint name="s" type="slide" axis="1 0 0" stiffness="50 10 20" springref=".2" springyield=".05" damping="1"/>
<geom size=".1" mass="1"/></body>
<body pos="1 0 0"><joint name="h" stiffness="5" springref="20" springyield="10" damping=".1" axis="0 1 0"/>
<geom size=".1" pos=".2 0 0" mass="1"/><site name="c" pos=".5 0 0"/>
<body pos=".3 0 0"><joint name="b" type="ball" stiffness="5 2 0" springyield="6" damping=".1"/><geom size=".1" mass="1"/>
<geom size=".1" pos="0 .2 0"/></body></body>
<body pos="3 0 0"><joint name="e" type="slide" axis="1 0 0" stiffness="50"/><geom size=".1" mass="1"/></body></worldbody>
<tendon><fixed name="t" stiffness="20 5 0" springlength="0 .3" springyield=".02"><joint joint="s" coef="1"/></fixed>
<spatial name="w" stiffness="30" springyield=".03"><site site="a"/><site site="c"/></spatial></tendon>
<keyframe><key qvel="9 -4 3 20 1 -2"/><key plastic=".25 .1"/></keyframe></mujoco>"""
FIELDS = ("qpos", "plastic", "qfrc_spring", "energy")

OFFICIAL = {
    ("Euler", 1): {
        "qpos": [
            0.0900752475248,
            -0.0338251117505,
            0.995580743253,
            0.0163158594931,
            0.0923216246712,
            0.00543083887259,
            -0.02,
        ],
        "plastic": [
            0.140075247525,
            0.140707813449,
            0.999131174995,
            0.00724081562798,
            0.0409714157568,
            0.00241015209762,
            0,
            0.3,
            1.82339423967,
            1.82339423967,
        ],
        "qfrc_spring": [9.76, 2.38192707126, 0, 0, 0, -0],
        "energy": [1.37375638954, 53.2020523248],
    },
    ("Euler", 40): {
        "qpos": [
            0.905740347266,
            1.13839723752,
            0.5768986008,
            0.243385098093,
            0.591472185501,
            0.50804758852,
            -0.0870315940884,
        ],
        "plastic": [
            0.955740347266,
            0.963864312322,
            0.605170423512,
            0.208577894925,
            0.598347900663,
            0.481916808201,
            0,
            0.992258254873,
            1.88507391918,
            1.88507391918,
        ],
        "qfrc_spring": [2.4775, -0.84852484713, -0.0835178292427, -0.0149217885404, -0.538893714138, 4.35157970442],
        "energy": [-10.0275788051, 17.3847657622],
    },
    ("RK4", 1): {
        "qpos": [0.0899655139062, -0.0386415332763, 0.0289238189525, 0.00999166666667],
        "plastic": [0.139965513906, 0.135891391923, 0, 0, 0.3, 1.82205840469, 1.82205840469],
    },
    ("RK4", 40): {
        "qpos": [0.82737533365, 0.950464696664, 0.736096868414, 0.0435680012503],
        "plastic": [0.87737533365, 0.775931771464, 0.711005300974, 0, 1.02739436658, 1.88560516313, 1.88560516313],
        "qfrc_spring": [2.4775, -0.829611940774, -0.126717010712, -2.17840006251],
        "energy": [-9.33649091667, 12.3095980205],
    },
}


def model(integrator: str) -> conjoint.MjModel:
    xml = MODEL.replace('timestep=".01"', f'timestep=".01" integrator="{integrator}"')
    if integrator == "RK4":
        # exclude rotations in space, because Runge-Kutta integrates them differently
        xml = xml.replace('type="ball"', "").replace('qvel="9 -4 3 20 1 -2"', 'qvel="9 -4 3 1"')
    return conjoint.MjModel.from_xml_string(xml)


def moved(m: conjoint.MjModel, steps: int) -> conjoint.MjData:
    d = conjoint.MjData(m)
    conjoint.mj_resetDataKeyframe(m, d, 0)
    conjoint.mj_step(m, d, steps)
    if steps > 1:
        conjoint.mj_forward(m, d)
    return d


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
@pytest.mark.parametrize("steps", (1, 40))
@pytest.mark.parametrize("integrator", ("Euler", "RK4", "implicitfast"))
def test_springs_yield_as_officially(integrator: str, steps: int) -> None:
    d = moved(model(integrator), steps)
    for name, numbers in OFFICIAL["RK4" if integrator == "RK4" else "Euler", steps].items():
        np.testing.assert_allclose(getattr(d, name), numbers, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.usefixtures("edition")
def test_no_spring_bears_more_than_it_can() -> None:
    """A yielding spring pulls with its maximum force; if springs are disabled, nothing yields."""
    m = model("Euler")
    d = moved(m, 40)
    assert abs(d.joint("s").qpos[0] - d.joint("s").plastic[0]) == pytest.approx(0.05)
    m.jnt_springyield[:] = 0
    conjoint.mj_step(m, d)
    assert d.plastic[:2].tolist() == d.qpos[:2].tolist()
    m.opt.disableflags |= conjoint.mjtDisableBit.mjDSBL_SPRING
    before = d.plastic.copy()
    conjoint.mj_step(m, d, 3)
    assert d.plastic.tolist() == before.tolist() and not d.qfrc_spring.any()


@pytest.mark.usefixtures("edition")
def test_where_springs_are_at_rest_is_a_part_of_the_state() -> None:
    m = model("Euler")
    d = moved(m, 10)
    spec = int(conjoint.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros(conjoint.mj_stateSize(m, spec))
    assert m.nplastic == 10 == conjoint.mj_stateSize(m, conjoint.mjtState.mjSTATE_PLASTIC)
    conjoint.mj_getState(m, d, state, spec)
    assert state[-10:].tolist() == d.plastic.tolist()
    other = conjoint.MjData(m)
    conjoint.mj_setState(m, other, state, spec)
    copies = [other, pickle.loads(pickle.dumps(d)), conjoint.mj_copyData(conjoint.MjData(m), m, d)]
    conjoint.mj_step(m, d, 5)
    for copy in copies:
        conjoint.mj_step(m, copy, 5)
        assert copy.qpos.tolist() == d.qpos.tolist()
    conjoint.mj_setKeyframe(m, d, 1)
    conjoint.mj_resetData(m, other)
    rest = m.key_plastic[0].tolist()
    assert other.plastic.tolist() == rest == [0.2, np.radians(20), 1, 0, 0, 0, 0, 0.3, *m.tendon_lengthspring[1]]
    conjoint.mj_resetDataKeyframe(m, other, 1)
    assert other.plastic.tolist() == d.plastic.tolist()


@pytest.mark.usefixtures("edition")
def test_batches() -> None:
    """Plastic springs in batches, after resets and in rollouts equal those of single worlds."""
    m = model("Euler")
    many = conjoint.Batch(m, 9)
    start = moved(m, 1)
    many.qvel[:] = np.linspace(0.2, 1, 9)[:, None] * start.qvel
    many.step(20)
    for world, scale in ((0, 0.2), (8, 1.0)):
        d = conjoint.MjData(m)
        d.qvel[:] = scale * start.qvel
        conjoint.mj_step(m, d, 20)
        np.testing.assert_allclose(many.plastic[world], d.plastic, rtol=1e-12)
        np.testing.assert_allclose(many.qpos[world], d.qpos, rtol=1e-12)
    many.reset(worlds=[8])
    assert many.plastic[8].tolist() == m.key_plastic[0].tolist() and many.plastic[7, 0] != 0.2


@pytest.mark.usefixtures("edition")
def test_derivatives() -> None:
    """Derivatives with respect to rest positions are right, even over steps in which springs yield."""
    m = model("Euler")
    d = moved(m, 10)
    found = jacobian(m, d, ("qvel", "plastic"), ("plastic",), "mj_step")
    rest = d.plastic.copy()
    for k in (0, 1, 8, 9):
        differences = np.zeros((2, 10))
        for sign in (1, -1):
            other = pickle.loads(pickle.dumps(d))
            other.plastic[k] = rest[k] + sign * 1e-6
            conjoint.mj_step(m, other)
            differences += sign * np.array([np.pad(other.qvel, (0, 4)), other.plastic]) / 2e-6
        if k < 8:
            np.testing.assert_allclose(found["qvel"]["plastic"][:, k], differences[0, :6], atol=1e-6)
        np.testing.assert_allclose(found["plastic"]["plastic"][:, k], differences[1], atol=1e-6)
    ends = Trajectory(m, d, np.zeros((8, 0)), ("qvel",)).jacobian(("qvel",), ("qvel",))["qvel"]["qvel"][-1]
    for k in range(m.nv):
        differences = np.zeros(m.nv)
        for sign in (1, -1):
            other = pickle.loads(pickle.dumps(d))
            other.qvel[k] += sign * 1e-6
            conjoint.mj_step(m, other, 8)
            differences += sign * other.qvel / 2e-6
        np.testing.assert_allclose(ends[:, k], differences, atol=1e-5)


SLEEPY = """<mujoco><option timestep=".005" gravity="0 0 0"><flag sleep="enable" energy="enable"/></option><worldbody>
<body><joint name="s" type="slide" axis="1 0 0" stiffness="50" springref=".2" springyield=".05" damping="8"/>
<geom size=".1" mass="1"/></body><body pos="0 2 0"><joint name="h" stiffness="5" springref=".3" springyield=".2" damping="2"/>
<geom size=".1" pos=".2 0 0" mass="1"/></body></worldbody></mujoco>"""


ASLEEP = {
    "qpos": [0.628009093014, 0.0411061514283],
    "plastic": [0.598862632637, 0.0394672365516],
    "qfrc_spring": [-1.50254643112, -0.00819457438372],
    "energy": [0.0225831728817, 0.0163111894835],
}


@pytest.mark.usefixtures("edition")
def test_trees_with_such_springs_sleep() -> None:
    """A sleeping tree keeps its spring forces; its springs yield again after the tree is woken."""
    m = conjoint.MjModel.from_xml_string(SLEEPY)
    d = conjoint.MjData(m)
    d.qvel[:] = [3, 2]
    conjoint.mj_step(m, d, 500)
    assert d.tree_asleep.tolist() == [0, 1]
    d.qvel[0] = 4
    conjoint.mj_step(m, d, 100)
    assert d.tree_asleep.tolist() == [-11, 1]
    for name, numbers in ASLEEP.items():
        np.testing.assert_allclose(getattr(d, name), numbers, rtol=1e-9)


@pytest.mark.usefixtures("edition")
def test_what_is_saved_is_the_same() -> None:
    """Saved models preserve yielding springs, with angle units, classes, keyframes and edits."""
    spec = conjoint.MjSpec.from_string(MODEL.replace("<option", '<compiler angle="degree"/><option'))
    m = spec.compile()
    assert m.jnt_springyield.tolist() == [0.05, np.radians(10), np.radians(6), 0]
    again = conjoint.MjModel.from_xml_string(spec.to_xml())
    for name in ("jnt_springyield", "jnt_plasticadr", "tendon_springyield", "tendon_plasticadr", "key_plastic"):
        np.testing.assert_allclose(getattr(again, name), getattr(m, name), atol=1e-15)
    d = moved(m, 10)
    spec.worldbody.add_body(name="new").add_joint(type=conjoint.mjtJoint.mjJNT_SLIDE, springyield=0.5)
    spec.bodies[-1].add_geom(size=[0.1, 0, 0])
    spec.delete(spec.joint("s"))
    with pytest.raises(ValueError):
        spec.compile()
    spec.delete(spec.tendon("t"))
    m2, d2 = spec.recompile(m, d)
    assert m2.nplastic == 1 + 4 + 1 + 2
    assert d2.plastic.tolist() == [*d.plastic[1:6], 0, *d.plastic[8:]]


CLASSES = """<mujoco><compiler angle="degree"/><default><joint springyield="10"/><tendon springyield=".2"/></default>
<worldbody><body><freejoint/><geom size=".1"/></body><body><joint name="j"/><geom size=".1"/></body></worldbody>
<tendon><fixed><joint joint="j" coef="1"/></fixed></tendon></mujoco>"""


@pytest.mark.usefixtures("edition")
def test_classes() -> None:
    spec = conjoint.MjSpec.from_string(CLASSES)
    for m in (spec.compile(), conjoint.MjModel.from_xml_string(spec.to_xml())):
        assert m.jnt_springyield.tolist() == [0, np.radians(10)] and m.jnt_plasticadr.tolist() == [-1, 0]
        assert m.tendon_springyield.tolist() == [0.2] and m.tendon_plasticadr.tolist() == [1]


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('springyield="10"', 'springyield="-1"', "springyield cannot be negative"),
        ('springyield=".2"', 'springyield="-1"', "springyield cannot be negative"),
        ("<freejoint/>", '<joint type="free"/>', "the spring of a free joint cannot yield"),
        ("</mujoco>", '<keyframe><key plastic="1 2 3 4"/></keyframe></mujoco>', "plastic has 4 numbers, expected 3"),
    ],
)
def test_what_is_refused(before: str, after: str, message: str) -> None:
    with pytest.raises(conjoint.ModelError, match=message):
        conjoint.MjModel.from_xml_string(CLASSES.replace(before, after))
