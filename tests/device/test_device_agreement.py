"""Batches on a real device agree with CPU lanes; the device is OpenCL, or the one that `CONJOINT_DEVICE` names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from device.agreement import DEVICE, ROUNDING, device_is_here, differences, stepped
from places import ROOT

pytestmark = [
    pytest.mark.compiled_only,
    pytest.mark.skipif(not (jit_enabled() and device_is_here()), reason=f"no device {DEVICE!r}: docs/devices.md"),
]

TEN = ["arm", "biped", "boxes", "car", "chain", "hand", "hopper", "humanoid", "quadruped", "rover"]
"""Models whose states are compared after a hundred steps."""

LARGEST_GROWTH = 30
"""Largest allowed ratio of the difference between device and lanes to the difference between lanes of two widths.

The ratio is large because the systems are chaotic.
"""


def load(name: str) -> conjoint.MjModel:
    return conjoint.MjModel.from_xml_path(str(ROOT / "models" / f"{name}.xml"))


@pytest.mark.parametrize("name", ["cartpole", "quadruped", "humanoid"])
def test_a_step_agrees_with_lanes(name: str) -> None:
    """After one step, worlds on the device agree with float32 lanes, and contact counts are equal."""
    model = load(name)
    lanes, device = stepped(model, 3, 1), stepped(model, 3, 1, device=DEVICE)
    assert max(differences(lanes, device).values()) <= ROUNDING
    np.testing.assert_array_equal(device.ncon, lanes.ncon)


def test_results_are_the_same_in_every_run_and_for_any_number_of_worlds() -> None:
    """A world's results are bit-identical in every run and for any number of worlds."""
    one, again, more = (stepped(load("quadruped"), nworld, 20, device=DEVICE) for nworld in (2, 2, 100))
    for batch in (again, more):
        for name in ("qpos", "qvel", "sensordata"):
            np.testing.assert_array_equal(getattr(batch, name)[:2], getattr(one, name), err_msg=name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", TEN)
def test_a_hundred_steps_differ_as_much_as_lanes_of_another_width(name: str) -> None:
    """After 100 steps, a device differs from lanes about as much as lanes of two widths differ from each other."""
    model = load(name)
    lanes, others = (stepped(model, 3, 100, lanes=width) for width in (8, 1))
    device = stepped(model, 3, 100, device=DEVICE)
    usual, found = differences(lanes, others), differences(lanes, device)
    for field, difference in found.items():
        assert difference <= LARGEST_GROWTH * max(usual[field], ROUNDING), (field, usual[field])


@pytest.mark.nightly
def test_public_models_agree_with_lanes(corpus: Path, tmp_path: Path) -> None:
    """At least 97% of the public models agree with float32 lanes after one step."""
    out = tmp_path / "results.tsv"
    command = [sys.executable, ROOT / "tests" / "device_corpus.py", corpus / "manifest.json", "--device", DEVICE]
    subprocess.run([*command, "--out", out], check=True, cwd=ROOT / "tests")
    results = [line.split("\t")[1] for line in out.read_text().splitlines()]
    assert len(results) > 100
    assert np.mean([result in ("same", "agrees") for result in results]) >= 0.97
