"""A chain reaction: three marbles start three spirals of dominoes, which topple slabs of increasing size.

    python examples/dominoes.py out/dominoes.mp4

Every domino has four contacts with the floor. Each step computes all 1200 contacts; no domino is asleep.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from film.look import MATERIALS, Move, Shot, View, coat, dress, renderer_of, shoot

import conjoint

SECONDS = 6.5
"""Duration of the scene (s)."""

ARMS = ("orange", "teal", "yellow")
"""Materials at the outer ends of the spirals; toward the middle, the dominoes fade to white."""

TURN = 1.4
"""Angle at which the first spiral begins (rad)."""

COUNT = 92
"""Number of dominoes in a spiral."""

HALF = np.array([0.009, 0.025, 0.05])
"""Half of a domino's thickness, width and height (m)."""

STEP, PITCH, INNER = 0.041, 0.27, 0.155
"""Distance between neighbors along a spiral, growth of its radius per turn, and its initial radius (m)."""

SLABS, GROWTH = 6, 1.25
"""Number of slabs at the end of a spiral, and growth factor of their size."""

RUN, LENGTH, EXIT, SLOPE, HIGH = 0.13, 0.85, 0.055, 0.22, 0.075
"""Marble run: radius of its helix, total length, length of its straight end (m), slope, and height of its end (m)."""

BEFORE = 0.6
"""Angle between the end of a run's helix and the first domino (rad)."""

MARBLE, WIRE = 0.02, 0.0045
"""Radius of a marble, and of the wires that it rolls on (m)."""

SMOOTH, HARD = [0.22, 0.001, 1e-5], [0.004, 1]
"""Friction coefficients (`friction`) and stiffness (`solref`) of contacts."""

BOX, CAPSULE = conjoint.mjtGeom.mjGEOM_BOX, conjoint.mjtGeom.mjGEOM_CAPSULE

MOVE = Move(View((0.0, 0.0, 0.14), 2.2, 92, -11), View((0.02, -0.03, 0.0), 3.5, 128, -33))


def model() -> conjoint.MjModel:
    """Return the model, which contains spirals of dominoes, slabs and marble runs."""
    spec = conjoint.MjSpec()
    spec.option.timestep, spec.option.integrator = 0.001, conjoint.mjtIntegrator.mjINT_IMPLICITFAST
    dress(spec, radius=1.5)
    # fewer faces than the default suffice for such small wires and marbles
    spec.visual.quality.numslices, spec.visual.quality.numstacks = 16, 6
    for arm, material in enumerate(ARMS):
        turn = TURN + 2 * np.pi * arm / len(ARMS)
        add_spiral(spec, turn, material)
        add_run(spec, turn, material)
    return spec.compile()


def add_spiral(spec: conjoint.MjSpec, turn: float, material: str) -> None:
    """Add a spiral of dominoes that begins at the angle `turn` (rad), and the slabs at its end."""
    angle, end = 0.0, np.array(MATERIALS[material][0])
    for k in range(COUNT):
        radius = INNER + PITCH * angle / (2 * np.pi)
        place = radius * np.array([np.cos(turn + angle), np.sin(turn + angle)])
        # a spiral is slightly inclined outward of the circle
        heading = turn + angle + np.pi / 2 - np.arctan2(PITCH / (2 * np.pi), radius)
        share = k / (COUNT - 1)
        color = (1 - share) * np.array(MATERIALS["shell"][0]) + share * end
        add_block(spec, place, heading, HALF, color)
        angle += STEP / radius
    way, half = np.array([np.cos(heading), np.sin(heading)]), HALF
    for _ in range(SLABS):
        # slabs are so far apart that a smaller one topples the next larger one
        place = place + way * 1.25 * half[2]
        half = half * GROWTH
        add_block(spec, place, heading, half, end)


def add_block(spec: conjoint.MjSpec, place: np.ndarray, heading: float, half: np.ndarray, color: np.ndarray) -> None:
    """Add a standing block whose thin side faces in the direction `heading` (rad)."""
    body = spec.worldbody.add_body(pos=[*place, half[2]], quat=[np.cos(heading / 2), 0, 0, np.sin(heading / 2)])
    body.add_freejoint()
    geom = body.add_geom(type=BOX, size=half, density=700, friction=SMOOTH, solref=HARD)
    geom.material, geom.rgba = "shell", [*color, 1]


def add_run(spec: conjoint.MjSpec, turn: float, material: str) -> None:
    """Add a helix of wires that ends at the first domino of a spiral, and a marble at its top."""
    run = spec.worldbody.add_body()
    # two wires support a marble from below, and one guides it on its outer side
    for aside, above in ((-0.012, -MARBLE - 0.001), (0.012, -MARBLE - 0.001), (MARBLE + WIRE, 0.004)):
        points = [track(turn, way, aside) + [0, 0, above] for way in np.linspace(0, LENGTH, 30)]
        for first, last in pairwise(points):
            wire = run.add_geom(type=CAPSULE, size=[WIRE, 0, 0], fromto=[*first, *last], friction=SMOOTH, solref=HARD)
            # only marbles collide with wires
            wire.contype = wire.conaffinity = 2
            coat(wire, "graphite")
    # a post beside the wires, which does not collide
    place = (RUN - 0.012 - 2 * WIRE) * np.array([np.cos(turn), np.sin(turn)])
    top = HIGH + SLOPE * LENGTH - MARBLE
    post = run.add_geom(type=CAPSULE, size=[WIRE, 0, 0], fromto=[*place, 0, *place, top], contype=0, conaffinity=0)
    coat(post, "graphite")
    marble = spec.worldbody.add_body(pos=track(turn, 0.02, 0.0) + [0, 0, 0.004])
    marble.add_freejoint()
    ball = marble.add_geom(size=[MARBLE, 0, 0], density=3000, friction=SMOOTH, solref=HARD, contype=3, conaffinity=3)
    coat(ball, material)


def track(turn: float, way: float, aside: float) -> np.ndarray:
    """Return the position of a marble on its run, `way` meters from the top and `aside` meters outward."""
    straight = max(way - LENGTH + EXIT, 0.0)
    angle = turn - BEFORE - (LENGTH - EXIT - way + straight) / RUN
    outward, along = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    return np.array([*(RUN + aside) * outward + straight * along, HIGH + SLOPE * (LENGTH - way)])


def pictures(shot: Shot) -> Iterator[np.ndarray]:
    """Yield the pictures of the scene."""
    made = model()
    data, renderer = conjoint.MjData(made), renderer_of(made, shot)
    for now in shot.times:
        while data.time < now:
            conjoint.mj_step(made, data)
        conjoint.mj_forward(made, data)
        yield renderer.picture(data, MOVE.camera(now / SECONDS))
    renderer.close()


if __name__ == "__main__":
    shoot(pictures, SECONDS, __doc__)
