"""Controllers that make many humanoids walk or stand, and a film of a walking humanoid.

    python examples/walk.py out/walk.mp4

`Walker` is a state machine after SIMBICON (Yin, Loken and van de Panne, 2007): one leg stands while the other one
swings along curves of joint angles. The swinging foot lands where the center of mass will need support, and the hip of
the standing leg holds the trunk upright. `Stander` is a linear-quadratic regulator, computed from the derivatives of a
step.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from film.look import Move, Shot, View, dress, paint, renderer_of, shoot

import conjoint

SECONDS = 5.0
"""Duration of the film (s)."""

TORQUES = {"waist": 120, "hip_lift": 160, "hip_spread": 140, "hip_turn": 80, "knee": 140, "ankle_pitch": 90,
           "ankle_roll": 40}  # fmt: skip
"""Largest motor torques (Nm), by the beginning of the motor's name; the model's own motors are too weak to walk."""

# Parameters of the gait: joint angles (rad) at five moments of a step, for the swinging and the standing leg. They were
# found by CMA-ES (Hansen 2001) in about 300 generations of batches of 320 worlds, starting from the angles of a human
# gait. The cost penalized falls, deviations from these angles, from 1.2 m/s and from steps of 0.5 s, slipping feet, and
# torques. The ground had random slopes, and the humanoids were pushed.
SWING_HIP = np.array([0.161, 0.506, 0.542, 0.266, 0.139])
SWING_KNEE = np.array([0.344, 1.186, 1.131, 0.547, 0.199])
SWING_ANKLE = np.array([-0.379, 0.352, -0.333, -0.276, -0.348])
STANCE_KNEE = np.array([0.543, 0.133, 0.103, 0.255, 0.243])
STANCE_ANKLE = np.array([-0.173, -0.594, 0.226, 0.385, -0.071])
PERIOD, SPEED, PITCH = 0.482, 0.691, 0.007
"""Duration of a step (s), forward speed at which the speed feedback vanishes (m/s), and pitch of the trunk (rad)."""

FORWARD, SIDEWAYS, SPREAD = (0.459, 0.060), (0.190, 0.237), 0.018
"""Feedback gains for the forward and sideways angles of the swinging leg, and constant spread of the legs (rad).

The gains multiply the offset (rad/m) and the velocity (rad s/m) of the center of mass, forward and sideways.
"""

TRUNK, TURN, ANKLE, LOAD = (372.0, 61.5), (200.0, 20.0), 0.595, 54.7
"""Gains and offsets of the standing leg.

They are stiffness and damping of the trunk's tilt, stiffness and damping of its heading, ankle angle per speed
(rad s/m), and the torque that holds up the pelvis (Nm).
"""

STIFFNESS = np.array([150, 300, 300, *[300, 300, 120, 300, 120, 80] * 2, *[25, 40, 20] * 2], float)
DAMPING = np.array([5, 10, 10, *[20, 20, 8, 15, 2, 1.5] * 2, *[1.5, 2, 1] * 2])
"""Stiffness (Nm/rad) and damping (Nm s/rad) of all joints, in the model's order: waist, right leg, left leg, right arm,
left arm.
"""

LEGS, ARMS = np.array([3, 9]), np.array([15, 18])
"""Indices of the first joint of each leg and of each arm, right before left."""

SPREADS, TURNS, KNEE, PITCHES, ROLLS = 1, 2, 3, 4, 5
"""Offsets of a leg's other joints from its first joint, which lifts the leg."""

SIDES = "right", "left"

FILLED = (("torso", "belly", (-0.002, 0, -0.02, -0.004, 0, -0.16), 0.078),
          *((f"foot_{side}", f"shoe_{side}", (-0.01, 0, 0, 0.055, 0, -0.035), 0.036) for side in SIDES))  # fmt: skip
"""Capsules that fill visible gaps between bodies: body, name, ends (m) and radius (m). They do not collide."""

COATS = {"chest": "orange", "shoulders": "orange", "belly": "orange", "waist": "orange", "upper_arm": "orange",
         "pelvis": "graphite",
         "thigh": "graphite", "shin": "graphite", "sole": "shell", "shoe": "shell",
         "forearm": "sand", "hand": "sand", "neck": "sand", "head": "sand"}  # fmt: skip
"""Materials of geoms, by the beginning of their names."""


def person() -> conjoint.MjSpec:
    """Return an editable model of the humanoid, with stronger motors and with the sensors that the controllers read."""
    spec = conjoint.MjSpec.from_file(conjoint.sample_model("humanoid"))
    for motor in spec.actuators:
        fits = [torque for name, torque in TORQUES.items() if motor.name.startswith(name)]
        motor.gear[0] = fits[0] if fits else motor.gear[0]
    for name, part, ends, radius in FILLED:
        spec.body(name).add_geom(name=part, type=conjoint.mjtGeom.mjGEOM_CAPSULE, fromto=ends, size=[radius, 0, 0],
                                 mass=0, contype=0, conaffinity=0)  # fmt: skip
    sensor, body = conjoint.mjtSensor, conjoint.mjtObj.mjOBJ_BODY
    for side in SIDES:
        pad = spec.body(f"foot_{side}").add_site(name=f"pad_{side}", pos=[0.045, 0, -0.06], size=[0.16, 0.09, 0.03])
        pad.type, pad.group = conjoint.mjtGeom.mjGEOM_BOX, 4
        spec.add_sensor(name=f"touch_{side}", type=sensor.mjSENS_TOUCH, objtype=conjoint.mjtObj.mjOBJ_SITE,
                        objname=f"pad_{side}")  # fmt: skip
        spec.add_sensor(name=f"ankle_{side}", type=sensor.mjSENS_FRAMEPOS, objtype=body, objname=f"foot_{side}")
    spec.add_sensor(name="center", type=sensor.mjSENS_SUBTREECOM, objtype=body, objname="torso")
    spec.add_sensor(name="speed", type=sensor.mjSENS_SUBTREELINVEL, objtype=body, objname="torso")
    return spec


class Senses:
    """Sensor readings of all worlds of a batch, by sensor name and relative to a heading."""

    def __init__(self, model: conjoint.MjModel):
        first, count = model.sensor_adr, model.sensor_dim
        self.rows = {model.sensor(i).name: slice(first[i], first[i] + count[i]) for i in range(model.nsensor)}

    def along(self, batch: conjoint.Batch, heading: np.ndarray) -> dict[str, np.ndarray]:
        """Return the readings, shape (nworld, ...); vectors are in axes rotated about z by the heading (rad)."""
        data = batch.sensordata
        read = {name: data[:, rows].astype(float) for name, rows in self.rows.items()}
        return {name: turned(value, heading) if value.shape[1] == 3 else value[:, 0] for name, value in read.items()}


def turned(vector: np.ndarray, heading: np.ndarray) -> np.ndarray:
    """Return vectors in axes that are rotated about z by a heading (rad)."""
    c, s = np.cos(heading), np.sin(heading)
    x, y = vector[:, 0], vector[:, 1]
    return np.stack([c * x + s * y, c * y - s * x, *vector.T[2:]], axis=1)


def curve(points: np.ndarray, phase: np.ndarray) -> np.ndarray:
    """Evaluate a Catmull-Rom spline through evenly spaced points, at phases from 0 to 1."""
    last = len(points) - 1
    place = np.clip(phase, 0, 1) * last
    k = np.minimum(place.astype(int), last - 1)
    t, before, after = place - k, points[np.maximum(k - 1, 0)], points[np.minimum(k + 2, last)]
    a, b = points[k], points[k + 1]
    bend = (1 - t) ** 2 * t * (b - before) / 2 - t**2 * (1 - t) * (after - a) / 2
    return a + t * t * (3 - 2 * t) * (b - a) + bend


class Walker:
    """Controller that makes humanoids walk, one in each world of a batch.

    Args:
        model: compiled model of `person`.
        nworld: number of worlds.

    Attributes:
        heading: walking direction of each humanoid (rad).
        hurry: speed that is added to the normal speed of each humanoid (m/s).
        swing: swing of the arms, as a multiple of the swing of the legs.
        side, time: swinging leg (0 right, 1 left), and time since its swing began (s).
    """

    def __init__(self, model: conjoint.MjModel, nworld: int):
        self.heading, self.hurry, self.swing = np.zeros(nworld), np.zeros(nworld), np.full(nworld, 0.9)
        self.side, self.time = np.zeros(nworld, int), np.zeros(nworld)
        self.gear, self.step = model.actuator_gear[:, 0], float(model.opt.timestep)
        self.senses, self.row = Senses(model), np.arange(nworld)

    def controls(self, batch: conjoint.Batch) -> np.ndarray:
        """Return the controls of the next step, shape (nworld, nu)."""
        seen = self.senses.along(batch, self.heading)
        phase = self._advance(np.stack([seen["touch_right"], seen["touch_left"]], axis=1))
        angles, speeds = batch.qpos[:, 7:], batch.qvel[:, 6:]
        tilt = tilts(batch.qpos[:, 3:7], self.heading)
        # offset of the center of mass from the ankle of the standing leg
        ankles = np.stack([seen["ankle_right"], seen["ankle_left"]], axis=1)
        offset = seen["center"] - ankles[self.row, 1 - self.side]
        haste = seen["speed"][:, 0] - SPEED - self.hurry
        wanted = np.zeros_like(angles)
        self._swing_leg(wanted, phase, angles, tilt, offset, np.column_stack([haste, seen["speed"][:, 1]]))
        stance = LEGS[1 - self.side]
        wanted[self.row, stance + KNEE] = curve(STANCE_KNEE, phase)
        wanted[self.row, stance + PITCHES] = curve(STANCE_ANKLE, phase) + ANKLE * haste
        self._soles_and_arms(wanted, angles, tilt)
        torque = STIFFNESS * (wanted - angles) - DAMPING * speeds
        self._hold_trunk(torque, phase, tilt, batch.qvel[:, 3:6])
        return np.clip(torque / self.gear, -1, 1)

    def _advance(self, touch: np.ndarray) -> np.ndarray:
        """Advance the time, and exchange the roles of the legs when the swinging foot lands; return the phases."""
        self.time += self.step
        phase = self.time / PERIOD
        landed = ((phase > 0.6) & (touch[self.row, self.side] > 20)) | (phase > 1.35)
        self.side, self.time = np.where(landed, 1 - self.side, self.side), np.where(landed, 0, self.time)
        return self.time / PERIOD

    def _swing_leg(
        self, wanted: np.ndarray, phase: np.ndarray, angles: np.ndarray, tilt: np.ndarray, offset: np.ndarray,
        speed: np.ndarray,
    ) -> None:  # fmt: skip
        """Set the desired angles of the swinging leg; hip angles are relative to the world, not to the pelvis."""
        leg, outward = LEGS[self.side], np.where(self.side == 1, 1.0, -1.0)
        share = np.clip((phase - 0.1) / 0.4, 0, 1)
        lift = curve(SWING_HIP, phase) + share * (FORWARD[0] * offset[:, 0] + FORWARD[1] * speed[:, 0])
        aside = SPREAD * outward + SIDEWAYS[0] * offset[:, 1] + SIDEWAYS[1] * speed[:, 1]
        wanted[self.row, leg] = lift + tilt[:, 0] + angles[:, 1]
        wanted[self.row, leg + SPREADS] = outward * (aside - tilt[:, 1] - angles[:, 2])
        wanted[self.row, leg + KNEE] = curve(SWING_KNEE, phase)
        wanted[self.row, leg + PITCHES] = curve(SWING_ANKLE, phase)

    def _soles_and_arms(self, wanted: np.ndarray, angles: np.ndarray, tilt: np.ndarray) -> None:
        """Set desired angles that keep soles level sideways, swing arms with the opposite legs, and turn the waist."""
        for leg, side in zip(LEGS, (-1, 1), strict=True):
            wanted[:, leg + ROLLS] = side * (tilt[:, 1] + angles[:, 2]) + angles[:, leg + SPREADS]
        wanted[:, 0] = 0.15 * (angles[:, LEGS[1]] - angles[:, LEGS[0]])
        for arm, leg in zip(ARMS, LEGS[::-1], strict=True):
            wanted[:, arm] = 0.05 + self.swing * (angles[:, leg] - 0.2)
            wanted[:, arm + 1] = 0.08
            wanted[:, arm + 2] = 0.35 + 0.4 * np.maximum(wanted[:, arm], 0)

    def _hold_trunk(self, torque: np.ndarray, phase: np.ndarray, tilt: np.ndarray, turning: np.ndarray) -> None:
        """Set the torques of the standing hip, which hold the trunk and compensate for torques of the swinging leg."""
        swing, stance = LEGS[self.side], LEGS[1 - self.side]
        outward = np.where(self.side == 1, -1.0, 1.0)
        pitch = TRUNK[0] * (PITCH - tilt[:, 0]) - TRUNK[1] * turning[:, 1]
        roll = -TRUNK[0] * tilt[:, 1] - TRUNK[1] * turning[:, 0]
        yaw = -TURN[0] * tilt[:, 2] - TURN[1] * turning[:, 2]
        torque[self.row, stance] = np.clip(pitch, -200, 200) - torque[self.row, swing]
        load = LOAD * np.clip(4 * phase, 0, 1)
        torque[self.row, stance + SPREADS] = torque[self.row, swing + SPREADS] - outward * roll + load
        torque[self.row, stance + TURNS] = outward * yaw


def tilts(quat: np.ndarray, heading: np.ndarray) -> np.ndarray:
    """Return pitch, roll and yaw (rad) of trunks relative to a heading, shape (nworld, 3)."""
    w, x, y, z = quat.T
    up = turned(np.stack([2 * (x * z + w * y), 2 * (y * z - w * x)], axis=1), heading)
    front = turned(np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z)], axis=1), heading)
    height = 1 - 2 * (x * x + y * y)
    return np.stack(
        [np.arctan2(up[:, 0], height), np.arctan2(-up[:, 1], height), np.arctan2(front[:, 1], front[:, 0])], axis=1
    )


class Stander:
    """Controller that keeps humanoids standing: a linear-quadratic regulator about a pose.

    Args:
        model: compiled model of `person` on a plane; the humanoids may stand on other ground.

    Attributes:
        pose: qpos of the pose.
        ctrl: controls that hold the pose.
        gain: change in controls per change in state, in tangent coordinates, shape (nu, 2 nv).
    """

    def __init__(self, model: conjoint.MjModel):
        data = conjoint.MjData(model)
        self.pose, force = standing(model, data)
        self.ctrl = force[6:] / model.actuator_gear[:, 0]
        data.ctrl[:] = self.ctrl
        conjoint.mj_forward(model, data)
        self.gain = regulator(model, data)

    def controls(self, batch: conjoint.Batch, place: np.ndarray, heading: np.ndarray) -> np.ndarray:
        """Return the controls of the next step.

        Args:
            batch: batch of the humanoids.
            place: initial position of each humanoid (m), shape (nworld, 3).
            heading: direction that each humanoid faces (rad).
        """
        qpos, qvel = batch.qpos, batch.qvel
        half = heading / 2
        back = np.stack([np.cos(half), 0 * half, 0 * half, -np.sin(half)], axis=1)
        turn = product(self.pose[3:7] * [1, -1, -1, -1], product(back, qpos[:, 3:7]))
        away = 2 * turn[:, 1:] * np.sign(turn[:, :1])
        parts = turned(qpos[:, :3] - place, heading), away, qpos[:, 7:] - self.pose[7:], turned(qvel[:, :3], heading)
        return np.clip(self.ctrl - np.concatenate([*parts, qvel[:, 3:]], axis=1) @ self.gain.T, -1, 1)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the products of quaternions, shape (nworld, 4)."""
    (aw, ax, ay, az), (bw, bx, by, bz) = np.broadcast_to(a, b.shape).T, b.T
    return np.stack([
        aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw,
    ], axis=1)  # fmt: skip


def standing(model: conjoint.MjModel, data: conjoint.MjData) -> tuple[np.ndarray, np.ndarray]:
    """Return a pose with slightly bent knees and the generalized forces that hold it; also set the pose in `data`."""
    lean, pose = 0.055, model.key("stand").qpos.copy()
    pose[3], pose[5] = np.cos(lean / 2), np.sin(lean / 2)
    for leg in LEGS:
        pose[7 + leg], pose[7 + leg + KNEE], pose[7 + leg + PITCHES] = 0.14, 0.2, -0.06 - lean
    for arm in ARMS:
        pose[7 + arm + 1 : 7 + arm + 3] = 0.12, 0.3
    found = np.inf
    # search for the height at which the soles carry the weight
    for height in np.arange(1.27, 1.33, 2e-5):
        data.qpos[:] = pose
        data.qpos[2] = height
        conjoint.mj_forward(model, data)
        data.qacc[:] = 0
        conjoint.mj_inverse(model, data)
        if abs(data.qfrc_inverse[2]) < found:
            found, best, force = abs(data.qfrc_inverse[2]), height, data.qfrc_inverse.copy()
    pose[2] = data.qpos[2] = best
    return pose, force


def regulator(model: conjoint.MjModel, data: conjoint.MjData) -> np.ndarray:
    """Return the feedback gain that keeps the center of mass above the feet and the joints at their angles."""
    nv, nu = model.nv, model.nu
    by_state, by_control = np.zeros((2 * nv, 2 * nv)), np.zeros((2 * nv, nu))
    conjoint.mjd_transitionFD(model, data, 1e-6, True, by_state, by_control, None, None)
    center, right, left = np.zeros((3, nv)), np.zeros((3, nv)), np.zeros((3, nv))
    conjoint.mj_jacSubtreeCom(model, data, center, model.body("torso").id)
    for side, jacobian in zip(SIDES, (right, left), strict=True):
        conjoint.mj_jacBodyCom(model, data, jacobian, None, model.body(f"foot_{side}").id)
    balance = center - (right + left) / 2
    cost = np.diag(np.concatenate([[0, 0, 0, 2, 2, 2], np.ones(nv - 6), np.full(nv, 0.005)]))
    cost[:nv, :nv] += 1000 * balance.T @ balance
    value = cost
    for _ in range(600):
        weight = 3 * np.eye(nu) + by_control.T @ value @ by_control
        gain = np.linalg.solve(weight, by_control.T @ value @ by_state)
        value = cost + by_state.T @ value @ (by_state - by_control @ gain)
        value = (value + value.T) / 2
    return gain


def strides(seconds: float = 1.0) -> dict[str, np.ndarray]:
    """Return states of humanoids that walk on a plane along x, from which other humanoids may start.

    Args:
        seconds: duration in which states are recorded (s).

    Returns:
        `qpos` and `qvel`, with the ankle of the standing leg at the origin, and `side` and `time` of a `Walker`.
    """
    model, nworld = person().compile(), 16
    batch, walker = conjoint.Batch(model, nworld, keep=["sensordata"]), Walker(model, nworld)
    batch.qpos[:] = model.key("stand").qpos
    # first step to the left, at 16 speeds; most of these humanoids begin to walk
    batch.qpos[:, 7 + LEGS[0] + np.array([0, 3, 4])] = -0.17, 0.24, 0.1
    batch.qpos[:, 7 + LEGS[1] + np.array([0, 3, 4])] = 0.42, 0.1, 0.07
    batch.qpos[:, 2] = 1.28
    batch.qvel[:, 0] = np.linspace(1.05, 1.3, nworld)
    batch.forward()
    found: dict[str, list[np.ndarray]] = {"qpos": [], "qvel": [], "side": [], "time": []}
    total = round((4 + seconds) / model.opt.timestep)
    for k in range(total):
        batch.ctrl[:] = walker.controls(batch)
        if k >= total - round(seconds / model.opt.timestep):
            up = batch.qpos[:, 2] > 1.1
            ankle = np.stack([batch.sensordata[:, walker.senses.rows[f"ankle_{side}"]] for side in SIDES], axis=1)
            stance = ankle[walker.row, 1 - walker.side]
            qpos = batch.qpos.copy()
            qpos[:, :2] -= stance[:, :2]
            for name, values in (("qpos", qpos), ("qvel", batch.qvel), ("side", walker.side), ("time", walker.time)):
                found[name].append(values[up].copy())
        batch.step()
    return {name: np.concatenate(values) for name, values in found.items()}


def pictures(shot: Shot) -> Iterator[np.ndarray]:
    """Yield the pictures of a humanoid that walks on a plane."""
    spec = person()
    dress(spec, radius=2.5, follow="torso")
    paint(spec, COATS)
    model = spec.compile()
    batch, walker, start = conjoint.Batch(model, 1, keep=["sensordata"]), Walker(model, 1), strides()
    batch.qpos[:], batch.qvel[:] = start["qpos"][0], start["qvel"][0]
    walker.side[:], walker.time[:] = start["side"][0], start["time"][0]
    batch.forward()
    renderer = renderer_of(model, shot)
    move = Move(View((0.4, 0, 0.85), 4.0, 125, -8), View((0.4, 0, 0.85), 4.0, 95, -6))
    for now in shot.times:
        while batch.time[0] < now:
            batch.ctrl[:] = walker.controls(batch)
            batch.step()
        yield renderer.picture(batch, move.camera(now / SECONDS, (1.05 * now, 0, 0)))
    renderer.close()


if __name__ == "__main__":
    shoot(pictures, SECONDS, __doc__)
