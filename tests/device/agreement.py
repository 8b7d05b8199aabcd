"""Comparison of worlds on a device with float32 worlds in the lanes of the CPU."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import conjoint
from conjoint.batch.batch import Batch
from conjoint.device import automatic_device, open_device

NAMED = os.environ.get("CONJOINT_DEVICE", "opencl")
"""Device that the environment variable CONJOINT_DEVICE selects for the tests, or "auto"."""

DEVICE = {"cpu": "opencl"}.get(automatic_device(), automatic_device()) if NAMED == "auto" else NAMED
"""Device on which the tests run; by default OpenCL, which CPUs may support as well."""

ROUNDING = 1e-4
"""Largest allowed difference after one step, relative to the largest number of a field."""

SMALLEST = 1e-3
"""Smallest divisor of relative differences; fields with smaller numbers are compared absolutely."""

FIELDS = ("qpos", "qvel", "qacc", "act", "xpos", "sensordata")
"""Batch fields that the tests compare."""


def device_is_here() -> bool:
    """Return True if the device of the tests is available."""
    try:
        open_device(DEVICE)
    except (conjoint.FatalError, ImportError):
        return False
    return True


def stepped(model: conjoint.MjModel, nworld: int, nstep: int, **given: Any) -> Batch:
    """Return a float32 batch after `nstep` steps from random velocities under random controls.

    World i is the same in every batch, whatever the number of worlds.
    """
    batch = Batch(model, nworld, precision="float32", **given)
    for world in range(nworld):
        generator = np.random.default_rng(world)
        batch.qvel[world] += 0.1 * generator.standard_normal(model.nv)
        batch.ctrl[world] = generator.uniform(-0.5, 0.5, model.nu)
    batch.step(nstep)
    return batch


def differences(one: Batch, other: Batch) -> dict[str, float]:
    """Return the largest difference of every field between two batches, relative to the field's largest number in `one`.

    The difference is infinite if a number is finite in only one of the batches.
    """
    found = {}
    for name in FIELDS:
        a, b = (np.asarray(getattr(batch, name), float) for batch in (one, other))
        if not np.array_equal(np.isfinite(a), np.isfinite(b)):
            found[name] = np.inf
        elif a.size:
            found[name] = float(np.nanmax(np.abs(a - b)) / max(np.nanmax(np.abs(a)), SMALLEST))
    return found
