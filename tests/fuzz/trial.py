"""Compile and step one fuzzing input, and find faults in the outcome."""

from __future__ import annotations

import re
import time
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import conjoint
from conjoint.lang.errors import ModelWarning, SimulationWarning
from fuzz.oracle_worker import Verdict, numbers_of, stepped

TOLERANCE = 1e-7
STEP_TOLERANCE = 1e-5
"""Tolerance for results of the first step; it exceeds rounding, because solvers stop at a tolerance of 1e-8."""

SECONDS = 5.0
"""Time limit for compiling and stepping a small model (s)."""

NOT_COMPARED = {
    "signature", "nbuffer", "mesh_graph", "mesh_graphadr", "nmeshgraph", "oct_aabb", "oct_child", "oct_coeff",
    "oct_depth", "noct", "mesh_octadr", "mesh_octnum", "npaths", "paths", "mesh_polynormal", "mesh_polyvert",
    "mesh_polyvertadr", "mesh_polyvertnum", "mesh_polymap", "mesh_polymapadr", "mesh_polymapnum", "mesh_polyadr",
    "mesh_polynum", "nmeshpoly", "nmeshpolyvert", "nmeshpolymap",
    "tendon_actfrclimited", "mesh_normal",
}  # fmt: skip
"""Model fields that are not compared with MuJoCo's.

Hulls, polygons and octrees may come from MuJoCo's cache of a different model, and storage layouts differ. MuJoCo 3.3.5
has wrong limits of tendon forces and wrong normals of unequally scaled meshes (docs/differences.md).
"""


NEWER = (
    "actlimited|actuatorfrclimited|actuatorfrcrange|adhesion|armature|camera|castshadow|class|conflict|damper|damping|data|"
    "delay|diagexact|embed|enclosed|ffrange|flexstrain|frame|fuse|inheritrange|input|interp|interval|massscale|material|"
    "mesh|noise|nsample|output|passthrough|plastic|projection|scale|scaling|sleep|sleep_tolerance|softness|spring|"
    "springyield|surfacevel|user|velrange|pid|dcmotor|orientation"
)
"""Attributes and elements that Conjoint reads, although they are newer than MuJoCo 3.3.5."""

DELIBERATE = {
    rf"^accepts: .*unrecognized (attribute|element): '({NEWER})'": "newer versions read it",
    r"^refuses: .*(unknown attribute|is not allowed inside|may appear only once|second orientation)": (
        "inside frame, replicate and a body at the top the official reader does not look"
    ),
    r"^refuses: .*(the divisor of a pulley must be positive|settings belong into the instance)": (
        "nothing sensible can be meant"
    ),
    r"^refuses: .*<intvelocity>: (kv|dampratio)": "it drops the damping without a word, where <position> is refused",
    r"^refuses: .*a site is a sphere": "it does not look whether a site is a signed distance",
    r"^refuses: .*(cannot be simulated yet|is not built yet).*write lengthrange": "belongs to the engine",
    r"^refuses: .*condim \d+ is not 1, 3, 4 or 6": "it stops with a FatalError at the first contact, where condim is more than 6",
    r"^accepts: .*unrecognized attribute: 'flatinertia'": "the chapter describes it, with the composites that are left out",
    r"^accepts: .*invalid (qpos|qvel|act|mpos|mquat|ctrl) size": "vectors of keyframes that are too short are completed, as since 3.16",
    r"^differs: step.refused .*tactile sensors need a mesh": "it reads what lies behind the normals of the mesh",
    r"^refuses: .*more than \d+ steps; .*write lengthrange": "it would simulate for hours",
    r"^accepts: .*(number is too large|incompatible id in plugin array|unknown texture in light)": (
        "the official compiler cannot do what it documents: denormal numbers, plugins and textures beside replicate"
    ),
    r"^refuses: .*<pair>: the attribute 'geom[12]' is missing": "it takes a geom without a name for one that is not named",
    r"^refuses: .*'\u0663' is not a number": "it stops at digits of other scripts",
    r"^refuses: .*content_type '.*' is not one of": "it reads files of types that it does not know as those that it knows",
    r"^refuses: .*the setting '.*' is '.*', expected a number": "it takes what is no number for a setting that is not made",
    r"^refuses: .*face refers to vertex": "it stores numbers that lead out of the skin",
    r"^refuses: .*either a file or a builtin pattern must be given": "where visual is discarded it does not look at textures",
}  # fmt: skip
"""Reasons for deliberate differences from MuJoCo's compiler, by a pattern that matches the description of a finding."""

MENDED = {
    r"<robot.*<inertial>\s*<origin[^>]*rpy=": "rpy of <inertial> is ignored",
    r"fusestatic=\"true\"": "inertias of fused bodies are not turned",
    r"fitaabb=\"true\"": "the mesh of a fitted geom is moved",
    r"<mesh[^>]*scale=\"[^\"]*-": "mirrored meshes are inside out",
    r"<replicate.*<key |<key .*<replicate|<attach.*<key |<key .*<attach": "keyframes are cut, or copied with what is replicated",
}  # fmt: skip
"""Patterns of models that are not compared, because MuJoCo 3.3.5 has errors that later versions corrected (docs/differences.md)."""


@dataclass(frozen=True)
class Finding:
    """Fault of an outcome: `key` identifies the cause, and `text` describes it."""

    key: tuple[str, ...]
    text: str


@dataclass
class Outcome:
    """Conjoint's verdict with its warnings, and a traceback if the error is not one that the package raises on purpose."""

    verdict: Verdict
    warned: list[str]
    trace: str = ""
    place: str = ""
    seconds: float = 0.0


def load(xml: str | bytes, assets: Mapping[str, bytes] | None = None, path: str = "") -> Outcome:
    """Return Conjoint's outcome for `xml` with `assets`, or for the file at `path`."""
    started = time.perf_counter()
    trace = place = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if path.endswith(".mjb"):
                model = conjoint.MjModel.from_binary_path(path)
            elif path:
                model = conjoint.MjModel.from_xml_path(path)
            else:
                model = conjoint.MjModel.from_xml_string(xml, assets)  # type: ignore[arg-type]
            verdict = Verdict("loaded", numbers=numbers_of(model))
            verdict.numbers |= stepped(conjoint, model)
            if time.perf_counter() - started > SECONDS:
                # the time may include compilation of stages, so measure again
                started = time.perf_counter()
                stepped(conjoint, model)
        except conjoint.ConjointError as error:
            verdict = Verdict("refused", f"{type(error).__name__}: {error}")
        except Exception as error:
            verdict = Verdict("failed", f"{type(error).__name__}: {error}")
            trace = traceback.format_exc()
            last = [f for f in traceback.extract_tb(error.__traceback__) if "conjoint" in f.filename][-1]
            place = f"{Path(last.filename).name}:{last.name}"
    # warnings about the model or the simulation are no faults
    foreign = [w for w in caught if not issubclass(w.category, (ModelWarning, SimulationWarning))]
    warned = [f"{w.category.__name__}: {w.message} ({Path(w.filename).name}:{w.lineno})" for w in foreign]
    return Outcome(verdict, warned, trace, place, time.perf_counter() - started)


def error_of(ours: object, theirs: object) -> float:
    """Return the largest difference between two arrays, relative to MuJoCo's largest number or one.

    The result is infinite if shapes differ, or if different elements are finite. Elements that are NaN in MuJoCo are ignored.
    """
    a, b = np.asarray(ours, float).ravel(), np.asarray(theirs, float).ravel()
    if a.shape != b.shape or not np.array_equal(np.isfinite(a) | np.isnan(b), np.isfinite(b) | np.isnan(b)):
        return float("inf")
    finite = np.isfinite(b)
    a, b = a[finite], b[finite]
    with np.errstate(over="ignore"):
        return float(np.max(np.abs(a - b), initial=0.0) / max(1.0, np.max(np.abs(b), initial=0.0)))


def _of_leaves(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return a model's fields without the geom ids of inner bounding volumes; for fused bodies, only MuJoCo sets these ids."""
    if "bvh_child" not in numbers:
        return numbers
    return {**numbers, "bvh_nodeid": np.where(numbers["bvh_child"][:, 0] < 0, numbers["bvh_nodeid"], -1)}


def different(ours: Verdict, theirs: Verdict) -> dict[str, float]:
    """Return the relative errors of the model fields that differ, by name."""
    errors = {}
    mine = _of_leaves(ours.numbers)
    for name, value in _of_leaves(theirs.numbers).items():
        if name.startswith("step."):
            continue
        if name.rsplit(".", 1)[-1] not in NOT_COMPARED:
            error = error_of(mine[name], value) if name in mine else float("inf")
            if not error <= TOLERANCE:
                errors[name] = error
    return errors


def steps_apart(ours: Verdict, theirs: Verdict) -> dict[str, float]:
    """Return the errors of the first step's numbers that differ, and of the state after five steps, by name.

    Rounding may decide whether barely touching geoms have a contact, so accelerations are compared only if the constraint
    counts agree. It is an error if the state becomes non-finite without a warning.
    """
    mine, found = ours.numbers, {}
    if "step.refused" in mine:
        return {} if "step.refused" in theirs.numbers else {"step.refused": float("inf")}
    if "step.finite" not in mine:
        return found
    if not mine["step.finite"] and not mine["step.warned"].any():
        found["step.silent"] = float("inf")
    if "step.refused" in theirs.numbers or "step.ncon" not in theirs.numbers:
        return found
    same = all(mine[name] == theirs.numbers[name] for name in ("step.ncon", "step.nefc"))
    for name in ("step.xpos", "step.qM", "step.qfrc_bias", "step.qfrc_passive", *(["step.qacc"] * same)):
        error = error_of(mine[name], theirs.numbers[name])
        if not error <= STEP_TOLERANCE:
            found[name] = error
    return found


def shape(message: str) -> str:
    """Return an error message without names, numbers and positions, so that equal faults have equal messages."""
    message = re.sub(
        r"XML:\d+:\d+: |\S*\.(xml|urdf):\d+:\d+: |Element( '\w+'| name '[^']*')?(, id -?\d+)?(, line \d+)?(?= |$)|Error: ",
        "",
        message.replace("\n", " "),
    )
    return re.sub(r"'[^']*'|\"[^\"]*\"|-?\d[\d.e+-]*|\bnan\b|\binf\b", "#", message)[:70]


def judge(ours: Outcome, theirs: Verdict | None, xml: str = "") -> Finding | None:
    """Return the fault of Conjoint's outcome for a model, or None; `theirs` is MuJoCo's verdict, if there is one."""
    mine = ours.verdict
    if mine.kind == "failed":
        return Finding(("exception", mine.error.split(":")[0], ours.place), ours.trace)
    if ours.warned:
        return Finding(("warning", shape(ours.warned[0])), "\n".join(ours.warned))
    if ours.seconds > SECONDS:
        return Finding(("slow",), f"{ours.seconds:.1f} s: {mine.error[:200]}")
    if theirs is None or theirs.kind == "crashed":
        return None
    if any(re.search(pattern, xml, re.DOTALL) for pattern in MENDED):
        return None
    found = _compare(mine, theirs)
    described = (
        f"{found.key[0]}: {found.text if found.key[0] != 'differs' else ' '.join(found.key[1:])}" if found else ""
    )
    return None if any(re.search(pattern, described, re.DOTALL) for pattern in DELIBERATE) else found


def _compare(mine: Verdict, theirs: Verdict) -> Finding | None:
    """Return the difference between Conjoint's and MuJoCo's verdicts, or None."""
    if mine.kind == "refused" and theirs.kind == "loaded":
        return Finding(("refuses", shape(mine.error)), mine.error[:500])
    if mine.kind == "loaded" and theirs.kind == "refused":
        return Finding(("accepts", shape(theirs.error)), theirs.error[:500])
    if mine.kind == "loaded":
        errors = different(mine, theirs) or steps_apart(mine, theirs)
        if errors:
            refused = [shape(mine.numbers["step.refused"])] if "step.refused" in errors else []
            return Finding(("differs", *sorted(errors)[:4], *refused), str(errors)[:800])
    return None
