"""Bodies that just touch have contacts if MuJoCo's sweep, with its axes, rounding and order, finds them."""

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


SHAPES = {
    "box": ('type="box" size=".01 .02 .03"', 0.03),
    "capsule": ('type="capsule" size=".02 .03"', 0.05),
    "cylinder": ('type="cylinder" size=".02 .03"', 0.03),
    "ellipsoid": ('type="ellipsoid" size=".01 .02 .03"', 0.03),
    "mesh": ('type="mesh" mesh="block"', 0.03),
    "sphere": ('size=".02"', 0.02),
    "plane": ('type="plane" size="1 1 1"', 0.0),
}
"""Attributes of geoms, and their extents along the z axis."""

BLOCK = '<asset><mesh name="block" vertex="1 1 1 -1 1 1 1 -1 1 -1 -1 1 1 1 -1 -1 1 -1 1 -1 -1 -1 -1 -1" scale=".01 .02 .03"/></asset>'


def numbers(values: np.ndarray) -> str:
    return " ".join(map(repr, values.tolist()))


def just_touching(kinds: list[tuple[str, str]], rng: np.random.Generator) -> str:
    """Return a model of two rotated bodies; for each pair of types, a geom of one body just touches a geom of the other."""
    sides = ["", ""]
    for i, pair in enumerate(kinds):
        for side, kind in enumerate(pair):
            shape, reach = SHAPES[kind]
            # planes face upward
            z = reach * (-1 if side == 0 else 1)
            sides[side] += f'<geom {shape} pos="{0.1 * i!r} {0.03 * (i * 7 % 3)!r} {z!r}"/>'
    quat = rng.normal(size=4)
    place = f'pos="{numbers(rng.normal(size=3))}" quat="{numbers(quat / np.linalg.norm(quat))}"'
    # with an inertial frame at the body's, compilation does not round the bounding boxes of a body
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    fixed = f"<body {place}>{inertial}{sides[0]}</body>"
    moving = f"<body {place}><freejoint/>{inertial}{sides[1]}</body>"
    return f"<mujoco>{BLOCK}<worldbody>{fixed}{moving}</worldbody></mujoco>"


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
    """In some rows of geoms in `ROWS` the geoms have contacts, and in others they have none."""
    counts = {name: len(contacts(conjoint, row_of(ROWS[name], BALL))) for name in ROWS}
    assert counts["x"] == 0 and counts["-x"] == 3 and counts["y"] == 2


PAIRS = [
    (a, b)
    for a in ("plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")
    for b in ("sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")
    # on a plane, every corner of a mesh touches up to rounding, and the choice of the lowest one differs
    if (a, b) != ("plane", "mesh")
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_geoms_that_just_touch_touch_as_officially(a: str, b: str):
    """Geoms that just touch have the same contacts as in MuJoCo, whichever bounding test they pass."""
    rng = np.random.default_rng(len(a) + 100 * len(b))
    for count in (1, 1, 1, 1, 2, 3, 4, 5):
        others = [PAIRS[k] for k in rng.integers(len(PAIRS), size=count - 1)]
        text = just_touching([(a, b), *((x, y) for x, y in others if x != "plane")], rng)
        ours, official = contacts(conjoint, text), contacts(mujoco, text)
        assert [geoms for geoms, _ in ours] == [geoms for geoms, _ in official]
        # MuJoCo finds far too deep contacts of some ellipsoids and cylinders that just touch
        distances = [(mine, dist if dist > -1e-6 else 0.0) for (_, mine), (_, dist) in zip(ours, official, strict=True)]
        np.testing.assert_allclose([mine for mine, _ in distances], [d for _, d in distances], rtol=0, atol=1e-12)


def test_some_geoms_that_just_touch_do_and_some_do_not():
    """Rounding of the rotation removes some contacts of geoms that just touch, but not all."""
    rng = np.random.default_rng(3)
    counts = [len(contacts(conjoint, just_touching([("box", "box"), ("sphere", "box")], rng))) for _ in range(30)]
    assert min(counts) == 0 and max(counts) >= 4


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


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
def test_geoms_that_are_in_no_tree_touch():
    """Geoms whose collisions were enabled after compilation have no bounding volumes, but can touch."""
    rng = np.random.default_rng(5)
    text = just_touching([("box", "box"), ("sphere", "sphere"), ("capsule", "box")], rng)
    model = conjoint.MjModel.from_xml_string(text.replace("<geom ", '<geom contype="0" conaffinity="0" '))
    assert not model.body_bvhnum.any()
    model.geom_contype[:] = model.geom_conaffinity[:] = 1
    data = conjoint.MjData(model)
    conjoint.mj_forward(model, data)
    assert data.ncon > 0


def stepped_beside(batch: Batch) -> list[conjoint.MjData]:
    """Step a batch, and return single worlds after the same step from the same positions."""
    worlds = [conjoint.MjData(batch.model) for _ in batch.qpos]
    for data, qpos in zip(worlds, batch.qpos, strict=True):
        data.qpos[:] = qpos
        conjoint.mj_step(batch.model, data)
    batch.step()
    return worlds


@pytest.mark.usefixtures("edition")
def test_worlds_in_lanes_drop_what_single_ones_drop():
    """Worlds in lanes omit the contacts that single worlds omit, even if poses differ only by rounding."""
    rng = np.random.default_rng(5)
    model = conjoint.MjModel.from_xml_string(
        just_touching([("box", "box"), ("sphere", "sphere"), ("capsule", "box")], rng)
    )
    batch = Batch(model, 16, nthread=1)
    for k in range(16):
        batch.qpos[k, :3] += 1e-17 * k * rng.normal(size=3)
    batch.qpos[8:, :3] *= 1 + 2e-16 * np.arange(8)[:, None]
    singles = stepped_beside(batch)
    assert batch.ncon.tolist() == [data.ncon for data in singles]
    assert len(set(batch.ncon.tolist())) > 1


@pytest.mark.usefixtures("edition")
def test_worlds_of_a_batch_meet_as_single_ones():
    model = conjoint.MjModel.from_xml_string(row_of(ROWS["x"], BALL))
    batch = Batch(model, 3, nthread=1)
    # the second world has the opposite order; in the third, all geoms clearly penetrate
    batch.qpos[1].reshape(4, 7)[:, 0] *= -1
    batch.qpos[2].reshape(4, 7)[:, 0] *= 0.9
    singles = stepped_beside(batch)
    np.testing.assert_allclose(batch.qvel, [data.qvel for data in singles], rtol=1e-12, atol=1e-12)
    assert batch.ncon.tolist() == [data.ncon for data in singles] == [0, 3, 3]
