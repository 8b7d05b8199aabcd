"""Task models of MuJoCo Playground, run as a `Batch`, give MuJoCo's results."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import conjoint
from clients.beside import needs
from conjoint.batch import Batch

PACKAGE = find_spec("mujoco_playground")
FOLDER = Path(PACKAGE.origin).parent / "_src/dm_control_suite/xmls" if PACKAGE and PACKAGE.origin else Path()
MODELS = sorted(FOLDER.glob("*.xml")) if PACKAGE else [Path("models")]
WORLDS, STEPS = 9, 20


@needs("mujoco_playground")
@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_steps_from_official_states(file: Path) -> None:
    """A step from a state of MuJoCo agrees with MuJoCo, in single worlds and in a batch."""
    import mujoco

    m = mujoco.MjModel.from_xml_path(str(file))
    batch = Batch(conjoint.MjModel.from_xml_path(str(file)), WORLDS, nthread=2)
    worlds = [mujoco.MjData(m) for _ in range(WORLDS)]
    generator = np.random.default_rng(0)
    for _ in range(STEPS):
        for w, d in enumerate(worlds):
            d.ctrl[:] = generator.uniform(-1.0, 1.0, m.nu)
            mujoco.mj_step(m, d, nstep=w)
        for name in ("time", "qpos", "qvel", "act", "ctrl", "qacc_warmstart"):
            rows = [np.atleast_1d(getattr(d, name)) for d in worlds]
            getattr(batch, name)[...] = np.reshape(rows, getattr(batch, name).shape)
        batch.step()
        for d in worlds:
            mujoco.mj_step(m, d)
        for name in ("qpos", "qvel"):
            official = np.array([getattr(d, name) for d in worlds])
            error = np.abs(getattr(batch, name) - official).max(axis=1)
            assert np.all(error <= 1e-5 * np.maximum(1.0, np.abs(official).max(axis=1))), name
