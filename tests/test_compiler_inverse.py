"""The inverse of the inertia matrix without the matrix: against the matrix, where it does not exist, and its memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import conjoint
from conjoint.compiler.arms import Arms
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.configuration import Configuration
from conjoint.compiler.inverse import ArticulatedInverse, DenseInverse, responses

BRANCHING = """
<mujoco><worldbody>
  <body><freejoint/><geom size=".2"/>
    <body pos=".3 .1 0"><joint axis="1 2 3" armature=".01"/><joint type="slide" axis="0 1 1"/><geom size=".1" pos=".1 0 .1"/>
      <body pos="0 .2 .3"><joint type="ball"/><geom type="box" size=".1 .2 .05"/>
        <body pos="0 .2 .3"><geom size=".07" pos=".1 0 0"/></body></body>
      <body pos="0 -.2 .3"><joint axis="0 1 0" pos="0 0 .1"/><geom size=".1" pos=".1 0 .1"/></body></body></body>
  <body pos="1 0 0"><geom size=".1"/>
    <body pos="0 0 .2"><joint axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
    <body pos="0 0 .4"><joint type="slide"/><geom size=".1" pos=".2 0 0"/></body></body>
</worldbody></mujoco>"""


def initial(xml):
    m = Arrays(conjoint.MjModel.from_xml_string(xml)._buffer)
    return Configuration(m, m.qpos0)


def test_it_is_the_inverse_of_the_matrix():
    at = initial(BRANCHING)
    dense, inverse = DenseInverse(at, at.M()), ArticulatedInverse(at)
    assert np.allclose(at.diagonal(), np.diag(at.M()), rtol=1e-13)
    assert np.allclose(inverse.diagonal, dense.diagonal, rtol=1e-12)
    every = np.arange(at.m.nv)
    mobility = dense.mobility(every)
    assert np.allclose(inverse.mobility(every), mobility, rtol=1e-12, atol=1e-12 * np.abs(mobility).max())
    assert np.allclose(inverse.columns(), dense.columns(), rtol=1e-12)
    forces = np.random.default_rng(0).normal(size=(5, at.m.nv))
    assert np.allclose(inverse.times(forces) @ at.M(), forces, atol=1e-12)


def test_rows_of_several_trees_share_right_sides(monkeypatch):
    at = initial(BRANCHING)
    nv = at.m.nv
    generator = np.random.default_rng(1)
    row, dof = np.divmod(generator.choice(30 * nv, 60, replace=False), nv)
    arms = Arms.sum(30, row, dof, generator.normal(size=60))
    expected = arms.dense(nv) @ DenseInverse(at, at.M()).matrix
    # a few at a time, as for large models
    monkeypatch.setattr("conjoint.compiler.inverse.MOST_NUMBERS", 3 * nv)
    work, length = responses(ArticulatedInverse(at), at, arms).T
    assert np.allclose(work, (expected * arms.dense(nv)).sum(axis=1), rtol=1e-11)
    assert np.allclose(length, np.linalg.norm(expected, axis=1), rtol=1e-11)


@pytest.mark.parametrize("few", [0, 80])
def test_where_a_tree_has_no_inverse_the_others_have(few, monkeypatch):
    monkeypatch.setattr("conjoint.compiler.constants.FEW", few)
    axes = ("1 0 0", "0 1 0", "0 0 1", "1 1 0")
    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in axes)
    parallel = f'<body>{slides}<geom size=".1" mass="1"/></body>'
    sound = '<body><joint axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body>'
    model = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{parallel}{sound}</worldbody></mujoco>")
    assert np.isnan(model.dof_invweight0).tolist() == [True] * 4 + [False]


@pytest.mark.parametrize("shape", ["bush", "heap"])
def test_memory_is_not_that_of_a_square(shape):
    number = 1500
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
    # one matrix of reals would take 12 kB per dof
    assert model.nv == number and peak / number < 10_000
