"""Results are bit-identical for any number of threads, processes and worlds; see docs/determinism.md."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import conjoint
from conjoint.lang import FatalError
from conjoint.lang.calls.compiled import jit_enabled
from places import ROOT

MODEL = str(ROOT / "models" / "humanoid.xml")
NSTEP = 40

compiled = pytest.mark.skipif(not jit_enabled(), reason="minutes of uncompiled steps")


@pytest.fixture
def model(edition: str) -> conjoint.MjModel:
    """Return the humanoid model; a test that uses this fixture runs in both editions."""
    return conjoint.MjModel.from_xml_path(MODEL)


@compiled
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_worlds_threads_and_places_make_no_difference(model: conjoint.MjModel, precision: str) -> None:
    cases = [(4, 1), (4, 3), (17, 1), (40, 2), (40, 5)]
    found = {
        conjoint.trajectory_hash(model, NSTEP, nworld=nworld, world=3, precision=precision, nthread=nthread)
        for nworld, nthread in cases
    }
    assert len(found) == 1


@compiled
def test_processes_make_no_difference(model: conjoint.MjModel) -> None:
    """Trajectory hashes are identical in other processes, whatever their PYTHONHASHSEED."""
    code = f"""import conjoint; m = conjoint.MjModel.from_xml_path({MODEL!r})
print(conjoint.trajectory_hash(m, {NSTEP}), conjoint.trajectory_hash(m, {NSTEP}, nworld=9, world=3))"""
    expected = [conjoint.trajectory_hash(model, NSTEP), conjoint.trajectory_hash(model, NSTEP, nworld=17, world=3)]
    for salt in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": salt}
        result = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        assert result.stdout.split() == expected


@compiled
def test_what_differs_shows(model: conjoint.MjModel) -> None:
    """A different seed, world or precision, or a single changed bit of the model, changes the trajectory hash."""
    heavier = conjoint.MjModel.from_xml_path(MODEL)
    heavier.body_mass[1] *= 1.0 + 2.3e-16
    assert heavier.body_mass[1] != model.body_mass[1]
    found = [
        conjoint.trajectory_hash(model, 5, nworld=4),
        conjoint.trajectory_hash(model, 5, nworld=4, seed=1),
        conjoint.trajectory_hash(model, 5, nworld=4, world=1),
        conjoint.trajectory_hash(model, 5, nworld=4, precision="float32"),
        conjoint.trajectory_hash(heavier, 5, nworld=4),
        conjoint.trajectory_hash(model, 5),
    ]
    assert len(set(found)) == len(found)


def test_worlds_that_are_not_there_are_refused(model: conjoint.MjModel) -> None:
    with pytest.raises(FatalError, match="no world 4"):
        conjoint.trajectory_hash(model, 1, nworld=4, world=4)
    with pytest.raises(FatalError, match="double precision"):
        conjoint.trajectory_hash(model, 1, precision="float32")
