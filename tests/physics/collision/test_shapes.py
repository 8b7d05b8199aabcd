"""Contacts of boxes and capsules in both editions agree with brute force: separating axes and nearest points of segments."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint
from conjoint.lang import kernel, vec3
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.physics.collision.segments import divided, lines_along, nearest_places, places_across, places_by_products
from conjoint.runtime.entry import entry

POSES = 400 if jit_enabled() else 10
SIZES = np.array([[0.1, 0.2, 0.3], [0.15, 0.15, 0.1]])
MARGIN = 0.02


def model(first: str, second: str, margin: float = 0.0) -> conjoint.MjModel:
    """Return a model with a geom on each of two free bodies."""
    free = "<body><freejoint/><geom {} mass='1' margin='{}'/></body>"
    bodies = free.format(first, margin) + free.format(second, 0.0)
    return conjoint.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")


def boxes(order: tuple[int, int] = (0, 1), margin: float = 0.0) -> conjoint.MjModel:
    """Return a model of two boxes in the given order."""
    return model(*(f"type='box' size='{' '.join(map(str, SIZES[k]))}'" for k in order), margin)


def poses(count: int, span: float) -> np.ndarray:
    """Return positions and orientations of two bodies; a third of the poses have parallel axes."""
    source = np.random.default_rng(0)
    found = source.standard_normal((count, 2, 7))
    found[:, :, :3] = source.uniform(-span, span, (count, 2, 3)) / 2
    found[::3, 1, 3:] = found[::3, 0, 3:]
    found[:, :, 3:] /= np.linalg.norm(found[:, :, 3:], axis=2, keepdims=True)
    return found


def contacts(m: conjoint.MjModel, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, conjoint.MjData]:
    """Return the distances, positions and normals of all contacts, and the data."""
    d = conjoint.MjData(m)
    d.qpos[:] = pose.ravel()
    conjoint.mj_kinematics(m, d)
    conjoint.mj_collision(m, d)
    return np.array(d.contact.dist), np.array(d.contact.pos), np.array(d.contact.frame)[:, :3], d


def overlaps(d: conjoint.MjData, ways: np.ndarray) -> np.ndarray:
    """Return the overlaps of the two boxes along unit vectors."""
    frames = np.asarray(d.geom_xmat).reshape(2, 3, 3)
    reach = sum(np.abs(ways @ frame) @ size for frame, size in zip(frames, SIZES, strict=True))
    return np.asarray(reach - np.abs(ways @ (d.geom_xpos[1] - d.geom_xpos[0])))


def separating_axes(d: conjoint.MjData) -> np.ndarray:
    """Return the possible separating axes of two boxes: face normals, and cross products of edges that are not parallel."""
    first, second = np.asarray(d.geom_xmat).reshape(2, 3, 3)
    crosses = np.array([np.cross(x, y) for x in first.T for y in second.T])
    lengths = np.linalg.norm(crosses, axis=1)
    return np.concatenate([first.T, second.T, crosses[lengths > 1e-6] / lengths[lengths > 1e-6, None]])


def test_boxes_touch_along_the_axis_of_least_overlap(edition: str) -> None:
    m, touched = boxes(margin=MARGIN), 0
    for pose in poses(POSES, 0.6):
        dist, _, normals, d = contacts(m, pose)
        least = overlaps(d, separating_axes(d)).min()
        if least < -MARGIN - 1e-9:
            assert len(dist) == 0
        if least > 1e-9:
            assert len(dist) > 0
        if len(dist) == 0:
            continue
        touched += 1
        along = overlaps(d, normals[:1])[0]
        # edition 4.0 prefers a face normal that is nearly parallel to a cross product with up to 5 % less overlap
        assert along <= least + (0.053 * abs(least) if edition == "4.0" else 0.0) + 1e-9
        assert np.dot(normals[0], d.geom_xpos[1] - d.geom_xpos[0]) > -1e-12
        if edition == "4.0":
            assert -dist.min() <= along + 1e-9
    assert touched > POSES // 4


def test_boxes_exchanged_have_the_same_contacts(edition: str) -> None:
    one, two, compared = boxes(), boxes((1, 0)), 0
    for pose in poses(POSES, 0.6):
        dist, pos, normals, d = contacts(one, pose)
        across = np.abs(np.asarray(d.geom_xmat).reshape(2, 3, 3).transpose(0, 2, 1) @ normals[:1].T) if len(dist) else 0
        # for contacts of two edges, 3.3.5 clips faces in the frame of the first box
        if len(dist) == 0 or (edition == "3.3.5" and np.max(across) < 1 - 1e-9):
            continue
        others = contacts(two, pose[::-1])
        assert len(others[0]) == len(dist)
        order, other = (np.lexsort(np.round(places, 6).T) for places in (pos, others[1]))
        np.testing.assert_allclose(others[0][other], dist[order], atol=1e-9)
        np.testing.assert_allclose(others[1][other], pos[order], atol=1e-9)
        np.testing.assert_allclose(others[2], -normals, atol=1e-9)
        compared += 1
    assert compared > POSES // 10


@kernel
def gap(m, d, a, b, between, across):
    """Return the vector between the nearest points of two segments, as the kernel finds them."""
    lines = lines_along(a, b, a.x * a.x + a.y * a.y + a.z * a.z, b.x * b.x + b.y * b.y + b.z * b.z, divided)
    s, t, _ = nearest_places(lines, between, places_by_products)
    if across == 1:
        s, t, _ = nearest_places(lines, between, places_across)
    return vec3(between.x, between.y, between.z) + a * s - b * t


def least_gap(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """Return the smallest |c + s a - t b| with s and t in [-1, 1].

    If the minimum over all s and t is outside of this square, the smallest value is on one of the square's four sides.
    """
    inside = np.linalg.lstsq(np.stack([a, -b], axis=1), -c, rcond=None)[0]
    places = [inside] if np.abs(inside).max() <= 1 else []
    for end in (-1.0, 1.0):
        places.append(np.array([end, np.clip(b @ (c + end * a) / (b @ b), -1, 1)]))
        places.append(np.array([np.clip(-a @ (c - end * b) / (a @ a), -1, 1), end]))
    return min(float(np.linalg.norm(c + s * a - t * b)) for s, t in places)


def test_nearest_points_of_segments() -> None:
    source = np.random.default_rng(0)
    found = entry(gap, "vec3", "vec3", "vec3", "int")
    m = model("size='1'", "size='1'")
    plan, world = m.plans.current, conjoint.MjData(m).world
    for k in range(5 * POSES):
        a, b, c = source.standard_normal((3, 3)) * source.choice([0.1, 1.0, 3.0], (3, 1))
        if k % 3 == 0:
            b = source.standard_normal() * a + 1e-3 * b
        for across in (0, 1):
            assert np.linalg.norm(found(plan, world, a, b, c, across)) <= least_gap(a, b, c) + 1e-8, (a, b, c, across)


@pytest.mark.parametrize("turn", [(0, 0, 1), (0, 1, 0), (0.6, 0, 0.8)])
def test_capsules_touch_twice_only_if_parallel(edition: str, turn: tuple[float, float, float]) -> None:
    m = model("type='capsule' size='.1 .3'", "type='capsule' size='.1 .2'")
    dist, pos, _, _ = contacts(m, np.array([[0, 0, 0, 1, 0, 0, 0], [0.15, 0, 0.05, 0.0, *turn]], float))
    parallel = turn[0] == 0
    assert len(dist) == (2 if parallel else 1)
    assert not parallel or dist.min() == pytest.approx(-0.05)
    if parallel and edition == "4.0":
        # parallel bodies have contacts at both ends
        np.testing.assert_allclose(dist, -0.05)
        assert sorted(pos[:, 2].round(12)) == [-0.15, 0.25]
