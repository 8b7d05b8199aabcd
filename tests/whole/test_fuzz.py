"""Short, deterministic runs of the fuzzer; docs/testing.md describes long runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from fuzz import oracle_worker, trial
from fuzz.campaign import PARSER, Campaign, Seed
from fuzz.coverage import Coverage
from fuzz.file_campaign import FileCampaign
from fuzz.oracle_worker import Oracle, Verdict
from fuzz.seeds import SEEDS
from fuzz.trial import Outcome, judge
from waiting import PATIENCE


def texts(findings: dict) -> list[str]:
    """Return the findings as texts for pytest's report."""
    return [f"{' '.join(key)}\n{finding.text}\n{example}" for key, (finding, example) in findings.items()]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the fuzzer's limit for slow models, which is meant for long runs."""
    for module in (trial, oracle_worker):
        monkeypatch.setattr(module, "SECONDS", PATIENCE)


def test_mutants_of_models_beside_the_oracle():
    seeds = [Seed(name, etree.fromstring(xml, PARSER)) for name, xml in SEEDS.items()]
    with Oracle() as oracle:
        campaign = Campaign(seeds, oracle, seed=1, most_changes=3)
        campaign.run(seconds=PATIENCE, most=60)
    assert texts(campaign.findings) == []
    assert campaign.executions == 60 and campaign.loaded > 15
    assert len(campaign.coverage.seen) > 2900


def test_damaged_files(tmp_path: Path):
    campaign = FileCampaign(None, tmp_path, seed=1)
    campaign.run(seconds=PATIENCE, most=200)
    assert texts(campaign.findings) == []
    assert campaign.executions == 200 and 0 < campaign.loaded < 100


def test_what_is_wrong_is_found():
    numbers = {"nq": 1, "qpos0": [1.0]}
    same = Verdict("loaded", numbers=numbers)
    assert judge(Outcome(same, []), same) is None
    other = Verdict("loaded", numbers={"nq": 1, "qpos0": [1.1]})
    assert judge(Outcome(other, []), same).key == ("differs", "qpos0")
    assert judge(Outcome(Verdict("refused", "no"), []), same).key[0] == "refuses"
    assert judge(Outcome(same, []), Verdict("refused", "no")).key[0] == "accepts"
    steps = {"step.finite": True, "step.warned": np.zeros(2, bool), "step.ncon": 1, "step.nefc": 4}
    steps |= {f"step.{name}": np.ones(2) for name in ("xpos", "qM", "qfrc_bias", "qfrc_passive", "qacc")}
    stepped = Verdict("loaded", numbers=numbers | steps)
    assert judge(Outcome(stepped, []), stepped) is None
    for name, value in (("qacc", np.full(2, 1.1)), ("xpos", np.zeros(2))):
        other = Verdict("loaded", numbers=numbers | steps | {f"step.{name}": value})
        assert judge(Outcome(other, []), stepped).key == ("differs", f"step.{name}")
    lost = Verdict("loaded", numbers=numbers | steps | {"step.finite": False})
    assert judge(Outcome(lost, []), stepped).key == ("differs", "step.silent")
    assert judge(Outcome(same, ["RuntimeWarning: overflow"]), same).key[0] == "warning"
    assert judge(Outcome(Verdict("failed", "KeyError: 1"), [], place="a.py:b"), None).key[0] == "exception"


def test_coverage_counts_lines_of_the_compiler():
    from conjoint.compiler.shape import volume

    coverage = Coverage()
    with coverage.watching():
        volume(2, (1.0, 0.0, 0.0))
    seen, total = coverage.share()
    assert 0 < seen < 10 and total > 3000
