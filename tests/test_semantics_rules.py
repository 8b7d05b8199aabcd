"""What each rule of newer versions says, by properties that need no other engine."""

import numpy as np
import pytest

import conjoint

LOOP = """<mujoco><worldbody>
<body name="a" pos="0 0 1"><joint type="ball"/><geom type="box" size=".1 .2 .05"/>
 <body name="b" pos=".3 0 0"><joint type="hinge" axis="0 1 1"/><geom type="box" size=".1 .05 .05"/>
  <site name="sb" pos=".1 .1 0" euler="20 30 40"/></body></body>
<body name="c" pos="0 1 1"><freejoint/><geom type="box" size=".1 .2 .05"/><site name="sc" euler="70 30 40"/></body>
</worldbody><equality>{}</equality></mujoco>"""


def read(rules: str, xml: str) -> conjoint.MjModel:
    """The model in a text, computed by these rules."""
    with conjoint.semantics(rules):
        return conjoint.MjModel.from_xml_string(xml)


@pytest.mark.parametrize(
    "equality",
    [
        '<weld body1="b" body2="c" anchor=".3 .1 .2"/><connect body1="b" anchor=".1 .2 .3"/>',
        '<weld site1="sb" site2="sc" torquescale="2"/>',
    ],
)
def test_jdotv_is_the_rate_of_the_jacobian(equality: str) -> None:
    """The reference acceleration changes by the difference quotient of J qvel along the motion; in lanes, too."""
    models = [read(rules, LOOP.format(equality)) for rules in ("3.3.5", "jdotv")]
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
    np.testing.assert_allclose(batch.qacc[4], with_it.qacc, rtol=1e-9, atol=1e-9)
