"""A short, deterministic run of the API fuzzer; docs/testing.md describes long runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conjoint.lang.calls.compiled import jit_enabled
from fuzz.api import ARM, ApiCampaign
from fuzz.api_calls import Writer
from fuzz.api_trial import Trial, alone, beside, written
from fuzz.api_worker import Outcome, Worker
from waiting import PATIENCE


@pytest.mark.skipif(not jit_enabled(), reason="batches and thousands of steps")
def test_programs_of_calls_beside_the_oracle() -> None:
    with Worker("conjoint", PATIENCE) as ours, Worker("mujoco", PATIENCE) as theirs:
        campaign = ApiCampaign([ARM], Trial(ours, theirs), seed=3)
        campaign.run(seconds=PATIENCE, most=60)
    assert not campaign.findings, "\n".join(f"{found.key}\n{program}" for found, program in campaign.findings.values())
    assert campaign.executions == 60 and campaign.lines > 300


def test_programs_are_the_same_each_time() -> None:
    first, second = ([Writer(5).program(absurd) for absurd in (False, True) * 20] for _ in range(2))
    assert first == second
    for lines in first:
        for line in lines:
            compile(line, "<line>", "exec")


def test_what_is_found_can_be_run() -> None:
    program = written(ARM, ["mj.mj_step(m, d)", "print(d.time)"])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout == "0.002\n", done.stderr


def test_what_is_wrong_is_found() -> None:
    fine = Outcome("ok", numbers={"qpos": np.ones(3)})
    assert alone(fine, "", 1) is None
    for kind in ("crashed", "hung"):
        found = alone(Outcome(kind), "mj.mj_step(m, d)", 1)
        assert found is not None and found.key == (kind, "mj.mj_step")
    foreign = Outcome("error", "AttributeError: 'int' object", "a.py:b", own=False)
    ours = Outcome("error", "TypeError: mj_step: m must be", "a.py:b", own=True)
    found = alone(foreign, "line", 1)
    assert found is not None and found.key[:3] == ("foreign", "AttributeError", "a.py:b")
    assert alone(ours, "line", 1) is None
    words = Outcome("error", "TypeError: 'NoneType' object is not", "a.py:b", own=True)
    assert alone(words, "line", 1) is not None
    assert alone(Outcome("ok", warned=["RuntimeWarning"]), "line", 1) is not None
    assert beside([fine], [fine], []) is None
    for mine, theirs, key in (
        (ours, fine, "refuses"), (fine, ours, "accepts"), (Outcome("ok", numbers={"qpos": np.zeros(3)}), fine, "differs"),
    ):  # fmt: skip
        different = beside([mine], [theirs], [])
        assert different is not None and different.key[0] == key
    lost = beside([Outcome("ok", numbers={"qpos": np.full(3, np.nan)})], [fine], [])
    assert lost is not None and lost.key[-1] == "silent NaN"


def test_crashes_and_hangs_end_no_campaign(tmp_path: Path) -> None:
    with Worker("conjoint", PATIENCE) as worker:
        outcomes = worker.run(ARM, ["import os; os._exit(3)", "d.time"])
        assert [each.kind for each in outcomes] == ["ok", "crashed"]
        outcomes = worker.run(ARM, ["o = d.time", "o = m.nq"])
        assert [each.numbers.get("o") for each in outcomes[1:]] == [0.0, 9.0]
