"""Program that compares steps with and without poisoned memory; it prints the models whose steps differ.

Arguments: "one" or the precision of a batch, the number of steps, and model files.
"""

from __future__ import annotations

import itertools
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import conjoint
from conjoint.lang.errors import ModelError

FIELDS = (
    "qpos", "qvel", "act", "qacc", "qacc_warmstart", "sensordata", "qfrc_constraint", "qfrc_passive", "energy", "xpos",
    "geom_xpos", "cvel", "ten_length", "actuator_force",
)  # fmt: skip
"""Fields that are compared for single worlds and for batches."""

ALONE = ("ncon", "nefc", "nisland", "efc_force", "efc_J", "solver_niter", "light_xpos", "cam_xmat")
"""Further fields that are compared for single worlds only."""

OPTIONS = {
    "solver": conjoint.mjtSolver, "cone": conjoint.mjtCone, "jacobian": (0, 1), "noslip_iterations": (0, 3),
}  # fmt: skip


def variants(m: Any) -> Iterator[str]:
    """Set all combinations of options that select different stages, one after another, and yield descriptions of them."""
    for values in itertools.product(*OPTIONS.values()):
        for name, value in zip(OPTIONS, values, strict=True):
            setattr(m.opt, name, int(value))
        for flags in (0, conjoint.mjtEnableBit.mjENBL_ISLAND, SLEEP):
            m.opt.enableflags = int(flags)
            yield " ".join(str(int(value)) for value in (*values, flags))


SLEEP = conjoint.mjtEnableBit.mjENBL_ISLAND | conjoint.mjtEnableBit.mjENBL_SLEEP


def steps(m: Any, how: str, count: int) -> list[bytes]:
    """Return the compared fields after each step of a single world, or of a batch with the precision `how`."""
    random, nworld = np.random.default_rng(0), 1 if how == "one" else 5
    start = conjoint.MjData(m)
    if m.nkey:
        conjoint.mj_resetDataKeyframe(m, start, 0)
    worlds: Any = start if how == "one" else conjoint.Batch(m, nworld, precision=how, nthread=1)
    if how != "one":
        worlds.qpos[:], worlds.act[:] = start.qpos, start.act
    worlds.ctrl[:] = random.uniform(-1, 1, worlds.ctrl.shape)
    worlds.qvel[:] = 0.1 * random.normal(size=worlds.qvel.shape)
    names = (*FIELDS, *ALONE) if how == "one" else FIELDS
    found = []
    for _ in range(count):
        conjoint.mj_step(m, worlds) if how == "one" else worlds.step(1)
        found.append(b"".join(np.array(getattr(worlds, name)).tobytes() for name in names))
    return found


def differs(m: Any, how: str, count: int) -> bool:
    """Return True if steps with poisoned memory differ from steps without."""
    found = []
    for poison in "01":
        os.environ["CONJOINT_POISON"] = poison
        found.append(steps(m, how, count))
    return found[0] != found[1]


def main(how: str, count: str, paths: Sequence[str]) -> None:
    """Print the files and settings of the models that differ."""
    warnings.simplefilter("ignore")
    for path in paths:
        print(path, file=sys.stderr, flush=True)
        try:
            m = conjoint.MjModel.from_xml_path(path)
        except ModelError:
            continue
        settings = variants(m) if "variants" in how else [""]
        for setting in settings:
            if differs(m, how.removeprefix("variants "), int(count)):
                print(path, setting)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
