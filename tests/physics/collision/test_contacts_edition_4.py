"""Contacts of edition 4.0: recorded figures of 4.0.0, derivatives, batches and options.

The figures were printed by this program, with the official package (`mujoco==4.0.0`) instead of Conjoint:

    m = mujoco.MjModel.from_xml_string(scene(*case)); d = mujoco.MjData(m); mujoco.mj_forward(m, d)
    print(d.contact.frame[0, :3], d.contact.dist, d.contact.pos)
"""

from __future__ import annotations

import numpy as np
import pytest

import conjoint as mj
from conjoint.batch import Batch
from conjoint.compiler.assets.polygons import cells
from contact_changes import WEIGHTS, exact_change, moved

MESHES = """<asset><mesh name="cube" scale=".1 .1 .1" vertex="-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1"/>
    <mesh name="wedge" scale=".1 .1 .1" vertex="-1 -1 -.5 1 -1 -.5 -1 1 -.5 1 1 -.5 -1 -.3 .5 1 .3 .5"/></asset>"""

GEOMS = {
    "box": "type=\"box\" size=\".3 .2 .1\"", "small": "type=\"box\" size=\".05 .08 .1\"",
    "thin": "type=\"box\" size=\".3 .3 .002\"", "cylinder": "type=\"cylinder\" size=\".1 .15\"",
    "capsule": "type=\"capsule\" size=\".05 .12\"", "cube": "type=\"mesh\" mesh=\"cube\"",
    "wedge": "type=\"mesh\" mesh=\"wedge\"", "plane": "type=\"plane\" size=\"1 1 1\"",
}  # fmt: skip

# fmt: off
FIGURES = [
    ("box", "cube", "0 0 .195", "", "", (0.0, 0.0, 1.0), [(-0.005, -0.1, -0.1, 0.0975), (-0.005, 0.1, -0.1, 0.0975), (-0.005, 0.1, 0.1, 0.0975), (-0.005, -0.1, 0.1, 0.0975)]),
    ("box", "cube", "0 0 .195", "euler='0 0 30'", "", (0.0, 0.0, 1.0), [(-0.005, -0.0366025, -0.1366025, 0.0975), (-0.005, 0.1366025, -0.0366025, 0.0975), (-0.005, 0.0366025, 0.1366025, 0.0975), (-0.005, -0.1366025, 0.0366025, 0.0975)]),
    ("box", "cube", "0 .1 .235", "euler='45 0 0'", "", (0.0, 0.0, 1.0), [(-0.0064214, -0.1, 0.1, 0.0967893), (-0.0064214, 0.1, 0.1, 0.0967893)]),
    ("box", "cube", "0 0 .21", "", "margin='.01'", (0.0, 0.0, 1.0), [(0.01, -0.1, -0.1, 0.105), (0.01, 0.1, -0.1, 0.105), (0.01, 0.1, 0.1, 0.105), (0.01, -0.1, 0.1, 0.105)]),
    ("cube", "wedge", "0 0 .145", "", "", (0.0, 0.0, 1.0), [(-0.005, 0.0775736, 0.1, 0.0975), (-0.005, -0.1, 0.1, 0.0975), (-0.005, -0.1, -0.1, 0.0975), (-0.005, 0.1, -0.1, 0.0975)]),
    ("cylinder", "box", "0 0 .245", "euler='0 0 20'", "", (0.0, 0.0, 1.0), [(-0.005, 0.092388, -0.0382683, 0.1475), (-0.005, 0.0382683, 0.092388, 0.1475), (-0.005, -0.0707107, 0.0707107, 0.1475), (-0.005, -0.0382683, -0.092388, 0.1475)]),
    ("cylinder", "small", "0.04 .03 .245", "euler='0 0 20'", "", (0.0, 0.0, 1.0), [(-0.005, 0.0707107, 0.0707107, 0.1475), (-0.005, 0.0, 0.1, 0.1475), (-0.005, -0.0343462, 0.0880744, 0.1475), (-0.005, 0.020377, -0.0622764, 0.1475)]),
    ("capsule", "cube", "0.145 0 .03", "", "", (1.0, 0.0, 0.0), [(-0.005, 0.0475, 0.0, 0.12), (-0.005, 0.0475, 0.0, -0.07)]),
    ("cylinder", "cylinder", "0 .05 .295", "", "", (0.0, 0.0, 1.0), [(-0.005, 0.092388, 0.0117317, 0.1475), (-0.005, 0.0, 0.1, 0.1475), (-0.005, -0.0950272, 0.025, 0.1475), (-0.005, 0.0, -0.05, 0.1475)]),
    ("box", "box", "0 .1 .19", "euler='0 0 25'", "", (0.0, 0.0, 1.0), [(-0.01, -0.2587896, 0.2, 0.095), (-0.01, -0.3, 0.1807833, 0.095), (-0.01, -0.3, 0.0334916, 0.095), (-0.01, -0.1911211, -0.2, 0.095), (-0.01, -0.1701118, -0.2, 0.095), (-0.01, 0.3, 0.0192167, 0.095), (-0.01, 0.3, 0.1665084, 0.095), (-0.01, 0.2843826, 0.2, 0.095)]),
    ("box", "small", "0.1 .05 .17", "euler='10 30 15'", "", (0.0, 0.0, 1.0), [(-0.013207, 0.0738943, 0.1562784, 0.0933965), (-0.0173667, 0.0261057, -0.0262016, 0.0913166), (-0.0604349, 0.1097573, 0.0076736, 0.0697825)]),
    ("thin", "small", "0.1 .05 .06", "", "", (0.0, 0.0, 1.0), [(-0.042, 0.15, 0.13, -0.019), (-0.042, 0.05, 0.13, -0.019), (-0.042, 0.05, -0.03, -0.019), (-0.042, 0.15, -0.03, -0.019)]),
    ("box", "small", ".33 .23 0", "euler='0 45 40'", "", (0.8600121, 0.5102736, 0.0), [(-0.0593957, 0.2744595, 0.184846, -0.0603403)]),
    ("plane", "cube", "0 0 .095", "euler='0 0 10'", "", (0.0, 0.0, 1.0), [(-0.005, -0.081116, -0.1158456, -0.0025), (-0.005, -0.1158456, 0.081116, -0.0025), (-0.005, 0.081116, 0.1158456, -0.0025), (-0.005, 0.1158456, -0.081116, -0.0025)]),
    ("plane", "wedge", "0 0 .045", "euler='.2 .1 0'", "", (0.0, 0.0, 1.0), [(-0.0055232, 0.0999126, -0.0998242, -0.0027616), (-0.0051742, -0.1000871, -0.0998255, -0.0025871), (-0.004476, -0.1000871, 0.1001733, -0.002238), (-0.0048251, 0.0999126, 0.1001745, -0.0024125)]),
]
# fmt: on
"""Scenes and their contacts, in tuples.

A tuple contains the first and second geom, position and orientation of the second, attributes of both, the contact normal,
and the distance and position of each contact.
"""


def scene(first: str, second: str, pos: str, turn: str = "", attributes: str = "") -> str:
    """Return the XML of a model with a fixed geom and a free one."""
    return f"""<mujoco>{MESHES}<worldbody><geom {GEOMS[first]} {attributes}/>
        <body pos="{pos}" {turn}><freejoint/><geom {GEOMS[second]} {attributes}/></body></worldbody></mujoco>"""


def found(xml: str, edition: str = "4.0") -> mj.MjData:
    """Return data of a model after `mj_forward` in an edition."""
    with mj.semantics(edition):
        m = mj.MjModel.from_xml_string(xml)
    d = mj.MjData(m)
    mj.mj_forward(m, d)
    return d


def in_order(contacts: np.ndarray) -> np.ndarray:
    """Return rows of distances and positions, sorted by position."""
    return contacts[np.lexsort(contacts[:, 1:].round(5).T)]


@pytest.mark.parametrize(("first", "second", "pos", "turn", "attributes", "normal", "contacts"), FIGURES)
def test_figures(first, second, pos, turn, attributes, normal, contacts):
    """Contacts of boxes, meshes, cylinders, capsules and planes equal the figures of 4.0.0."""
    d = found(scene(first, second, pos, turn, attributes))
    mine = np.column_stack([d.contact.dist, d.contact.pos])
    assert len(mine) == len(contacts)
    # figures and mesh vertices have seven digits
    np.testing.assert_allclose(in_order(mine), in_order(np.array(contacts)), atol=3e-7, rtol=0)
    np.testing.assert_allclose(d.contact.frame[:, :3], [normal] * len(mine), atol=3e-7, rtol=0)
    # 3.3.5 differs, except for parallel faces of a box or a plane, where there is little choice
    before = found(scene(first, second, pos, turn, attributes), "3.3.5")
    theirs = np.column_stack([before.contact.dist, before.contact.pos])
    assert theirs.shape != mine.shape or np.abs(in_order(theirs) - in_order(mine)).max() > 1e-5


@pytest.mark.parametrize(("roll", "limit"), [(0.0, np.arccos(0.996)), (30.0, np.arcsin(0.0888))])
def test_how_parallel_is_parallel(roll, limit):
    """Faces, and edges that lie along faces, count as parallel up to the same angles as in mujoco==4.0.0.

    These angles were determined experimentally.
    """
    s, c = np.sin(np.radians(roll)), np.cos(np.radians(roll))
    for angle, several in ((limit - 1e-5, True), (limit + 1e-5, False)):
        along, down = np.cos(angle), np.sin(angle)
        turn = f'xyaxes="{along} 0 {-down} {s * down} {c} {s * along}"'
        d = found(scene("box", "cube", f"0 0 {0.185 + 0.04 * (roll > 0)}", turn, 'margin=".05"'))
        assert d.ncon == ((2 if roll else 4) if several else (1 if roll else 2))


def test_capsules_side_by_side():
    """Parallel capsules have a contact at each end, even after a slight rotation; 3.3.5 finds only one contact."""
    for turn in ("", 'euler="0.004 0 0"'):
        d = found(scene("capsule", "capsule", ".095 0 .1", turn))
        np.testing.assert_allclose(d.contact.pos[:, [0, 2]], [[0.0475, -0.02], [0.0475, 0.12]], atol=1e-8, rtol=0)
    assert found(scene("capsule", "capsule", ".095 0 .1", turn), "3.3.5").ncon == 1


def test_normals_of_height_fields():
    """Normals of a ball and a cylinder on a height field are directions of least penetration, as in 4.0.0.

    In 3.3.5 they are normals of the surface.
    """
    for geom, turned in (('size=".1"', 1), ('type="cylinder" size=".1 .1" euler="20 30 10"', 0)):
        xml = f"""<mujoco><asset><hfield name="h" nrow="4" ncol="4" size="1 1 .5 .1"
          elevation="0 .2 .5 .1 .3 .4 .9 .2 .5 .1 .2 .3 .7 .6 .4 .8"/></asset><worldbody><geom type="hfield" hfield="h"/>
          <body pos=".1 .05 .25"><freejoint/><geom {geom}/></body></worldbody></mujoco>"""
        normals = found(xml).contact.frame[:, :3]
        s = np.sqrt(0.5)
        expected = [[s, -s, 0], [-s, s, 0] if turned else [-0.736086, 0.349724, 0.579542]]
        np.testing.assert_allclose(normals[:2], expected, atol=1e-5)
        assert np.abs(found(xml, "3.3.5").contact.frame[turned, :3] - normals[turned]).max() > 3e-4


def test_overlap_is_found_by_the_nearest_point_of_a_simplex():
    """The penetration depth after each iteration equals that of mujoco==4.0.0, whose search follows a simplex's nearest point."""
    vertices = (
        "0.2041 -0.2556 0.0418 -0.0568 -0.0453 -0.0216 -0.2020 -0.0232 -0.0865 0.3323 0.0226 -0.0353 -0.0281 -0.0668 "
        "-0.1055 -0.0391 0.0482 -0.0239 0.0958 -0.0200 0.0024 0.1546 0.0545 -0.0505 -0.0183 0.0541 0.1935 -0.0270 "
        "-0.0244 0.1002 -0.0886 -0.0292 0.0883 0.0580 0.0092 0.0670 -0.2828 0.1021 -0.0960 -0.1669 0.0276 0.0701 "
    )
    depths = [0.109300343, 0.115707139, 0.116721878, 0.117261218, 0.117396187, 0.117602913]
    xml = f"""<mujoco><asset><mesh name="m" vertex="{vertices}"/></asset><worldbody><geom type="mesh" mesh="m"/>
      <body pos="-0.013 -0.032 0.001"><freejoint/><geom size=".05"/></body></worldbody></mujoco>"""
    for edition, agreed in (("4.0", True), ("3.3.5", False)):
        with mj.semantics(edition):
            m = mj.MjModel.from_xml_string(xml)
        d = mj.MjData(m)
        found_depths = []
        for m.opt.ccd_iterations in range(5, 5 + len(depths)):
            mj.mj_forward(m, d)
            found_depths.append(-d.contact.dist[0])
        assert (np.abs(np.array(found_depths) - depths).max() < 1e-8) == agreed


@pytest.mark.parametrize(("edition", "limit", "acts"), [("3.3.5", 0.02, 0.01), ("4.0", 0.045, 0.03)])
def test_margins_and_gaps(edition, limit, acts):
    """In both editions, contacts are listed and exert forces up to the distances that margins and gaps define.

    The geoms have margins of 1 and 2 cm and gaps of 1 and 0.5 cm.
    """
    for height in (acts - 1e-4, acts + 1e-4, limit - 1e-4, limit + 1e-4):
        d = found(
            f"""<mujoco><worldbody><geom type="plane" size="1 1 1" margin=".01" gap=".01"/><body pos="0 0 {0.1 + height}">
            <freejoint/><geom size=".1" margin=".02" gap=".005"/></body></worldbody></mujoco>""", edition)  # fmt: skip
        assert d.ncon == (height < limit)
        assert (d.nefc > 0) == (height < acts)
        if d.ncon:
            np.testing.assert_allclose(d.contact.includemargin, acts, rtol=1e-12)


def test_override_and_pairs_have_margins_of_their_own():
    """With the flag `override`, geom gaps are ignored; explicit pairs have their own margin and gap."""
    pair = '<contact><pair geom1="p" geom2="s" margin=".004" gap=".1"/></contact>'
    xml = """<mujoco><option o_margin=".005"><flag override="{}"/></option><worldbody><geom name="p" type="plane"
        size="1 1 1" margin=".01" gap=".01"/><body pos="0 0 {}"><freejoint/>
        <geom name="s" size=".1" margin=".02" gap=".005"/></body></worldbody>{}</mujoco>"""
    assert [found(xml.format("enable", z, "")).ncon for z in (0.104, 0.106)] == [1, 0]
    d = found(xml.format("disable", 0.19, pair))
    assert (d.ncon, d.nefc, d.contact.includemargin[0]) == (1, 0, 0.004)
    assert found(xml.format("disable", 0.21, pair)).ncon == 0


def test_options():
    """The flag `multiccd` disables multiple contacts, and `ccd_iterations` has a different default than in 3.3.5."""
    xml = scene("box", "cube", "0 0 .195")
    off = xml.replace("<asset>", '<option><flag multiccd="disable"/></option><asset>')
    assert found(xml).ncon == 4 and found(off).ncon == 1
    given = xml.replace("<asset>", '<option ccd_iterations="50"/><asset>')
    with mj.semantics("4.0"):
        assert mj.MjModel.from_xml_string(xml).opt.ccd_iterations == 35
        spec = mj.MjSpec.from_string(off)
        assert "multiccd" in spec.to_xml()
        assert mj.MjModel.from_xml_string(given).opt.ccd_iterations == 50
        again = mj.MjModel.from_xml_string(mj.MjSpec.from_string(given).to_xml())
        assert again.opt.ccd_iterations == 50
    assert found(spec.to_xml()).ncon == 1
    m = mj.MjModel.from_xml_string(off)
    assert (m.opt.ccd_iterations, m.opt.disableflags) == (50, 0)
    # the edition is selected after parsing
    spec = mj.MjSpec.from_string(xml)
    spec.semantics = "4.0"
    assert spec.compile().opt.ccd_iterations == 35


def test_normals_of_sides():
    """The normal of a mesh face that is not quite flat follows Newell's method, which sums over the edges of its outline."""
    top = "1 0 .5003  .7 .7 .5001  0 1 .4999  -.7 .7 .5002  -1 0 .5  -.7 -.7 .5001  0 -1 .5003  .7 -.7 .4998"
    below = top.replace(".500", "-.500").replace(".499", "-.500").replace(".5 ", "-.5 ")
    xml = f"""<mujoco><asset><mesh name="m" vertex="{top} {below}"/></asset><worldbody>
        <geom type="mesh" mesh="m"/></worldbody></mujoco>"""
    errors = []
    for edition in ("3.3.5", "4.0"):
        with mj.semantics(edition):
            m = mj.MjModel.from_xml_string(xml)
        error = 0.0
        for k, start in enumerate(m.mesh_polyvertadr):
            corners = m.mesh_vert[m.mesh_polyvert[start : start + m.mesh_polyvertnum[k]]].astype(float)
            normal = np.cross(corners, np.roll(corners, -1, 0)).sum(0)
            error = max(error, np.abs(m.mesh_polynormal[k] - normal / np.linalg.norm(normal)).max())
        errors.append(error)
    assert errors[0] > 1e-4 and errors[1] < 1e-7


DENTED = """-1 -1.001 -.999  1.002 -1 -1  1 1.003 -1.001  -1 1 -1  -1.002 -1 1.001  1 -1 1.002  1 1.001 1  -1.003 1.002 1
    .3 1.5 .2  1.5 .3 .2"""
"""Vertices of a mesh: a cube whose corners are displaced by about a thousandth, and two peaks."""

SIDES_OF_DENTED = (
    (2, 6, 9), (1, 2, 9), (8, 3, 7), (5, 1, 9), (5, 4, 0, 1), (4, 5, 7), (8, 2, 3), (3, 2, 1, 0), (3, 0, 4, 7),
    (6, 8, 7), (2, 8, 6), (6, 5, 9), (5, 6, 7),
)  # fmt: skip
"""Faces of the hull of `DENTED` in 4.0.0, in the order of 4.0.0; the faces differ in 3.3.5."""


def test_triangles_that_are_one_side():
    """Triangles whose normals are in one cell of inclination and azimuth form one face, in the order of 4.0.0.

    The order matters because it decides between equal faces.
    """
    xml = f"""<mujoco><asset><mesh name="m" vertex="{DENTED}"/></asset><worldbody><geom type="mesh" mesh="m"/>
        </worldbody></mujoco>"""
    with mj.semantics("4.0"):
        m = mj.MjModel.from_xml_string(xml)
    sides = [
        tuple(m.mesh_polyvert[start : start + count])
        for start, count in zip(m.mesh_polyvertadr, m.mesh_polyvertnum, strict=True)
    ]
    assert sides == list(SIDES_OF_DENTED)


def test_azimuth_is_cut_where_x_is_negative():
    """Triangles with normals on opposite sides of the jump of the azimuth form two faces.

    Triangles with normals exactly on the jump form one face, whatever the sign of zero.
    """
    unit = np.array([[-1, 0.0, 0], [-1, -0.0, 0], [-1, -1e-9, 0], [1e-9, 0, 1], [0, 1e-9, 1]])
    assert sorted(cells([0, 1, 2, 3, 4], unit)) == [[0, 1], [2], [3, 4]]


HEAP = f"""<mujoco>{MESHES}<custom><text name="conjoint.semantics" data="4.0"/></custom><worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body pos="0 0 .1"><freejoint/><geom {GEOMS["cube"]}/></body>
    <body pos=".04 .02 .298" euler="0 0 20"><freejoint/><geom {GEOMS["small"]} margin=".002"/></body>
    <body pos=".4 0 .098" euler="3 2 0"><freejoint/><geom {GEOMS["box"]}/></body>
    <body pos=".4 .05 .296" euler="0 0 25"><freejoint/><geom {GEOMS["box"]}/></body>
    <body pos=".64 .12 .543" euler="0 0 25"><freejoint/><geom {GEOMS["cylinder"]} margin=".001"/></body>
    <body pos="-.3 0 .05" euler="90 0 0"><freejoint/><geom {GEOMS["capsule"]}/></body>
    <body pos="-.25 0 .12" euler="90 0 .1"><freejoint/><geom {GEOMS["capsule"]}/></body></worldbody></mujoco>"""
"""Model of a heap of boxes, meshes, capsules and a cylinder on a plane.

Only a part of the cylinder's cap is above a box, so that no two corners are equally deep.
"""


def test_batches_have_what_one_world_has():
    """A world of a batch is bit-identical to a batch of one world, and equals a single world up to rounding."""
    m = mj.MjModel.from_xml_string(HEAP)
    d = mj.MjData(m)
    mj.mj_forward(m, d)
    starts = d.qpos + 1e-3 * np.random.default_rng(0).normal(size=(9, m.nq))
    batch, alone = Batch(m, 9, nthread=1), Batch(m, 1, nthread=1)
    batch.qpos[:] = starts
    batch.step(5)
    alone.qpos[:] = starts[4:5]
    alone.step(5)
    np.testing.assert_array_equal(alone.qpos[0], batch.qpos[4])
    for world in (0, 8):
        mj.mj_resetData(m, d)
        d.qpos[:] = starts[world]
        mj.mj_step(m, d, 5)
        assert d.ncon > 12
        np.testing.assert_allclose(batch.qpos[world], d.qpos, atol=1e-12, rtol=0)


def nearest_rows(m: mj.MjModel, d: mj.MjData, way: np.ndarray, step: float) -> np.ndarray:
    """Return distances, positions and normals of the contacts after a displacement, in the order of the contacts in `d`."""
    e = moved(m, d, way, step)
    rows = np.column_stack([e.contact.dist, e.contact.pos, e.contact.frame[:, :3]])
    chosen = []
    for geoms, pos in zip(d.contact.geom, d.contact.pos, strict=True):
        far = np.abs(e.contact.pos - pos).max(1) + (e.contact.geom != geoms).any(1)
        chosen.append(rows[far.argmin()])
    return np.array(chosen)


def test_derivatives():
    """Contact derivatives agree with finite differences, even if the contacts of a pair are reordered."""
    option = '<option ccd_tolerance="1e-12" ccd_iterations="160"/>'
    m = mj.MjModel.from_xml_string(HEAP.replace("<custom>", f"{option}<custom>"))
    d = mj.MjData(m)
    rng = np.random.default_rng(1)
    mj.mj_integratePos(m, d.qpos, 1e-3 * rng.normal(size=m.nv), 1.0)
    mj.mj_forward(m, d)
    assert d.ncon > 12
    way = 0.3 * rng.normal(size=m.nv)
    exact = exact_change(m, d, way)
    exact = np.column_stack([exact["contact_dist"], exact["contact_pos"], exact["contact_frame"][:, :3]])
    step = 2e-6
    change = sum(
        (nearest_rows(m, d, way, k * step) - nearest_rows(m, d, way, -k * step)) * (weight / step)
        for k, weight in WEIGHTS.items()
    )
    np.testing.assert_allclose(exact, change, atol=1e-8, rtol=1e-8)


@pytest.mark.parametrize(
    ("geom", "distances"),
    [
        ('size=".1"', [-0.005, 0.0184268]), ('type="box" size=".1 .1 .1"', [-0.005, -0.005]),
        ('type="capsule" size=".1 .1"', [-0.105, -0.0292893]), ('type="mesh" mesh="cube"', [-0.005, -0.005]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("margin", [0, 0.02])
def test_margins_of_height_fields(geom: str, distances: list, margin: float):
    """Contacts with height fields report the penetration depth, whatever the margin; in 3.3.5 they are deeper by 1.5 margins."""
    xml = f"""<mujoco>{MESHES.replace("</asset>", '<hfield name="h" nrow="2" ncol="2" size="1 1 .1 .1" elevation="0 0 0 0"/></asset>')}
      <worldbody><geom type="hfield" hfield="h" margin="{margin}"/>
      <body pos=".1 .2 .095"><freejoint/><geom {geom} margin="{margin}"/></body></worldbody></mujoco>"""
    d = found(xml)
    expected = distances if margin else [x for x in distances if x < 0]
    np.testing.assert_allclose(np.sort(d.contact.dist), expected, atol=2e-6)
    deepest = d.contact[int(np.argmin(d.contact.dist))]
    np.testing.assert_allclose([deepest.pos[2], *deepest.frame[:3]], [0.5 * distances[0], 0, 0, 1], atol=2e-6)
    batch = Batch(d.model, 3, nthread=1)
    batch.forward()
    np.testing.assert_allclose(np.sort(batch.contact(2).dist), np.sort(d.contact.dist), atol=1e-12)
    if margin:
        assert found(xml, "3.3.5").contact.dist.min() == pytest.approx(distances[0] - 0.03, abs=2e-6)
