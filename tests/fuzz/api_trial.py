"""Run API-call programs with Conjoint and MuJoCo, compare the outcomes and shrink programs that differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzz.api_worker import Outcome, Setup, Worker
from fuzz.trial import shape

TOLERANCE = 1e-5
"""Tolerance for differences, relative to MuJoCo's largest number or one; it exceeds rounding, because solvers stop early."""

CHANGES = (1e-9, 1e-12, 1e-10, 1e-11, 1e-9, 1e-12)
"""Sizes of random perturbations of MuJoCo's positions and velocities, which show how sensitive its results are.

If a contact is at the threshold of its existence, only perturbations in some directions create or remove it.
"""

NUDGE = "d.qpos[:] += {0} * rng({1}).normal(size=m.nq); d.qvel[:] += {0} * rng(-~{1}).normal(size=m.nv)"

WORDS_OF_PYTHON = (
    "reshape",
    "NoneType",
    "list.remove",
    "subscriptable",
    "ickle <",
    "pickle '_",
    "object has no attribute '_",
)
"""Fragments of Python's own error messages, which show that an error message of the package is missing."""

HEAD = """\
import copy, pickle
import numpy as np
import {0} as mj
from {0} import rollout
{1}rng = np.random.default_rng
XML = {2}
m = {3}
d = mj.MjData(m)
"""

DELIBERATE: dict[str, str] = {}
"""Reasons for deliberate differences from MuJoCo, by a pattern that matches the description of a finding."""


@dataclass(frozen=True)
class Finding:
    """Fault that a program shows: its cause (`key`), its description (`text`), and the index of the outcome (`line`)."""

    key: tuple[str, ...]
    text: str
    line: int


def written(setup: Setup, lines: list[str], package: str = "conjoint") -> str:
    """Return the program as a complete Python script."""
    model = f"mj.MjModel.from_xml_path({setup.path!r})" if setup.path else "mj.MjModel.from_xml_string(XML)"
    batch = "from conjoint.batch import Batch\n" if package == "conjoint" else ""
    xml = "'''" + setup.xml.replace("\\", "\\\\").replace("'''", "\\'''") + "'''" if setup.xml else "''"
    return HEAD.format(package, batch, xml, model) + "\n".join(lines) + "\n"


class Trial:
    """Runner of programs in worker processes of both packages; `theirs` is None if MuJoCo is not used."""

    def __init__(self, ours: Worker, theirs: Worker | None):
        self.ours, self.theirs = ours, theirs

    def judge(self, setup: Setup, lines: list[str], compare: bool) -> Finding | None:
        """Return the fault of a program, or None; if `compare`, also compare its outcomes with MuJoCo's."""
        mine = self.ours.run(setup, lines)
        for i, outcome in enumerate(mine):
            found = alone(outcome, lines[i - 1] if i else "", i)
            if found:
                return found
        if not compare or self.theirs is None or len(mine) <= 1:
            return None
        official = self.theirs.run(setup, lines)
        found = beside(mine, official, lines)
        if found and found.key[0] == "differs":
            # skip the comparison if MuJoCo reports an unusable state, or if boxes touch only within a margin
            if any(outcome.lost or outcome.boxes for outcome in official[: found.line + 1]):
                return None
            if any(self._depends(setup, lines, official, found, k) for k in range(len(CHANGES))):
                return None
        described = f"{' '.join(found.key)} {found.text}" if found else ""
        return None if any(re.search(pattern, described, re.DOTALL) for pattern in DELIBERATE) else found

    def _depends(self, setup: Setup, lines: list[str], official: list[Outcome], found: Finding, k: int) -> bool:
        """Return True if the k-th tiny perturbation of MuJoCo's state changes the result by 1% of the finding's error or more."""
        assert self.theirs is not None
        nudge = NUDGE.format(CHANGES[k], 2 * k)
        changed = [one_by_one(line, nudge) for line in lines]
        other = self.theirs.run(setup, [each for some in changed for each in some])
        place = sum(map(len, changed[: found.line]))
        if place >= len(other) or other[place].kind != "ok":
            return True
        name = found.key[1]
        moved = error_of(other[place].numbers.get(name), official[found.line].numbers.get(name))
        return bool(moved > 0.01 * float(found.text.split()[0]))

    def shrunk(self, setup: Setup, lines: list[str], finding: Finding, compare: bool) -> list[str]:
        """Remove lines while the finding persists, and return the shortened program."""
        lines = lines[: finding.line]
        at = len(lines) - 1
        while at >= 0:
            fewer = lines[:at] + lines[at + 1 :]
            found = self.judge(setup, fewer, compare)
            if found is not None and found.key == finding.key:
                lines = fewer
            at -= 1
        return lines


def alone(outcome: Outcome, line: str, place: int) -> Finding | None:
    """Return the fault of a single Conjoint outcome, without a comparison with MuJoCo, or None."""
    about = re.sub(r"\d+", "#", line)[:60]
    if outcome.kind in ("crashed", "hung"):
        return Finding((outcome.kind, *re.findall(r"\w+\.\w+(?=\()|Batch\(", line)[:1]), line, place)
    if outcome.kind == "error":
        foreign = not outcome.own or (outcome.place and any(word in outcome.error for word in WORDS_OF_PYTHON))
        if foreign:
            kind = outcome.error.partition(":")[0]
            return Finding(("foreign", kind, outcome.place), f"{outcome.error[:300]} ({line})", place)
    foreign_warnings = {"RuntimeWarning", "ComplexWarning", "DeprecationWarning", "VisibleDeprecationWarning"}
    if line and foreign_warnings.intersection(outcome.warned) and "complex" not in line and "1j" not in line:
        return Finding(("warning", *sorted(set(outcome.warned)), about), line, place)
    return None


def one_by_one(line: str, nudge: str) -> list[str]:
    """Return lines that perturb the state before `line`; a call of several steps becomes single steps, each after a perturbation."""
    steps = re.fullmatch(r"mj\.mj_step\(m, d, (?:nstep=)?(\d+)\)", line)
    return [nudge, "mj.mj_step(m, d)"] * int(steps[1]) if steps else [nudge, line]


def error_of(ours: Any, theirs: Any) -> float:
    """Return the largest difference between two results, relative to MuJoCo's largest number or one.

    The result is infinite if shapes differ, or if different elements are finite.
    """
    if ours is None or theirs is None or isinstance(ours, str) or isinstance(theirs, str):
        return 0.0 if ours is theirs or ours == theirs else float("inf")
    a, b = np.asarray(ours, float).ravel(), np.asarray(theirs, float).ravel()
    if a.shape != b.shape or not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return float("inf")
    a, b = a[np.isfinite(b)], b[np.isfinite(b)]
    return float(np.max(np.abs(a - b), initial=0.0) / max(1.0, np.max(np.abs(b), initial=0.0)))


def beside(mine: list[Outcome], official: list[Outcome], lines: list[str]) -> Finding | None:
    """Return a finding for the first line whose outcome differs from MuJoCo's, or None."""
    for place, (ours, theirs) in enumerate(zip(mine, official, strict=False)):
        line = lines[place - 1] if place else "load"
        if theirs.kind in ("crashed", "hung"):
            return None
        if ours.kind != theirs.kind:
            what = "refuses" if ours.kind == "error" else "accepts"
            text = (ours if ours.kind == "error" else theirs).error[:300]
            return Finding((what, shape(text)), f"{text} ({line})", place)
        if ours.kind == "error":
            continue
        errors = {name: error_of(ours.numbers.get(name), value) for name, value in theirs.numbers.items()}
        worst = max(errors, key=lambda name: errors[name], default="")
        if worst and not errors[worst] <= TOLERANCE:
            lost = not np.isfinite(np.asarray(ours.numbers.get("qpos", 0.0), float)).all()
            silent = ("silent NaN",) if lost and not ours.counted else ()
            about = re.sub(r"\(\d+\)|\d+", "#", line)[:50]
            return Finding(("differs", worst, about, *silent), f"{errors[worst]:g} in {worst} after {line}", place)
    return None
