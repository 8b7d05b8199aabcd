"""User-defined collision functions and contact filters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang import kernel, vec3
from conjoint.physics.collision.sphere_solids import sphere_box

SPHERE, BOX = int(conjoint.mjtGeom.mjGEOM_SPHERE), int(conjoint.mjtGeom.mjGEOM_BOX)

SCENE = """<mujoco><worldbody>
  <geom type="box" size=".5 .5 .1"/><geom type="plane" pos="0 0 -1" size="1 1 1"/>
  <body pos=".1 0 .18"><freejoint/><geom size=".1" margin=".1" gap=".1"/></body>
  <body pos="0 .4 .19"><freejoint/><geom size=".1" margin=".1" gap=".1"/></body>
</worldbody></mujoco>"""


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    """Restore the collider table and the callbacks after each test, because they are global."""
    yield
    del conjoint.mjCOLLISIONFUNC[SPHERE, BOX]
    conjoint.mj_resetCallbacks()


@kernel
def sunken(m, d, g1, g2, margin, dists, points):
    """Collider that lets a sphere rest on the central plane of a box."""
    dists[0] = d.geom_xpos[g1].z - d.geom_xpos[g2].z - m.geom_size[g1].x
    if dists[0] > margin:
        return 0
    points[0] = d.geom_xpos[g1] - vec3(0.0, 0.0, m.geom_size[g1].x + 0.5 * dists[0])
    points[1] = vec3(0.0, 0.0, -1.0)
    points[2] = vec3(0.0, 0.0, 0.0)
    return 1


def sunken_function(m: Any, d: Any, con: Any, g1: int, g2: int, margin: float) -> int:
    """Collide a sphere with the central plane of a box, like `sunken`, but as a Python function."""
    dist = d.geom_xpos[g1, 2] - d.geom_xpos[g2, 2] - m.geom_size[g1, 0]
    if dist > margin:
        return 0
    con[0].dist = dist
    con[0].pos[:] = d.geom_xpos[g1] - [0, 0, m.geom_size[g1, 0] + 0.5 * dist]
    con[0].frame[:3] = 0, 0, -1
    return 1


def made() -> tuple[Any, Any]:
    m = conjoint.MjModel.from_xml_string(SCENE)
    return m, conjoint.MjData(m)


def contacts(m: Any, d: Any) -> np.ndarray:
    conjoint.mj_forward(m, d)
    return np.column_stack([d.contact.dist, d.contact.pos, np.reshape(d.contact.frame, (-1, 9)), d.contact.geom])


@kernel
def as_the_engine(m, d, g1, g2, margin, dists, points):
    """Call the engine's own collider from a custom kernel."""
    return sphere_box(m, d, g1, g2, margin, dists, points)


def test_contacts_of_a_kernel_stand_beside_those_of_flexes() -> None:
    """Contacts of a custom collider do not overwrite flex contacts."""
    cloth = (
        "<flexcomp name='cloth' type='grid' count='4 4 1' spacing='.1 .1 .1' pos='-2 -2 .105' radius='.01' dim='2'>"
        "<contact selfcollide='none'/></flexcomp>"
    )
    balls = "".join(f"<body pos='{x} 0 .195'><freejoint/><geom size='.1'/></body>" for x in range(3))
    xml = f"<mujoco><worldbody><geom type='box' size='9 9 .1'/>{balls}{cloth}</worldbody></mujoco>"
    m = conjoint.MjModel.from_xml_string(xml)
    d = conjoint.MjData(m)
    before = contacts(m, d)
    flexes = np.array(d.contact.flex)
    assert (flexes >= 0).any() and (flexes < 0).all(axis=1).sum() == 3
    conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = as_the_engine
    np.testing.assert_array_equal(contacts(m, d), before)
    np.testing.assert_array_equal(d.contact.flex, flexes)


@pytest.mark.plain
def test_functions_and_kernels_replace_a_collider_and_give_it_back() -> None:
    m, d = made()
    before = contacts(m, d)
    assert len(before) == 2
    conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = sunken
    kernels = contacts(m, d)
    assert len(kernels) == 2
    np.testing.assert_allclose(kernels[:, 0], before[:, 0] + 0.1, atol=1e-12)
    assert conjoint.mjCOLLISIONFUNC[SPHERE, BOX] is sunken
    conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = sunken_function
    np.testing.assert_allclose(contacts(m, d), kernels, atol=1e-15)
    conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = None
    assert len(contacts(m, d)) == 0
    assert conjoint.mjCOLLISIONFUNC[SPHERE, BOX] is None
    del conjoint.mjCOLLISIONFUNC[SPHERE, BOX]
    np.testing.assert_array_equal(contacts(m, d), before)
    assert conjoint.mjCOLLISIONFUNC[SPHERE, BOX] is sphere_box


def test_distances_follow_the_table() -> None:
    m, d = made()
    conjoint.mj_kinematics(m, d)
    ends = np.zeros(6)
    for collider in (sunken, sunken_function):
        conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = collider
        assert conjoint.mj_geomDistance(m, d, 2, 0, 1.0, ends) == pytest.approx(0.08)
        np.testing.assert_allclose(ends, [0.1, 0, 0.08, 0.1, 0, 0], atol=1e-12)
        assert conjoint.mj_geomDistance(m, d, 0, 2, 1.0, ends) == pytest.approx(0.08)
        np.testing.assert_allclose(ends, [0.1, 0, 0, 0.1, 0, 0.08], atol=1e-12)
    conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = None
    assert conjoint.mj_geomDistance(m, d, 2, 0, 1.0, ends) == 1.0
    assert not ends.any()


def test_kernels_run_in_batches_and_functions_do_not() -> None:
    m, d = made()
    m.opt.timestep = 0.01
    old = Batch(m, 3, nthread=1)
    conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = sunken
    with pytest.raises(conjoint.FatalError, match="make a new batch"):
        old.step()
    batch = Batch(m, 3, nthread=1)
    batch.step(50)
    conjoint.mj_step(m, d, 50)
    np.testing.assert_allclose(batch.qpos[1], d.qpos, atol=1e-9)
    # the spheres have fallen to the central plane of the box
    assert 0.09 < d.qpos[2] < 0.1
    conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = sunken_function
    with pytest.raises(conjoint.FatalError, match="mjCOLLISIONFUNC"):
        Batch(m, 3, nthread=1).step()


def test_many_contacts_of_a_function_find_room() -> None:
    def many(m: Any, d: Any, con: Any, g1: int, g2: int, margin: float) -> int:
        for i, contact in enumerate(con):
            contact.dist, contact.pos[:], contact.frame[:3] = -0.01 * i, [i, 0, 0], [0, 0, 1]
        return len(con)

    bodies = "<body><freejoint/><geom size='.1'/></body>" * 20
    m = conjoint.MjModel.from_xml_string(
        f"<mujoco><worldbody><geom type='box' size='1 1 1'/>{bodies}</worldbody></mujoco>"
    )
    m.geom_contype[1:] = 0
    d: Any = conjoint.MjData(m)
    conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = many
    conjoint.mj_fwdPosition(m, d)
    assert d.ncon == 20 * conjoint.mjMAXCONPAIR
    np.testing.assert_allclose(d.contact.pos[:50, 0], np.arange(50))


def test_what_is_wrong_is_said() -> None:
    m, d = made()
    with pytest.raises(conjoint.FatalError, match="smaller first"):
        conjoint.mjCOLLISIONFUNC[BOX, SPHERE] = None
    with pytest.raises(TypeError, match="a kernel, a Python function or None"):
        conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = 3  # type: ignore[assignment]
    conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = lambda m, d, con, g1, g2, margin: None
    with pytest.raises(TypeError, match="must return the number of contacts"):
        conjoint.mj_forward(m, d)
    conjoint.mjCOLLISIONFUNC[SPHERE, BOX] = lambda m, d, con, g1, g2, margin: 51
    with pytest.raises(conjoint.FatalError, match="at most 50"):
        conjoint.mj_forward(m, d)


GEOMS = {
    "bits of one geom": '<geom size=".1" contype="2" conaffinity="2"/><body><freejoint/><geom size=".1"/></body>',
    "bits of other geoms": """<geom size=".1" contype="2" conaffinity="2"/><geom size=".1"/>
        <body><freejoint/><geom size=".1" contype="0" conaffinity="0"/><geom size=".1"/></body>""",
    "parent and child": """<body><freejoint/><geom size=".1"/><body><joint/><geom size=".1"/></body></body>""",
    "excluded": """<body name="a"><freejoint/><geom size=".1"/></body><body name="b"><freejoint/><geom size=".1"/></body>""",
}


@pytest.mark.parametrize("midphase", ["enable", "disable"])
@pytest.mark.parametrize("name", GEOMS)
def test_a_contact_filter_is_asked_in_place_of_bits(name: str, midphase: str) -> None:
    """A contact filter replaces the collision bits of geoms. Pairs must still pass the bits of their bodies and all other filters."""
    exclude = '<contact><exclude body1="a" body2="b"/></contact>' if name == "excluded" else ""
    xml = f"""<mujoco><option><flag midphase="{midphase}"/></option>
        <worldbody>{GEOMS[name]}</worldbody>{exclude}</mujoco>"""
    found = []
    for package in (mujoco, conjoint):
        m: Any = package.MjModel.from_xml_string(xml)
        d: Any = package.MjData(m)
        requested: set[tuple[int, int]] = set()

        def contactfilter(m: Any, d: Any, g1: int, g2: int, requested: set[tuple[int, int]] = requested) -> int:
            requested.add((int(g1), int(g2)))
            return 0

        package.mj_forward(m, d)
        before = np.array(d.contact.geom).tolist()
        package.set_mjcb_contactfilter(contactfilter)
        try:
            package.mj_forward(m, d)
        finally:
            package.set_mjcb_contactfilter(None)
        with_filter = np.array(d.contact.geom).tolist()
        package.mj_forward(m, d)
        found.append((before, with_filter, requested, np.array(d.contact.geom).tolist()))
    assert found[1] == found[0]


@pytest.mark.parametrize("nconmax", [-1, 2])
def test_a_contact_is_added_as_officially(nconmax: int) -> None:
    """`mj_makeConstraint` creates rows for contacts added by `mj_addContact`, up to the model's `nconmax`, as in MuJoCo."""
    body = '<body pos="{} 0 .05"><freejoint/><geom size=".1"/></body>'
    xml = f"""<mujoco><size nconmax="{nconmax}"/><worldbody><geom type="plane" size="1 1 1"/>
        {body.format(0)}{body.format(1)}</worldbody></mujoco>"""
    found = []
    for package in (mujoco, conjoint):
        m: Any = package.MjModel.from_xml_string(xml)
        d: Any = package.MjData(m)
        package.mj_forward(m, d)
        contact = package.MjContact()
        contact.dist, contact.dim, contact.geom[:], contact.frame.ravel()[[0, 4, 8]] = -0.3, 3, [0, 2], 1
        contact.friction[:], contact.solref[:], contact.solimp[:] = 1, [0.02, 1], [0.9, 0.95, 0.001, 0.5, 2]
        package.set_mju_user_warning(lambda text: None)
        try:
            answer = package.mj_addContact(m, d, contact)
        finally:
            package.set_mju_user_warning(None)
        counts = [answer, d.ncon, d.nefc, d.ne, d.nf, d.nl, d.warning[package.mjtWarning.mjWARN_CONTACTFULL].number]
        package.mj_makeConstraint(m, d)
        found.append((counts, d.nefc, np.array(d.efc_pos)))
    assert found[1][:2] == found[0][:2]
    np.testing.assert_allclose(found[1][2], found[0][2], atol=1e-12)
