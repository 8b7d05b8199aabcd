"""Accelerations and forces that a solver returns match: M qacc = qfrc_smooth + qfrc_constraint.

With every method, qfrc_constraint is J' efc_force to rounding. Dual methods (PGS, noslip) compute qacc from it, so that the
equation holds to rounding. In primal methods (Newton, conjugate gradients) its residual is the gradient of the cost.
Newton's method reduces it to 1e-11 of the forces that cancel in it, before rounding of the cost may end the search.
"""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.runtime import blocks
from oracle import copy_state, difference
from places import ROOT

MODELS = ROOT / "models"
compiled = pytest.mark.skipif(not jit_enabled(), reason="uncompiled kernels are slow")

OVERLAP = """<mujoco><option jacobian="{jacobian}" cone="{cone}"><flag island="{island}"/></option><default><joint damping="{damping}"
range="-.6 .6"/><geom contype="0" conaffinity="0"/></default><worldbody>
<flexcomp name="plate" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" radius=".01" rigid="true"><edge equality="true"/></flexcomp>
<flexcomp name="jelly" type="grid" count="3 3 3" spacing=".1 .1 .1" dim="3" radius=".01" dof="trilinear"><contact selfcollide="none"/>
</flexcomp></worldbody></mujoco>"""
"""Model of a fixed flex and a soft flex whose vertices coincide.

Their deep contacts have 188 rows that contradict each other and are 1e14 times as stiff as the inertia.
"""


def jacobian(m: Any, d: Any) -> np.ndarray:
    """Return efc_J as a dense matrix."""
    rows = np.zeros((d.nefc, m.nv))
    if not conjoint.mj_isSparse(m):
        return np.array(d.efc_J).reshape(-1)[: rows.size].reshape(rows.shape)
    for r in range(d.nefc):
        at = slice(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r])
        rows[r, d.efc_J_colind[at]] = np.ravel(d.efc_J)[at]
    return rows


def unbalanced(m: Any, d: Any) -> tuple[float, float, float]:
    """Return three relative residuals of the force balance, each the largest over the dofs.

    The first is M qacc - qfrc_smooth - qfrc_constraint, relative to the sizes of its three terms. The second has the same
    numerator, but its denominator also includes the sizes of the terms of J' efc_force. The third is J' efc_force -
    qfrc_constraint, relative to the same sizes as the first.
    """
    inertia = np.zeros((m.nv, m.nv))
    conjoint.mj_fullM(m, inertia, d.qM)
    rows, force, acc = jacobian(m, d), np.array(d.efc_force), np.array(d.qacc)
    sizes = abs(inertia) @ abs(acc) + abs(d.qfrc_smooth) + abs(rows.T) @ abs(force) + 1e-300
    residuals = np.where(d.efc_state > 0, d.efc_D * (abs(rows) @ abs(acc) + abs(d.efc_aref)), 0.0)
    left = abs(inertia @ acc - d.qfrc_smooth - d.qfrc_constraint)
    return (
        float(np.max(left / sizes)),
        float(np.max(left / (sizes + abs(rows.T) @ residuals))),
        float(np.max(abs(rows.T @ force - d.qfrc_constraint) / sizes)),
    )


@pytest.mark.parametrize("island", ["disable", "enable"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("sparse", ["dense", "sparse"])
def test_rows_that_are_far_harder_than_the_inertia(sparse: str, cone: str, island: str) -> None:
    """The Hessian's pivots stay at least as large as the inertia's, even if rounding of stiff rows exceeds the inertia.

    MuJoCo reaches 25 to 57 m/s with pyramidal cones, and finds no solution with elliptic ones.
    """
    for damping in (0.05, 0.3):
        m = conjoint.MjModel.from_xml_string(OVERLAP.format(jacobian=sparse, cone=cone, damping=damping, island=island))
        d = conjoint.MjData(m)
        for _ in range(20):
            conjoint.mj_forward(m, d)
            _, left, gathered = unbalanced(m, d)
            assert left < 1e-9
            assert gathered < 1e-13
            conjoint.mj_step(m, d)
            assert np.isfinite(d.qvel).all() if cone == "elliptic" else np.abs(d.qvel).max() < 100


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("least", [0.0, np.inf], ids=["branched", "dense"])
@compiled
def test_rows_that_are_far_harder_than_the_inertia_in_a_batch(monkeypatch: pytest.MonkeyPatch, least: float) -> None:
    monkeypatch.setattr(blocks, "LEAST_SAVED", least)
    m = conjoint.MjModel.from_xml_string(
        OVERLAP.format(jacobian="dense", cone="pyramidal", damping=0.1, island="disable")
    )
    batch = Batch(m, 5)
    for _ in range(20):
        batch.step()
        assert np.abs(batch.qvel).max() < 100


METHODS: dict[str, tuple[dict[str, Any], float]] = {
    "PGS": ({"solver": 0}, 1e-13),
    "noslip": ({"solver": 2, "noslip_iterations": 3}, 1e-13),
    "Newton": ({"solver": 2, "tolerance": 0.0}, 1e-10),
    "CG": ({"solver": 1}, float("inf")),
}
"""Options of each method, and its largest allowed residual relative to the sizes of the terms."""


@compiled
@pytest.mark.parametrize("mutant", ["none", "stiff", "light", "heavy"])
@pytest.mark.parametrize("sparse", [0, 1])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["humanoid", "quadruped", "hopper", "car"])
def test_forces_belong_to_accelerations(name: str, method: str, sparse: int, mutant: str) -> None:
    """Forces balance accelerations, even with mass ratios of 1e5 and nearly rigid contacts."""
    path = str(MODELS / f"{name}.xml")
    m, official_model = conjoint.MjModel.from_xml_path(path), mujoco.MjModel.from_xml_path(path)
    options, allowed = METHODS[method]
    for model in (m, official_model):
        model.opt.jacobian = sparse
        for option, value in options.items():
            setattr(model.opt, option, value)
        if mutant == "stiff":
            model.geom_solimp[:, :3] = 0.9999, 0.9999, 0.001
        elif mutant != "none":
            chosen = np.random.default_rng(1).random(m.nbody) < 0.4
            factor = 1e-5 if mutant == "light" else 1e5
            model.body_mass[chosen] *= factor
            model.body_inertia[chosen] *= factor
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    generator, touching = np.random.default_rng(2), 0
    for _ in range(4):
        for _ in range(12):
            official.ctrl[:] = generator.uniform(-1, 1, m.nu)
            mujoco.mj_step(official_model, official)
        copy_state(official, d)
        conjoint.mj_forward(m, d)
        touching += d.nefc > 0
        left, _, gathered = unbalanced(m, d)
        assert left < allowed
        assert gathered < 1e-13
    assert touching > 0


IMMOVABLE = """<mujoco><worldbody><geom type="plane" size="9 9 .1"/>
<body><joint type="slide" axis="0 0 1"/><joint axis="1 0 1"/><geom size=".1" pos=".1 0 0" margin=".01"/><geom size=".1" pos="0 .1 0"/>
<geom size=".1" pos=".1 .1 0"/></body>
<body pos="1 0 0"><joint axis="1 0 0"/><geom size=".1"/></body></worldbody></mujoco>"""
"""Model whose last body deeply penetrates the ground along its hinge axis: its rows push with 1e17 N but move nothing."""


@pytest.mark.parametrize("sparse", [0, 1])
def test_a_cost_that_nothing_can_change_does_not_end_the_search(sparse: int) -> None:
    """Immovable rows with a cost of 1e20 do not stop the search early: the iterations equal MuJoCo's."""
    m, official_model = conjoint.MjModel.from_xml_string(IMMOVABLE), mujoco.MjModel.from_xml_string(IMMOVABLE)
    for model in (m, official_model):
        model.opt.jacobian = sparse
    d, official = conjoint.MjData(m), mujoco.MjData(official_model)
    for _ in range(12):
        copy_state(official, d)
        mujoco.mj_step(official_model, official)
        conjoint.mj_step(m, d)
        assert difference(d.qacc, official.qacc) < 1e-9
        assert d.solver_niter[0] == official.solver_niter[0]


@compiled
def test_newton_ends_in_float32(corpus: Path) -> None:
    """Newton's method terminates in float32 although large forces cancel.

    Its gradient never falls below 1e-11 of these forces because a single rounding error is larger.
    """
    path = corpus / "dm_control_composed/manip_lift_brick/manip_lift_brick.xml"
    if not path.exists():
        pytest.skip(f"no {path.name} in the folder of public models")
    m = conjoint.MjModel.from_xml_path(str(path))
    batch = Batch(m, 16, nthread=1, precision="float32")
    generator = np.random.default_rng(0)
    for _ in range(6):
        batch.ctrl[:] = generator.uniform(-1, 1, batch.ctrl.shape)
        batch.step(2)
        assert np.array(batch.solver_niter)[:, 0].max() < 30
