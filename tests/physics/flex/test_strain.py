"""Strain of trilinear flexes as an equality constraint (flexstrain) agrees with mujoco==4.0.0."""

import numpy as np
import pytest

import conjoint
from conjoint.derivative import jacobian

MODEL = """<mujoco><option iterations="300" tolerance="0" {option}/><worldbody><flexcomp name="f" type="grid" count="3 3 3"
spacing=".1 .12 .15" dim="3" dof="trilinear" mass="1" radius=".01"><edge equality="strain" solref=".02 1"
solimp=".9 .95 .01"/><contact selfcollide="none"/></flexcomp></worldbody></mujoco>"""

OFFICIAL = {
    "efc_pos": [
        3.37246773771e-05,
        0.000165981353612,
        0.000193347756104,
        0.000193348145807,
        0.000303485584757,
        0.000322934347949,
        0.000325347986003,
        0.000340599594608,
        0.000546697658929,
        0.000677459950007,
        0.00240206143959,
        0.00463519564438,
        0.00538673422906,
        0.00724607087271,
        0.0077382313917,
        0.00794406320578,
        0.0181230885269,
        0.0201215169151,
    ],
    "efc_R": [
        0.421052631579,
        0.421052631579,
        0.458688239127,
        0.466644148862,
        0.488821355452,
        0.614026975176,
        0.681638512133,
        0.832265244653,
        0.884358340127,
        0.885937984103,
        0.887743277703,
        0.887843566775,
        0.887859017181,
        0.887979317773,
        0.888519684417,
        0.888519685906,
        0.888616800331,
        0.888877655778,
    ],
    "qacc": [
        -40.4012589833,
        -22.5877651619,
        -81.7658817719,
        44.0455356323,
        31.2907462927,
        -94.6313404558,
        -38.9258816008,
        -37.0099273971,
        -14.282289293,
        37.319739505,
        36.3430745695,
        21.2795185833,
        -11.5896624695,
        -41.939372007,
        -64.1119484249,
        10.2690950623,
        38.8225256016,
        21.2843040331,
        2.49737353272,
        -40.6288030094,
        3.43309584131,
        -3.21494067875,
        35.7095211118,
        130.314541488,
    ],
    "qpos": [
        0.0528280717233,
        0.0489388741604,
        -0.0869385956055,
        -0.0328893592023,
        -0.0353428294003,
        -0.108888610397,
        0.0452090008571,
        0.0402029728735,
        -0.0202704052644,
        -0.0384393754917,
        -0.0444592265451,
        -0.0431610698192,
        0.0449719742086,
        0.0408473115983,
        -0.031299262642,
        -0.0391886933521,
        -0.0447245366591,
        -0.0551597105468,
        0.0372144222801,
        0.0318484490658,
        0.0350890749911,
        -0.0445098961681,
        -0.0534001388594,
        0.0106320530885,
    ],
}
"""Magnitudes of residuals and R, both ascending, and accelerations; positions after 40 steps."""


def found(option: str = "") -> tuple[conjoint.MjModel, conjoint.MjData]:
    m = conjoint.MjModel.from_xml_string(MODEL.format(option=option))
    d = conjoint.MjData(m)
    d.qpos[:] = np.sin(np.arange(24)) * 0.01
    d.qvel[:] = np.cos(np.arange(24))
    conjoint.mj_forward(m, d)
    return m, d


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
@pytest.mark.parametrize("option", ("", 'jacobian="sparse"'))
def test_strain_is_kept_as_officially(option: str) -> None:
    m, d = found(option)
    assert m.eq_type.tolist() == [conjoint.mjtEq.mjEQ_FLEXSTRAIN] and m.flex_edgeequality.tolist() == [3]
    np.testing.assert_allclose(np.sort(abs(d.efc_pos)), OFFICIAL["efc_pos"], rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(np.sort(d.efc_R), OFFICIAL["efc_R"], rtol=1e-9)
    np.testing.assert_allclose(d.qacc, OFFICIAL["qacc"], rtol=1e-8, atol=1e-8)
    conjoint.mj_step(m, d, 40)
    np.testing.assert_allclose(d.qpos, OFFICIAL["qpos"], rtol=1e-8, atol=1e-9)


@pytest.mark.usefixtures("edition")
def test_a_box_may_turn_and_not_change() -> None:
    """Translating and rotating a box leaves its residuals zero; stretching it does not."""
    m, d = found()
    nodes = m.flex_node0
    turn = np.zeros(9)
    conjoint.mju_quat2Mat(turn, np.array([0.8, 0.3, -0.4, 0.331662479]))
    d.qpos[:] = (nodes @ turn.reshape(3, 3).T + [0.1, 0.2, 0.3] - nodes).ravel()
    conjoint.mj_forward(m, d)
    assert abs(d.efc_pos).max() < 1e-8
    d.qpos[:] = (nodes * [1.1, 1, 1] - nodes).ravel()
    conjoint.mj_forward(m, d)
    assert abs(d.efc_pos).max() > 0.01
    d.eq_active[:] = 0
    conjoint.mj_forward(m, d)
    assert d.nefc == 0


@pytest.mark.usefixtures("edition")
def test_batches_and_derivatives() -> None:
    m, d = found()
    start = d.qpos.copy()
    many = conjoint.Batch(m, 9)
    many.qpos[:] = np.linspace(0, 1, 9)[:, None] * start
    many.step(5)
    for world in (1, 8):
        d = conjoint.MjData(m)
        d.qpos[:] = start * world / 8
        conjoint.mj_step(m, d, 5)
        np.testing.assert_allclose(many.qpos[world], d.qpos, atol=1e-10)
    m, d = found()
    slopes = jacobian(m, d, ("qacc",), ("qpos",), "mj_forward")["qacc"]["qpos"]
    for k in (0, 13):
        differences = np.zeros(m.nv)
        for sign in (1, -1):
            d.qpos[:] = start
            d.qpos[k] += sign * 1e-6
            conjoint.mj_forward(m, d)
            differences += sign * d.qacc / 2e-6
        np.testing.assert_allclose(slopes[:, k], differences, atol=1e-4 * abs(differences).max())


@pytest.mark.usefixtures("edition")
def test_what_is_saved_is_the_same() -> None:
    spec = conjoint.MjSpec.from_string(MODEL.format(option=""))
    m = spec.compile()
    saved = spec.to_xml()
    assert '<flexstrain flex="f"' in saved
    again = conjoint.MjModel.from_xml_string(saved)
    d, other = conjoint.MjData(m), conjoint.MjData(again)
    for world, of in ((d, m), (other, again)):
        world.qpos[:] = np.sin(np.arange(24)) * 0.01
        conjoint.mj_step(of, world, 5)
    np.testing.assert_allclose(d.qpos, other.qpos, atol=1e-12)
    made = conjoint.MjSpec()
    made.worldbody.make_flex(
        name="g", type="grid", count=[2, 2, 2], spacing=[0.2, 0.2, 0.2], dim=3, dof="trilinear", radius=0.01,
        equality=3,
    )  # fmt: skip
    made.flexes[0].selfcollide = 0
    assert made.compile().eq_type.tolist() == [conjoint.mjtEq.mjEQ_FLEXSTRAIN]


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('dof="trilinear"', "", "equality='strain' needs dof='trilinear'"),
        ("<contact", '<elasticity young="100"/><contact', "has a stiffness: set young to 0"),
        ("</mujoco>", '<equality><flexstrain flex="f" cell="0 1 0"/></equality></mujoco>', "there is one cell"),
        ("</mujoco>", "<equality><flexstrain/></equality></mujoco>", "the attribute 'flex' is missing"),
        ('"strain"', '"stretch"', "'stretch' is not one of false, true, strain"),
    ],
)
def test_what_is_refused(before: str, after: str, message: str) -> None:
    with pytest.raises(conjoint.ModelError, match=message):
        conjoint.MjModel.from_xml_string(MODEL.format(option="").replace(before, after))
