"""Lengths and moment arms of actuators in the initial configuration (Computation chapter, "Actuation model")."""

from __future__ import annotations

from math import sqrt

import numpy as np

from conjoint.compiler.actuator import JOINT, JOINTINPARENT, SITE, SLIDERCRANK, TENDON
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.configuration import Configuration
from conjoint.compiler.joint import BALL, HINGE, SLIDE
from conjoint.spec.rotation import conj_quat, mul_quat, quat_to_mat, rotate, rotation_vector


def actuator_lengths(m: Arrays, at: Configuration, lengths: np.ndarray, arms: np.ndarray) -> tuple[np.ndarray, ...]:
    """(nu,) lengths and (nu, nv) moment arms of actuators in qpos0.

    An actuator on a body acts through contacts, of which there are none here: its moment arms are zero.

    Args:
        lengths, arms: those of tendons.
    """
    length, moment = np.zeros(m.nu), np.zeros((m.nu, m.nv))
    for u, kind in enumerate(m.actuator_trntype.tolist()):
        target, other = m.actuator_trnid[u].tolist()
        gear = m.actuator_gear[u]
        if kind == TENDON:
            length[u], moment[u] = gear[0] * lengths[target], gear[0] * arms[target]
        elif kind in (JOINT, JOINTINPARENT):
            length[u] = _joint(m, at, kind, target, gear.tolist(), moment[u])
        elif kind == SLIDERCRANK:
            rod = float(m.actuator_cranklength[u])
            found, row = _slidercrank(m, at, target, other, rod)
            length[u], moment[u] = gear[0] * found, gear[0] * row
        elif kind == SITE and other < 0:
            moment[u] = _wrench(m, at, target, target, gear)
        elif kind == SITE:
            length[u] = _displacement(m, at, target, other, gear)
            moment[u] = _wrench(m, at, target, other, gear) - _wrench(m, at, other, other, gear)
            shared = at.moves[m.site_bodyid[target]] & at.moves[m.site_bodyid[other]]
            moment[u, shared] = 0.0
    return length, moment


def _joint(m: Arrays, at: Configuration, kind: int, joint: int, gear: list[float], moment: np.ndarray) -> float:
    """Length of an actuator on a joint, whose moment arms are written to `moment`."""
    start, joint_type = int(m.jnt_dofadr[joint]), m.jnt_type[joint]
    if joint_type in (SLIDE, HINGE):
        moment[start] = gear[0]
        return float(gear[0] * m.qpos0[m.jnt_qposadr[joint]])
    turn = gear[:3] if joint_type == BALL else gear[3:]
    if kind == JOINTINPARENT and joint_type != BALL:
        # the rotation of a free joint; that of a ball joint is none in qpos0
        turn = list(rotate(conj_quat(at.xquat[m.jnt_bodyid[joint]]), turn))
    values = turn if joint_type == BALL else [*gear[:3], *turn]
    moment[start : start + len(values)] = values
    return 0.0


def _wrench(m: Arrays, at: Configuration, site: int, frame: int, gear: np.ndarray) -> np.ndarray:
    """Generalized force of the force and torque `gear`, given in the frame of one site, applied to another."""
    _, quat = at.pose("site", frame)
    force, torque = rotate(quat, gear[:3].tolist()), rotate(quat, gear[3:].tolist())
    return at.generalized([m.site_bodyid[site]], [at.site_xpos[site]], [force], [torque])[0]


def _displacement(m: Arrays, at: Configuration, site: int, frame: int, gear: np.ndarray) -> float:
    """Position and rotation of a site relative to another, times `gear`."""
    origin, turn = at.pose("site", frame)
    moved = rotate(conj_quat(turn), [a - b for a, b in zip(at.site_xpos[site], origin, strict=True)])
    # the official engine composes body and site in this order, which matters where the site is turned in its body
    quat, turn = (mul_quat(tuple(m.site_quat[s].tolist()), at.xquat[m.site_bodyid[s]]) for s in (site, frame))
    turned = rotation_vector(mul_quat(conj_quat(turn), quat))
    return float(np.dot(gear, (*moved, *turned)))


def _slidercrank(m: Arrays, at: Configuration, crank: int, slider: int, rod: float) -> tuple[float, np.ndarray]:
    """Length and moment arms of a slider that a rod connects to a crank.

    The slider moves along the z axis a of its site; v is the crank relative to that site. The length l solves
    |v - l a| = rod; where the rod is too short to reach, l is the point nearest to the crank.
    """
    pos, quat = at.pose("site", slider)
    a = np.array(quat_to_mat(quat)).reshape(3, 3)[:, 2]
    v = np.array(at.site_xpos[crank]) - pos
    along = float(a @ v)
    reach = along * along + rod * rod - float(v @ v)
    if reach <= 0:
        length, by_v, by_a = along, a, v
    else:
        root = sqrt(reach)
        length = along - root
        by_v, by_a = a * (1 - along / root) + v / root, v * (1 - along / root)
    bodies = [m.site_bodyid[crank], m.site_bodyid[slider]]
    points = [at.site_xpos[crank], pos]
    turns = np.array([(0.0, 0.0, 0.0), np.cross(a, by_a)])
    return length, at.generalized(bodies, points, [by_v, -by_v], turns).sum(axis=0)
