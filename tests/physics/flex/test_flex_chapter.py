"""Statements of the documentation about `flexcomp`, `flex` and `equality/flex` that no other test covers.

Tests of shapes, pins and files of flexcomps are in test_compiler_macros.py and test_flexcomp.py. Tests of forces, edges and
equilibrium are in test_flex.py, of materials in test_physics_flex.py, of contacts in test_flex_contacts.py, of skins in
test_skin.py, and of composites in test_composite.py.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from conjoint.lang.errors import ModelError
from flex_models import BLOCK, GRID, ROPE, SHELL, SOLID, model
from oracle import model_differences
from refusals import refused_by_both

GLOBAL = 'internal="false" selfcollide="none"'


def both(xml: str) -> conjoint.MjModel:
    """Return Conjoint's model, after checking that it equals MuJoCo's."""
    ours = conjoint.MjModel.from_xml_string(xml)
    assert model_differences(ours, mujoco.MjModel.from_xml_string(xml)) == {}
    return ours


def comp(attributes: str, inside: str = "") -> conjoint.MjModel:
    """Return Conjoint's model of a flexcomp in a body, after checking that it equals MuJoCo's."""
    return both(f"""<mujoco><asset><texture name="t" type="2d" builtin="flat" width="8" height="8"/>
        <material name="t" texture="t"/></asset><worldbody><body name="p" pos="1 2 3" euler="10 20 30"><geom size=".1"/>
        <flexcomp name="f" {attributes}>{inside}</flexcomp></body></worldbody></mujoco>""")


def names(m: Any, bodies: np.ndarray) -> list[str]:
    """Return the names of bodies."""
    return [m.body(int(b)).name for b in bodies]


def test_the_double_pendulum_is_saved_as_it_is_documented() -> None:
    """The documented double pendulum is saved as two bodies with a third of the mass and three slides each.

    The pinned vertex belongs to the world.
    """
    spec = conjoint.MjSpec.from_string("""<mujoco><worldbody><flexcomp name="FL" type="grid" dim="1" count="3 1 1"
        mass="3" spacing="0.2 0.2 0.2"><pin id="0"/></flexcomp></worldbody></mujoco>""")
    spec.compile()
    root = ElementTree.fromstring(spec.to_xml())
    bodies = root.findall("worldbody/body")
    assert [body.get("name") for body in bodies] == ["FL_1", "FL_2"]
    for body in bodies:
        assert float(body.find("inertial").get("mass")) == 1
        assert np.allclose([float(x) for x in body.find("inertial").get("diaginertia").split()], 1.66667e-05)
        axes = [joint.get("axis", "0 0 1") for joint in body.findall("joint")]
        assert [joint.get("type") for joint in body.findall("joint")] == ["slide"] * 3
        assert axes == ["1 0 0", "0 1 0", "0 0 1"]
    flex = root.find("deformable/flex")
    assert (flex.get("dim"), flex.get("body"), flex.get("element")) == ("1", "world FL_1 FL_2", "0 1 1 2")
    assert [float(x) for x in flex.get("vertex").split()] == [-0.2] + [0] * 8
    assert root.find("worldbody/flexcomp") is None


@pytest.mark.parametrize("pin", ["", '<pin id="1 4"/>'])
def test_points_are_bodies_and_pinned_ones_vertices_of_the_parent(pin: str) -> None:
    """Each point is a body with an equal part of the mass, unless it is pinned, which makes it a vertex of the parent.

    The mass is divided by the number of all points. `inertiabox` is half the side of a cube with the bodies' inertia, as in
    the example of the chapter.
    """
    m = comp('type="grid" dim="2" count="3 2 1" mass="3" inertiabox=".1" spacing=".2 .3 1"', pin)
    pinned = np.isin(np.arange(6), [1, 4]) if pin else np.zeros(6, bool)
    held = names(m, m.flex_vertbodyid)
    assert [name == "p" for name in held] == pinned.tolist()
    assert [name for name in held if name != "p"] == [f"f_{k}" for k in np.flatnonzero(~pinned)]
    own = m.flex_vertbodyid[~pinned]
    assert np.array_equal(m.body_parentid[own], np.full(len(own), m.body("p").id))
    assert np.allclose(m.body_mass[own], 0.5)
    assert np.allclose(m.body_inertia[own], 0.5 * 2 * 0.1**2 / 3)
    assert np.array_equal(m.body_dofnum[own], np.full(len(own), 3))
    # positions of the points in the parent's frame
    grid = np.array([(x, y, 0) for x in (-0.2, 0, 0.2) for y in (-0.15, 0.15)])
    assert np.allclose(np.where(pinned[:, None], m.flex_vert, 0), np.where(pinned[:, None], grid, 0))
    assert np.allclose(m.body_pos[own], grid[~pinned])


@pytest.mark.parametrize(
    "inside", ['<pin range="0 5"/>', '<pin gridrange="0 0 2 1"/>', '<pin id="0 1 2"/><pin id="2 3 4 5"/>']
)
def test_pinning_all_points_is_rigid(inside: str) -> None:
    """Pinning all points equals `rigid`; pins accumulate, and may name a point twice."""
    shape = 'type="grid" dim="2" count="3 2 1" spacing=".2 .3 1"'
    pinned, rigid = comp(shape, inside), comp(shape + ' rigid="true"')
    for m in (pinned, rigid):
        assert m.flex_rigid.tolist() == [1]
        assert m.nbody == 2
    assert np.array_equal(pinned.flex_vert, rigid.flex_vert)


@pytest.mark.parametrize(("shape", "edges"), [(ROPE, 1), (GRID, 3), (BLOCK, 6)])
def test_elements_have_edges_of_their_dimension(shape: str, edges: int) -> None:
    """An element has one, three or six edges, and shared edges occur once."""
    m = comp(f'type="grid" spacing=".1 .1 .1" radius=".005" {shape}', f"<contact {GLOBAL}/>")
    dim = int(m.flex_dim[0])
    elements = m.flex_elem.reshape(-1, dim + 1)
    assert len(m.flex_elemedge) == edges * len(elements)
    found = {tuple(sorted((int(row[i]), int(row[j])))) for row in elements for i in range(dim + 1) for j in range(i)}
    assert sorted(found) == sorted(tuple(sorted(pair)) for pair in m.flex_edge.tolist())


@pytest.mark.parametrize(
    ("shape", "dim"), [('type="circle" dim="1" count="9 1 1"', 1), ('type="disc" dim="2" count="5 5 1"', 2)]
)
def test_types_that_imply_a_dimension(shape: str, dim: int) -> None:
    m = comp(shape + ' spacing=".3 .3 .3" radius=".01"')
    assert m.flex_dim.tolist() == [dim]


def test_a_circle_is_closed_and_its_segments_are_as_long_as_asked() -> None:
    m = comp('type="circle" dim="1" count="9 1 1" spacing=".3 .3 .3" radius=".01"')
    assert np.allclose(m.flexedge_length0, 0.3, rtol=2e-2)
    ends = np.bincount(m.flex_elem)
    assert np.array_equal(ends, np.full(len(ends), 2))


@pytest.mark.parametrize("shape", ["box", "cylinder", "ellipsoid"])
def test_bodies_lie_on_the_shell_and_slide_from_the_middle(shape: str) -> None:
    """In radial flexes, bodies on the shell slide along rays from the center.

    Each tetrahedron connects the center, which is a vertex of the parent, to a triangle of the shell.
    """
    m = comp(f'type="{shape}" dim="3" count="4 4 4" spacing=".1 .1 .1" radius=".005" dof="radial"')
    assert names(m, m.flex_vertbodyid[:1]) == ["p"]
    shell = m.flex_vertbodyid[1:]
    # the outer points of 4 x 4 x 4
    assert len(shell) == 64 - 8
    assert np.array_equal(m.body_dofnum[shell], np.ones(len(shell)))
    axes = m.jnt_axis[m.body_jntadr[shell]]
    ways = m.body_pos[shell] / np.linalg.norm(m.body_pos[shell], axis=1)[:, None]
    assert np.allclose(axes, ways)
    assert np.all((m.flex_elem.reshape(-1, 4) == 0).sum(axis=1) == 1)


@pytest.mark.parametrize(
    ("shape", "has"),
    [
        ('dim="2" count="3 3 1"', True),
        ('type="box" dim="3" count="3 3 3"', True),
        ('type="direct" dim="1" point="0 0 0 1 0 0" element="0 1"', False),
    ],
)
def test_which_flexcomps_have_coordinates_for_textures(shape: str, has: bool) -> None:
    m = comp(f'material="t" spacing=".1 .1 .1" radius=".005" {shape}', "<contact " + GLOBAL + "/>")
    assert (m.flex_texcoordadr[0] >= 0) == has


def test_scaling_comes_before_the_pose() -> None:
    """A point is scaled, then rotated, then translated, as in 3.3.5, although the chapter scales last."""
    shape = 'type="direct" dim="1" point="1 0 0 0 2 0" element="0 1" pos=".5 0 0" euler="0 0 90" scale="2 3 1"'
    m = comp(shape, f"<contact {GLOBAL}/>")
    # (2, 0) is rotated to (0, 2), and (0, 6) to (-6, 0)
    assert np.allclose(m.body_pos[m.flex_vertbodyid], [[0.5, 2, 0], [-5.5, 0, 0]])


def written(attributes: str, bodies: int = 4, inside: str = "") -> str:
    """Return the XML of a flex with explicit attributes, and of bodies with free joints."""
    free = "".join(
        f'<body name="b{k}" pos="{k % 2} {k // 2 % 2} {k // 4}"><freejoint/><geom size=".01" contype="0" conaffinity="0"/></body>'
        for k in range(bodies)
    )
    return f"""<mujoco><worldbody>{free}</worldbody><deformable><flex name="f" {attributes}>{inside}</flex></deformable></mujoco>"""


LISTED = 'body="b0 b1 b2 b3"'


def test_vertices_that_are_left_out_are_the_bodies_themselves() -> None:
    m = both(written(f'dim="2" {LISTED} element="0 1 2"'))
    assert m.flex_centered.tolist() == [1]
    assert not m.flex_vert.any()
    one = both(written('dim="2" body="b0" vertex="0 0 0 1 0 0 0 1 0" element="0 1 2"'))
    assert (one.flex_rigid.tolist(), one.flex_centered.tolist()) == ([1], [0])


@pytest.mark.parametrize("order", ["0 1 2 4", "0 2 1 4", "4 2 1 0"])
def test_vertices_of_a_tetrahedron_may_have_any_order(order: str) -> None:
    """The vertices of a tetrahedron may be in any order; the compiler gives all tetrahedra the same orientation."""
    m = both(written('dim="3" body="b0 b1 b2 b3 b4"' + f' element="{order}"', 5))
    corners = m.body_pos[m.flex_vertbodyid][m.flex_elem]
    assert np.linalg.det(corners[1:] - corners[0]) < 0


def test_elements_may_lie_apart_but_have_no_vertex_twice() -> None:
    m = both(written('dim="1" body="b0 b1 b2 b3" element="0 1 2 3"'))
    assert m.nflexelem == 2
    with pytest.raises(ModelError, match="element"):
        conjoint.MjModel.from_xml_string(written('dim="1" body="b0 b1 b2 b3" element="0 1 2 2"'))


def test_layers_are_counted_from_the_surface() -> None:
    """Elements with a triangle on the surface have layer 0; neighbors of layer k have at most layer k + 1."""
    m = comp('type="grid" dim="3" count="7 7 7" spacing=".1 .1 .1" radius=".001"', f"<contact {GLOBAL}/>")
    elements, layer = m.flex_elem.reshape(-1, 4), m.flex_elemlayer
    triangles: dict[tuple[int, ...], list[int]] = {}
    for e, row in enumerate(elements.tolist()):
        for k in range(4):
            triangles.setdefault(tuple(sorted(row[:k] + row[k + 1 :])), []).append(e)
    outside = {owners[0] for owners in triangles.values() if len(owners) == 1}
    assert {int(e) for e in np.flatnonzero(layer == 0)} == outside
    assert layer.max() > 1
    for owners in triangles.values():
        if len(owners) == 2:
            assert abs(int(layer[owners[0]]) - int(layer[owners[1]])) <= 1


@pytest.mark.parametrize(("name", "value", "power"), [("thickness", ".02", 1), ("young", "200", 1)])
def test_stretching_follows_thickness_and_modulus(name: str, value: str, power: int) -> None:
    """The stretching stiffness of a shell is proportional to its thickness and to its modulus."""
    inside = '<elasticity young="{young}" poisson=".2" thickness="{thickness}" elastic2d="stretch"/>'
    given = {"young": "100", "thickness": ".01"}
    first, second = (both(model(GRID, inside.format(**values))) for values in (given, given | {name: value}))
    assert np.abs(first.flex_stiffness).max() > 0
    assert np.allclose(second.flex_stiffness, 2**power * first.flex_stiffness)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("flex", "inside"),
    [(BLOCK, SOLID.replace(".05", "{}")), (GRID, SHELL.replace('"{}"', '"stretch"', 2).replace("stretch", "{}", 1))],
)
def test_damping_is_a_time_that_scales_the_stiffness(flex: str, inside: str) -> None:
    """Damping is Rayleigh damping: near rest, its force is the elastic force of a displacement by velocity times damping."""
    time, small = 0.07, 1e-6
    m = conjoint.MjModel.from_xml_string(model(flex, inside.format(time)))
    d = conjoint.MjData(m)
    way = np.random.default_rng(0).standard_normal(m.nv)
    d.qvel[:] = small * way
    conjoint.mj_forward(m, d)
    damping = d.qfrc_passive / small
    d.qvel[:] = 0
    d.qpos[:] = small * way
    conjoint.mj_forward(m, d)
    springs = d.qfrc_passive / small
    assert np.abs(springs).max() > 1e-3
    assert np.abs(damping - time * springs).max() < 1e-4 * np.abs(damping).max()


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
@pytest.mark.parametrize("flex", [ROPE, GRID, BLOCK])
def test_an_equality_keeps_every_edge_and_can_be_switched_off(flex: str) -> None:
    """A flex equality has a row for each edge, whose residual is the change in edge length. If `eq_active` is 0, it has no rows."""
    m = conjoint.MjModel.from_xml_string(model(flex, '<edge equality="true" solref=".03 .9"/>'))
    assert m.eq_type.tolist() == [conjoint.mjtEq.mjEQ_FLEX]
    assert m.eq_solref.tolist() == [[0.03, 0.9]]
    d = conjoint.MjData(m)
    d.qpos[:] = 0.01 * np.random.default_rng(0).standard_normal(m.nv)
    conjoint.mj_forward(m, d)
    assert d.nefc == d.ne == m.nflexedge
    assert np.allclose(d.efc_pos, d.flexedge_length - m.flexedge_length0)
    d.eq_active[:] = 0
    conjoint.mj_forward(m, d)
    assert d.nefc == 0


@pytest.mark.plain
@pytest.mark.parametrize("flex", [ROPE, GRID, BLOCK])
def test_velocities_of_edges_are_the_rates_of_their_lengths(flex: str) -> None:
    m = conjoint.MjModel.from_xml_string(model(flex, '<edge equality="true"/>'))
    d = conjoint.MjData(m)
    d.qpos[:], d.qvel[:] = np.random.default_rng(1).standard_normal((2, m.nv)) * [[0.01], [1]]
    conjoint.mj_forward(m, d)
    rate, before = d.flexedge_velocity.copy(), d.flexedge_length.copy()
    d.qpos[:] += 1e-7 * d.qvel
    conjoint.mj_forward(m, d)
    assert np.abs((d.flexedge_length - before) / 1e-7 - rate).max() < 1e-5


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
def test_a_contact_of_two_tetrahedra_pushes_eight_bodies() -> None:
    """A contact force between two tetrahedra is distributed over all eight vertices; the nearest vertices get most of it."""
    low = '<flexcomp name="g" type="direct" dim="3" radius=".001" mass="1" point="0 0 0 1 0 0 0 1 0 .3 .3 -1" element="0 1 2 3"><contact selfcollide="none" internal="false"/></flexcomp>'
    high = low.replace('"g"', '"h"').replace("0 0 0 1 0 0 0 1 0 .3 .3 -1", ".3 .3 -.01 1 0 1 0 1 1 0 0 1")
    m = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{low}{high}</worldbody></mujoco>")
    d = conjoint.MjData(m)
    conjoint.mj_forward(m, d)
    assert d.ncon == 1
    assert d.contact[0].flex.tolist() == [0, 1]
    normal = d.efc_J.reshape(-1, m.nv)[:2].mean(axis=0).reshape(8, 3)
    pushed = np.linalg.norm(normal, axis=1)
    assert np.all(pushed > 0)
    # the vertex nearest to the tip of the upper tetrahedron, at which the contact is
    assert int(np.argmax(pushed[4:])) == 0
    for side in (slice(0, 4), slice(4, 8)):
        assert (pushed[side] ** 2).sum() == pytest.approx(1, rel=1e-6)


@pytest.mark.usefixtures("edition")
@pytest.mark.plain
def test_vertices_within_a_tetrahedron_touch_without_friction_or_margin() -> None:
    """A flat tetrahedron, whose vertex is within the radius of the opposite face, has a frictionless self-contact."""
    flat = """<flexcomp name="f" type="direct" dim="3" radius=".1" mass="1" point="0 0 0 1 0 0 0 1 0 .3 .3 .05"
        element="0 1 2 3"><contact condim="6" margin=".02" gap=".01" selfcollide="none" internal="{}"/></flexcomp>"""
    for internal in ("true", "false"):
        m = conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{flat.format(internal)}</worldbody></mujoco>")
        d = conjoint.MjData(m)
        conjoint.mj_forward(m, d)
        assert (d.ncon > 0) == (internal == "true")
        assert set(d.contact.dim.tolist()) <= {1}
        assert not np.any(d.contact.includemargin)


def test_skins_are_seen_and_touch_nothing() -> None:
    """The steps of a model are bit-identical with and without a skin."""
    body = '<worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="0 0 .08"><freejoint/><geom size=".1"/></body></worldbody>'
    skin = """<deformable><skin vertex="0 0 -1 1 0 -1 0 1 -1" face="0 1 2"><bone body="a" bindpos="0 0 0" bindquat="1 0 0 0"
        vertid="0 1 2" vertweight="1 1 1"/></skin></deformable>"""
    states = []
    for inside in (skin, ""):
        m = conjoint.MjModel.from_xml_string(f"<mujoco>{body}{inside}</mujoco>")
        d = conjoint.MjData(m)
        conjoint.mj_step(m, d, nstep=20)
        states.append(d.qpos.copy())
    assert np.array_equal(*states)


@pytest.mark.parametrize(("weights", "accepted"), [("1 1 1", True), ("-.5 1 1", False), ("1 1 0", False)])
def test_weights_of_bones_may_be_negative_but_their_sums_are_positive(weights: str, accepted: bool) -> None:
    xml = """<mujoco><worldbody><body name="a"><geom size=".1"/></body><body name="b"><geom size=".1"/></body></worldbody>
        <deformable><skin vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"><bone body="a" bindpos="0 0 0" bindquat="1 0 0 0"
        vertid="0 1 2" vertweight="{}"/><bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="1" vertweight="-.5"/>
        </skin></deformable></mujoco>"""
    if accepted:
        assert both(xml.format(weights)).skin_bonevertweight.min() < 0
        return
    refused_by_both(xml.format(weights), words="vertex")
