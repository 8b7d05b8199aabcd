"""Constants of a model: inverse inertias agree with dense matrices, even for singular trees, and need little memory."""

from __future__ import annotations

import tracemalloc

import mujoco
import numpy as np
import pytest

import conjoint

BRANCHING = """
<mujoco><worldbody>
  <body><freejoint/><geom size=".2"/>
    <body pos=".3 .1 0"><joint name="a" axis="1 2 3" armature=".01"/><joint type="slide" axis="0 1 1"/>
      <geom size=".1" pos=".1 0 .1"/>
      <body pos="0 .2 .3"><joint name="b" type="ball"/><geom type="box" size=".1 .2 .05"/><site name="s"/>
        <body pos="0 .2 .3"><geom size=".07" pos=".1 0 0"/></body></body>
      <body pos="0 -.2 .3"><joint name="c" axis="0 1 0" pos="0 0 .1"/><geom size=".1" pos=".1 0 .1"/></body></body></body>
  <body pos="1 0 0"><geom size=".1"/>
    <body pos="0 0 .2"><joint axis="0 1 0"/><geom size=".1" pos=".2 0 0"/><site name="t" pos=".1 0 .1"/></body>
    <body pos="0 0 .4"><joint type="slide"/><geom size=".1" pos=".2 0 0"/></body></body>
</worldbody>
<tendon><fixed name="f" {armature}><joint joint="a" coef="2"/><joint joint="c" coef="-1"/></fixed>
  <spatial name="p"><site site="s"/><site site="t"/></spatial></tendon>
<actuator><motor joint="c"/><motor joint="b" gear="1 2 3"/><motor tendon="p"/><motor site="t" gear="1 2 3 4 5 6"/></actuator>
</mujoco>"""


@pytest.mark.plain
def test_what_lies_on_an_axis_does_not_move():
    """A body with its center of mass on the joint axis has a translational inverse weight of practically zero.

    Rounding must not make it larger, because contacts divide by the inverse weight.
    """
    arm = '<body pos="{0} .3 0"><joint axis="0 1 .3"/><geom size=".02" mass=".01"/><body pos=".1 0 0"><joint axis="1 0 0"/>'
    arm += '<geom size=".01" pos="0 .1 0" mass=".01"/></body></body>'
    text = "".join(arm.format(x) for x in (0.1, -0.7, 12.3))
    text = (
        f'<mujoco><worldbody>{text}<body pos="1 2 3"><joint type="ball"/><geom size=".1"/></body></worldbody></mujoco>'
    )
    model = conjoint.MjModel.from_xml_string(text)
    on_axis = [1, 3, 5, 7]
    assert np.all(np.abs(model.body_invweight0[on_axis, 0]) < 1e-25)
    assert np.all(model.body_invweight0[[2, 4, 6], 0] > 1.0)


def dense(model):
    """Return the inverse of the inertia matrix, and the data at qpos0."""
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    inertia = np.zeros((model.nv, model.nv))
    conjoint.mj_fullM(model, inertia, data.qM)
    return np.linalg.inv(inertia), data


@pytest.mark.plain
@pytest.mark.parametrize("armature", ["", 'armature=".3"'])
def test_weights_are_those_of_the_inverse_matrix(armature):
    model = conjoint.MjModel.from_xml_string(BRANCHING.format(armature=armature))
    inverse, data = dense(model)
    dofs, bodies = np.diag(inverse).copy(), np.zeros((model.nbody, 2))
    for three in (slice(0, 3), slice(3, 6), slice(8, 11)):
        dofs[three] = dofs[three].mean()
    for body in range(1, model.nbody):
        moved, turned = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        conjoint.mj_jacBodyCom(model, data, moved, turned, body)
        bodies[body] = [np.trace(jacobian @ inverse @ jacobian.T) / 3 for jacobian in (moved, turned)]
    simple = model.body_simple == 2
    bodies[simple] = np.array([1 / model.body_mass[simple], 0 * model.body_mass[simple]]).T
    assert np.allclose(model.dof_invweight0, dofs, rtol=1e-11)
    assert np.allclose(model.body_invweight0, bodies, rtol=1e-11, atol=1e-14)
    arms = data.ten_J.reshape(model.ntendon, model.nv)
    assert np.allclose(model.tendon_invweight0, [arm @ inverse @ arm for arm in arms], rtol=1e-11)
    moments = np.zeros((model.nu, model.nv))
    conjoint.mju_sparse2dense(moments, data.actuator_moment, data.moment_rownnz, data.moment_rowadr, data.moment_colind)
    assert np.allclose(model.actuator_acc0, np.linalg.norm(moments @ inverse, axis=1), rtol=1e-11)


@pytest.mark.parametrize("kind", ["slide", "hinge"])
def test_where_a_tree_has_no_inverse_the_others_have(kind):
    axes = ("1 0 0", "0 1 0", "0 0 1", "1 1 0")
    joints = "".join(f'<joint name="{axis}" type="{kind}" axis="{axis}"/>' for axis in axes)
    parallel = f'<body>{joints}<geom size=".1" mass="1"/></body>'
    sound = '<body><joint name="sound" axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body>'
    motors = '<motor joint="0 1 0"/><motor joint="sound"/>'
    model = conjoint.MjModel.from_xml_string(
        f"<mujoco><worldbody>{parallel}{sound}</worldbody><actuator>{motors}</actuator></mujoco>"
    )
    assert np.isnan(model.dof_invweight0).tolist() == [True] * 4 + [False]
    assert np.isnan(model.body_invweight0[:, 0]).tolist() == [False, True, False]
    assert np.isnan(model.actuator_acc0).tolist() == [True, False]


@pytest.mark.parametrize("shape", ["bush", "heap"])
def test_memory_is_not_that_of_a_square(shape):
    number = 3000
    spec = conjoint.MjSpec()
    bodies = [spec.worldbody]
    for i in range(number):
        parent = bodies[(i + 1) // 2] if shape == "bush" else bodies[0]
        body = parent.add_body(pos=[0.1, 0, 0.1])
        body.add_joint(type=conjoint.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
        body.add_geom(size=[0.1, 0, 0])
        bodies.append(body)
    tracemalloc.start()
    model = spec.compile()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # a dense matrix of reals would need 24 kB per dof
    assert model.nv == number and peak / number < 20_000


@pytest.mark.plain
@pytest.mark.parametrize("name", ["branching", "coupled", "chain"])
def test_constants_have_the_bits_of_the_official_ones(name):
    """Constants equal MuJoCo's bit for bit, because canceling constraint forces would reveal every difference.

    Such forces occur if mocap bodies are welded to distant bodies.
    """
    link = '<body pos=".3 .1 .2"><joint axis="1 .3 .2"/><geom size=".1" pos=".1 .2 .3"/>'
    chain = "<mujoco><worldbody>" + 11 * link + 11 * "</body>" + "</worldbody></mujoco>"
    text = {
        "branching": BRANCHING.format(armature=""),
        "coupled": BRANCHING.format(armature='armature=".3"'),
        "chain": chain,
    }[name]
    model, official = conjoint.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    for field in ("dof_M0", "dof_invweight0", "body_invweight0"):
        assert np.array_equal(getattr(model, field), getattr(official, field)), field
    # the spatial tendon and the site are exempt because their moment arms are rounded differently
    assert np.array_equal(model.tendon_invweight0[:1], official.tendon_invweight0[:1])
    assert np.array_equal(model.actuator_acc0[:2], official.actuator_acc0[:2])
    assert model.stat.meaninertia == official.stat.meaninertia
