"""Lengths and moment arms of actuators in the initial configuration (Computation chapter, "Actuation model")."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from conjoint.compiler.actuator import JOINT, JOINTINPARENT, SITE, SLIDERCRANK, TENDON
from conjoint.compiler.arms import Arms
from conjoint.compiler.arrays import Arrays
from conjoint.compiler.configuration import Configuration
from conjoint.compiler.joint import BALL, HINGE, SLIDE
from conjoint.spec.rotation import conj_quat, mul_quat, quat_to_mat, rotate, rotation_vector

Row = tuple[Any, Any]
"""Dofs and numbers of one row of moment arms."""


def actuator_lengths(m: Arrays, at: Configuration, lengths: np.ndarray, arms: Arms) -> tuple[np.ndarray, Arms]:
    """(nu,) lengths and moment arms of actuators in qpos0.

    An actuator on a body acts through contacts, of which there are none here: its moment arms are zero.

    Args:
        lengths, arms: those of tendons.
    """
    length = [0.0] * m.nu
    dofs: list[int] = []
    values: list[float] = []
    counts: list[int] = []
    kinds, targets = m.actuator_trntype.tolist(), m.actuator_trnid.tolist()
    for u, (kind, (target, other), gear) in enumerate(zip(kinds, targets, m.actuator_gear.tolist(), strict=True)):
        row: Row = ((), ())
        if kind == TENDON:
            dof, value = arms.of(target)
            length[u], row = gear[0] * lengths[target], (dof.tolist(), (gear[0] * value).tolist())
        elif kind in (JOINT, JOINTINPARENT):
            length[u], row = _joint(m, at, kind, target, gear)
        elif kind == SLIDERCRANK:
            length[u], row = _slidercrank(m, at, target, other, float(m.actuator_cranklength[u]), gear[0])
        elif kind == SITE and other < 0:
            row = _wrench(m, at, target, target, gear)
        elif kind == SITE:
            length[u], row = _displacement(m, at, target, other, gear), _between(m, at, target, other, gear)
        dofs += row[0]
        values += row[1]
        counts.append(len(row[0]))
    return np.array(length), Arms.sum(m.nu, np.repeat(np.arange(m.nu), counts), np.array(dofs), np.array(values))


def _joint(m: Arrays, at: Configuration, kind: int, joint: int, gear: list[float]) -> tuple[float, Row]:
    """Length and moment arms of an actuator on a joint."""
    start, joint_type = int(m.jnt_dofadr[joint]), m.jnt_type[joint]
    if joint_type in (SLIDE, HINGE):
        return float(gear[0] * m.qpos0[m.jnt_qposadr[joint]]), ([start], [gear[0]])
    turn = gear[:3] if joint_type == BALL else gear[3:]
    if kind == JOINTINPARENT and joint_type != BALL:
        # the rotation of a free joint; that of a ball joint is none in qpos0
        turn = list(rotate(conj_quat(at.xquat[m.jnt_bodyid[joint]]), turn))
    values = turn if joint_type == BALL else [*gear[:3], *turn]
    return 0.0, (list(range(start, start + len(values))), values)


def _wrench(m: Arrays, at: Configuration, site: int, frame: int, gear: list[float]) -> Row:
    """Generalized force of the force and torque `gear`, given in the frame of one site, applied to another."""
    _, quat = at.pose("site", frame)
    force, torque = rotate(quat, gear[:3]), rotate(quat, gear[3:])
    _, dof, value = at.generalized([m.site_bodyid[site]], [at.site_xpos[site]], [force], [torque])
    return dof.tolist(), value.tolist()


def _between(m: Arrays, at: Configuration, site: int, frame: int, gear: list[float]) -> Row:
    """Moment arms of `gear` applied to one site and, reversed, to the other; dofs that move both do no work."""
    row = dict(zip(*_wrench(m, at, site, frame, gear), strict=True))
    for dof, value in zip(*_wrench(m, at, frame, frame, gear), strict=True):
        if row.pop(dof, None) is None:
            row[dof] = -value
    return list(row), list(row.values())


def _displacement(m: Arrays, at: Configuration, site: int, frame: int, gear: list[float]) -> float:
    """Position and rotation of a site relative to another, times `gear`."""
    origin, turn = at.pose("site", frame)
    moved = rotate(conj_quat(turn), [a - b for a, b in zip(at.site_xpos[site], origin, strict=True)])
    # the official engine composes body and site in this order, which matters where the site is turned in its body
    quat, turn = (mul_quat(tuple(m.site_quat[s].tolist()), at.xquat[m.site_bodyid[s]]) for s in (site, frame))
    turned = rotation_vector(mul_quat(conj_quat(turn), quat))
    return float(np.dot(gear, (*moved, *turned)))


def _slidercrank(m: Arrays, at: Configuration, crank: int, slider: int, rod: float, gear: float) -> tuple[float, Row]:
    """Length and moment arms of a slider that a rod connects to a crank, times `gear`.

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
    _, dof, value = at.generalized(bodies, points, [by_v, -by_v], turns)
    return gear * length, (dof.tolist(), (gear * value).tolist())
