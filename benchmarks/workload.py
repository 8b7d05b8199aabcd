"""Shared workload of both engines: start states that MuJoCo reached, and random controls."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from conjoint.api.objects.names import control_range


@dataclass
class Workload:
    """Segments of simulation.

    Attributes:
        qpos, qvel, act: start states, of shape (nsegment, n).
        ctrl: random controls, new at every step, of shape (nsegment, nstep, nu).
        facts: mean numbers of contacts, constraint rows and solver iterations while MuJoCo reached the start states.
    """

    qpos: np.ndarray
    qvel: np.ndarray
    act: np.ndarray
    ctrl: np.ndarray
    facts: dict[str, float]


def make_workload(path: str, nsegment: int, nstep: int, seed: int = 0, apart: int = 20) -> Workload:
    """Return a workload whose start states are `apart` steps from one another along a run of MuJoCo.

    The run has random controls. From each start state, `nstep` further random controls follow.
    """
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    generator = np.random.default_rng(seed)
    low, high = control_range(model)
    states, counts = [], []
    for _ in range(nsegment):
        states.append([data.qpos.copy(), data.qvel.copy(), data.act.copy()])
        for _ in range(apart):
            data.ctrl[:] = generator.uniform(low, high)
            mujoco.mj_step(model, data)
            counts.append((data.ncon, data.nefc, data.solver_niter[0]))
    qpos, qvel, act = (np.array(column) for column in zip(*states, strict=True))
    facts = dict(zip(("ncon", "nefc", "iterations"), np.mean(counts, axis=0).tolist(), strict=True))
    return Workload(qpos, qvel, act, generator.uniform(low, high, (nsegment, nstep, model.nu)), facts)
