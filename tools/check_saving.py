"""Check that saved models compile to the same model in Conjoint and in MuJoCo, and compare their XML with MuJoCo's.

    CONJOINT_CORPUS=... python tools/check_saving.py [--grep TEXT] [--jobs N] [--like] [--verbose]

Conjoint loads every model of the corpus and saves it as XML. Conjoint and MuJoCo then load that XML from the folder of
the original. Each compares the result with its own compilation of the original, in every public field. `--like` also
counts the elements and attributes in which our XML differs from the XML that MuJoCo saves.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np

from conjoint.cli.convert import used_rows
from conjoint.compiler import compile_spec, read_path, read_string
from conjoint.compiler.changes import saved_xml
from conjoint.schema.model import MODEL_FIELDS

TOLERANCE = 1e-6
SIZE = {"nbuffer", "narena", "signature"}
"""Fields that are not compared, because they depend on the model's size."""
FUSED = {"nbvh", "nbvhstatic"}
"""Counts that include the empty bounding volumes left behind by fused bodies."""
STORAGE = ("bvh_", "nbvh", "mesh_poly", "nmeshpoly")
"""Prefixes of MuJoCo fields that may keep rows of fused bodies, or data of another model from MuJoCo's mesh cache."""
LIKE = 1e-4
"""Largest relative difference at which numbers in two XML files count as equal, because MuJoCo writes six digits."""


def main() -> int:
    """Check the models of the corpus; return 1 if a saved model differs from its original, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grep", default="", help="only models whose path contains this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--like", action="store_true", help="compare our XML with that of the official package")
    parser.add_argument("--verbose", action="store_true", help="name every difference")
    options = parser.parse_args()
    corpus = Path(os.environ["CONJOINT_CORPUS"])
    models = json.loads((corpus / "manifest.json").read_text())["models"]
    wanted = [str(corpus / model["path"]) for model in models if model["loads"] and options.grep in model["path"]]
    ok, unlike, alike = 0, Counter[str](), 0
    jobs = [(path, options.like) for path in wanted]
    with multiprocessing.Pool(options.jobs, maxtasksperchild=20) as pool:
        for path, problems, differences, seconds in pool.imap_unordered(check, jobs):
            name = os.path.relpath(path, corpus)
            ok += not problems
            alike += not differences
            unlike.update(differences)
            for problem in problems:
                print(f"{name}: {problem}", flush=True)
            if options.verbose:
                print(f"{name}: {seconds:.1f} s", *sorted(differences), sep="\n    ", flush=True)
    print(f"saved well: {ok} of {len(wanted)}")
    if options.like:
        print(f"alike: {alike} of {len(wanted)}", *(f"{n:6} {what}" for what, n in unlike.most_common(60)), sep="\n  ")
    return int(ok < len(wanted))


def check(job: tuple[str, bool]) -> tuple[str, list[str], set[str], float]:
    """Return a model's path, its problems, the differences between its XML and MuJoCo's, and the duration (s)."""
    path, like = job
    start = time.perf_counter()
    os.chdir(os.path.dirname(path))
    try:
        official: Any = mujoco.MjModel.from_xml_path(path)
    except ValueError:
        return path, [], set(), 0.0
    try:
        spec = read_path(path)
        model = compile_spec(spec)
        text = saved_xml(spec)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        message = f"not saved: {type(error).__name__}: {error} ({where.name}:{where.lineno})"
        return path, [message], set(), time.perf_counter() - start
    differences = set(unlike(text, official)) if like else set()
    problems = [*_again(model, text), *_official(official, text)]
    return path, problems, differences, time.perf_counter() - start


def _again(model: Any, text: str) -> Iterator[str]:
    """Yield a line that lists the fields that differ after Conjoint reads the saved model, if any do."""
    try:
        again = compile_spec(read_string(text))
    except ValueError as error:
        yield f"we refuse what we saved: {str(error)[:300]}"
        return
    fields = [field.name for field in MODEL_FIELDS if field.public and field.name not in SIZE | FUSED]
    errors = {name: difference(*used_rows(name, model.view(name), again.view(name))) for name in fields}
    yield from _report("ours", errors)


def _official(official: Any, text: str) -> Iterator[str]:
    """Yield a line that lists the fields that differ after MuJoCo reads our saved model, if any do."""
    try:
        again: Any = mujoco.MjModel.from_xml_string(text)
    except ValueError as error:
        yield f"the oracle refuses: {str(error)[:300]}"
        return
    errors = {}
    for owner, prefix in (("", ""), ("opt", "opt."), ("stat", "stat.")):
        first, second = (getattr(one, owner) if owner else one for one in (official, again))
        for name in dir(first):
            value = getattr(first, name)
            known = name.startswith(("_", *STORAGE)) or name in SIZE
            if not known and isinstance(value, int | float | np.ndarray | bytes):
                errors[prefix + name] = difference(value, getattr(second, name))
    yield from _report("oracle", errors)


def _report(title: str, errors: dict[str, float]) -> Iterator[str]:
    """Yield a line with the fields that differ most, if any differ by more than the tolerance."""
    bad = {name: error for name, error in errors.items() if error > TOLERANCE}
    if bad:
        worst = sorted(bad, key=lambda name: -bad[name])[:8]
        yield f"{title}: {len(bad)} fields: " + ", ".join(f"{name} {bad[name]:.1g}" for name in worst)


def difference(first: Any, second: Any) -> float:
    """Return the largest difference between two values, divided by the largest number of `first` if that exceeds 1.

    The result is infinite if shapes differ, if different elements are finite, or if the values are unequal bytes.
    """
    if isinstance(first, bytes):
        return 0.0 if first == second else math.inf
    a, b = np.asarray(first, float).ravel(), np.asarray(second, float).ravel()
    if a.shape != b.shape or not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return math.inf
    finite = np.isfinite(a)
    a, b = a[finite], b[finite]
    return float(np.max(np.abs(a - b), initial=0.0) / max(1.0, np.max(np.abs(a), initial=0.0)))


def unlike(text: str, official: Any) -> Iterator[str]:
    """Yield the differences between the XML that Conjoint saves and MuJoCo's."""
    with tempfile.NamedTemporaryFile("r", suffix=".xml") as file:
        mujoco.mj_saveLastXML(file.name, official)
        theirs = ElementTree.fromstring(file.read())
    yield from _unlike(ElementTree.fromstring(text), theirs, "")


def _unlike(ours: Any, theirs: Any, path: str) -> Iterator[str]:
    """Yield the differences between two elements and their descendants."""
    path += "/" + ours.tag if len(path) < 60 else ""
    for name in {**ours.attrib, **theirs.attrib}:
        if name not in ours.attrib:
            yield f"{path} lacks {name}={theirs.attrib[name][:40]}"
        elif name not in theirs.attrib:
            yield f"{path} has {name}={ours.attrib[name][:40]}"
        elif not _same(ours.attrib[name], theirs.attrib[name]):
            yield f"{path} {name}={ours.attrib[name][:40]}, not {theirs.attrib[name][:40]}"
    if _common(ours, theirs) != _common(theirs, ours):
        yield f"{path} order of attributes: {' '.join(ours.attrib)}, not {' '.join(theirs.attrib)}"
    if [child.tag for child in ours] != [child.tag for child in theirs]:
        yield f"{path} children {_runs(ours)}, not {_runs(theirs)}"
        return
    for first, second in zip(ours, theirs, strict=True):
        yield from _unlike(first, second, path)


def _common(first: Any, second: Any) -> list[str]:
    """Return the XML attributes of `first` that `second` also has."""
    return [name for name in first.attrib if name in second.attrib]


def _runs(element: Any) -> str:
    """Return the tags of an element's children, without consecutive repetitions, and the number of children."""
    tags = [child.tag for child in element]
    return " ".join(tag for i, tag in enumerate(tags) if not i or tags[i - 1] != tag)[:80] + f" ({len(tags)})"


def _same(first: str, second: str) -> bool:
    """Return True if two values have equal words or nearly equal numbers; quaternions may differ in sign."""
    if first.split() == second.split():
        return True
    try:
        a, b = np.array(first.split(), float), np.array(second.split(), float)
    except ValueError:
        return False
    near = LIKE * max(1.0, np.abs(b).max(initial=0.0))
    return a.shape == b.shape and bool((np.abs(a - b) <= near).all() or (len(a) == 4 and (np.abs(a + b) <= near).all()))


if __name__ == "__main__":
    sys.exit(main())
