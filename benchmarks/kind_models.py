"""Models of different kinds; in each, a different part of an engine takes most of the time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def burrs() -> str:
    """Return a model (XML) of three balls that fall onto a plane and onto each other.

    Each ball consists of 108 boxes, so the model has many geoms.
    """

    def burr(k: int) -> str:
        spines = ""
        for i in range(108):
            # points of a spiral from pole to pole of the sphere
            z, a = 1 - (2 * i + 1) / 108, 2.4 * i
            x, y = math.sqrt(1 - z * z) * math.cos(a), math.sqrt(1 - z * z) * math.sin(a)
            spines += (
                f'<geom type="box" size=".012 .007 .02" pos="{0.12 * x:.4f} {0.12 * y:.4f} {0.12 * z:.4f}" '
                f'zaxis="{x:.4f} {y:.4f} {z:.4f}" mass=".01"/>'
            )
        return f'<body pos="{0.05 * k} 0 {0.15 + 0.27 * k}"><freejoint/>{spines}</body>'

    return f'<mujoco><worldbody><geom type="plane" size="2 2 1"/>{"".join(map(burr, range(3)))}</worldbody></mujoco>'


def crab() -> str:
    """Return a model (XML) of a six-legged robot whose leg cylinders always overlap at the joints.

    Its collisions are those of pairs of convex geoms.
    """
    legs, motors = "", ""
    for k in range(6):
        side, row = 1 - 2 * (k % 2), k // 2 - 1
        legs += f"""<body pos="{0.18 * row} {0.11 * side} 0"><joint name="a{k}" axis="0 0 1" range="-30 30"/>
        <geom type="cylinder" size=".03 .03" contype="0" conaffinity="0"/><body pos="0 {0.03 * side} 0">
        <joint name="b{k}" axis="{side} 0 0" range="-60 60"/><geom type="cylinder" size=".022 .08"
         fromto="0 {-0.06 * side} 0 0 {0.14 * side} .03"/><body pos="0 {0.14 * side} .03"><joint name="c{k}"
         axis="{side} 0 0" range="-70 70"/><geom type="cylinder" size=".018 .09"
         fromto="0 0 .01 0 {0.05 * side} -.19"/></body></body></body>"""
        motors += "".join(f'<motor joint="{name}{k}" gear="1.5" ctrlrange="-1 1"/>' for name in "abc")
    return f"""<mujoco><default><joint limited="true" damping=".4" armature=".01"/></default><worldbody>
    <geom type="plane" size="9 9 1"/><body pos="0 0 .25"><freejoint/>
    <geom type="cylinder" size=".1 .22" euler="0 90 0"/>{legs}</body></worldbody>
    <actuator>{motors}</actuator></mujoco>"""


def shrub() -> str:
    """Return a model (XML) of a tree with 60 dofs, few contacts, elliptic cones and noslip: mostly linear algebra."""
    motors = ""

    def branch(name: str, depth: int, size: float) -> str:
        nonlocal motors
        axes = ("1 0 0", "0 1 0", "0 0 1")[: 3 if depth == 4 else 2]
        joints = "".join(f'<joint name="{name}{a}" axis="{axis}"/>' for a, axis in enumerate(axes))
        motors += "".join(f'<position joint="{name}{a}" kp="15" kv="1" ctrlrange="-.8 .8"/>' for a in range(len(axes)))
        inner = branch(f"{name}x", depth - 1, 0.85 * size) if depth > 1 else ""
        return f"""<body pos="0 0 {-0.9 * size:.3f}">{joints}<geom type="capsule" size="{0.13 * size:.3f}"
        fromto="0 0 0 0 0 {-0.75 * size:.3f}"/>{inner}</body>"""

    placed = "".join(
        f'<frame pos="{0.2 * math.cos(k):.3f} {0.2 * math.sin(k):.3f} .1" euler="{25 * math.sin(k):.1f} 0 0">'
        f"{branch('abcdef'[k], 4, 0.2)}</frame>"
        for k in range(6)
    )
    return f"""<mujoco><option timestep=".004" cone="elliptic" noslip_iterations="3"/><default>
    <joint range="-50 50" limited="true" damping=".4" stiffness="2" armature=".02"/></default><worldbody>
    <geom type="plane" size="9 9 1"/><body pos="0 0 .75"><freejoint/>
    <geom type="ellipsoid" size=".3 .25 .1"/>{placed}</body></worldbody><actuator>{motors}</actuator></mujoco>"""


def warehouse() -> str:
    """Return a model (XML) with 1,600 geoms: shelves, drawers, and boxes at rest in them, with many constraint rows."""
    shelves = "".join(
        '<geom type="box" size=".09 .04 .004" '
        f'pos="{0.2 * (k % 40) - 4:.2f} {-1 - 0.3 * (k // 200):.2f} {0.1 + 0.12 * (k // 40 % 5):.2f}"/>'
        for k in range(800)
    )
    drawers = ""
    for k in range(40):
        x, y = 0.4 * (k % 10) - 2, 0.5 + 0.5 * (k // 10)
        walls = "".join(
            f'<geom type="box" size=".004 .012 .03" pos="{0.12 * math.cos(a):.4f} {0.12 * math.sin(a):.4f} .03" '
            f'euler="0 0 {math.degrees(a):.2f}"/>'
            for a in np.linspace(0, math.tau, 17, endpoint=False)
        )
        drawers += f"""<body pos="{x:.2f} {y:.2f} .3"><joint type="slide" axis="0 1 0" range="0 .3" limited="true"
        damping="4"/><geom type="box" size=".13 .13 .004"/>{walls}</body>"""
    goods = "".join(
        f'<body pos="{0.4 * k - 2:.2f} .5 .34"><freejoint/>'
        + "".join(
            f'<geom type="box" size=".012 .012 .03" pos="{0.025 * (i % 3 - 1):.3f} {0.025 * (i // 3 - 1):.3f} 0"/>'
            for i in range(9)
        )
        + "</body>"
        for k in range(6)
    )
    return f'<mujoco><worldbody><geom type="plane" size="9 9 1"/>{shelves}{drawers}{goods}</worldbody></mujoco>'


def mesh(name: str, corners: int, size: tuple[float, ...], generator: np.random.Generator) -> str:
    """Return the XML of a mesh asset with random vertices on an ellipsoid."""
    points = generator.normal(size=(corners, 3))
    points *= np.array(size) / np.linalg.norm(points, axis=1, keepdims=True)
    return f'<mesh name="{name}" vertex="{" ".join(f"{x:.5f}" for x in points.ravel())}"/>'


def gripper() -> str:
    """Return a model (XML) in which two mesh fingers hold a bowl made of meshes: few contacts, but difficult to solve.

    Friction cones are elliptic, and impratio is 10.
    """
    generator = np.random.default_rng(5)
    meshes = "".join(mesh(f"m{k}", int(generator.integers(20, 140)), (0.03, 0.025, 0.02), generator) for k in range(40))
    bowl = "".join(
        f'<geom type="mesh" mesh="m{k % 40}" mass=".01" '
        f'pos="{0.1 * math.cos(a):.4f} {0.1 * math.sin(a):.4f} {0.025 * (k % 2):.3f}"/>'
        for k, a in enumerate(np.linspace(0, math.tau, 56, endpoint=False))
    )
    fingers, motors = "", ""
    for k, side in enumerate((1, -1)):
        pads = "".join(
            f'<geom type="mesh" mesh="m{(5 * i + k) % 40}" pos="0 {0.03 * (i % 5 - 2):.2f} {0.03 * (i // 5):.2f}"/>'
            for i in range(25)
        )
        tips = "".join(f'<geom size=".008" pos="{-0.03 * side} {0.02 * i - 0.04:.2f} .02"/>' for i in range(5))
        fingers += f"""<body pos="{0.19 * side} 0 .04"><joint name="x{k}" type="slide" axis="1 0 0" damping="10"/>
        <joint name="z{k}" type="slide" axis="0 0 1" damping="10"/><joint name="r{k}" axis="0 0 1" damping="1"/>
        {pads}{tips}</body>"""
        motors += "".join(f'<position joint="{name}{k}" kp="{kp}" ctrlrange="-{reach} {reach}"/>'
                          for name, kp, reach in (("x", 200, 0.1), ("z", 200, 0.05), ("r", 5, 0.6)))  # fmt: skip
    return f"""<mujoco><option cone="elliptic" impratio="10"/><asset>{meshes}</asset><worldbody>
    <geom type="plane" size="2 2 1"/>{fingers}<body pos="0 0 .03"><freejoint/>{bowl}</body></worldbody>
    <actuator>{motors}</actuator></mujoco>"""


def fish() -> str:
    """Return a model (XML) of a chain of ellipsoids in water, with 14 dofs and no contacts: call overhead dominates."""
    inner, motors = "", ""
    for k in reversed(range(8)):
        inner = f"""<body pos="-.08 0 0"><joint name="j{k}" axis="0 {k % 2} {1 - k % 2}"/>
        <geom type="ellipsoid" size=".045 .015 .035" fluidshape="ellipsoid"/>{inner}</body>"""
        motors += f'<position joint="j{k}" kp=".04" ctrlrange="-.9 .9"/>'
    return f"""<mujoco><option timestep=".004" density="1000" viscosity=".001"/><default>
    <joint range="-45 45" limited="true" damping=".01" armature=".0001"/></default><worldbody><body><freejoint/>
    <geom type="ellipsoid" size=".06 .025 .045" fluidshape="ellipsoid"/>{inner}</body></worldbody>
    <actuator>{motors}</actuator></mujoco>"""


def hiker() -> str:
    """Return a model (XML) of a quadruped on a height field; its feet consist of meshes and ellipsoids."""
    generator = np.random.default_rng(6)
    height = " ".join(f"{h:.3f}" for h in generator.uniform(0, 1, 50 * 50))
    legs, motors = "", ""
    for k in range(4):
        x, y = 0.25 * (1 - 2 * (k // 2)), 0.14 * (1 - 2 * (k % 2))
        toes = "".join(
            f'<geom type="ellipsoid" size=".025 .012 .01" pos=".04 {0.02 * (i - 1):.2f} -.02"/>' for i in range(3)
        )
        legs += f"""<body pos="{x} {y} 0"><joint name="h{k}" axis="1 0 0" range="-30 30"/>
        <joint name="t{k}" axis="0 1 0" range="-60 60"/><geom type="capsule" size=".035" fromto="0 0 0 0 0 -.25"/>
        <body pos="0 0 -.27"><joint name="k{k}" axis="0 1 0" range="-90 30"/><geom type="capsule" size=".025"
        fromto="0 0 0 0 0 -.22"/><body pos="0 0 -.25"><joint name="f{k}" axis="0 1 0" range="-40 40"/>
        <geom type="mesh" mesh="foot"/>{toes}</body></body></body>"""
        motors += "".join(f'<position joint="{name}{k}" kp="60" ctrlrange="-.4 .4"/>' for name in "htkf")
    return f"""<mujoco><default><joint limited="true" damping="1.5" armature=".01"/></default><asset>
    <hfield name="field" nrow="50" ncol="50" size="3 3 .12 .1" elevation="{height}"/>
    {mesh("foot", 50, (0.05, 0.035, 0.025), generator)}</asset><worldbody><geom type="hfield" hfield="field"/>
    <body pos="0 0 .72"><freejoint/><geom type="box" size=".32 .12 .06" mass="12"/>{legs}</body></worldbody>
    <actuator>{motors}</actuator></mujoco>"""


def masonry() -> str:
    """Return a model (XML) of a wall with 55 free bricks, each course shorter than the one below: stacks of boxes."""
    bricks = "".join(
        f'<body pos="{0.205 * (i - (9 - course) / 2):.4f} 0 {0.05 + 0.1 * course:.3f}"><freejoint/>'
        '<geom type="box" size=".1 .06 .05"/></body>'
        for course in range(10)
        for i in range(10 - course)
    )
    return f'<mujoco><worldbody><geom type="plane" size="9 9 1"/>{bricks}</worldbody></mujoco>'


KINDS: tuple[Callable[[], str], ...] = (burrs, crab, shrub, warehouse, gripper, fish, hiker, masonry)
"""Functions that return the XML text of a model of each kind."""
