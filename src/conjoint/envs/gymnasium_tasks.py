"""The eleven MuJoCo tasks of Gymnasium (v5) for many worlds: observations, rewards, terminations and initial states.

Gymnasium's documentation describes them (https://gymnasium.farama.org/environments/mujoco/). Attributes have the names
of the arguments of its environments. Models are read from the installed package. Initial states are equal to those of
`gymnasium.make(...).reset(seed=...)`, with the seed `seed + k` for world k.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from conjoint.api.objects.model import MjModel
from conjoint.api.objects.names import control_range
from conjoint.envs.task import Named, Task

ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
"""Folder with Gymnasium's models."""

NO_RANGE = (-np.inf, np.inf)
Range = tuple[float, float]


class GymnasiumTask(Task):
    """Base class of the eleven tasks.

    Args:
        name: Gymnasium's name of the task.
        settings: as in `Task`.

    Attributes:
        xml_file: model file: a file name in Gymnasium's folder, or a path.
        reset_noise_scale: magnitude of the noise in the initial state.
        normal: whether the noise of velocities is normally distributed; otherwise it is uniform, like that of
            positions.
        double_effort: whether the cost of actions is computed in double precision.
    """

    dtype: str = "float64"
    xml_file: str = ""
    reset_noise_scale: float = 0.1
    normal: bool = False
    double_effort: bool = False

    def __init__(self, name: str, **settings: Any):
        super().__init__(id=f"conjoint-gymnasium/{name}", name=name, **settings)

    def model(self) -> MjModel:
        path = ASSETS / self.xml_file if not Path(self.xml_file).is_file() else Path(self.xml_file)
        if not path.is_file():
            raise FileNotFoundError(f"{self.xml_file} is neither a file nor a model of Gymnasium ({ASSETS})")
        return MjModel.from_xml_path(str(path))

    def action_bounds(self, model: MjModel) -> tuple[Any, Any]:
        return control_range(model)

    def controls(self, model: MjModel, actions: np.ndarray) -> np.ndarray:
        return actions

    def first_keyframe(self, model: MjModel) -> int | None:
        return None

    def begin(self, worlds: Any, rng: np.random.Generator) -> None:
        for k, own in enumerate(worlds.generators):
            self.first_state(own, worlds.qpos[k], worlds.qvel[k])

    def first_state(self, rng: np.random.Generator, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Set the initial state of an episode in one world.

        Args:
            rng: random number generator of this world.
            qpos: positions, shape (nq,), initialized to `qpos0` of the model and changed in place.
            qvel: velocities, shape (nv,), initialized to zero and changed in place.
        """
        scale = self.reset_noise_scale
        qpos += rng.uniform(-scale, scale, len(qpos))
        noise = scale * rng.standard_normal(len(qvel)) if self.normal else rng.uniform(-scale, scale, len(qvel))
        qvel += noise

    def effort(self, worlds: Any, weight: float) -> np.ndarray:
        """Return the cost of the actions.

        Args:
            worlds: the worlds; `worlds.given` contains the actions, shape (nworld, nu).
            weight: cost per squared action.

        Returns:
            the weighted sum of squared actions, shape (nworld,), in double precision if `double_effort` is set, else in
            the precision of the given actions.
        """
        actions = worlds.given.astype(float) if self.double_effort else worlds.given
        return weight * np.sum(np.square(actions), axis=1)


class Locomotion(GymnasiumTask):
    """Tasks of moving forward without falling.

    Attributes:
        forward_reward_weight, ctrl_cost_weight, contact_cost_weight, healthy_reward: weights of the reward terms.
        contact_force_range: range to which each contact force is clipped before it is squared.
        contact_cost_range: range to which the cost of contact forces is clipped.
        terminate_when_unhealthy: whether an episode ends with a fall.
        healthy_z_range, healthy_angle_range, healthy_state_range: ranges of the height, the pitch, and all coordinates
            but the first two, of a body that has not fallen.
        closed: whether the range of heights includes its bounds.
        exclude_current_positions_from_observation: whether the position on the floor is excluded from observations.
        place: number of coordinates of the position on the floor.
        speed_limit: bound to which observed velocities are clipped.
        measured: object whose forward motion is rewarded: "qpos" for the first coordinate, "torso" for the first body,
            "mass" for the center of mass.
        include_cinert_in_observation, include_cvel_in_observation, include_qfrc_actuator_in_observation,
            include_cfrc_ext_in_observation: whether these fields are observed, too, without their first rows (the world
            body, or the dofs of the root).
    """

    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 0.1
    contact_cost_weight: float = 0.0
    healthy_reward: float = 0.0
    contact_force_range: Range = NO_RANGE
    contact_cost_range: Range = NO_RANGE
    terminate_when_unhealthy: bool = True
    healthy_z_range: Range = NO_RANGE
    healthy_angle_range: Range = NO_RANGE
    healthy_state_range: Range = NO_RANGE
    closed: bool = False
    exclude_current_positions_from_observation: bool = True
    place: int = 1
    speed_limit: float = np.inf
    measured: str = "qpos"
    include_cinert_in_observation: bool = False
    include_cvel_in_observation: bool = False
    include_qfrc_actuator_in_observation: bool = False
    include_cfrc_ext_in_observation: bool = False

    def observe(self, worlds: Any) -> np.ndarray:
        first = self.place if self.exclude_current_positions_from_observation else 0
        velocities = np.clip(worlds.qvel, -self.speed_limit, self.speed_limit)
        parts = [worlds.qpos[:, first:], velocities]
        if self.include_cinert_in_observation:
            parts.append(worlds.cinert[:, 1:])
        if self.include_cvel_in_observation:
            parts.append(worlds.cvel[:, 1:])
        if self.include_qfrc_actuator_in_observation:
            parts.append(worlds.qfrc_actuator[:, 6:])
        if self.include_cfrc_ext_in_observation:
            parts.append(self.contact_forces(worlds)[:, 1:])
        return np.concatenate([part.reshape(len(worlds), -1) for part in parts], axis=1)

    def contact_forces(self, worlds: Any) -> np.ndarray:
        """Return external forces on bodies, which are zero at the start of an episode.

        Args:
            worlds: the worlds.

        Returns:
            torque (N m) and force (N) on each body, shape (nworld, nbody, 6), clipped to `contact_force_range`.
        """
        forces = np.where(worlds.steps[:, None, None] > 0, worlds.cfrc_ext, 0.0)
        return np.clip(forces, *self.contact_force_range)

    def places(self, worlds: Any, when: str = "") -> np.ndarray:
        """Return the position of the object whose forward motion is rewarded.

        Args:
            worlds: the worlds.
            when: "" for the end of the step, "last_" for its beginning.

        Returns:
            x and y (m), shape (nworld, 2).
        """
        if self.measured == "torso":
            return getattr(worlds, f"{when}xpos")[:, 1, :2]
        if self.measured == "mass":
            mass = worlds.model.body_mass[:, None]
            return np.sum(mass * getattr(worlds, f"{when}xipos"), axis=1)[:, :2] / mass.sum()
        return getattr(worlds, f"{when}qpos")[:, :2]

    def velocity(self, worlds: Any) -> np.ndarray:
        """Return the velocity along x and y in this step (m/s), shape (nworld, 2)."""
        return (self.places(worlds) - self.places(worlds, "last_")) / worlds.duration

    def reward(self, worlds: Any) -> Named:
        terms = {
            "forward": self.forward_reward_weight * self.velocity(worlds)[:, 0],
            "ctrl": -self.effort(worlds, self.ctrl_cost_weight),
        }
        if self.healthy_reward:
            terms["survive"] = self.healthy_reward * self.healthy(worlds)
        if self.contact_cost_weight:
            cost = self.contact_cost_weight * np.sum(np.square(self.contact_forces(worlds)), axis=(1, 2))
            terms["contact"] = -np.clip(cost, *self.contact_cost_range)
        return terms

    def healthy(self, worlds: Any) -> np.ndarray:
        """Return a mask of the worlds in which the body has not fallen, shape (nworld,)."""
        state = np.concatenate([worlds.qpos, worlds.qvel], axis=1)
        well = np.isfinite(state).all(axis=1)
        height = state[:, self.place]
        low, high = self.healthy_z_range
        well &= (low <= height) & (height <= high) if self.closed else (low < height) & (height < high)
        if self.healthy_angle_range != NO_RANGE:
            well &= (self.healthy_angle_range[0] < state[:, 2]) & (state[:, 2] < self.healthy_angle_range[1])
        if self.healthy_state_range != NO_RANGE:
            low, high = self.healthy_state_range
            well &= ((low < state[:, 2:]) & (state[:, 2:] < high)).all(axis=1)
        return well

    def terminated(self, worlds: Any) -> np.ndarray:
        if self.terminate_when_unhealthy and self.healthy_reward:
            return ~self.healthy(worlds)
        return np.zeros(len(worlds), bool)

    def metrics(self, worlds: Any) -> Named:
        return {"x_position": worlds.qpos[:, 0], "x_velocity": self.velocity(worlds)[:, 0]}


class StandUp(Locomotion):
    """Task of standing up from the floor.

    Attributes:
        uph_cost_weight, impact_cost_weight: weights of the reward terms for height and for contact forces.
        impact_cost_range: range to which the cost of contact forces is clipped.
    """

    uph_cost_weight: float = 1.0
    impact_cost_weight: float = 0.5e-6
    impact_cost_range: Range = (-np.inf, 10.0)

    def reward(self, worlds: Any) -> Named:
        impact = self.impact_cost_weight * np.sum(np.square(self.contact_forces(worlds)), axis=(1, 2))
        return {
            "linup": self.uph_cost_weight * worlds.qpos[:, 2] / worlds.model.opt.timestep,
            "quadctrl": -self.effort(worlds, self.ctrl_cost_weight),
            "impact": -np.clip(impact, *self.impact_cost_range),
            "alive": np.ones(len(worlds)),
        }

    def metrics(self, worlds: Any) -> Named:
        return {"x_position": worlds.qpos[:, 0], "z_distance_from_origin": worlds.qpos[:, 2] - worlds.model.qpos0[2]}


class InvertedPendulum(GymnasiumTask):
    """Task of keeping a pole on a cart upright."""

    def observe(self, worlds: Any) -> np.ndarray:
        return np.concatenate([worlds.qpos, worlds.qvel], axis=1)

    def reward(self, worlds: Any) -> Named:
        return {"survive": 1.0 - self.terminated(worlds)}

    def terminated(self, worlds: Any) -> np.ndarray:
        finite = np.isfinite(self.observe(worlds)).all(axis=1)
        return ~finite | (np.abs(worlds.qpos[:, 1]) > 0.2)


class InvertedDoublePendulum(GymnasiumTask):
    """Task of keeping two poles on a cart upright, one on top of the other."""

    healthy_reward: float = 10.0

    def observe(self, worlds: Any) -> np.ndarray:
        angles = worlds.qpos[:, 1:]
        limited = np.clip(worlds.qvel, -10, 10), np.clip(worlds.qfrc_constraint, -10, 10)[:, :1]
        return np.concatenate([worlds.qpos[:, :1], np.sin(angles), np.cos(angles), *limited], axis=1)

    def reward(self, worlds: Any) -> Named:
        x, y = worlds.site_xpos[:, 0, 0], worlds.site_xpos[:, 0, 2]
        first, second = worlds.qvel[:, 1], worlds.qvel[:, 2]
        return {
            "survive": self.healthy_reward * ~self.terminated(worlds),
            "distance": -(0.01 * x**2 + (y - 2) ** 2),
            "velocity": -(1e-3 * first**2 + 5e-3 * second**2),
        }

    def terminated(self, worlds: Any) -> np.ndarray:
        return worlds.site_xpos[:, 0, 2] <= 1


class Reacher(GymnasiumTask):
    """Task of reaching a target with the fingertip of an arm with two joints."""

    reward_dist_weight: float = 1.0
    reward_control_weight: float = 1.0

    def first_state(self, rng: np.random.Generator, qpos: np.ndarray, qvel: np.ndarray) -> None:
        qpos += rng.uniform(-0.1, 0.1, len(qpos))
        target = rng.uniform(-0.2, 0.2, 2)
        while np.linalg.norm(target) >= 0.2:
            target = rng.uniform(-0.2, 0.2, 2)
        qpos[-2:] = target
        qvel += rng.uniform(-0.005, 0.005, len(qvel))
        qvel[-2:] = 0

    def offset(self, worlds: Any) -> np.ndarray:
        """Return the vectors from the target to the fingertip (m), shape (nworld, 3)."""
        return worlds.body("fingertip").xpos - worlds.body("target").xpos

    def observe(self, worlds: Any) -> np.ndarray:
        angles = worlds.qpos[:, :2]
        parts = np.cos(angles), np.sin(angles), worlds.qpos[:, 2:], worlds.qvel[:, :2], self.offset(worlds)[:, :2]
        return np.concatenate(parts, axis=1)

    def reward(self, worlds: Any) -> Named:
        return {
            "dist": -self.reward_dist_weight * np.linalg.norm(self.offset(worlds), axis=1),
            "ctrl": -self.effort(worlds, self.reward_control_weight),
        }


class Pusher(GymnasiumTask):
    """Task of pushing a cylinder to a goal with an arm with seven joints."""

    reward_near_weight: float = 0.5
    reward_dist_weight: float = 1.0
    reward_control_weight: float = 0.1

    def first_state(self, rng: np.random.Generator, qpos: np.ndarray, qvel: np.ndarray) -> None:
        place = np.zeros(2)
        while np.linalg.norm(place) <= 0.17:
            place = np.concatenate([rng.uniform(-0.3, 0, 1), rng.uniform(-0.2, 0.2, 1)])
        qpos[-4:-2], qpos[-2:] = place, 0
        qvel += rng.uniform(-0.005, 0.005, len(qvel))
        qvel[-4:] = 0

    def places(self, worlds: Any) -> list[np.ndarray]:
        """Return the positions of the fingertip, the cylinder and the goal (m), shape (nworld, 3) each."""
        return [worlds.body(name).xpos for name in ("tips_arm", "object", "goal")]

    def observe(self, worlds: Any) -> np.ndarray:
        return np.concatenate([worlds.qpos[:, :7], worlds.qvel[:, :7], *self.places(worlds)], axis=1)

    def reward(self, worlds: Any) -> Named:
        tip, cylinder, goal = self.places(worlds)
        return {
            "dist": -self.reward_dist_weight * np.linalg.norm(cylinder - goal, axis=1),
            "ctrl": -self.effort(worlds, self.reward_control_weight),
            "near": -self.reward_near_weight * np.linalg.norm(cylinder - tip, axis=1),
        }


def humanoid(kind: type[Locomotion], name: str, xml_file: str, **settings: Any) -> Locomotion:
    """Return a humanoid task, whose observations include body inertias, body velocities and forces."""
    return kind(
        name, frame_skip=5, xml_file=xml_file, place=2, reset_noise_scale=1e-2,
        forces=True, double_effort=True, include_cinert_in_observation=True, include_cvel_in_observation=True,
        include_cfrc_ext_in_observation=True, include_qfrc_actuator_in_observation=True, **settings,
    )  # fmt: skip


GYMNASIUM_TASKS: tuple[Task, ...] = (
    Locomotion("Ant-v5", frame_skip=5, xml_file="ant.xml", place=2, measured="torso",
        remember=("xpos",), forces=True, normal=True, ctrl_cost_weight=0.5, contact_cost_weight=5e-4,
        healthy_reward=1.0, healthy_z_range=(0.2, 1.0), closed=True, contact_force_range=(-1.0, 1.0),
        include_cfrc_ext_in_observation=True),
    Locomotion("HalfCheetah-v5", frame_skip=5, xml_file="half_cheetah.xml",
        normal=True, ctrl_cost_weight=0.1),
    Locomotion("Hopper-v5", frame_skip=4, xml_file="hopper.xml",
        reset_noise_scale=5e-3, ctrl_cost_weight=1e-3, healthy_reward=1.0, healthy_z_range=(0.7, np.inf),
        healthy_angle_range=(-0.2, 0.2), healthy_state_range=(-100.0, 100.0), speed_limit=10.0),
    humanoid(Locomotion, "Humanoid-v5", "humanoid.xml", measured="mass", remember=("xipos",),
        forward_reward_weight=1.25, ctrl_cost_weight=0.1, contact_cost_weight=5e-7, contact_cost_range=(-np.inf, 10.0),
        healthy_reward=5.0, healthy_z_range=(1.0, 2.0)),
    humanoid(StandUp, "HumanoidStandup-v5", "humanoidstandup.xml", ctrl_cost_weight=0.1),
    InvertedDoublePendulum("InvertedDoublePendulum-v5", frame_skip=5,
        xml_file="inverted_double_pendulum.xml", normal=True),
    InvertedPendulum("InvertedPendulum-v5", frame_skip=2,
        xml_file="inverted_pendulum.xml", reset_noise_scale=0.01),
    Pusher("Pusher-v5", frame_skip=5, max_steps=100, xml_file="pusher_v5.xml"),
    Reacher("Reacher-v5", frame_skip=2, max_steps=50, xml_file="reacher.xml"),
    Locomotion("Swimmer-v5", frame_skip=4, xml_file="swimmer.xml", place=2,
        ctrl_cost_weight=1e-4),
    Locomotion("Walker2d-v5", frame_skip=4, xml_file="walker2d_v5.xml",
        reset_noise_scale=5e-3, ctrl_cost_weight=1e-3, healthy_reward=1.0, healthy_z_range=(0.8, 2.0),
        healthy_angle_range=(-1.0, 1.0), speed_limit=10.0),
)  # fmt: skip
"""The eleven MuJoCo tasks of Gymnasium."""
