"""Soft bodies meet rigid ones: a hammock, a cloth, and blocks of jelly, all finite elements in one world.

python examples/soft.py out/soft.mp4
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from film.look import MATERIALS, Move, Shot, View, coat, dress, renderer_of, shoot

import conjoint

SECONDS = 5.5
"""Duration of the scene (s)."""

MODEL = """
<mujoco model="soft">
  <option timestep="0.001" integrator="implicitfast"/>
  <asset>
    <material name="woven" texture="woven" specular="0.1"/>
    <material name="cloth" texture="cloth" specular="0.1"/>
  </asset>
  <worldbody>
    <flexcomp name="hammock" type="grid" dim="2" count="17 12 1" spacing="0.08 0.08 0.08" pos="-1.2 0.35 0.62"
              radius="0.01" mass="4" material="woven">
      <contact selfcollide="none" internal="false" solref="0.008 1" friction="0.6"/>
      <edge damping="2.5"/>
      <elasticity young="3e5" poisson="0.2" thickness="0.004" damping="0.002" elastic2d="stretch"/>
      <pin gridrange="0 0 0 11"/>
      <pin gridrange="16 0 16 11"/>
    </flexcomp>
    <flexcomp name="cloth" type="grid" dim="2" count="27 27 1" spacing="0.04 0.04 0.04" pos="0.3 -0.1 1.0"
              euler="0 0 20" radius="0.008" mass="0.8" material="cloth">
      <contact selfcollide="none" internal="false" solref="0.008 1" friction="0.35"/>
      <edge damping="0.01"/>
      <elasticity young="2e4" poisson="0.2" thickness="0.004" damping="0.001" elastic2d="both"/>
    </flexcomp>
    <flexcomp name="jelly0" type="grid" dim="3" count="5 5 5" spacing="0.06 0.06 0.06" pos="1.22 0.1 0.128"
              euler="0 0 20" radius="0.006" mass="6" material="yellow">
      <contact selfcollide="none" internal="false" solref="0.008 1" friction="0.8"/>
      <edge damping="0.4"/>
      <elasticity young="6e4" poisson="0.3" damping="0.0006"/>
    </flexcomp>
    <flexcomp name="jelly1" type="grid" dim="3" count="5 5 5" spacing="0.06 0.06 0.06" pos="1.24 0.1 0.62"
              euler="8 4 35" radius="0.006" mass="6" material="teal">
      <contact selfcollide="none" internal="false" solref="0.008 1" friction="0.8"/>
      <edge damping="0.4"/>
      <elasticity young="6e4" poisson="0.3" damping="0.0006"/>
    </flexcomp>
  </worldbody>
</mujoco>
"""

HAMMOCK, HALF = np.array([-1.2, 0.35, 0.62]), (0.64, 0.47)
"""Center of the hammock (m), and half its length and half its width between the posts (m)."""

BOX, SPHERE, CAPSULE, CYLINDER = (
    conjoint.mjtGeom.mjGEOM_BOX, conjoint.mjtGeom.mjGEOM_SPHERE, conjoint.mjtGeom.mjGEOM_CAPSULE,
    conjoint.mjtGeom.mjGEOM_CYLINDER,
)  # fmt: skip

LEFT, ABOVE = (-2.8, 0.35, 0.9), (1.24, 0.1, 2.2)
"""Positions outside the picture where bodies wait until they are thrown (m)."""

THROWN = (
    (SPHERE, [0.1, 0, 0], "orange", 120, LEFT, (2.4, 0.0, 2.4), 0.0),
    (CAPSULE, [0.065, 0.12, 0], "shell", 100, LEFT, (2.5, 0.0, 2.4), 0.8),
    (SPHERE, [0.08, 0, 0], "yellow", 120, LEFT, (2.3, 0.0, 2.4), 1.6),
    (BOX, [0.08, 0.08, 0.08], "slate", 100, LEFT, (2.4, 0.0, 2.4), 2.5),
    (SPHERE, [0.11, 0, 0], "shell", 250, ABOVE, (0.0, 0.0, 0.0), 1.3),
)
"""Bodies that are thrown: type, size (m), material, density (kg/m³), position (m), velocity (m/s), and time (s)."""

MOVE = Move(View((0.05, 0.0, 0.42), 3.9, 100, -12), View((0.05, 0.0, 0.4), 3.6, 84, -14))


def model() -> conjoint.MjModel:
    """Return the model of the soft bodies and the rigid bodies that they meet."""
    spec = conjoint.MjSpec.from_string(MODEL)
    dress(spec, radius=2.2)
    add_patterns(spec)
    add_posts(spec)
    for kind, size, place, material in (
        (SPHERE, [0.2, 0, 0], (0.13, -0.2, 0.2), "shell"), (BOX, [0.1, 0.1, 0.17], (0.53, -0.05, 0.17), "shell"),
        (CYLINDER, [0.07, 0.22, 0], (0.25, 0.22, 0.22), "shell"),
    ):  # fmt: skip
        coat(spec.worldbody.add_geom(type=kind, size=size, pos=place), material)
    for k, (kind, size, material, density, place, _, _) in enumerate(THROWN):
        body = spec.worldbody.add_body(name=f"thrown{k}", pos=np.add(place, (-0.4 * k, 0, 0)), quat=[0.8, 0.5, 0.3, 0])
        body.add_freejoint()
        body.gravcomp = 1
        coat(body.add_geom(type=kind, size=size, density=density, condim=6, friction=[0.6, 0.01, 0.01]), material)
    return spec.compile()


def add_patterns(spec: conjoint.MjSpec) -> None:
    """Add textures for the hammock (stripes) and for the cloth (a grid of lines)."""
    side = 256
    along = np.arange(side) / side
    stripes = np.where((along * 9 % 1 < 0.5)[:, None], MATERIALS["teal"][0], MATERIALS["shell"][0])
    line = (along * 9 % 1 < 0.12)[:, None] | (along * 9 % 1 < 0.12)[None, :]
    grid = np.where(line[..., None], (0.99, 0.80, 0.62), MATERIALS["orange"][0])
    for name, colors in (("woven", np.broadcast_to(stripes[:, None], (side, side, 3))), ("cloth", grid)):
        data = np.round(255 * colors).astype(np.uint8).tobytes()
        kind = conjoint.mjtTexture.mjTEXTURE_2D
        spec.add_texture(name=name, type=kind, width=side, height=side, nchannel=3, data=data)


def add_posts(spec: conjoint.MjSpec) -> None:
    """Add the posts that hold the hammock."""
    middle, (long, wide) = HAMMOCK, HALF
    for end in (-1, 1):
        x, y, z = middle[0] + end * long, middle[1], middle[2]
        bars = [[x, y - wide, z, x, y + wide, z]]
        bars += [[x, y + side, z, x + end * 0.2, y + side, 0.02] for side in (-wide, wide)]
        for bar in bars:
            geom = spec.worldbody.add_geom(type=CAPSULE, size=[0.02, 0, 0], fromto=bar, contype=0, conaffinity=0)
            coat(geom, "graphite")


def pictures(shot: Shot) -> Iterator[np.ndarray]:
    """Yield the pictures of the scene."""
    made = model()
    data, renderer = conjoint.MjData(made), renderer_of(made, shot)
    for now in shot.times:
        while data.time < now:
            throw(made, data)
            conjoint.mj_step(made, data)
        conjoint.mj_forward(made, data)
        yield renderer.picture(data, MOVE.camera(now / SECONDS))
    renderer.close()


def throw(model: conjoint.MjModel, data: conjoint.MjData) -> None:
    """Throw the bodies whose time has come; until then, gravity compensation keeps them outside the picture."""
    for k, (*_, place, velocity, begin) in enumerate(THROWN):
        body = model.body(f"thrown{k}").id
        if model.body_gravcomp[body] and data.time >= begin:
            model.body_gravcomp[body] = 0
            joint = model.body_jntadr[body]
            position, speed = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
            data.qpos[position : position + 3], data.qvel[speed : speed + 3] = place, velocity
            data.qvel[speed + 3 : speed + 6] = 0.0, 3.0, 0.0


if __name__ == "__main__":
    shoot(pictures, SECONDS, __doc__)
