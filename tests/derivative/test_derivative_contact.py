"""Exact derivatives of contacts and contact rows agree with finite differences and with equations.

The differences are of sixth order, so that their step sizes can be large. Searches for contacts of round bodies have errors
of about 1e-8 m, even with a tight tolerance, and a difference quotient divides this error by the step size. Contacts of
these bodies are therefore compared a second time, with the points where the surface normals of both bodies are opposite.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest

import conjoint as mj
from conjoint.derivative import jacobian, mjd_transition
from conjoint.schema.enums import mjtGeom
from contact_changes import FIELDS, WEIGHTS, exact_change, moved
from contact_pairs import brick, kinds_of_pairs, pair_of, pairs_model, touch, upright

STEPS = (1e-2, 2e-3, 3e-4, 3e-5)
"""Step sizes of differences; the smallest error counts. Large steps suit contact searches, small ones short smooth pieces."""

TIGHT = 'ccd_tolerance="1e-12" ccd_iterations="160"'

ROUND = {"ellipsoid", "cylinder"}
"""Shapes that mostly need a contact search, whose end point is inexact: differences confirm little more than signs."""

CLOSED = [("plane", "ellipsoid"), ("plane", "cylinder"), ("sphere", "cylinder")]
"""Pairs of types with a round shape whose contacts have a closed formula, and so need no search."""

DESCENTS = [pair for pair in kinds_of_pairs() if "sdf" in pair and pair[0] not in ("plane", "mesh")]
"""Pairs of types whose contacts are found by gradient descent, whose end point jumps after motions of about a micrometer."""

Owners = Callable[[mj.MjData], list[int]]


def contact_fields(d: mj.MjData) -> dict[str, np.ndarray]:
    """Return the contact fields that collision detection computes, with one row for each contact."""
    values = {"contact_dist": d.contact.dist, "contact_pos": d.contact.pos, "contact_frame": d.contact.frame}
    return {name: np.array(value).reshape(d.ncon, -1) for name, value in values.items()}


def differences(m: mj.MjModel, d: mj.MjData, way: np.ndarray, step: float, owners: Owners) -> dict[int, dict]:
    """Return finite differences of contact fields along `way`, by contact owner (a geom pair or a flex).

    Owners whose number of contacts changes are omitted.
    """
    mine = np.array(owners(d))
    found = {owner: dict.fromkeys(FIELDS, 0.0) for owner in mine.tolist()}
    for k, weight in WEIGHTS.items():
        for side in (-1, 1):
            e = moved(m, d, way, side * k * step)
            theirs, fields = np.array(owners(e)), contact_fields(e)
            for owner in list(found):
                if (theirs == owner).sum() != (mine == owner).sum():
                    del found[owner]
                    continue
                order = matched(d.contact.pos[mine == owner], e.contact.pos[theirs == owner])
                for name, value in fields.items():
                    found[owner][name] = found[owner][name] + value[theirs == owner][order] * (side * weight / step)
    return found


def matched(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Match points to the nearest of other points, because rounding may reorder contacts.

    Return the indices in `second` of the points nearest to those in `first`.
    """
    order = np.linalg.norm(first[:, np.newaxis] - second, axis=2).argmin(axis=1)
    return order if len(set(order)) == len(order) else np.arange(len(order))


def errors(m: mj.MjModel, d: mj.MjData, way: np.ndarray, owners: Owners) -> dict[int, float]:
    """Return the largest relative error of exact derivatives along `way`, by contact owner."""
    mj.mj_forward(m, d)
    exact, mine = exact_change(m, d, way), np.array(owners(d))
    best = dict.fromkeys(mine.tolist(), np.inf)
    for step in STEPS:
        for owner, fields in differences(m, d, way, step, owners).items():
            error = 0.0
            for name, change in fields.items():
                own = exact[name][mine == owner]
                error = max(error, np.abs(own - change).max() / max(1.0, np.abs(own).max()))
            best[owner] = min(best[owner], error)
    return best


def check_pairs(pairs: list[tuple[str, str]], seed: int, depth: float, pair: str = "") -> None:
    """Check contact derivatives of geom pairs with the given penetration depth; a negative depth is a distance."""
    m = pairs_model(pairs, seed, TIGHT, pair)
    d = touch(m, seed, depth)
    way = 0.3 * np.random.default_rng(seed).normal(size=m.nv)
    found = errors(m, d, way, lambda e: [pair_of(m, e, c) for c in range(e.ncon)])
    assert len(found) == len(pairs)
    for number, error in found.items():
        searched = pairs[number] not in CLOSED and ROUND & set(pairs[number])
        assert error < (0.03 if searched else 1e-5), (pairs[number], error)


@pytest.mark.usefixtures("edition")
def test_overlapping_pairs():
    """Contact derivatives are right for penetrating geoms of every pair of types."""
    check_pairs([pair for pair in kinds_of_pairs() if pair not in DESCENTS], 1, 0.005)


@pytest.mark.usefixtures("edition")
def test_pairs_within_the_margin():
    """Contact derivatives are right for slightly separated geoms of every pair of types except hfield and SDF."""
    check_pairs([p for p in kinds_of_pairs() if not {"hfield", "sdf"} & set(p)], 2, -0.008, 'margin=".02"')


@pytest.mark.usefixtures("edition")
def test_edge_along_a_side_flat_but_for_rounding():
    """Contact derivatives are right if a box edge lies on a mesh face that is flat up to rounding of its corners.

    The box edge then crosses a diagonal of the face.
    """
    corners = brick()
    for x in (0.0, 0.013, 0.031):
        m = mj.MjModel.from_xml_string(f"""<mujoco><asset><mesh name="brick" vertex="{corners}"/></asset><worldbody>
            <body quat="{upright()}"><geom type="mesh" mesh="brick"/></body>
            <body pos="{x} .017 .18" euler="0 31 0"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
            <joint axis="0 1 0"/><geom type="box" size=".08 .02 .09"/></body></worldbody></mujoco>""")
        d = mj.MjData(m)
        mj.mj_forward(m, d)
        assert d.ncon
        found = errors(m, d, np.array([0.3, 0.2, 0.5]), lambda e: [0] * e.ncon)
        assert found[0] < 1e-6, x


@pytest.mark.usefixtures("edition")
def test_a_cylinder_that_stands_is_held_in_all_ways():
    """If a cylinder stands on a plane, its contacts resist tilting equally in all directions."""
    m = mj.MjModel.from_xml_string("""<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
        <body pos="0 0 .0499"><freejoint/><geom type="cylinder" size=".04 .05"/></body></worldbody></mujoco>""")
    d = mj.MjData(m)
    mj.mj_forward(m, d)
    assert d.ncon == 3
    turned = jacobian(m, d, ("qvel",), ("qpos",))["qvel"]["qpos"][3:5, 3:5]
    assert turned[0, 0] < -1.0
    np.testing.assert_allclose(turned, turned[0, 0] * np.eye(2), atol=1e-6 * abs(turned[0, 0]))


@pytest.mark.usefixtures("edition")
def test_contacts_of_parallel_faces_move_as_the_search_moves_them():
    """Derivatives follow the contact point that the search finds among many touching points of parallel faces."""
    corners = " ".join(f"{x} {y} {z}" for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1))
    m = mj.MjModel.from_xml_string(f"""<mujoco><asset><mesh name="cube" vertex="{corners}"/></asset><worldbody>
        <geom type="box" size=".1 .08 .06"/>
        <body><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>
        <geom type="mesh" mesh="cube"/></body></worldbody></mujoco>""")
    d = mj.MjData(m)
    d.qpos[:] = 0.03, 0.0, 0.157
    found = errors(m, d, np.array([0.3, 0.2, 0.01]), lambda e: [0] * e.ncon)
    assert found[0] < 1e-6


# ---- round bodies compared with their equations


def farthest(kind: int, size: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Return the point of a geom that is farthest along a unit direction; point and direction are in the geom's frame."""
    if kind == mjtGeom.mjGEOM_SPHERE:
        return size[0] * way
    if kind == mjtGeom.mjGEOM_CAPSULE:
        return size[0] * way + [0, 0, np.copysign(size[1], way[2])]
    if kind == mjtGeom.mjGEOM_ELLIPSOID:
        return size * size * way / np.linalg.norm(size * way)
    if kind == mjtGeom.mjGEOM_CYLINDER:
        return np.array([*size[0] * way[:2] / np.linalg.norm(way[:2]), np.copysign(size[1], way[2])])
    return np.copysign(size, way)


def touching_points(m: mj.MjModel, d: mj.MjData, geoms: np.ndarray, normal: np.ndarray) -> tuple | None:
    """Return the signed distance, midpoint and normal of the points where the surface normals of two geoms are opposite.

    Newton's method starts from a nearby normal. The result is None if it does not converge.
    """

    def points(n: np.ndarray) -> list[np.ndarray]:
        frames = [d.geom_xmat[g].reshape(3, 3) for g in geoms]
        sides = zip(geoms, frames, (n, -n), strict=True)
        return [d.geom_xpos[g] + f @ farthest(m.geom_type[g], m.geom_size[g], f.T @ w) for g, f, w in sides]

    def beside(n: np.ndarray, across: np.ndarray) -> np.ndarray:
        first, second = points(n / np.linalg.norm(n))
        return across @ (second - first)

    for _ in range(12):
        across = np.linalg.svd(normal[None])[2][1:]
        slope = [(beside(normal + 1e-5 * a, across) - beside(normal - 1e-5 * a, across)) / 2e-5 for a in across]
        matrix = np.array(slope).T
        if np.linalg.cond(matrix) > 1e6:
            return None
        normal = normal - np.linalg.solve(matrix, beside(normal, across)) @ across
        normal /= np.linalg.norm(normal)
    if np.abs(beside(normal, across)).max() > 1e-10:
        return None
    first, second = points(normal)
    return (second - first) @ normal, 0.5 * (first + second), normal


@pytest.mark.usefixtures("edition")
def test_round_bodies_beside_their_equations():
    """Derivatives of searched contacts agree with the equations of the touching points, even at the default tolerance."""
    round_ones = ("sphere", "capsule", "ellipsoid", "cylinder", "box")
    pairs = [p for p in kinds_of_pairs() if p[0] in round_ones and p[1] in round_ones and ROUND & set(p)] * 3
    m = pairs_model(pairs, 0)
    d = touch(m, 0, 0.004)
    mj.mj_forward(m, d)
    way, step = 0.1 * np.random.default_rng(0).normal(size=m.nv), 1e-2
    exact = exact_change(m, d, way)
    compared = set()
    for c in range(d.ncon):
        geoms, start = d.contact.geom[c], np.array(d.contact.frame[c][:3])
        found = {}
        for k in WEIGHTS:
            for side in (-1, 1):
                e = copy.copy(d)
                mj.mj_integratePos(m, e.qpos, way, side * k * step)
                mj.mj_kinematics(m, e)
                found[side * k] = touching_points(m, e, geoms, start)
        if all(found.values()) and touching_points(m, d, geoms, start):
            compared.add(pairs[pair_of(m, d, c)])
            weights = {k: np.sign(k) * WEIGHTS[abs(k)] / step for k in found}
            dist = sum(x[0] * weights[k] for k, x in found.items())
            pos = sum(x[1] * weights[k] for k, x in found.items())
            size = max(1.0, np.abs(pos).max())
            assert abs(dist - exact["contact_dist"][c, 0]) < 1e-7 * size, pairs[pair_of(m, d, c)]
            assert np.abs(pos - exact["contact_pos"][c]).max() < 1e-6 * size, pairs[pair_of(m, d, c)]
    assert {("ellipsoid", "ellipsoid"), ("sphere", "ellipsoid"), ("ellipsoid", "cylinder")} <= compared


# ---- flexes


def flex_scene(shapes: dict[str, str]) -> mj.MjModel:
    """Return a model of ropes, cloths and blocks, far apart, each of which touches one shape or a plane."""
    rng, bodies, x = np.random.default_rng(4), [], 0.0
    for dim, count in enumerate(("4 1 1", "3 3 1", "2 2 2"), 1):
        for name, shape in shapes.items():
            quat = " ".join(map(str, rng.normal(size=4)))
            bits = ""
            if name == "plane":
                bits = f'contype="{2**dim}" conaffinity="{2**dim}"'
                z = -0.052 if dim == 3 else -0.005
                bodies.append(f'<body pos="{x} 0 {z}" quat="1 .02 .03 0"><geom {shape} {bits}/></body>')
            else:
                z = (0.03, 0.048, 0.098)[dim - 1]
                bodies.append(f'<body pos="{x + 0.013} .017 {z}" quat="{quat}"><freejoint/><geom {shape}/></body>')
            bodies.append(
                f'<flexcomp name="{dim}{name}" type="grid" dim="{dim}" count="{count}" spacing=".1 .1 .1" '
                f'pos="{x} 0 0" radius=".01" mass=".5"><contact selfcollide="none" internal="false" {bits}/></flexcomp>'
            )
            x += 3.0
    return mj.MjModel.from_xml_string(f"<mujoco><option {TIGHT}/><worldbody>{''.join(bodies)}</worldbody></mujoco>")


@pytest.mark.usefixtures("edition")
def test_flexes():
    """Derivatives of contacts between flexes and geoms are right, even if the search inflates the elements by their radius."""
    closed = {"plane": 'type="plane" size="1 1 .1"', "sphere": 'size=".06"'}
    m = flex_scene({**closed, "box": 'type="box" size=".05 .06 .04"'})
    d = mj.MjData(m)
    way = 0.1 * np.random.default_rng(1).normal(size=m.nv)
    found = errors(m, d, way, lambda e: [int(e.contact.flex[c].max()) for c in range(e.ncon)])
    assert len(found) == m.nflex
    for flex, error in found.items():
        searched = flex % 3 == 2 or m.flex_dim[flex] == 3
        assert error < (0.02 if searched and flex % 3 else 1e-6), (flex, error)


# ---- rows

SOLIMP = (
    ".9 .95 .001 .5 2", ".8 .95 .02 .3 1", ".5 .99 .05 .4 3.5", ".9 .9 .01 .5 2", "0 1 .03 .2 2", ".9 .95 0 .5 2",
)  # fmt: skip
"""Values of solimp: powers of 1, 2 and others, impedances of 0 and 1, a constant impedance, and a width of zero."""


def balls(cone: str) -> mj.MjModel:
    """Return a model of balls on a plane, with all contact dimensions, margins, gaps and both formats of solref."""
    bodies = []
    for k, solimp in enumerate(SOLIMP):
        solref = "-5000 -50" if k == 2 else ".03 .9"
        margin = ("", 'margin=".02"', 'margin=".03" gap=".01"')[k % 3]
        bodies.append(
            f'<body pos="{k} 0 {0.097 + 0.004 * (k % 3)}"><freejoint/><geom size=".1" condim="{(1, 3, 4, 6)[k % 4]}" '
            f'solimp="{solimp}" solref="{solref}" priority="1" friction=".7 .02 .01" {margin}/></body>'
        )
    return mj.MjModel.from_xml_string(
        f'<mujoco><option cone="{cone}" impratio="1.7" tolerance="1e-15" ls_tolerance="1e-10" iterations="200"/>'
        f'<worldbody><geom type="plane" size="0 0 1"/>{"".join(bodies)}</worldbody></mujoco>'
    )


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_rows_of_contacts(cone):
    """Step derivatives are right for contacts that slide or roll, or whose depth exceeds the width of the impedance."""
    m = balls(cone)
    d = mj.MjData(m)
    d.qvel = 0.2 * np.random.default_rng(0).normal(size=m.nv)
    mj.mj_forward(m, d)
    assert d.ncon == len(SOLIMP)
    exact = np.zeros((2 * m.nv, 2 * m.nv))
    mjd_transition(m, d, exact, None, None, None)
    best = np.inf
    for step in (1e-5, 1e-6, 1e-7):
        found = np.zeros_like(exact)
        mj.mjd_transitionFD(m, copy.copy(d), step, 1, found, None, None, None)
        best = min(best, np.abs(found - exact).max() / np.abs(exact).max())
    assert best < 1e-7


@pytest.mark.usefixtures("edition")
def test_parameters_of_contacts():
    """Derivatives with respect to solref and solimp are right, even for a power of 2 or a constant impedance."""
    m = balls("pyramidal")
    d = mj.MjData(m)
    d.qvel = 0.1
    outputs = ("efc_KBIP", "efc_aref", "efc_D")
    exact = jacobian(m, d, outputs, ("geom_solref", "geom_solimp"), "mj_forward")
    for name in ("geom_solref", "geom_solimp"):
        values = getattr(m, name)
        for geom, number in np.ndindex(values.shape):
            # skip the smallest power and a zero width, which are at the ends of their ranges
            if geom == 0 or (name == "geom_solimp" and (geom, number) in ((2, 4), (5, 0), (5, 1), (6, 2))):
                continue
            here, step, rows = values[geom, number], 1e-5 * max(1.0, abs(values[geom, number])), {}
            for side in (-1, 1):
                values[geom, number] = here + side * step
                mj.mj_forward(m, d)
                rows[side] = {output: np.ravel(getattr(d, output)).copy() for output in outputs}
            values[geom, number] = here
            for output in outputs:
                change = (rows[1][output] - rows[-1][output]) / (2 * step)
                own = exact[output][name].reshape(-1, *values.shape)[: change.size, geom, number]
                size = max(1e-3, np.abs(own).max())
                assert np.abs(change - own).max() < 1e-5 * size, (output, name, geom, number)
