"""Fuzzing run that damages files to which models refer."""

from __future__ import annotations

import random
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.files import SAMPLES, Sample, damage, sealed
from fuzz.oracle_worker import Oracle
from fuzz.trial import Finding, judge, load


@dataclass
class FileCampaign:
    """State of a fuzzing run; damaged files are written to `folder`, beside the models that refer to them."""

    oracle: Oracle | None
    folder: Path
    seed: int = 0
    executions: int = 0
    loaded: int = 0
    findings: dict[tuple[str, ...], tuple[Finding, Sample]] = field(default_factory=dict)

    def run(self, seconds: float, most: int = 10**9) -> None:
        """Damage and load files for `seconds`, or until `most` files were tried."""
        end = time.monotonic() + seconds
        names = list(SAMPLES)
        for number in range(most):
            if time.monotonic() > end:
                return
            name = names[number % len(names)]
            sample = SAMPLES[name]
            source = random.Random(f"{self.seed}.{number}")
            data = damage(source, sample.data)
            # the checksum detects most damage of binary models, but an attacker can easily correct it
            data = sealed(data) if not sample.xml and source.random() < 0.8 else data
            damaged = Sample(sample.xml, sample.file, data)
            finding = self._try(damaged)
            if finding is not None:
                self.findings.setdefault((name, *finding.key), (finding, damaged))

    def _try(self, sample: Sample) -> Finding | None:
        """Load one damaged file and return the fault, or None."""
        # each file needs its own path, because MuJoCo caches files by path
        folder = self.folder / str(self.executions)
        folder.mkdir()
        model = file = folder / sample.file
        file.write_bytes(sample.data)
        if sample.xml:
            model = folder / "model.xml"
            model.write_text(sample.xml)
        ours = load("", None, str(model))
        theirs = self.oracle.load("", None, str(model)) if self.oracle and sample.xml else None
        shutil.rmtree(folder)
        self.executions += 1
        self.loaded += ours.verdict.kind == "loaded"
        return judge(ours, theirs)
