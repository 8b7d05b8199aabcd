"""Mouse functions of the visualizer give MuJoCo's results for cameras, perturbations, selection, spaces and single geoms."""

from __future__ import annotations

from copy import copy

import mujoco
import numpy as np
import pytest

import conjoint
from scenes import Pair

XML = """<mujoco><statistic extent="2"/><visual><map stiffness="30" stiffnessrot="40"/></visual><worldbody>
<body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" pos=".5 0 0" euler="10 20 30"/><body pos="0 0 1">
<joint axis="0 1 0"/><geom size=".1"/></body></body><body mocap="true" pos="2 0 0"><geom size=".1" pos=".1 0 0"/>
</body></worldbody></mujoco>"""
ACTIONS = [(action, dx, dy) for action in range(1, 6) for dx, dy in ((0.1, 0.0), (0.0, 0.1), (-0.2, 0.3))]


@pytest.fixture(scope="module")
def pair() -> Pair:
    both = Pair(XML)
    both.worlds[1].qvel[:] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    mujoco.mj_forward(both.models[1], both.worlds[1])
    both.copy_state()
    both.update(cam_lookat=(0.1, 0.2, 0.3), cam_azimuth=30.0, cam_elevation=-20.0, cam_distance=3.0)
    return both


def sides(pair: Pair) -> list:
    return list(zip((conjoint, mujoco), pair.models, pair.worlds, pair.scenes, strict=True))


def same(values: list, tolerance: float = 1e-6) -> None:
    ours, official = (np.concatenate([np.ravel(v).astype(float) for v in side]) for side in values)
    np.testing.assert_allclose(ours, official, atol=tolerance)


@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize(("action", "dx", "dy"), ACTIONS)
def test_cameras_move(pair: Pair, action: int, dx: float, dy: float, kind: int) -> None:
    found = []
    for package, m, _, scene in sides(pair):
        camera = package.MjvCamera()
        camera.type, camera.azimuth, camera.distance = kind, 100.0, 3.0
        for times in (1, 5):
            package.mjv_moveCamera(m, action, times * dx, times * dy, scene, camera)
        found.append([camera.azimuth, camera.elevation, camera.distance, camera.lookat])
    same(found)


@pytest.mark.parametrize("enabled", [0, 1])
@pytest.mark.parametrize(("action", "dx", "dy"), ACTIONS)
def test_models_move(pair: Pair, action: int, dx: float, dy: float, enabled: int) -> None:
    found = []
    for package, m, _, scene in sides(pair):
        moved = copy(scene) if package is conjoint else scene
        moved.translate[:], moved.rotate[:], moved.scale = [1, 2, 3], [0.8, 0.6, 0, 0], 2
        moved.enabletransform = enabled
        package.mjv_moveModel(m, action, dx, dy, np.array([0, 0, 1.0]), moved)
        found.append([np.array(moved.translate), np.array(moved.rotate), moved.scale])
        moved.enabletransform = 0
    same(found)


@pytest.mark.parametrize("select", range(4))
@pytest.mark.parametrize(("action", "dx", "dy"), ACTIONS)
def test_perturbations_move_and_pull(pair: Pair, action: int, dx: float, dy: float, select: int) -> None:
    found = []
    for package, m, d, scene in sides(pair):
        pert = package.MjvPerturb()
        pert.select, pert.localpos = select, [0.1, 0.1, 0.1]
        package.mjv_initPerturb(m, d, scene, pert)
        seen = [pert.refpos, pert.refquat, pert.refselpos, pert.localmass, pert.scale]
        package.mjv_movePerturb(m, d, action, dx / 4, dy / 4, scene, pert)
        seen = [np.array(value) for value in (*seen, pert.refpos, pert.refquat, pert.refselpos)]
        for active in (0, 1, 2, 3):
            pert.active = active
            d.xfrc_applied[:] = 0
            package.mjv_applyPerturbForce(m, d, pert)
            world = copy(d)
            package.mjv_applyPerturbPose(m, world, pert, 1)
            seen += [np.array(value) for value in (d.xfrc_applied, world.qpos, world.mocap_pos, world.mocap_quat)]
        d.xfrc_applied[:] = 0
        found.append(seen)
    # scene cameras have single precision
    same(found, 1e-4)


def test_spaces_and_cameras_agree(pair: Pair) -> None:
    found = []
    for package, _, _, scene in sides(pair):
        moved = copy(scene) if package is conjoint else scene
        moved.enabletransform, moved.scale = 1, 2
        moved.translate[:], moved.rotate[:] = [1, 2, 3], [0.8, 0.6, 0, 0]
        seen = [package.mjv_frustumHeight(moved)]
        for function in (package.mjv_cameraInRoom, package.mjv_cameraInModel):
            place = [np.zeros(3) for _ in range(3)]
            function(*place, moved)
            seen += place
        for function in (package.mjv_model2room, package.mjv_room2model):
            pos, quat = np.zeros(3), np.zeros(4)
            function(pos, quat, np.array([0.1, 0.2, 0.3]), np.array([0.6, 0, 0.8, 0]), moved)
            seen += [pos, quat]
        mean, turned = package.mjv_averageCamera(moved.camera[0], moved.camera[1]), np.zeros(3)
        seen += [mean.pos, mean.forward, mean.up, mean.frustum_top, mean.frustum_near]
        package.mjv_alignToCamera(turned, np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.4, 0.9]))
        moved.enabletransform = 0
        found.append([*seen, turned])
    same(found)


@pytest.mark.parametrize("orthographic", [0, 1])
def test_geoms_are_selected(orthographic: int) -> None:
    view = 'orthographic="true" fovy="3"' if orthographic else 'fovy="45"'
    both = Pair(XML.replace("<visual>", f"<visual><global {view}/>"))
    both.update(cam_lookat=(0.5, 0.0, 1.0), cam_distance=3.0)
    bodies = set()
    for x, y in np.random.default_rng(0).random((40, 2)):
        found = []
        for package, m, d, scene in sides(both):
            point, ids = np.zeros(3), [np.zeros((1, 1), np.int32) for _ in range(3)]
            body = package.mjv_select(m, d, package.MjvOption(), 1.5, x, y, scene, point, *ids)
            found.append([body, point, *ids])
        same(found, 1e-5)
        bodies.add(int(body))
    assert len(bodies) > 1


@pytest.mark.parametrize("kind", [*range(9), *range(100, 109)])
def test_single_geoms_are_made(pair: Pair, kind: int) -> None:
    found = []
    for package, *_, scene in sides(pair):
        geom = scene.geoms[0]
        turned = np.array([0, 1.0, 0, -1, 0, 0, 0, 0, 1])
        size, color = np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.2, 0.3, 0.4], np.float32)
        package.mjv_initGeom(geom, kind, size, np.array([1.0, 2, 3]), turned, color)
        seen = [np.array(getattr(geom, name)) for name in ("type", "size", "pos", "mat", "rgba", "matid", "objtype")]
        try:
            package.mjv_connector(geom, kind, 0.05, np.zeros(3), np.array([0.3, 0.2, 2.0]))
        except package.FatalError:
            seen.append(np.array(-1))
        seen += [np.array(getattr(geom, name)) for name in ("type", "size", "pos", "mat")]
        found.append(seen)
    same(found)
