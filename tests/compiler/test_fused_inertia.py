"""Inertias of fused bodies and of URDF links, and primitives fitted to a mesh that other geoms use."""

from __future__ import annotations

import numpy as np
import pytest

import conjoint

NUMBER_OF_TRIES = 12


def mass_matrix(model: conjoint.MjModel) -> np.ndarray:
    """Return the mass matrix at a configuration with all joints displaced."""
    data = conjoint.MjData(model)
    data.qpos[:] = np.linspace(0.1, 0.9, model.nq)
    conjoint.mj_forward(model, data)
    columns = np.zeros((model.nv, model.nv))
    for k, unit in enumerate(np.eye(model.nv)):
        conjoint.mj_mulM(model, data, columns[k], unit)
    return columns


def text(numbers: np.ndarray) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def static_body(rng: np.random.Generator, depth: int) -> str:
    """Return the XML of a random jointless body with an inertial or geoms, a random pose and child bodies."""
    pose = f'pos="{text(rng.normal(size=3))}" quat="{text(rng.normal(size=4))}"'
    if rng.random() < 0.5:
        a, b = rng.uniform(0.1, 0.4, 2)
        inertial = (
            f'<inertial pos="{text(rng.normal(size=3))}" quat="{text(rng.normal(size=4))}" mass="{rng.uniform(1, 3)}"'
        )
        content = f'{inertial} diaginertia="{a} {b} {rng.uniform(abs(a - b), a + b)}"/>'
    else:
        content = "".join(
            f'<geom type="box" size="{text(rng.uniform(0.1, 0.5, 3))}" pos="{text(rng.normal(size=3))}" '
            f'quat="{text(rng.normal(size=4))}"/>'
            for _ in range(rng.integers(1, 3))
        )
    inner = "".join(static_body(rng, depth - 1) for _ in range(rng.integers(0, 3))) if depth else ""
    return f"<body {pose}>{content}{inner}</body>"


@pytest.mark.parametrize("seed", range(NUMBER_OF_TRIES))
def test_bodies_that_are_fused_weigh_what_they_did(seed):
    rng = np.random.default_rng(seed)
    inside = static_body(rng, 2) + static_body(rng, 1)
    xml = (
        f'<mujoco><compiler fusestatic="{{}}"/><worldbody><body><freejoint align="false"/>'
        f'<inertial pos=".1 0 0" quat="{text(rng.normal(size=4))}" mass="1.5" diaginertia=".1 .12 .14"/>{inside}'
        f'<body pos="0 0 1"><joint axis="1 1 0"/><geom type="box" size=".1 .2 .3"/>{static_body(rng, 1)}</body>'
        "</body></worldbody></mujoco>"
    )
    apart, fused = (conjoint.MjModel.from_xml_string(xml.format(fuse)) for fuse in ("false", "true"))
    assert fused.nbody == 3 < apart.nbody
    # the matrix elements are sums of some thousands; principal axes leave up to 1e-12 outside the diagonal
    np.testing.assert_allclose(mass_matrix(fused), mass_matrix(apart), atol=1e-11 * mass_matrix(apart).max() + 1e-11)


INERTIA = np.array([[0.4, 0.05, -0.02], [0.05, 0.7, 0.03], [-0.02, 0.03, 0.9]])
MOMENTS = '<inertia ixx=".4" iyy=".7" izz=".9" ixy=".05" ixz="-.02" iyz=".03"/>'
LINK = '<link name="{}"><inertial><origin xyz="{}" rpy="{}"/><mass value="{}"/>' + MOMENTS + "</inertial>{}</link>"
ANGLES = ((0.0, 0.0, np.pi / 2), (0.4, -0.3, 0.8), (np.pi, 0.1, -2.0), (0.0, 0.0, 0.0))


def turned(rpy: tuple[float, ...]) -> np.ndarray:
    """Return the rotation matrix of roll, pitch and yaw about fixed axes."""
    (a, b, c), (d, e, f) = np.cos(rpy), np.sin(rpy)
    about_x = np.array([[1, 0, 0], [0, a, -d], [0, d, a]])
    about_y = np.array([[b, 0, e], [0, 1, 0], [-e, 0, b]])
    about_z = np.array([[c, -f, 0], [f, c, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def inertia_of(model: conjoint.MjModel, body: int) -> np.ndarray:
    """Return a body's inertia matrix about its center of mass, in the frame of the body."""
    turn = np.zeros(9)
    conjoint.mju_quat2Mat(turn, model.body_iquat[body])
    turn = turn.reshape(3, 3)
    return turn @ np.diag(model.body_inertia[body]) @ turn.T


@pytest.mark.parametrize("geom", ["", '<collision><geometry><box size="1 2 3"/></geometry></collision>'])
@pytest.mark.parametrize("rpy", ANGLES)
def test_the_frame_of_an_inertial_in_urdf(rpy, geom):
    xml = f'<robot name="r"><mujoco><compiler fusestatic="false"/></mujoco>{LINK.format("l", "1 2 3", text(rpy), 3, geom)}</robot>'
    model = conjoint.MjModel.from_xml_string(xml)
    np.testing.assert_allclose(inertia_of(model, 1), turned(rpy) @ INERTIA @ turned(rpy).T, atol=1e-8)
    np.testing.assert_allclose(model.body_ipos[1], (1, 2, 3))


@pytest.mark.parametrize("rpy", ANGLES)
def test_links_of_urdf_that_are_fused(rpy):
    angles = (0.3, -0.5, 1.1)
    links = LINK.format("a", "0 0 0", "0 0 0", 2, "") + LINK.format("b", ".1 .2 .3", text(rpy), 3, "")
    ends = '<parent link="{}"/><child link="{}"/>'
    joints = f'<joint name="f" type="fixed">{ends.format("a", "b")}<origin xyz="1 0 .5" rpy="{text(angles)}"/></joint>'
    joints += f'<joint name="j" type="floating">{ends.format("world", "a")}</joint>'
    model = conjoint.MjModel.from_xml_string(f'<robot name="r"><link name="world"/>{links}{joints}</robot>')
    assert model.nbody == 2
    # both inertias refer to the common center of mass
    other = turned(angles)
    centre = np.array([1, 0, 0.5]) + other @ (0.1, 0.2, 0.3)
    common = centre * 3 / 5
    total = INERTIA + other @ turned(rpy) @ INERTIA @ turned(rpy).T @ other.T
    for mass, offset in ((2, -common), (3, centre - common)):
        total = total + mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
    np.testing.assert_allclose(model.body_ipos[1], common, atol=1e-12)
    np.testing.assert_allclose(inertia_of(model, 1), total, atol=1e-11)


VERTICES = np.array(
    [[0, 0, 0], [3, 0, 0], [3, 1, 0], [0, 1, 0], [0, 0, 1], [3, 0, 1], [3, 1, 1], [0, 1, 1], [0.4, 0.5, 2.5]]
)
POSE = 'pos="0.3 -0.2 0.1" quat="0.8 0.1 -0.3 0.4"'
SHOWN = f'<geom name="shown" type="mesh" mesh="m" {POSE} contype="0" conaffinity="0"/>'
FITTED = f'<geom name="fitted" type="{{}}" mesh="m" {POSE}/>'


def fit(kind: str, order: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, conjoint.MjModel, conjoint.MjData]:
    """Return a mesh's vertices in the world frame and in the frame of the fitted geom, followed by the model and its data."""
    geoms = "".join(order).replace("{}", kind)
    model = conjoint.MjModel.from_xml_string(
        f'<mujoco><compiler fitaabb="true"/><asset><mesh name="m" vertex="{text(VERTICES.ravel())}"/></asset>'
        f'<worldbody><geom type="mesh" mesh="m" pos="9 9 9"/><body>{geoms}</body></worldbody></mujoco>'
    )
    data = conjoint.MjData(model)
    conjoint.mj_kinematics(model, data)
    shown, fitted = data.geom("shown"), data.geom("fitted")
    world = model.mesh_vert @ shown.xmat.reshape(3, 3).T + shown.xpos
    return world, (world - fitted.xpos) @ fitted.xmat.reshape(3, 3), model, data


@pytest.mark.parametrize("order", [(SHOWN, FITTED), (FITTED, SHOWN)])
@pytest.mark.parametrize("kind", ["box", "ellipsoid", "sphere", "cylinder", "capsule"])
def test_a_fit_moves_no_mesh_and_stands_in_the_middle_of_it(kind, order):
    world, inside, model, _ = fit(kind, order)
    turn = np.zeros(9)
    quat = np.array([0.8, 0.1, -0.3, 0.4])
    conjoint.mju_quat2Mat(turn, quat / np.linalg.norm(quat))
    right = VERTICES @ turn.reshape(3, 3).T + (0.3, -0.2, 0.1)
    # vertices are stored in single precision, possibly in a different order
    np.testing.assert_allclose(
        world[np.lexsort(np.round(world, 3).T)], right[np.lexsort(np.round(right, 3).T)], atol=1e-5
    )
    np.testing.assert_allclose(inside.max(0), -inside.min(0), atol=1e-5)
    if kind in ("box", "ellipsoid"):
        np.testing.assert_allclose(model.geom("fitted").size, inside.max(0), atol=1e-5)
    saved = conjoint.MjSpec.from_string(
        f'<mujoco><compiler fitaabb="true"/><asset><mesh name="m" vertex="{text(VERTICES.ravel())}"/></asset>'
        f"<worldbody>{SHOWN}{FITTED.format(kind)}</worldbody></mujoco>"
    )
    before = saved.compile()
    after = conjoint.MjModel.from_xml_string(saved.to_xml())
    np.testing.assert_allclose(after.geom_pos, before.geom_pos, atol=1e-6)
