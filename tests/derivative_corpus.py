"""Exact derivatives of the models of a corpus beside central differences, at two states each.

    python tests/derivative_corpus.py manifest.json [--columns 80] [--only TEXT] [--nv 100] [--seconds 60]

Prints a line for each model and state, and in the end how many agree. A model agrees if all elements of A, B, C and D
do within 1e-6 of the largest of their matrix, but those that have other differences on the one side than on the other:
there the state lies at an edge between two pieces.
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

BAR = 1e-6
STATES = (0, 100)
"""Steps before each of the two states."""


def diverges(m: mj.MjModel, d: mj.MjData) -> bool:
    """Whether the state was, or in the next step would be, reset."""
    after = copy.copy(d)
    mj.mj_step(m, after)
    kinds = [mj.mjtWarning.mjWARN_BADQPOS, mj.mjtWarning.mjWARN_BADQVEL, mj.mjtWarning.mjWARN_BADQACC]
    return bool(after.warning.number[kinds].any()) or not np.isfinite(after.qvel).all()


def line(path: Path, nstep: int, columns: int) -> tuple[bool, str]:
    """Whether a model agrees at a state, and what is printed of it."""
    begin = time.perf_counter()
    try:
        m = mj.MjModel.from_xml_path(str(path))
        d = differences.moved(m, nstep)
        mj.mj_forward(m, d)
        if diverges(m, d):
            return True, "diverges by itself: nothing to compare"
        result, nx = differences.found(differences.tighten(m), d, columns), 2 * m.nv + m.na
        errors = [result.error(r, c) for r in (slice(0, nx), slice(nx, None)) for c in (slice(0, nx), slice(nx, None))]
    except (mj.FatalError, ValueError) as error:
        return False, f"{type(error).__name__} {' | '.join(str(error).splitlines())[:600]}"
    numbers = " ".join(f"{error:.1e}" for error in errors)
    edges = f"  {result.edges.any(axis=0).sum()} columns at edges" if result.edges.any() else ""
    about = f"nv {m.nv} ncon {d.ncon} nefc {d.nefc}  A B C D {numbers}  {time.perf_counter() - begin:.0f} s{edges}"
    return max(errors) < BAR, about


def main() -> None:
    """Go over the models, small ones first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--columns", type=int, default=80, help="how many columns are compared at most")
    parser.add_argument("--only", default="", help="a part of the paths of models")
    parser.add_argument("--nv", type=int, default=10**9, help="the largest number of degrees of freedom")
    parser.add_argument("--first", type=int, default=0, help="how many models are left out")
    parser.add_argument("--each", type=int, default=1, help="take every so manieth model")
    asked = parser.parse_args()
    rows = json.loads(asked.manifest.read_text())["models"]
    rows = [row for row in rows if row["loads"] and asked.only in row["path"] and row["nv"] <= asked.nv]
    rows.sort(key=lambda row: (row["nv"], row["path"]))
    good = 0
    rows = rows[asked.first :: asked.each]
    for row in rows:
        both = True
        for nstep in STATES:
            agrees, text = line(asked.manifest.parent / row["path"], nstep, asked.columns)
            both = both and agrees
            print("ok  " if agrees else "AWAY", row["path"], f"after {nstep} steps:", text, flush=True)
        good += both
    print(f"{good} of {len(rows)} models agree ({100 * good / max(len(rows), 1):.1f} %)", os.uname().machine)


if __name__ == "__main__":
    main()
