"""The exact constraint diagonal (flag diagexact) agrees with mujoco==4.0.0."""

import numpy as np
import pytest

import conjoint
from conjoint.derivative import jacobian

MODEL = """<mujoco><option cone="{cone}" impratio="2" jacobian="{jacobian}"><flag diagexact="enable"/></option><worldbody>
<geom type="plane" size="5 5 1" condim="1" friction=".1 .01 .01"/><body pos="0 0 .08"><freejoint/><geom type="box" size=".1 .2 .1" condim="{dim}" friction=".7 .1 .2"/></body>
<body pos="1 0 .5"><joint name="h" axis="0 1 0" frictionloss=".3" limited="true" range="-10 10"/><geom size=".1" pos=".3 0 0"/>
<body pos=".5 0 0"><joint name="k" axis="0 1 0" frictionloss=".1"/><geom size=".1" pos=".2 0 0"/><site name="s" pos=".4 0 0"/></body></body>
<body pos="2 0 1"><joint name="b" type="ball"/><geom size=".1" pos=".3 0 0"/></body><site name="w" pos="1.8 0 .5"/>
</worldbody><equality><connect site1="s" site2="w"/><joint joint1="h" joint2="k"/></equality><tendon><spatial limited="true"
range="0 .1" frictionloss=".2"><site site="s"/><site site="w"/></spatial></tendon></mujoco>"""

OFFICIAL = {
    ("pyramidal", 1): (
        [
            0.000801128381872,
            1e-15,
            0.0619443696417,
            2.07198018641,
            0.211028856773,
            2.80099232556,
            0.10959836881,
            0.099961037419,
            0.0519150168048,
            0.0161184210526,
        ],
        [
            0,
            0,
            38.9608281829,
            -10.2510912974,
            -10.0925147183,
            0.006,
            647.004649135,
            -980.674099066,
            0,
            31.3085106383,
            0,
        ],
    ),
    ("pyramidal", 3): (
        [
            0.000801128381872,
            1e-15,
            0.0619443696417,
            2.07198018641,
            0.211028856773,
            2.80099232556,
            0.10959836881,
            0.099961037419,
            0.0519150168048,
            0.00710844934211,
            0.00710844934211,
            0.00710844934211,
            0.00710844934211,
        ],
        [
            -10.0653476915,
            -10.0784786584,
            41.6079145658,
            -11.3353505471,
            -9.63284487578,
            -10.799668386,
            647.004649135,
            -980.674099066,
            0,
            31.3085106383,
            0,
        ],
    ),
    ("pyramidal", 6): (
        [
            0.000801128381872,
            1e-15,
            0.0619443696417,
            2.07198018641,
            0.211028856773,
            2.80099232556,
            0.10959836881,
            0.099961037419,
            0.0519150168048,
            0.00710844934211,
            0.00710844934211,
            0.00710844934211,
            0.00710844934211,
            0.00710844934211,
            0.00710844934211,
            0.00710844934211,
            0.00710844934211,
            0.00710844934211,
            0.00710844934211,
        ],
        [
            -9.97156165154,
            -9.97013675925,
            41.9510976705,
            -10.8341203554,
            -10.3053954536,
            -10.6495153811,
            647.004649135,
            -980.674099066,
            0,
            31.3085106383,
            0,
        ],
    ),
    ("elliptic", 3): (
        [
            0.000801128381872,
            1e-15,
            0.0619443696417,
            2.07198018641,
            0.211028856773,
            2.80099232556,
            0.10959836881,
            0.099961037419,
            0.0519150168048,
            0.0161184210526,
            0.00805921052632,
            0.00805921052632,
        ],
        [
            -9.68972832888,
            -10.0972044938,
            38.9608281829,
            -11.6775303305,
            -4.7016355849,
            -10.4143428076,
            647.004649135,
            -980.674099066,
            0,
            31.3085106383,
            0,
        ],
    ),
    ("elliptic", 6): (
        [
            0.000801128381872,
            1e-15,
            0.0619443696417,
            2.07198018641,
            0.211028856773,
            2.80099232556,
            0.10959836881,
            0.099961037419,
            0.0519150168048,
            0.0161184210526,
            0.00805921052632,
            0.00805921052632,
            0.394901315789,
            0.0987253289474,
            0.0987253289474,
        ],
        [
            -10.1656969897,
            -10.1772038099,
            38.9608281829,
            -10.7599943148,
            -10.1606621111,
            -10.4465529506,
            647.004649135,
            -980.674099066,
            0,
            31.3085106383,
            0,
        ],
    ),
}
"""R of the rows up to the last row of the first contact, and accelerations, by cone and contact dimension."""


def found(cone: str, dim: int, rows: str = "dense", more: str = "") -> tuple[conjoint.MjModel, conjoint.MjData]:
    m = conjoint.MjModel.from_xml_string(
        MODEL.format(cone=cone, dim=dim, jacobian=rows).replace("</option>", more + "</option>")
    )
    m.opt.iterations, m.opt.tolerance = 200, 0
    d = conjoint.MjData(m)
    d.qpos[7:9] = 0.3, -0.2
    d.qvel[:6] = 0.1
    conjoint.mj_forward(m, d)
    return m, d


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
@pytest.mark.parametrize("rows", ("dense", "sparse"))
@pytest.mark.parametrize(("cone", "dim"), OFFICIAL)
def test_the_diagonal_is_the_official_one(cone: str, dim: int, rows: str) -> None:
    regularization, acceleration = OFFICIAL[cone, dim]
    d = found(cone, dim, rows)[1]
    np.testing.assert_allclose(d.efc_R[: len(regularization)], regularization, rtol=1e-9)
    np.testing.assert_allclose(d.qacc, acceleration, rtol=1e-7, atol=1e-7)
    imp = d.efc_KBIP[:, 2]
    np.testing.assert_allclose(d.efc_diagApprox, d.efc_R * imp / (1 - imp), rtol=1e-12)
    np.testing.assert_allclose(d.efc_D, 1 / d.efc_R)


@pytest.mark.usefixtures("edition")
def test_it_is_that_of_the_matrix() -> None:
    """With the flag, efc_diagApprox is the exact diagonal of J M⁻¹ J', for linearly independent rows."""
    m, d = found("elliptic", 3)
    inertia = np.zeros((m.nv, m.nv))
    conjoint.mj_fullM(m, inertia, d.qM)
    rows = d.efc_J.reshape(-1, m.nv)
    exact = np.diag(rows @ np.linalg.solve(inertia, rows.T))
    chosen = np.flatnonzero((d.efc_type != 7) & (exact > 1e-9))
    chosen = np.append(chosen, d.contact.efc_address)
    np.testing.assert_allclose(d.efc_diagApprox[chosen], exact[chosen], rtol=1e-9)
    m.opt.enableflags = 0
    conjoint.mj_forward(m, d)
    assert (abs(d.efc_diagApprox[chosen] / exact[chosen] - 1) > 0.01).any()


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("solver", ("PGS", "CG"))
def test_batches_and_solvers(solver: str) -> None:
    xml = MODEL.format(cone="pyramidal", dim=3, jacobian="dense").replace("<option", f'<option solver="{solver}"')
    m = conjoint.MjModel.from_xml_string(xml)
    # in edition 4.0, a single world solves each island separately, but a batch solves all islands at once
    m.opt.disableflags |= int(conjoint.mjtDisableBit.mjDSBL_ISLAND)
    many = conjoint.Batch(m, 9)
    many.qvel[:] = np.linspace(0, 0.2, 9)[:, None]
    many.step(5)
    for world in (0, 8):
        d = conjoint.MjData(m)
        d.qvel[:] = world * 0.025
        conjoint.mj_step(m, d, 5)
        np.testing.assert_allclose(many.qpos[world], d.qpos, atol=1e-7)


@pytest.mark.usefixtures("edition")
def test_inverse_dynamics_and_derivatives() -> None:
    m, d = found("elliptic", 3)
    conjoint.mj_inverse(m, d)
    np.testing.assert_allclose(d.qfrc_inverse, 0, atol=1e-4 * abs(d.qfrc_constraint).max())
    slopes = jacobian(m, d, ("qacc",), ("qpos",), "mj_forward")["qacc"]["qpos"]
    place = d.qpos.copy()
    for k in (2, 6, 7):
        move = np.zeros(m.nv)
        move[k] = 1
        differences = np.zeros(m.nv)
        for sign in (1, -1):
            d.qpos[:] = place
            conjoint.mj_integratePos(m, d.qpos, move, sign * 1e-6)
            conjoint.mj_forward(m, d)
            differences += sign * d.qacc / 2e-6
        np.testing.assert_allclose(slopes[:, k], differences, rtol=1e-4, atol=1e-3 * max(1, abs(differences).max()))


def test_the_flag_is_kept() -> None:
    spec = conjoint.MjSpec.from_string(MODEL.format(cone="elliptic", dim=3, jacobian="auto"))
    assert spec.option.enableflags == conjoint.mjtEnableBit.mjENBL_DIAGEXACT
    assert '<flag diagexact="enable"/>' in spec.to_xml()
    assert conjoint.MjModel.from_xml_string(spec.to_xml()).opt.enableflags == spec.compile().opt.enableflags
