"""Exact derivatives of the models in a corpus, compared with central differences at two states of each model.

    python tests/derivative_corpus.py manifest.json [--columns 80] [--only TEXT] [--nv 100] [--seconds 60]

Prints a line for each model and state, and finally the number of models that agree. A model agrees if all elements of A, B,
C and D do, within 1e-6 of the largest element of their matrix. Elements at an edge between two smooth pieces are exempt.
Models whose differences do not settle are counted separately; `derivative_causes.py` explains the causes.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import conjoint as mj
import derivative_differences as differences
from derivative_causes import BAR, CAUSES, judge

STATES = (0, 100)
"""Numbers of steps before each of the two states."""


def diverges(m: mj.MjModel, d: mj.MjData) -> bool:
    """Return True if the state was reset, or would be reset in the next step."""
    after = copy.copy(d)
    mj.mj_step(m, after)
    kinds = [mj.mjtWarning.mjWARN_BADQPOS, mj.mjtWarning.mjWARN_BADQVEL, mj.mjtWarning.mjWARN_BADQACC]
    return bool(after.warning.number[kinds].any()) or not np.isfinite(after.qvel).all()


def blocks(m: mj.MjModel) -> list[tuple[slice, slice]]:
    """Return the row and column ranges of A, B, C and D in the matrix that is composed of them."""
    nx = 2 * m.nv + m.na
    parts = slice(0, nx), slice(nx, None)
    return [(rows, columns) for rows in parts for columns in parts]


def line(path: Path, nstep: int, columns: int) -> tuple[str, str]:
    """Return the result for a model at a state, and a line of figures to print.

    The result is the most severe cause of deviations from exact derivatives, or "ok".
    """
    begin = time.perf_counter()
    try:
        m = mj.MjModel.from_xml_path(str(path))
        d = differences.moved(m, nstep)
        mj.mj_forward(m, d)
        if diverges(m, d):
            return "ok", "diverges by itself: nothing to compare"
        result = differences.found(differences.tighten(m), d, columns)
        errors, cause = judged(m, d, result)
    except (mj.FatalError, ValueError) as error:
        return CAUSES[-1], f"{type(error).__name__} {' | '.join(str(error).splitlines())[:600]}"
    numbers = " ".join(f"{error:.1e}" for error in errors)
    counts = " ".join(f"{name} {np.sum(cause == k)}" for k, name in enumerate(CAUSES, 1) if (cause == k).any())
    about = f"nv {m.nv} ncon {d.ncon} nefc {d.nefc}  A B C D {numbers}  {time.perf_counter() - begin:.0f} s  {counts}"
    return ("ok", *CAUSES)[cause.max(initial=0)], about


def judged(m: mj.MjModel, d: mj.MjData, result: differences.Found) -> tuple[list[float], np.ndarray]:
    """Return the errors of A, B, C and D, and the cause of each element's deviation.

    The errors do not include elements at edges or elements with unsettled differences.
    """
    exact, central = result.exact, result.differences
    bar, cause = np.zeros(exact.shape), np.zeros(exact.shape, int)
    for block in blocks(m):
        bar[block] = BAR * max(np.abs(central[block]).max(initial=0.0), 1e-10)
    away = ~(np.abs(exact - central) <= bar)
    for k in np.flatnonzero(away.any(axis=0)):
        if np.isfinite(exact[:, k]).all():
            found = judge(m, d, differences.changes(m)[k], differences.OUTPUTS, exact[:, k], bar[:, k])
            cause[:, k] = np.where(away[:, k], found, 0)
        else:
            cause[:, k] = len(CAUSES)
    # numbers that agree at other step lengths do not count
    counted = np.where((cause == len(CAUSES)) | ~away, np.abs(exact - central), 0.0)
    return [BAR * float((counted[b] / bar[b]).max(initial=0.0)) for b in blocks(m)], cause


def main() -> None:
    """Compare the models of a manifest, small ones first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--columns", type=int, default=80, help="how many columns are compared at most")
    parser.add_argument("--only", default="", help="a part of the paths of models")
    parser.add_argument("--nv", type=int, default=10**9, help="the largest number of degrees of freedom")
    parser.add_argument("--first", type=int, default=0, help="how many models are left out")
    parser.add_argument("--each", type=int, default=1, help="take every so manieth model")
    requested = parser.parse_args()
    rows = json.loads(requested.manifest.read_text())["models"]
    rows = [row for row in rows if row["loads"] and requested.only in row["path"] and row["nv"] <= requested.nv]
    rows.sort(key=lambda row: (row["nv"], row["path"]))
    tally = dict.fromkeys(("ok", *CAUSES), 0)
    rows = rows[requested.first :: requested.each]
    for row in rows:
        found = []
        for nstep in STATES:
            cause, text = line(requested.manifest.parent / row["path"], nstep, requested.columns)
            found.append(cause)
            print(f"{cause:7}", row["path"], f"after {nstep} steps:", text, flush=True)
        tally[max(found, key=list(tally).index)] += 1
    good = tally["ok"] + tally["edge"]
    print(f"{good} of {len(rows)} models agree ({100 * good / max(len(rows), 1):.1f} %)", tally, os.uname().machine)


if __name__ == "__main__":
    main()
