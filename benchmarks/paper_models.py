"""Models like those that the 2012 paper measured, written for the comparison because the paper published none."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = '<mujoco><option timestep="0.005" cone="elliptic"/><default><geom contype="0" conaffinity="0" density="900"/>'
BEGIN = HEAD + '<joint armature="0.005" damping="0.1"/></default><worldbody>'
END = "</worldbody></mujoco>"


def link(axes: Sequence[str], place: str, end: str, inner: str = "", size: float = 0.04) -> str:
    """Return a body with a hinge for each axis, a capsule from its origin to `end`, and the child bodies `inner`."""
    hinges = "".join(f'<joint axis="{axis}"/>' for axis in axes)
    return f'<body pos="{place}">{hinges}<geom type="capsule" fromto="0 0 0 {end}" size="{size}"/>{inner}</body>'


X, Y, Z = "1 0 0", "0 1 0", "0 0 1"


def isolated() -> str:
    """Return a model with 34 dofs: bodies that are attached only to the world, by all types of joints."""
    joints = ["<freejoint/>"] * 4 + ['<joint type="ball"/>'] * 2 + [f'<joint axis="{Y}"/>'] * 2
    joints += [f'<joint type="slide" axis="{Z}"/>'] * 2
    bodies = (
        f'<body pos="{i} 0 0">{joint}<geom type="box" size=".1 .2 .3" pos=".1 .1 0"/></body>'
        for i, joint in enumerate(joints)
    )
    return BEGIN + "".join(bodies) + END


def chain(count: int = 31) -> str:
    """Return a model with 31 dofs: a chain of hinges whose axes alternate between three directions."""
    inner = ""
    for i in reversed(range(count)):
        inner = link([(X, Y, Z)[i % 3]], "0 0 -.1" if i else "0 0 0", "0 0 -.1", inner, 0.02)
    return BEGIN + inner + END


def hand() -> str:
    """Return a model with 32 dofs: a floating forearm, a wrist, a palm that folds, four fingers and a thumb."""
    finger = link([X], "0 .04 0", "0 .02 0", size=0.008)
    middle = link([X], "0 .05 0", "0 .03 0", finger, 0.009)
    fingers = "".join(link([X, Z], f"{0.02 * i - 0.03:g} .1 0", "0 .05 0", middle, 0.01) for i in range(3))
    little = link([Z, Y], ".03 .05 0", "0 .04 0", link([X, Z], "0 .04 0", "0 .04 0", middle, 0.01), 0.01)
    thumb = link([X, Z, Y], "-.04 .02 0", "-.03 .03 0", link([Z], "-.03 .03 0", "0 .03 0", finger, 0.01), 0.01)
    palm = link([X, Y, Z], "0 .05 0", "0 .1 0", fingers + little + thumb, 0.03)
    return BEGIN + f'<body><freejoint/><geom type="capsule" fromto="0 -.2 0 0 0 0" size=".03"/>{palm}</body>' + END


def leg(side: int, ankle: str) -> str:
    """Return a leg with six dofs: hip, knee and ankle, with a foot."""
    shin = link([Y], "0 0 -.4", "0 0 -.4", ankle)
    return link([X, Z, Y], f"0 {0.1 * side} -.1", "0 0 -.4", shin, 0.06)


def humanoid() -> str:
    """Return a model with 29 dofs: a trunk with a waist, legs with six dofs and arms with four."""
    foot = link([X, Y], "0 0 -.4", ".15 0 0")
    lower = link([Y], "0 0 -.25", "0 0 -.25", size=0.03)
    arms = "".join(link([X, Y, Z], f"0 {0.2 * s} .3", "0 0 -.25", lower) for s in (-1, 1))
    trunk = link([X, Y, Z], "0 0 .1", "0 0 .3", arms, 0.1)
    body = f'<geom type="capsule" fromto="0 -.1 0 0 .1 0" size=".09"/>{trunk}{leg(-1, foot)}{leg(1, foot)}'
    return BEGIN + f'<body pos="0 0 1.1"><freejoint/>{body}</body>' + END


def walker() -> str:
    """Return a model with 18 dofs: a floating trunk, and legs with six dofs and three spheres below each foot.

    It stands with straight knees.
    """
    spheres = "".join(
        f'<geom size=".02" pos="{place}" contype="1"/>' for place in ("-.08 0 0", ".12 -.05 0", ".12 .05 0")
    )
    foot = link([X, Y], "0 0 -.4", ".1 0 0", spheres)
    trunk = '<geom type="capsule" fromto="0 0 0 0 0 .4" size=".12"/>'
    body = f'<body pos="0 0 0.919"><freejoint/>{trunk}{leg(-1, foot)}{leg(1, foot)}</body>'
    return BEGIN + f'<geom type="plane" size="0 0 1" conaffinity="1"/>{body}' + END


def balls(count: int, friction: float) -> str:
    """Return a model of balls in a cubic box, in layers of four that do not touch initially."""
    walls = ("0 0 0|0 0 1", ".25 0 0|-1 0 0", "-.25 0 0|1 0 0", "0 .25 0|0 -1 0", "0 -.25 0|0 1 0")
    planes = "".join(
        f'<geom type="plane" size="1 1 .1" pos="{wall.split("|")[0]}" zaxis="{wall.split("|")[1]}"/>' for wall in walls
    )
    places = [(0.12 * (2 * (i % 2) - 1), 0.12 * (2 * (i // 2 % 2) - 1), 0.12 + 0.21 * (i // 4)) for i in range(count)]
    bodies = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom size=".1"/></body>' for x, y, z in places)
    return (
        '<mujoco><option solver="complementarity" cone="elliptic" timestep="0.005"/><default>'
        f'<geom friction="{friction}" margin=".01"/></default><worldbody>{planes}{bodies}</worldbody></mujoco>'
    )
