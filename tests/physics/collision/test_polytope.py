"""The polytope of the depth search expands around the origin with connected faces, and lists the candidate faces."""

from __future__ import annotations

import math
from typing import Any

import pytest

import conjoint
from collision_scenes import adopted
from conjoint.lang import local, vec3
from conjoint.physics.collision.convex.body import NATIVE, Body, set_geoms, set_middles
from conjoint.physics.collision.convex.epa import begin, expand
from conjoint.physics.collision.convex.gjk import MEASURED, approach, find_corner
from conjoint.physics.collision.convex.polytope import GONE, UNLISTED, Polytope, nearest_face
from conjoint.runtime.plan import Plan
from convex_scenes import poses, scene

pytestmark = pytest.mark.plain


def two_bodies(pair: tuple[str, str], pose: Any) -> tuple[Any, Any]:
    """Return a model in the form that kernels use, and two of its geoms in the given pose."""
    _, _, m = adopted(scene(pair))
    d = conjoint.MjData(m)
    d.qpos[:] = pose
    conjoint.mj_kinematics(m, d)
    plan, bodies = Plan(m.plans.current.structure).plain(), local(Body, 2)
    set_geoms(plan, d.world.plain(), 0, 1, 0.0, bodies)
    return plan, bodies


def grown(pair: tuple[str, str], special: bool) -> list[Any]:
    """Return fully expanded polytopes of two geoms in penetrating poses."""
    found = []
    for pose in poses(12, 5, special):
        plan, bodies = two_bodies(pair, pose)
        ends, polytope = local(vec3, 2), local(Polytope, 1)[0]
        set_middles(bodies, ends)
        length, count = approach(plan, bodies, polytope.corners, ends, 0.0, MEASURED)
        if length == 0.0 and count >= 2 and begin(plan, bodies, polytope, count):
            expand(plan, bodies, polytope)
            found.append(polytope)
    assert len(found) > 2
    return found


def assert_faces_meet(polytope: Any) -> None:
    """Check that each side of every remaining face is also a side of one other face, with the same two corners."""
    left = [f for f in range(polytope.face_count) if polytope.faces[f].place != GONE]
    corners = set()
    for f in left:
        face = polytope.faces[f]
        for k in range(3):
            number, side = divmod(face.across[k], 4)
            other = polytope.faces[number]
            assert number in left and other.across[side] == 4 * f + k
            assert face.corners[k] == other.corners[(side + 1) % 3]
            assert face.corners[(k + 1) % 3] == other.corners[side]
            corners.add(face.corners[k])
    # Euler's formula for triangles
    assert len(left) == 2 * len(corners) - 4


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("pair", [("cylinder", "ellipsoid"), ("box", "cube"), ("cylinder", "prism")], ids=" ".join)
def test_faces_of_a_grown_polytope_meet(pair: tuple[str, str], special: bool) -> None:
    for polytope in grown(pair, special):
        assert_faces_meet(polytope)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("count", [2, 3])
def test_faces_of_a_double_pyramid_meet(count: int) -> None:
    """Neighboring faces of a double pyramid share their edges, before and after the polytope expands."""
    plan, bodies = two_bodies(("cylinder", "ellipsoid"), [0.01, 0.02, 0.03, 1, 0, 0, 0])
    polytope = local(Polytope, 1)[0]
    for k in range(count):
        angle = 2 * math.pi * k / count
        find_corner(plan, bodies, polytope.corners[k], vec3(math.cos(angle), math.sin(angle), 0.0), NATIVE)
    assert begin(plan, bodies, polytope, count) and polytope.face_count == 6
    assert_faces_meet(polytope)
    expand(plan, bodies, polytope)
    assert polytope.face_count > 6
    assert_faces_meet(polytope)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("special", [False, True])
def test_list_of_a_grown_polytope_has_each_face_once(special: bool) -> None:
    for polytope in grown(("cylinder", "ellipsoid"), special):
        listed = [polytope.listed[k] for k in range(polytope.listed_count)]
        assert len(set(listed)) == len(listed)
        for f in range(polytope.face_count):
            face = polytope.faces[f]
            if face.place >= 0:
                assert listed[face.place] == f and polytope.squares[face.place] == face.square
            else:
                assert face.place in (GONE, UNLISTED) and f not in listed
        best, square = nearest_face(polytope)
        assert square == min(polytope.squares[k] for k in range(len(listed))) == polytope.faces[best].square
