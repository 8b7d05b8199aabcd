"""Softness of constraints follows the formulas of the Modeling chapter (Solver parameters): depth, velocity and slope."""

from __future__ import annotations

import math

import numpy as np
import pytest

import conjoint

G = 9.81

BALL = """<mujoco><option timestep="{timestep}"/><worldbody>
<geom type="plane" size="1 1 .1" solref="{solref}" solimp="{solimp}" condim="1"/>
<body pos="0 0 {height}"><freejoint/>
<geom size="0.1" density="{density}" solref="{solref}" solimp="{solimp}" condim="1"/></body></worldbody></mujoco>"""


def ball(solref: str, solimp: str, timestep: float = 0.002, height: float = 0.1, density: float = 1000):
    """Return the model and data of a ball above a plane."""
    xml = BALL.format(solref=solref, solimp=solimp, timestep=timestep, height=height, density=density)
    model = conjoint.MjModel.from_xml_string(xml)
    return model, conjoint.MjData(model)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("density", [10, 1000, 100000])
@pytest.mark.parametrize("impedance", [0.5, 0.9])
@pytest.mark.parametrize("solref", ["0.02 1", "0.04 0.5", "-300 -20", "-900 -70"])
def test_penetration_at_rest(solref: str, impedance: float, density: float) -> None:
    """With constant impedance, the resting depth depends on impedance and reference, not on mass."""
    model, data = ball(solref, f"{impedance} {impedance} 0.001", density=density)
    conjoint.mj_step(model, data, nstep=3000)
    first, second = map(float, solref.split())
    depth = G * (1 - impedance) * (first**2 * second**2 if first > 0 else 1 / -first)
    assert np.abs(data.qvel).max() < 1e-6
    assert data.contact[0].dist == pytest.approx(-depth, rel=1e-4)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.3])
def test_restitution(ratio: float) -> None:
    """With solref "-stiffness -damping", a contact is a damped spring: its restitution follows from the damping ratio.

    The impedance is almost 1 and constant, so that impedance and weight have no influence.
    """
    stiffness = 1e6
    model, data = ball(f"-{stiffness} -{2 * ratio * math.sqrt(stiffness)}", "0.9999 0.9999 0.001", timestep=1e-5)
    data.qpos[2], data.qvel[2] = 0.1 + 1e-6, -2.0
    for _ in range(2000):
        conjoint.mj_step(model, data)
        if data.qvel[2] > 0.0 and not data.ncon:
            break
    # a contact never pulls: it ends when the force of the damped spring becomes zero
    damped = math.sqrt(1 - ratio**2)
    expected = math.exp(-ratio / damped * (math.pi - 2 * math.atan2(ratio, damped) if ratio else math.pi))
    assert data.qvel[2] == pytest.approx(2.0 * expected, rel=0.01)


@pytest.mark.usefixtures("edition")
def test_a_ball_without_damping_bounces_to_its_height() -> None:
    """The undamped ball of the Modeling chapter keeps its energy for many bounces."""
    model, data = ball("-1000 0", "0.9 0.95 0.001", height=1.0)
    peaks, before = [], 0.0
    for _ in range(5000):
        conjoint.mj_step(model, data)
        if before > 0.0 >= data.qvel[2]:
            peaks.append(float(data.qpos[2]))
        before = float(data.qvel[2])
    assert len(peaks) > 5
    assert min(peaks) > 0.9 and max(peaks) < 1.1


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(("depth", "expected"), [(0.0, 0.9), (0.0005, 0.925), (0.001, 0.95), (0.002, 0.95)])
def test_the_default_impedance(depth: float, expected: float) -> None:
    """The default impedance rises from 0.9 at the surface to 0.95 at a depth of 1 mm, halfway at half the width."""
    model, data = ball("0.02 1", "0.9 0.95 0.001 0.5 2", height=0.1 - depth - 1e-12)
    conjoint.mj_forward(model, data)
    assert data.efc_KBIP[0, 2] == pytest.approx(expected, rel=1e-6)
    assert data.efc_R[0] == pytest.approx((1 - expected) / expected * data.efc_diagApprox[0], rel=1e-6)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("violation", [-0.003, -0.001, -0.0002])
@pytest.mark.parametrize("velocity", [-0.5, 0.0, 0.2])
def test_a_lonely_contact_interpolates(violation: float, velocity: float) -> None:
    """The acceleration with a single contact is d aref + (1 - d) a0, where a0 is the one without contact.

    The reference acceleration is aref = -b v - k r.
    """
    model, data = ball("0.03 0.8", "0.7 0.95 0.002 0.4 3", height=0.1 + violation)
    data.qvel[2] = velocity
    conjoint.mj_forward(model, data)
    x, power, midpoint = min(-violation / 0.002, 1.0), 3, 0.4
    y = x**power / midpoint ** (power - 1) if x <= midpoint else 1 - (1 - x) ** power / (1 - midpoint) ** (power - 1)
    d = 0.7 + y * (0.95 - 0.7)
    aref = -2 / (0.95 * 0.03) * velocity - d / (0.95**2 * 0.03**2 * 0.8**2) * violation
    # the contact never pulls
    expected = max(d * aref - (1 - d) * G, -G)
    assert data.qacc[2] == pytest.approx(expected, rel=1e-6, abs=1e-9)


SLIDER = """<mujoco><option timestep="0.002" gravity="{gx} {gy} {gz}" cone="{cone}" solver="{solver}" iterations="100"
 noslip_iterations="{noslip}"/>
<worldbody><geom type="plane" size="0 0 1" friction="{mu}"/>
<body pos="0 0 0.05"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>
<geom type="sphere" size="0.05" friction="{mu}" density="500"/></body></worldbody></mujoco>"""


def slide(angle: float, mu: float, cone: str, solver: str, heading: float = 0.0, noslip: int = 0) -> np.ndarray:
    """Return the velocity of a ball that cannot rotate, half a second after its release on a slope of `angle` radians."""
    down = G * math.sin(angle)
    gravity = {"gx": down * math.cos(heading), "gy": down * math.sin(heading), "gz": -G * math.cos(angle)}
    xml = SLIDER.format(cone=cone, solver=solver, mu=mu, noslip=noslip, **gravity)
    model = conjoint.MjModel.from_xml_string(xml)
    data = conjoint.MjData(model)
    conjoint.mj_step(model, data, nstep=250)
    return data.qvel[:2].copy()


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("solver", ["PGS", "CG", "Newton"])
@pytest.mark.parametrize("heading", [0.0, 0.3, math.pi / 4])
@pytest.mark.parametrize("mu", [0.3, 0.8])
def test_the_elliptic_cone_is_round(mu: float, heading: float, solver: str) -> None:
    """In any direction, the ball rests on slopes below the friction angle, and slides with g (sin - mu cos) on steeper ones."""
    below, above = math.atan(mu) - 0.05, math.atan(mu) + 0.2
    assert np.linalg.norm(slide(below, mu, "elliptic", solver, heading)) < 0.03
    velocity = slide(above, mu, "elliptic", solver, heading)
    expected = 0.5 * G * (math.sin(above) - mu * math.cos(above))
    assert np.linalg.norm(velocity) == pytest.approx(expected, rel=0.05)
    # the ball slides straight down
    assert math.atan2(velocity[1], velocity[0]) == pytest.approx(heading, abs=0.02)


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("solver", ["PGS", "CG", "Newton"])
def test_the_pyramid_is_weaker_between_its_edges(solver: str) -> None:
    """With pyramidal cones, the friction along the diagonal is only 1 / sqrt(2) of the friction along an axis."""
    mu = 0.8
    middle = 0.5 * (math.atan(mu) + math.atan(mu / math.sqrt(2)))
    assert np.linalg.norm(slide(middle, mu, "pyramidal", solver)) < 0.05
    assert np.linalg.norm(slide(middle, mu, "pyramidal", solver, math.pi / 4)) > 0.3
    assert np.linalg.norm(slide(middle, mu, "elliptic", solver, math.pi / 4)) < 0.05


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", ["PGS", "CG", "Newton"])
def test_noslip_stops_the_creep(solver: str, cone: str) -> None:
    """A soft contact creeps on a slope below the friction angle; noslip, which does not regularize friction, stops the creep.

    With pyramids, opposite edges keep their fraction of the normal force, here a half. The slope is therefore below half of mu.
    """
    creep = np.linalg.norm(slide(0.3, 0.8, cone, solver))
    assert creep > 1e-4
    assert np.linalg.norm(slide(0.3, 0.8, cone, solver, noslip=10)) < 1e-3 * creep
