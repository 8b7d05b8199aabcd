"""Elastic cables: chains of bodies that resist twist and bending (MuJoCo Modeling chapter, Composite objects, cable).

The moment between neighboring bodies depends on their curvature, which is the rotation from one body to the
next, minus the curvature at rest. About each axis of the cross section, the moment is stiffness over length
times rotation. The stiffness is G J along the cable and E I across it, as in an Euler-Bernoulli beam. Torsion
constants and second moments of area are from Young & Budynas, Roark's Formulas for Stress and Strain, tables
10.7 and A.1.

The rotation to a body is read from the body's ball or free joint. If the last joint has a different type, or if
the body has no joint, the rotation is computed from the poses of both bodies. In this case MuJoCo reads
unrelated elements of qpos as the quaternion of the joint.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from conjoint.lang import (
    clip,
    conj_quat,
    kernel,
    load,
    maximum,
    minimum,
    mul_quat,
    norm,
    quat,
    quat_to_velocity,
    rotate,
    rotate_inv,
    sub_quat,
    vec3,
)
from conjoint.physics.motion.support import apply_force
from conjoint.physics.plugin.plugin import Config, mjpPlugin, number, plugin_number, reference_poses
from conjoint.schema.enums import mjtGeom, mjtJoint, mjtPluginCapabilityBit

NUMBERS = 8
"""Number of parameters of each body.

They are three stiffnesses, each divided by the length to the previous body, three components of the curvature at rest,
1 if any stiffness is not zero, and the moment at which the body is colored red, or 0 if bodies are not colored by
moments.
"""


def cable_numbers(m: Any, instance: int, config: Config) -> list[float]:
    """Return the parameters of every body of a cable, such as stiffness and curvature at rest.

    Raises:
        ValueError: the bodies do not form a chain, or one of them lacks a geom.
    """
    twist, bend, flat = number(config, "twist"), number(config, "bend"), config["flat"] == "true"
    most = number(config, "vmax")
    bodies = np.flatnonzero(m.body_plugin == instance).tolist()
    place, turn = reference_poses(m) if bodies else ([], [])
    found: list[float] = []
    for k, b in enumerate(bodies):
        if b != bodies[0] + k or not m.body_geomnum[b]:
            raise ValueError("the bodies of a cable must form a chain, and each needs a geom")
        torsion, second_y, second_z = _section(m, int(m.body_geomadr[b]))
        stiffness = np.array([twist * torsion, bend * second_y, bend * second_z])
        curvature = np.zeros(3)
        over_length = np.zeros(3)
        if k:
            # bodies at the same point: the stiffness is infinite, or the moment zero for a cable without stiffness, as
            # in MuJoCo
            with np.errstate(divide="ignore", invalid="ignore"):
                over_length = stiffness / np.linalg.norm(place[b] - place[b - 1])
            if not flat:
                curvature = np.array(_curvature(m, b, turn).parts)
        found += [*over_length, *curvature, float(stiffness.any()), most]
    return found


def _section(m: Any, g: int) -> tuple[float, float, float]:
    """Return the torsion constant and second moments of area of a geom's cross section perpendicular to its x axis."""
    kind, (radius, h, w) = m.geom_type[g], m.geom_size[g].tolist()
    if kind in (mjtGeom.mjGEOM_CYLINDER, mjtGeom.mjGEOM_CAPSULE):
        return pi * radius**4 / 2, pi * radius**4 / 4, pi * radius**4 / 4
    if kind == mjtGeom.mjGEOM_BOX:
        a, b = max(h, w), min(h, w)
        torsion = a * b**3 * (16 / 3 - 3.36 * b / a * (1 - (b / a) ** 4 / 12))
        return torsion, (2 * w) ** 3 * 2 * h / 12, (2 * h) ** 3 * 2 * w / 12
    return 0.0, 0.0, 0.0


def _curvature(m: Any, b: int, turn: list[Any]) -> Any:
    """Return the rotation vector at rest from body b - 1 to body b; `turn` contains the rest orientations of bodies."""
    if not turns_freely(m, b):
        return quat_to_velocity(mul_quat(conj_quat(turn[b - 1]), turn[b]), 1.0)
    q = int(m.jnt_qposadr[m.body_jntadr[b]]) + int(m.body_dofnum[b]) - 3
    return sub_quat(m.body_quat[b].tolist(), m.qpos0[q : q + 4].tolist())


@kernel
def cable_forces(m, d, i):
    """Add the joint forces of the moments between the bodies of instance i to qfrc_passive."""
    k = 0
    for b in range(1, m.nbody):
        if m.body_plugin[b] == i:
            if plugin_number(m, i, NUMBERS * k + 6) != 0.0:
                moment = vec3(0.0, 0.0, 0.0)
                if k > 0:
                    moment = rotate_inv(bend_of(m, d, b), stress(m, d, i, b, k))
                if b + 1 < m.nbody and m.body_plugin[b + 1] == i:
                    moment = moment - stress(m, d, i, b + 1, k + 1)
                moment = rotate(d.xquat[b], moment)
                apply_force(m, d, d.qfrc_passive, vec3(0.0, 0.0, 0.0), moment, d.xpos[b], b)
            k += 1


@kernel
def turns_freely(m, b):
    """Return True if the last joint of body b is a ball joint or a free joint."""
    if m.body_jntnum[b] == 0:
        return False
    kind = m.jnt_type[m.body_jntadr[b] + m.body_jntnum[b] - 1]
    return kind == mjtJoint.mjJNT_BALL or kind == mjtJoint.mjJNT_FREE


@kernel
def bend_of(m, d, b):
    """Return the rotation from body b - 1 to body b."""
    if not turns_freely(m, b):
        return mul_quat(conj_quat(d.xquat[b - 1]), d.xquat[b])
    return mul_quat(m.body_quat[b], load(quat, d.qpos, m.jnt_qposadr[m.body_jntadr[b]] + m.body_dofnum[b] - 3))


@kernel
def stress(m, d, i, b, k):
    """Return the moment of body b - 1 on body b, in the frame of body b - 1; body b is the k-th body of instance i."""
    curvature = quat_to_velocity(bend_of(m, d, b), 1.0)
    a = m.plugin_numberadr[i] + NUMBERS * k
    bent = curvature - load(vec3, m.plugin_number, a + 3)
    return vec3(-m.plugin_number[a] * bent.x, -m.plugin_number[a + 1] * bent.y, -m.plugin_number[a + 2] * bent.z)


@kernel
def color_cable(m, d, i, geom_rgba):
    """Color the bodies of instance i by the moments on their ends, from blue to red, if its `vmax` is positive."""
    k = 0
    for b in range(1, m.nbody):
        if m.body_plugin[b] == i:
            most = plugin_number(m, i, NUMBERS * k + 7)
            if most > 0.0:
                moment = mean_moment(m, d, i, b, k)
                for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]):
                    put_heat(geom_rgba, 4 * g, norm(moment) / most)
            k += 1


@kernel
def mean_moment(m, d, i, b, k):
    """Return the mean moment on those ends of body b that have a neighbor; body b is the k-th body of instance i.

    As in MuJoCo, each moment is in the frame of the second of the two bodies that it connects.
    """
    moment = vec3(0.0, 0.0, 0.0)
    ends = 0.0
    if k > 0:
        moment = rotate_inv(bend_of(m, d, b), stress(m, d, i, b, k))
        ends += 1.0
    if b + 1 < m.nbody and m.body_plugin[b + 1] == i:
        moment = moment + rotate_inv(bend_of(m, d, b + 1), stress(m, d, i, b + 1, k + 1))
        ends += 1.0
    return moment / maximum(ends, 1.0)


@kernel
def put_heat(rgba, at, x):
    """Write red, green and blue to rgba[at:] for x from 0 (blue) through 0.5 (green) to 1 (red).

    Each color rises and falls within a quarter of the range.
    """
    step = 4.0 * clip(x, 0.0, 1.0)
    rgba[at] = clip(step - 2.0, 0.0, 1.0)
    rgba[at + 1] = clip(minimum(step, 4.0 - step), 0.0, 1.0)
    rgba[at + 2] = clip(2.0 - step, 0.0, 1.0)


CABLE = mjpPlugin(
    "mujoco.elasticity.cable",
    mjtPluginCapabilityBit.mjPLUGIN_PASSIVE,
    ("twist", "bend", "flat", "vmax"),
    init=cable_numbers,
    compute=cable_forces,
    visualize=color_cable,
)
