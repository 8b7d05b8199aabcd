"""Contact rows are added to the Hessian four at a time, even if many rows act on few dofs."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled


def chain(cone: str, jacobian: str, count: int = 6) -> conjoint.MjModel:
    """Return a chain of hinged boxes on a floor of boxes; limits and an equality add rows of other kinds."""
    floor = "".join(f'<geom type="box" size=".054 .2 .05" pos="{0.11 * k:.2f} 0 -.05"/>' for k in range(-1, count + 1))
    links = ""
    for k in range(count):
        axis = "0 1 0" if k % 2 else "0 0 1"
        hinge = f'<joint name="j{k}" axis="{axis}" pos="-.05 0 0" armature=".01" range="-1 1" frictionloss=".01"/>'
        joint = hinge if k else "<freejoint/>"
        links += (
            f'<body pos="{0.1 * (k > 0)} 0 {0.0485 * (k == 0)}">{joint}<geom type="box" size=".045 .04 .05" mass="1"/>'
        )
    return conjoint.MjModel.from_xml_string(
        f'<mujoco><option cone="{cone}" jacobian="{jacobian}" tolerance="1e-15" iterations="200"/><worldbody>{floor}'
        f'{links}{"</body>" * count}</worldbody><equality><joint joint1="j1" joint2="j3" polycoef=".01 1 0 0 0"/>'
        "</equality></mujoco>"
    )


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("cone", ("pyramidal", "elliptic"))
def test_many_rows_of_all_storages(cone: str) -> None:
    """Solvers find the same accelerations with dense rows, with compressed rows and in lanes."""
    dense, sparse = chain(cone, "dense"), chain(cone, "sparse")
    one, other = conjoint.MjData(dense), conjoint.MjData(sparse)
    generator = np.random.default_rng(5)
    batch = Batch(dense, 5, nthread=1) if jit_enabled() else None
    for _ in range(4 if jit_enabled() else 1):
        one.qvel[:] = other.qvel[:] = 0.3 * generator.standard_normal(dense.nv)
        for m, d in ((dense, one), (sparse, other)):
            d.qacc_warmstart[:] = 0.0
            conjoint.mj_forward(m, d)
        assert one.nefc > 2 * dense.nv and one.nefc == other.nefc
        np.testing.assert_allclose(one.qacc, other.qacc, rtol=1e-10, atol=1e-9)
        if batch is not None:
            batch.qpos, batch.qvel = one.qpos, one.qvel
            batch.qacc_warmstart = 0.0
            batch.forward()
            np.testing.assert_allclose(batch.qacc, np.tile(one.qacc, (5, 1)), rtol=1e-10, atol=1e-9)
        for m, d in ((dense, one), (sparse, other)):
            conjoint.mj_step(m, d)
        other.qpos[:] = one.qpos
