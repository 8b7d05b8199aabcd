"""A model with a pair of touching geoms for every two geom types, in generic positions; the pairs are far apart."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

import conjoint as mj

SHAPES = {
    "plane": 'type="plane" size="1 1 .1"',
    "hfield": 'type="hfield" hfield="terrain"',
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".06 .12"',
    "ellipsoid": 'type="ellipsoid" size=".15 .1 .07"',
    "cylinder": 'type="cylinder" size=".1 .12"',
    "box": 'type="box" size=".1 .13 .08"',
    "mesh": 'type="mesh" mesh="rock"',
    "sdf": 'type="sdf" mesh="torus"',
}
"""Attributes of a geom of each type."""

FLAT = ("plane", "hfield")
"""Types of geoms that only the world body can have."""

ASSETS = """
  <extension><plugin plugin="mujoco.sdf.torus"><instance name="torus">
    <config key="radius1" value=".12"/><config key="radius2" value=".05"/></instance></plugin></extension>
  <asset>
    <hfield name="terrain" nrow="5" ncol="5" size=".4 .4 .2 .1"
      elevation="0 1 2 1 0  1 3 4 2 1  2 4 5 3 1  1 2 4 3 0  0 1 2 1 1"/>
    <mesh name="rock" vertex="{rock}"/>
    <mesh name="torus"><plugin instance="torus"/></mesh>
  </asset>"""


def kinds_of_pairs() -> list[tuple[str, str]]:
    """Return all pairs of geom types that collide."""
    none = [("plane", "plane"), ("plane", "hfield"), ("hfield", "hfield"), ("hfield", "sdf")]
    return [pair for pair in combinations_with_replacement(SHAPES, 2) if pair not in none]


def rock() -> str:
    """Return the corners of an irregular convex body without parallel faces."""
    way = np.random.default_rng(5).normal(size=(14, 3))
    corners = way / np.linalg.norm(way, axis=1)[:, None] * [0.13, 0.11, 0.1]
    return " ".join(f"{x:.4f}" for x in corners.ravel())


def turn() -> np.ndarray:
    """Return a fixed rotation matrix without special angles."""
    matrix = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    return matrix * np.sign(np.linalg.det(matrix))


def brick() -> str:
    """Return the corners of a rotated box."""
    corners = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.13, 0.13) for z in (-0.08, 0.08)])
    return " ".join(f"{x:.8f}" for x in (corners @ turn().T).ravel())


def upright() -> str:
    """Return the quaternion that aligns the sides of `brick` with the axes."""
    quat = np.zeros(4)
    mj.mju_mat2Quat(quat, turn().T.ravel())
    return " ".join(map(str, quat))


def unit(rng: np.random.Generator, size: int) -> np.ndarray:
    """Return a random unit vector."""
    x = rng.normal(size=size)
    return x / np.linalg.norm(x)


def pairs_model(pairs: list[tuple[str, str]], seed: int = 0, option: str = "", pair: str = "") -> mj.MjModel:
    """Return a model with two geoms for each pair of types. Each geom is on a free body unless its type cannot move."""
    rng = np.random.default_rng(seed)
    bodies, contacts = [], []
    for i, kinds in enumerate(pairs):
        for k, kind in enumerate(kinds):
            quat = unit(rng, 4)
            if kind in FLAT:
                quat = np.array([1, 0.1, -0.2, 0.05])
            geom = f'<geom name="{i}_{k}" {SHAPES[kind]} contype="0" conaffinity="0" mass="1"'
            if kind == "sdf":
                geom += '><plugin instance="torus"/></geom>'
            else:
                geom += "/>"
            place = f'pos="{10 * i} {k} 0" quat="{" ".join(map(str, quat))}"'
            joint = "" if kind in FLAT else "<freejoint/>"
            bodies.append(f"<body {place}>{joint}{geom}</body>")
        contacts.append(f'<pair geom1="{i}_0" geom2="{i}_1" {pair}/>')
    return mj.MjModel.from_xml_string(
        f"<mujoco>{ASSETS.format(rock=rock())}<option {option}/>"
        f"<worldbody>{''.join(bodies)}</worldbody><contact>{''.join(contacts)}</contact></mujoco>"
    )


def touch(m: mj.MjModel, seed: int, depth: float) -> mj.MjData:
    """Return data in which each pair's second geom was moved toward the first until they penetrate by about `depth`.

    Each motion is along a random line.
    """
    rng = np.random.default_rng(seed)
    d = mj.MjData(m)
    count = m.npair
    ways = np.array([unit(rng, 3) for _ in range(count)])
    second = [m.body_jntadr[m.geom_bodyid[g]] for g in m.pair_geom2]
    places = [m.jnt_qposadr[j] for j in second]
    for i, g in enumerate(m.pair_geom1):
        if m.geom_type[g] in (mj.mjtGeom.mjGEOM_PLANE, mj.mjtGeom.mjGEOM_HFIELD):
            ways[i] = [0.1 * ways[i, 0], 0.1 * ways[i, 1], 1.0]
    near, far = np.zeros(count), np.ones(count)
    for _ in range(30):
        middle = 0.5 * (near + far)
        for i, place in enumerate(places):
            d.qpos[place : place + 3] = np.array([10 * i, 0, 0]) + ways[i] * middle[i]
            if m.geom_bodyid[m.pair_geom1[i]] and m.body_jntnum[m.geom_bodyid[m.pair_geom1[i]]]:
                other = m.jnt_qposadr[m.body_jntadr[m.geom_bodyid[m.pair_geom1[i]]]]
                d.qpos[other : other + 3] = [10 * i, 0, 0]
        mj.mj_kinematics(m, d)
        mj.mj_collision(m, d)
        least = np.full(count, 1.0)
        for c in range(d.ncon):
            i = pair_of(m, d, c)
            least[i] = min(least[i], d.contact.dist[c])
        deep = least < -depth
        near, far = np.where(deep, middle, near), np.where(deep, far, middle)
    return d


def pair_of(m: mj.MjModel, d: mj.MjData, c: int) -> int:
    """Return the index of the geom pair of contact c."""
    return int(np.flatnonzero(m.pair_geom1 == d.contact.geom1[c])[0])
