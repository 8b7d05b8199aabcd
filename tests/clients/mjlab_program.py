"""mjlab scene with a robot, built and stepped on the CPU."""

import pickle
from pathlib import Path

import mujoco
import numpy as np
from mjlab.asset_zoo.robots import get_g1_robot_cfg, get_go1_robot_cfg
from mjlab.scene import Scene, SceneCfg
from mjlab.terrains import TerrainEntityCfg

STEPS = 20
ROBOTS = {"g1": get_g1_robot_cfg, "go1": get_go1_robot_cfg}


def first_steps(name: str) -> np.ndarray:
    """Return the positions and velocities of a robot's first steps, one row per step."""
    cfg = SceneCfg(num_envs=1, terrain=TerrainEntityCfg(terrain_type="plane"), entities={"robot": ROBOTS[name]()})
    model = Scene(cfg, device="cpu").compile()
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    rows = []
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        rows.append(np.hstack([data.qpos, data.qvel]))
    return np.array(rows)


def main(written: str) -> None:
    """Write the first steps of all robots to a file."""
    Path(written).write_bytes(pickle.dumps({name: first_steps(name) for name in ROBOTS}))
