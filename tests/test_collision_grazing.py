"""Bodies that just touch: which of them meet is what the official sweep finds, by its axes, rounding and order."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch

SIDE = 0.2 / np.sqrt(2)
ROWS = {
    "x": [(x, 0, 0) for x in (-0.3, -0.1, 0.1, 0.3)],
    "-x": [(x, 0, 0) for x in (0.3, 0.1, -0.1, -0.3)],
    "y": [(0, y, 0) for y in (-0.3, -0.1, 0.1, 0.3)],
    "z": [(0, 0, z) for z in (-0.3, -0.1, 0.1, 0.3)],
    "across": [(-k * SIDE, k * SIDE, 0) for k in range(4)],
    "down": [(-k * SIDE, -k * SIDE, 0) for k in range(4)],
    "far": [(100 + 0.2 * k, 30.0, 0) for k in range(4)],
    "grid": [(0.2 * i, 0.2 * j, 0.2 * k) for i in range(2) for j in range(3) for k in range(2)],
}
BALL = '<geom size=".1"/>'
GEOMS = {
    "spheres": BALL,
    "with margins": '<geom size=".09" margin=".01"/>',
    "of two": f'<geom size=".05" pos=".02 0 0"/>{BALL}',
    "turned capsules": '<geom type="capsule" size=".05 .05" euler="0 90 0"/>',
}


def row_of(places: list[tuple[float, float, float]], geoms: str, option: str = "<option/>") -> str:
    bodies = [f'<body pos="{x!r} {y!r} {z!r}"><freejoint/>{geoms}</body>' for x, y, z in np.array(places).tolist()]
    return f"<mujoco>{option}<worldbody>{''.join(bodies)}</worldbody></mujoco>"


def contacts(package, text: str) -> list[tuple[list[int], float]]:
    model = package.MjModel.from_xml_string(text)
    data = package.MjData(model)
    package.mj_forward(model, data)
    return [(contact.geom.tolist(), float(contact.dist)) for contact in data.contact]


@pytest.mark.plain
@pytest.mark.parametrize("geoms", GEOMS)
@pytest.mark.parametrize("name", ROWS)
def test_what_just_touches_meets_as_officially(name: str, geoms: str):
    text = row_of(ROWS[name], GEOMS[geoms])
    assert contacts(conjoint, text) == contacts(mujoco, text)


@pytest.mark.plain
def test_some_meet_and_some_do_not():
    """What the cases above compare is not always nothing, nor always all."""
    counts = {name: len(contacts(conjoint, row_of(ROWS[name], BALL))) for name in ROWS}
    assert counts["x"] == 0 and counts["-x"] == 3 and counts["y"] == 2


@pytest.mark.plain
@pytest.mark.parametrize("change", ["override", "midphase", "pair", "fixed"])
def test_explicit_pairs_and_fixed_bodies_with_planes_are_not_swept(change: str):
    text = row_of(ROWS["x"], BALL)
    if change == "override":
        option = '<option o_margin=".02"><flag override="enable"/></option>'
        text = row_of(ROWS["x"], '<geom size=".09"/>', option)
    elif change == "midphase":
        text = row_of(ROWS["x"], BALL, '<option><flag midphase="disable"/></option>')
    elif change == "pair":
        named = text
        for k in range(4):
            named = named.replace(BALL, f'<geom name="g{k}" size=".1"/>', 1)
        text = named.replace("</mujoco>", '<contact><pair geom1="g0" geom2="g1"/></contact></mujoco>')
    else:
        fixed = '<body pos=".5 0 0"><geom size=".1"/><geom type="plane" size="1 1 1" pos="0 0 -1"/></body>'
        text = text.replace("</worldbody>", fixed + "</worldbody>")
    assert contacts(conjoint, text) == contacts(mujoco, text)


def test_worlds_of_a_batch_meet_as_single_ones():
    model = conjoint.MjModel.from_xml_string(row_of(ROWS["x"], BALL))
    batch = Batch(model, 3, nthread=1)
    # the second world in the opposite order, the third well inside
    batch.qpos[1].reshape(4, 7)[:, 0] *= -1
    batch.qpos[2].reshape(4, 7)[:, 0] *= 0.9
    worlds = batch.qpos.copy()
    batch.step()
    for k, qpos in enumerate(worlds):
        data = conjoint.MjData(model)
        data.qpos[:] = qpos
        conjoint.mj_step(model, data)
        np.testing.assert_array_equal(batch.ncon[k], data.ncon)
        np.testing.assert_allclose(batch.qvel[k], data.qvel, rtol=1e-12, atol=1e-12)
    assert batch.ncon.tolist() == [0, 3, 3]
