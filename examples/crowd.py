"""A crowd in a valley: more than 400 humanoids of one batch walk, stumble, fall, or stand and wave.

    python examples/crowd.py out/crowd.mp4

Each humanoid is a separate world with the same landscape. The humanoids touch the ground, but not each other: the
program steers them around neighbors and fallen humanoids. Most of those that fall stumble on the ground. A few fall
because their swinging leg gives way for a moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from film.look import MATERIALS, TILES, Move, Shot, View, coat, dress, paint, renderer_of, shoot
from PIL import Image
from walk import ARMS, COATS, DAMPING, LEGS, STIFFNESS, Stander, Walker, person, product, strides

import conjoint

SECONDS = 6.0
"""Duration of the scene (s)."""

SETTLE = 1.0
"""Simulated time (s) before the scene, in which the walkers adapt to the ground."""

ROWS, LANES = 25, 13
"""Number of rows of walkers, and number of walkers side by side in a row."""

APART = np.array([1.75, 1.6])
"""Distances between neighbors in the walking direction and across it (m)."""

TRIPS, FAINT = 10, 0.35
"""Number of walkers whose swinging leg gives way once, and the duration for which it does so (s)."""

STANDERS = 95
"""Number of humanoids that stand on the terraces."""

HALF, CELL = np.array([40.0, 26.0]), 0.4
"""Half lengths of the valley along x and y (m), and side length of the cells of its height field (m)."""

FAR, COARSE = 132.0, 4.0
"""Half length of the hills around the valley (m), and side length of their cells (m)."""

TERRACE, RISE, FIRST = 1.7, 0.42, 10.6
"""Width and height of a terrace (m), and distance of the first terrace from the middle of the valley (m)."""

PIXELS, TILE, STEEP = (1280, 832), 2.0, (0.64, 0.62, 0.59)
"""Size of the ground's texture (pixels), side length of a tile (m), and color of steep slopes."""

SPEED = 0.93
"""Mean speed of the walkers (m/s), which is also the speed of the camera."""

SHIRTS = ("orange", "orange", "teal", "teal", "shell", "yellow", "slate")
TROUSERS = ((0.17, 0.18, 0.21), (0.27, 0.31, 0.38), (0.42, 0.40, 0.38), (0.12, 0.30, 0.34))
SKINS = ((0.86, 0.66, 0.47), (0.72, 0.52, 0.37), (0.50, 0.34, 0.24), (0.93, 0.76, 0.60))
"""Colors of shirts, trousers and skins, which are chosen at random."""

MOVE = Move(View((7.0, -7.0, 0.85), 7.6, 118, -4), View((-5.0, 1.0, 0.5), 38.0, 122, -12))


# ---- landscape


def smooth(t: np.ndarray) -> np.ndarray:
    """Return a smooth step from 0 to 1, with zero slope at both ends."""
    t = np.clip(t, 0, 1)
    return t * t * (3 - 2 * t)


def hills(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the heights (m) of the large shapes of the landscape: a valley along x between hills."""
    bent = y - 1.5 * np.sin(x / 17)
    side = RISE / TERRACE * np.maximum(bent - FIRST, 0) * smooth((40 - bent) / 60) * 1.6
    near = -1.2 * smooth((-y - 11) / 14) + 5 * smooth((-y - 45) / 50)
    far = 15 * smooth((np.hypot(x, y) - 48) / 70) * (0.55 + 0.45 * np.sin(x / 19 + 1) * np.cos(y / 23))
    return side + near + far + 0.35 * np.sin(x / 7)


def valley(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the heights (m) of the ground in the valley: the hills with bumps, terraces and low steps."""
    rng = np.random.default_rng(3)
    bumps = np.zeros_like(x)
    for _ in range(10):
        length, way, begin = rng.uniform(4, 11), rng.uniform(0, 2 * np.pi), rng.uniform(0, 2 * np.pi)
        bumps += 0.004 * length * np.sin(2 * np.pi * (x * np.cos(way) + y * np.sin(way)) / length + begin)
    for place, height in ((-6, -0.05), (3, 0.05), (9, 0.05), (14, -0.06)):
        bumps += height * smooth((x - place) / 0.4)
    number, along = np.divmod(terrace(x, y), 1)
    level = RISE * (np.minimum(number, 6) + smooth(along / 0.25))
    on = smooth((terrace(x, y) + 0.4) / 0.4) * smooth((7 - terrace(x, y)) / 0.5)
    inside = smooth((np.minimum(HALF[0] - np.abs(x), HALF[1] - np.abs(y))) / 4)
    ground = (1 - on) * (hills(x, y) + bumps) + on * (level + 0.35 * np.sin(x / 7) * smooth(-terrace(x, y)))
    return inside * ground + (1 - inside) * (hills(x, y) - 0.7)


def terrace(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return how far up the terraces a position is, in multiples of their width; each terrace begins with a rise."""
    return (y - 1.5 * np.sin(x / 17) - FIRST) / TERRACE


class Land:
    """The valley as a height field of a model, with a function for its heights.

    Attributes:
        height: heights (m) at the corners of the cells, shape (rows along y, columns along x).
    """

    def __init__(self, spec: conjoint.MjSpec):
        count = np.round(2 * HALF / CELL).astype(int) + 1
        self.height = valley(*np.meshgrid(*(np.linspace(-h, h, n) for h, n in zip(HALF, count, strict=True))))
        around = np.linspace(-FAR, FAR, round(2 * FAR / COARSE) + 1)
        x, y = np.meshgrid(around, around)
        # lower the hills inside the valley, so that they stay below its height field
        below = smooth((np.minimum(HALF[0] - np.abs(x), HALF[1] - np.abs(y)) - 1) / 5)
        add_field(spec, spec.geom("floor"), "valley", self.height, HALF)
        view = spec.worldbody.add_geom(name="hills", contype=0, conaffinity=0)
        add_field(spec, view, "hills", hills(x, y) - 1.2 * below, np.array([FAR, FAR]))

    def at(self, place: np.ndarray) -> np.ndarray:
        """Return the heights (m) at positions of shape (n, 2), interpolated between corners."""
        cell = np.clip((place + HALF) / CELL, 0, np.array(self.height.shape[::-1]) - 1.001)
        (i, j), (a, b) = cell.astype(int).T, (cell % 1).T
        rows = self.height
        low, high = (rows[j + k, i] * (1 - a) + rows[j + k, i + 1] * a for k in (0, 1))
        return low * (1 - b) + high * b


def add_field(spec: conjoint.MjSpec, geom: Any, name: str, height: np.ndarray, half: np.ndarray) -> None:
    """Turn a geom into a height field with a texture of tiles."""
    low, high = float(height.min()), float(height.max())
    share = (height - low) / (high - low)
    spec.add_hfield(name=name, nrow=height.shape[0], ncol=height.shape[1], size=[*half, high - low, 0.5],
                    userdata=share.ravel().tolist())  # fmt: skip
    geom.type, geom.hfieldname, geom.pos, geom.size = conjoint.mjtGeom.mjGEOM_HFIELD, name, [0, 0, low], [0, 0, 0]
    image = tiles(height, half)
    # the center of the field shows the corner of its texture, so shift the image by half its size
    image = np.roll(image, (image.shape[0] // 2, image.shape[1] // 2), axis=(0, 1))
    texture = spec.add_texture(name=name, type=conjoint.mjtTexture.mjTEXTURE_2D, nchannel=3)
    texture.height, texture.width, texture.data = *image.shape[:2], image.tobytes()
    material = spec.add_material(name=name, texrepeat=[1, 1], specular=0, reflectance=0)
    material.textures[conjoint.mjtTextureRole.mjTEXROLE_RGB] = name
    coat(geom, name)


def tiles(height: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return an image of the tiles on a height field (uint8); steeper ground is darker."""
    fine = np.array(Image.fromarray(height.astype(np.float32)).resize(PIXELS, Image.Resampling.BICUBIC))
    slope = np.hypot(*np.gradient(fine, *(2 * half[::-1] / fine.shape)))
    x, y = (np.linspace(-h, h, n) for h, n in zip(half, PIXELS, strict=True))
    odd = (np.floor(x / TILE) + np.floor(y / TILE)[:, np.newaxis]) % 2
    shade = smooth((slope - 0.3) / 0.6)[..., np.newaxis]
    color = np.where(odd[..., np.newaxis] > 0, TILES[0], TILES[1]) * (1 - shade) + np.array(STEEP) * shade
    return np.round(255 * color).astype(np.uint8)


# ---- people


class Crowd:
    """Walking and standing humanoids in a batch, and their motions.

    Attributes:
        batch: batch with a world for each humanoid.
        up: False for each humanoid that has fallen.
    """

    def __init__(self, rng: np.random.Generator):
        spec = person()
        dress(spec, radius=27.0, center=(-4.0, 3.0, 0.0))
        spec.visual.map.fogstart, spec.visual.map.fogend = 1.8, 6.0
        spec.visual.map.zfar = 10
        paint(spec, COATS)
        self.land, self.walking = Land(spec), ROWS * LANES
        model, self.count = spec.compile(), self.walking + STANDERS
        self.batch = conjoint.Batch(model, self.count, keep=["sensordata"], vary=["geom_rgba"])
        self.up, self.clock = np.ones(self.count, bool), 0
        self.walker, self.stander = Walker(model, self.count), Stander(person().compile())
        self.heading, self.wave = np.zeros(self.count), np.zeros((self.count, 2))
        self.place = np.zeros((self.count, 3))
        self.trip = np.full(self.count, np.inf)
        self._begin_walk(rng)
        self._begin_to_stand(rng)
        self._clothe(rng)
        self.batch.forward()

    def _begin_walk(self, rng: np.random.Generator) -> None:
        """Place the walkers in rows, each in a random phase of a stride."""
        batch, n, start = self.batch, self.walking, strides()
        pick = rng.integers(0, len(start["time"]), n)
        grid = np.stack(np.divmod(np.arange(n), LANES), axis=1) - [0.72 * ROWS, (LANES - 1) / 2]
        self.place[:n, :2] = grid * APART + rng.uniform(-0.26, 0.26, (n, 2)) * [1.6, 1]
        batch.qpos[:n], batch.qvel[:n] = start["qpos"][pick], start["qvel"][pick]
        batch.qpos[:n, :2] += self.place[:n, :2]
        batch.qpos[:n, 2] += self.land.at(self.place[:n, :2])
        self.walker.side[:n], self.walker.time[:n] = start["side"][pick], start["time"][pick]
        self._choose_trips(rng)
        self.pace, self.walker.swing[:n] = rng.uniform(-0.06, 0.06, n), rng.uniform(0.6, 1.0, n)

    def _choose_trips(self, rng: np.random.Generator) -> None:
        """Choose walkers that trip, near the camera and far from each other, and the times at which they trip."""
        place, spots = self.place[: self.walking, :2], list[np.ndarray]()
        for who in rng.permutation(np.flatnonzero((place[:, 1] < -3) & (np.abs(place[:, 0] - 1) < 8))):
            time = SETTLE + 0.2 + 5 * len(spots) / TRIPS
            spot = place[who] + [SPEED * time, 0]
            if len(spots) < TRIPS and all(np.linalg.norm(spot - other) > 2.5 for other in spots):
                self.trip[who] = time
                spots.append(spot)

    def _begin_to_stand(self, rng: np.random.Generator) -> None:
        """Place the standing humanoids on the terraces, facing the middle of the valley; some of them wave."""
        batch, n, pose = self.batch, self.walking, self.stander.pose
        level, column = np.divmod(np.arange(STANDERS), STANDERS // 5)
        x = -26 + 46 * (column + rng.uniform(0.2, 0.8, STANDERS)) / (STANDERS // 5)
        y = FIRST + 1.5 * np.sin(x / 17) + TERRACE * (level + rng.uniform(0.5, 0.75, STANDERS))
        self.place[n:] = np.column_stack([x, y, pose[2] + self.land.at(np.column_stack([x, y]))])
        self.heading[n:] = -np.pi / 2 + rng.normal(0, 0.3, STANDERS)
        half = self.heading[n:] / 2
        batch.qpos[n:] = pose
        batch.qpos[n:, :3] = self.place[n:]
        turn = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
        batch.qpos[n:, 3:7] = product(turn, batch.qpos[n:, 3:7])
        waves = rng.uniform(size=STANDERS) < 0.45
        self.wave[n:] = np.column_stack([waves * rng.uniform(5, 8, STANDERS), rng.integers(0, 2, STANDERS)])

    def _clothe(self, rng: np.random.Generator) -> None:
        """Choose colors for the shirt, trousers and skin of each humanoid."""
        model, batch = self.batch.model, self.batch
        shirts = np.array([MATERIALS[name][0] for name in SHIRTS])
        for material, colors in (("orange", shirts), ("graphite", np.array(TROUSERS)), ("sand", np.array(SKINS))):
            parts = np.flatnonzero(model.geom_matid == model.material(material).id)
            chosen = colors[rng.integers(0, len(colors), self.count)]
            batch.geom_rgba[:, parts, :3], batch.geom_rgba[:, parts, 3] = chosen[:, np.newaxis], 1

    def step(self) -> None:
        """Advance all humanoids by one step."""
        batch, n = self.batch, self.walking
        if self.clock % 10 == 0:
            self._steer()
        controls = self.walker.controls(batch)
        # both controllers compute controls of all humanoids; each uses those of its own
        controls[n:] = self.stander.controls(batch, self.place, self.heading)[n:]
        self._wave(controls)
        self._trip(controls)
        tall = batch.qpos[:, 2] - self.land.at(batch.qpos[:, :2])
        self.up &= (tall > 0.95) & (np.abs(batch.qpos[:, 4:6]) < 0.45).all(axis=1)
        # fallen humanoids are limp
        batch.ctrl[:] = np.where(self.up[:, np.newaxis], controls, 0)
        batch.step()
        self.clock += 1

    def _steer(self) -> None:
        """Steer walkers back to their lanes and around others ahead, and slow them down behind others."""
        n, place = self.walking, self.batch.qpos[: self.walking, :2]
        ahead, aside = (place[np.newaxis, :, k] - place[:, np.newaxis, k] for k in (0, 1))
        close = np.where(ahead > 0, 1 - ahead / 3.0, 1 + ahead / 0.8).clip(0, 1)
        np.fill_diagonal(close, 0)
        near = close * np.clip(1 - np.abs(aside) / np.where(self.up[:n], 0.8, 1.2), 0, 1)
        push = -(np.sign(aside) * near).sum(axis=1)
        turn = np.clip(0.25 * (self.place[:n, 1] - place[:, 1]) + 1.0 * push, -0.5, 0.5)
        self.heading[:n] += np.clip(turn - self.heading[:n], -0.06, 0.06)
        blocked = (near * (ahead > 0.3) * (np.abs(aside) < 0.6)).max(axis=1)
        self.walker.heading, self.walker.hurry[:n] = self.heading, self.pace - 0.4 * blocked

    def _trip(self, controls: np.ndarray) -> None:
        """Set the controls of the swinging leg to zero for walkers that trip now."""
        since = self.clock * self.walker.step - self.trip
        who = np.flatnonzero((since >= 0) & (since < FAINT))
        leg = LEGS[self.walker.side[who], np.newaxis] + np.arange(6)
        controls[who[:, np.newaxis], leg] = 0

    def _wave(self, controls: np.ndarray) -> None:
        """Raise an arm of each waving humanoid, and swing its forearm."""
        batch, time = self.batch, self.clock * self.walker.step
        who = np.flatnonzero(self.wave[:, 0])
        rate, arm = self.wave[who, 0], ARMS[self.wave[who, 1].astype(int)]
        rise = smooth(np.array(time / 0.8))
        wanted = 0.4 * rise, 0.12 + 2.0 * rise, 0.3 + rise * (0.5 + 0.45 * np.sin(rate * time))
        for k, angle in enumerate(wanted):
            joint = arm + k
            torque = (
                STIFFNESS[joint] * (angle - batch.qpos[who, 7 + joint]) - DAMPING[joint] * batch.qvel[who, 6 + joint]
            )
            controls[who, joint] = np.clip(torque / self.walker.gear[joint], -1, 1)


def pictures(shot: Shot) -> Iterator[np.ndarray]:
    """Yield the pictures of the scene."""
    crowd = Crowd(np.random.default_rng(5))
    renderer = renderer_of(crowd.batch.model, shot, max_geom=26 * crowd.count, shadow_size=3072)
    for now in shot.times:
        while crowd.clock * crowd.walker.step < now + SETTLE - 1e-9:
            crowd.step()
        yield renderer.picture(crowd.batch, MOVE.camera(now / SECONDS, (SPEED * now, 0.0, 0.0)))
    renderer.close()


if __name__ == "__main__":
    shoot(pictures, SECONDS, __doc__)
