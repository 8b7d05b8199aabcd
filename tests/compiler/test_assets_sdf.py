"""Meshes of shapes given by signed distance functions equal MuJoCo's and are closed surfaces at distance zero."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import mujoco
import numpy as np
import pytest

import conjoint
from asset_files import CUBE, assert_same, assert_same_file, obj, refusals
from conjoint.compiler.assets.sdf import sdf_mesh
from conjoint.compiler.assets.sdf.marching_cubes import marching_cubes, sampled
from conjoint.physics import plugins as table
from conjoint.physics.plugin.shapes import GEAR, SHAPES

STILL = 'type="sdf" mesh="m" contype="0" conaffinity="0"'
"""Attributes of a geom that needs no convex hull, because it cannot collide; the hull would take most of the time."""


def with_shape(name: str, settings: Mapping[str, object], attributes: str = "", geom: str = STILL) -> str:
    """Return the XML of a model with a mesh that a plugin creates, and a geom that uses the mesh."""
    config = "".join(f'<config key="{key}" value="{value}"/>' for key, value in settings.items())
    return (
        f'<mujoco><extension><plugin plugin="mujoco.{name}"><instance name="i">{config}</instance></plugin></extension>'
        f'<asset><mesh name="m" {attributes}><plugin instance="i"/></mesh></asset>'
        f'<worldbody><body><freejoint/><geom {geom}><plugin instance="i"/></geom></body></worldbody></mujoco>'
    )


@pytest.mark.parametrize(
    ("name", "settings", "attributes"),
    [
        ("torus", {"radius1": 0.15, "radius2": 0.05}, ""),
        ("bowl", {"thickness": 0.03}, 'inertia="exact"'),
        ("bolt", {"radius": 0.255}, 'refpos="1 2 3" refquat="1 1 0 0"'),
        ("nut", {}, 'smoothnormal="true" normal="1 2 3" face="0 1 2"'),
        ("gear", {"alpha": 0.3, "teeth": 12, "diameter": 2, "thickness": 0.5}, ""),
        ("gear", {"innerdiameter": 1, "alpha": ""}, 'inertia="shell" vertex="0 0 0 1 0 0 0 1 0 0 0 1"'),
    ],
)
def test_shapes(name: str, settings: dict, attributes: str) -> None:
    assert_same(with_shape("sdf." + name, settings, attributes))


def test_a_file_comes_first() -> None:
    files = {
        "f.obj": obj([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 2]], *CUBE)
    }
    assert_same(with_shape("sdf.torus", {}, 'file="f.obj" scale="2 2 2"'), files)


def test_instances_are_numbered_in_the_order_of_the_file() -> None:
    def own(kind: str, key: str, value: int) -> str:
        return f'<plugin plugin="mujoco.{kind}"><config key="{key}" value="{value}"/></plugin>'

    gear = [own("sdf.gear", "alpha", value) for value in range(3)]
    cable = [own("elasticity.cable", "twist", value) for value in range(2)]
    kinds = "".join(f'<plugin plugin="mujoco.{kind}"/>' for kind in ("sdf.gear", "elasticity.cable", "pid"))
    assert_same(
        f'<mujoco><extension>{kinds}</extension><asset><mesh name="m">{gear[0]}</mesh></asset><worldbody><body>'
        f'<joint name="j"/><geom {STILL}>{gear[1]}</geom><geom size="1"/>{cable[0]}</body><body><geom size="1"/>{cable[1]}'
        f'<geom size="1">{gear[2]}</geom></body></worldbody><actuator><plugin joint="j" plugin="mujoco.pid"/></actuator>'
        "</mujoco>"
    )


@pytest.mark.parametrize(
    ("plugin", "settings", "attributes", "expected"),
    [
        ("sdf.torus", {}, 'scale="2 1 1"', "a scale cannot be given"),
        ("sdf.torus", {}, 'texcoord="0 1"', "texture coordinates"),
        ("sdf.torus", {"radius1": "wide"}, "", "'radius1' is 'wide', expected a number"),
        ("sdf.torus", {"radius": 1}, "", "no setting 'radius'"),
        ("pid", {}, "", "belongs to <actuator>, not to <mesh>"),
    ],
)
def test_refused(plugin: str, settings: dict, attributes: str, expected: str) -> None:
    ours, theirs = refusals(with_shape(plugin, settings, attributes))
    assert theirs
    assert expected in ours


@pytest.mark.parametrize(
    "settings",
    [{"radius1": "nan"}, {"radius1": -1}, {"radius2": 0}, {"radius1": "1e200", "radius2": 1}, {"radius2": 1e-9}],
)
def test_impossible_settings_are_refused(settings: dict) -> None:
    # MuJoCo crashes for some of these settings
    with pytest.raises(conjoint.ModelError, match="mesh name='m'"):
        conjoint.MjModel.from_xml_string(with_shape("sdf.torus", settings))


def test_mesh_lies_on_the_surface() -> None:
    torus = SHAPES[-1]
    mesh = sdf_mesh(torus, {"radius1": "0.5", "radius2": "0.2"})
    distance = sampled(torus.sdf_staticdistance, *mesh.vert.T, settings=(0.5, 0.2))
    assert np.abs(distance).max() < 1e-4
    # mesh normals must point along the gradient of the distance
    ring = mesh.vert * [1, 1, 0] / np.linalg.norm(mesh.vert[:, :2], axis=1)[:, None] / 2
    outward = mesh.vert - ring
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    assert (outward * mesh.normal).sum(axis=1).min() > 0.9


def test_teeth_are_as_wide_as_gaps_on_the_pitch_circle() -> None:
    angle = np.linspace(0, 2 * np.pi, 100_000, endpoint=False)
    settings = dict(zip(GEAR, (0.2, 3.0, 20.0, 1.0, 1.0), strict=True))
    points = 1.5 * np.cos(angle), 1.5 * np.sin(angle), np.zeros(1)
    distance = sampled(SHAPES[2].sdf_staticdistance, *points, settings=tuple(settings.values()))
    assert (distance < 0).mean() == pytest.approx(0.5, abs=1e-3)
    assert np.count_nonzero(np.diff(distance < 0)) == 40


def test_marching_cubes_close_every_surface() -> None:
    """For noise, which has all corner cases, marching cubes create surfaces that are closed away from the border."""
    field = np.random.default_rng(0).normal(size=(20, 18, 22)).astype(np.float32)
    for axis in range(3):
        np.moveaxis(field, axis, 0)[[0, -1]] = 1
    vert, face, _ = marching_cubes(field)
    assert set(face.ravel().tolist()) == set(range(len(vert)))
    edges = Counter((int(a), int(b)) for triangle in face for a, b in zip(triangle, np.roll(triangle, -1), strict=True))
    assert all(count == edges[b, a] for (a, b), count in edges.items())
    # vertices lie on grid edges, at zeros of the linear interpolation
    low, along = np.floor(vert).astype(int), vert - np.floor(vert)
    assert ((along > 0).sum(axis=1) <= 1).all()
    high = low + (along > 0)
    part = along.max(axis=1)
    between = field[tuple(low.T)] * (1 - part) + field[tuple(high.T)] * part
    assert np.abs(between).max() < 1e-4
    # positive values are outside, so the enclosed volume is that of the negative values
    a, b, c = (vert[face[:, i]].astype(float) for i in range(3))
    assert 0 < (a * np.cross(b, c)).sum() / 6 < field.size


def test_programs_add_shapes(request: pytest.FixtureRequest) -> None:
    ball = conjoint.mjpPlugin(
        "mine.ball", conjoint.mjtPluginCapabilityBit.mjPLUGIN_SDF, ("radius",),
        sdf_attribute=lambda config: [float(config["radius"])],
        sdf_staticdistance=lambda x, y, z, radius: np.sqrt(x * x + y * y + z * z) - radius,
        sdf_aabb=lambda radius: (1.1 * radius,) * 3,
    )  # fmt: skip
    conjoint.mjp_registerPlugin(ball)
    request.addfinalizer(lambda: table.PLUGINS.remove(ball))
    xml = with_shape("sdf.ball", {"radius": 2}).replace("mujoco.sdf.ball", "mine.ball")
    model = conjoint.MjModel.from_xml_string(xml)
    np.testing.assert_allclose(np.linalg.norm(model.mesh_vert, axis=1), 2, atol=1e-3)
    np.testing.assert_allclose(model.body_mass[1], 1000 * 4 / 3 * np.pi * 8, rtol=1e-3)


def test_attached(tmp_path) -> None:
    """Attaching a model also attaches its extensions and plugin instances, under new names."""
    (tmp_path / "kid.xml").write_text(with_shape("sdf.gear", {"teeth": 20}).replace("<body>", "<body name='b'>"))
    (tmp_path / "main.xml").write_text(
        with_shape("sdf.nut", {})
        .replace("<asset>", '<asset><model name="kid" file="kid.xml"/>')
        .replace("</worldbody>", '<attach model="kid" body="b" prefix="x_"/></worldbody>')
    )
    assert_same_file(tmp_path / "main.xml")


def test_saved_with_its_plugin() -> None:
    xml = with_shape("sdf.nut", {"radius": 0.3})
    saved = conjoint.MjSpec.from_string(xml).to_xml()
    assert mujoco.MjModel.from_xml_string(saved).nmeshvert == conjoint.MjModel.from_xml_string(xml).nmeshvert
