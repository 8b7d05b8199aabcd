"""Scenes of two convex geoms in many poses, and comparison of their contacts with MuJoCo's."""

from __future__ import annotations

import itertools
import math
from typing import Any

import mujoco
import numpy as np

import conjoint
from adopt import adopt_state
from collision_scenes import adopted


def _points(points: Any) -> str:
    return " ".join(f"{x:.6f}" for x in np.ravel(points))


def _cloud(count: int, seed: int) -> str:
    points = np.random.default_rng(seed).standard_normal((count, 3))
    return _points(points / np.linalg.norm(points, axis=1)[:, None] * [0.2, 0.15, 0.25])


CUBE = _points(np.array(list(itertools.product((-1, 1), repeat=3))) * [0.15, 0.2, 0.1])
PRISM = _points([
    (0.15 * math.cos(k * math.pi / 6), 0.15 * math.sin(k * math.pi / 6), z) for k in range(12) for z in (-0.1, 0.1)
])  # fmt: skip

ASSETS = f"""<asset>
  <mesh name="cloud" vertex="{_cloud(60, 0)}"/> <mesh name="few" vertex="{_cloud(7, 3)}"/>
  <mesh name="cube" vertex="{CUBE}"/> <mesh name="prism" vertex="{PRISM}"/>
</asset>"""

SHAPES = {
    "sphere": 'type="sphere" size=".15"',
    "capsule": 'type="capsule" size=".1 .15"',
    "ellipsoid": 'type="ellipsoid" size=".1 .2 .15"',
    "cylinder": 'type="cylinder" size=".1 .2"',
    "box": 'type="box" size=".1 .2 .15"',
    "cloud": 'type="mesh" mesh="cloud"',
    "few": 'type="mesh" mesh="few"',
    "cube": 'type="mesh" mesh="cube"',
    "prism": 'type="mesh" mesh="prism"',
}
"""Attributes of geoms, by name.

The last four are meshes of 60, 7, 8 and 24 vertices; the first two of these meshes have only triangles.
"""

ANALYTIC = {
    ("sphere", "sphere"), ("sphere", "capsule"), ("sphere", "cylinder"), ("sphere", "box"), ("capsule", "capsule"),
    ("capsule", "box"), ("box", "box"),
}  # fmt: skip
"""Pairs of types with analytic colliders."""

PAIRS = [pair for pair in itertools.combinations_with_replacement(SHAPES, 2) if pair not in ANALYTIC]

QUARTERS = [np.array(q) / math.sqrt(sum(x * x for x in q)) for q in itertools.product((-1, 0, 1), repeat=4) if any(q)]
"""Rotations about the axes and diagonals of a cube, including quarter, third and half turns."""


def scene(pair: tuple[str, str], geom: str = "", option: str = "", flag: str = "") -> str:
    """Return the XML of a model with a fixed geom and a free one."""
    first, second = (SHAPES[name] for name in pair)
    return f"""<mujoco><option {option}><flag {flag}/></option><default><geom {geom}/></default>{ASSETS}<worldbody>
      <geom {first}/><body><freejoint/><geom mass="1" {second}/></body>
    </worldbody></mujoco>"""


def poses(count: int, seed: int, special: bool = False) -> list[list[float]]:
    """Return random positions and quaternions; with `special`, faces, edges and corners are often in exact contact."""
    generator = np.random.default_rng(seed)
    found: list[list[float]] = []
    for _ in range(count):
        if special:
            pos = generator.integers(-6, 7, 3) * 0.05 * (generator.random(3) < 0.6)
            found.append([*pos, *QUARTERS[generator.integers(len(QUARTERS))]])
        else:
            found.append([*generator.uniform(-0.3, 0.3, 3), *generator.standard_normal(4)])
    return found


CURVED = (int(mujoco.mjtGeom.mjGEOM_ELLIPSOID), int(mujoco.mjtGeom.mjGEOM_CYLINDER))


def just_touch(m: conjoint.MjModel, d: conjoint.MjData) -> bool:
    """Return True if two geoms, at least one of which is an ellipsoid or a cylinder, touch within 1e-6 m.

    MuJoCo's error is up to 1e-3 m in this case; see `test_touching.py`.
    """
    curved = any(m.geom_type[g] in CURVED for g in (0, 1))
    return curved and abs(conjoint.mj_geomDistance(m, d, 0, 1, 1.0, None)) < 1e-6


def differences(xml: str, states: list[list[float]], tolerance: float = 0.0) -> tuple[list[str], int]:
    """Return descriptions of differences from MuJoCo's contacts beyond a tolerance, and the number of contacts."""
    official_model, official, m = adopted(xml)
    found, contacts = [], 0
    for state in states:
        official.qpos[:] = state
        mujoco.mj_kinematics(official_model, official)
        mujoco.mj_collision(official_model, official)
        d = adopt_state(m, official_model, official)
        conjoint.mj_kinematics(m, d)
        conjoint.mj_collision(m, d)
        contacts += official.ncon
        if just_touch(m, d):
            continue
        if d.ncon != official.ncon:
            found.append(f"{state}: {d.ncon} contacts, not {official.ncon}")
            continue
        for name in ("dist", "pos", "frame"):
            ours, theirs = np.asarray(getattr(d.contact, name)), getattr(official.contact, name)
            error = float(np.max(np.abs(ours - theirs), initial=0.0))
            if not error <= tolerance:
                found.append(f"{state}: {name} differs by {error}")
    return found, contacts
