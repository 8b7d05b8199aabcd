"""Hashes of trajectories, for bitwise comparison (docs/determinism.md)."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from conjoint.api.arguments import Precision, checked
from conjoint.api.functions.functions import mj_step
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.batch.batch import Batch
from conjoint.lang.errors import ArgumentError

HASHED = ("time", "qpos", "qvel", "act", "qacc")
"""Fields that are hashed bit for bit after every step."""


@checked
def trajectory_hash(
    model: MjModel,
    nstep: int = 100,
    seed: int = 0,
    nworld: int = 0,
    world: int = 0,
    precision: Precision = "float64",
    nthread: int | None = None,
) -> str:
    """Return a hash of time, qpos, qvel, act and qacc after every step of a trajectory from the initial configuration.

    Controls are random and depend only on `seed` and the id of the world.

    Args:
        model: the model.
        nstep: number of steps.
        seed: seed of the controls.
        nworld: number of worlds of a batch; 0 for an `MjData`, which represents world `world`.
        world: id of the world whose trajectory is hashed.
        precision: precision of a batch, "float64" or "float32".
        nthread: number of threads of the batch or the `MjData`.

    Returns:
        64 hexadecimal digits.

    Raises:
        ValueError: the world does not exist, or single precision is requested for an `MjData`.
    """
    if world < 0 or (nworld and world >= nworld):
        raise ArgumentError(f"there is no world {world}: the batch has {nworld}")
    if not nworld and precision != "float64":
        raise ArgumentError("an MjData has double precision: float32 needs nworld of at least 1")
    generators = [np.random.default_rng([seed, number]) for number in range(nworld or world + 1)]
    found = hashlib.sha256()
    worlds: Any = Batch(model, nworld, precision, nthread, keep=["qacc"]) if nworld else MjData(model)
    if not nworld:
        worlds.nthread = nthread or 1
    for _ in range(nstep):
        controls = [generator.uniform(-1, 1, model.nu) for generator in generators]
        if nworld:
            worlds.ctrl = controls
            worlds.step()
        else:
            worlds.ctrl[:] = controls[world]
            mj_step(model, worlds)
        for name in HASHED:
            numbers = getattr(worlds, name)
            found.update(np.asarray(numbers[world] if nworld else numbers).tobytes())
    if nworld:
        worlds.close()
    return found.hexdigest()
