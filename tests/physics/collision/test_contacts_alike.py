"""Worlds with the same contacts fill constraint rows together in lanes, other worlds fill them separately.

The results are bit-identical.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.usefixtures("edition")

SCENE = """<mujoco><option cone="{cone}" jacobian="dense"><flag island="disable"/></option><worldbody>
  <geom type="plane" size="4 4 1" name="floor"/>
  <body pos="0 0 .098"><freejoint/><geom size=".1" condim="{condim}" friction=".8 .03 .002"/>
    <body pos=".3 0 0"><joint axis="0 1 0"/><geom size=".1" condim="3" friction=".5" name="second"/></body></body>
  <body pos="0 1 .1"><freejoint/><geom type="box" size=".1 .2 .1" condim="{condim}"/></body>
  <body pos="0 1 .31"><joint axis="1 0 0" range="-1 .1"/><geom type="capsule" size=".05 .1" euler="90 0 0" pos="0 0 -.06"/></body>
</worldbody><contact><pair geom1="floor" geom2="second" solreffriction="-60 -9"/></contact></mujoco>"""


def solved(model: Any, qpos: np.ndarray, qvel: np.ndarray, precision: str = "float64") -> Any:
    """Return a batch after `forward` from the given states; it keeps the number of contacts and the constraint forces."""
    batch: Any = Batch(model, len(qpos), precision=precision, nthread=1, lanes=8, keep=["ncon", "qfrc_constraint"])
    batch.qpos[...], batch.qvel[...] = qpos, qvel
    batch.forward()
    return batch


@pytest.mark.skipif(not jit_enabled(), reason="lanes exist compiled only")
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("condim", [1, 3, 4, 6])
@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_neighbours_change_no_bit(cone: str, condim: int, precision: str) -> None:
    """A world has the same results whether its neighbors have the same contacts or other ones.

    Worlds with the same contacts fill their rows together.
    """
    model = conjoint.MjModel.from_xml_string(SCENE.format(cone=cone, condim=condim))
    generator = np.random.default_rng(condim)
    start = conjoint.MjData(model).qpos.copy()
    qpos, qvel = np.tile(start, (8, 1)), generator.standard_normal((8, model.nv))
    for row in qpos:
        conjoint.mj_integratePos(model, row, 1e-3 * generator.standard_normal(model.nv), 1.0)
        row[2] = row[9 + 1] = 0.097
    alike = solved(model, qpos, qvel, precision)
    assert alike.ncon[0] > 3
    assert np.all(alike.ncon == alike.ncon[0])
    other = qpos.copy()
    # every second world has no or fewer contacts with the ground
    other[1::4, 2] += 1.0
    other[3::4, 10] += 1.0
    mixed = solved(model, other, qvel, precision)
    assert np.array_equal(mixed.qfrc_constraint[::2], alike.qfrc_constraint[::2])
    assert np.array_equal(mixed.qacc[::2], alike.qacc[::2])
    if precision == "float64":
        for i in range(8):
            d = conjoint.MjData(model)
            d.qpos[:], d.qvel[:] = qpos[i], qvel[i]
            conjoint.mj_forward(model, d)
            assert np.allclose(alike.qfrc_constraint[i], d.qfrc_constraint, rtol=1e-6, atol=1e-6)
