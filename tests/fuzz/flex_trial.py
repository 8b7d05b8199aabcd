"""Compare random models with flexes in both engines, stage by stage: `python -m fuzz.flex_trial --count 200`, in tests/."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import conjoint
from conjoint.batch import Batch
from conjoint.lang.errors import DivergenceWarning
from fuzz.flex_models import FILES, Draw
from fuzz.oracle_worker import numbers_of
from fuzz.trial import NOT_COMPARED
from oracle import STATE, apart, difference

GROUPS = {
    "position": (
        1e-9,
        "xpos xquat flexvert_xpos flexelem_aabb flexedge_length flexedge_J flexedge_J_rownnz flexedge_J_colind",
    ),
    "velocity": (1e-8, "cvel flexedge_velocity qfrc_bias qfrc_spring qfrc_damper qfrc_fluid qfrc_passive energy qM"),
    "smooth": (1e-8, "qacc_smooth"),
}
CONSTRAINTS = (1e-6, "efc_type efc_J efc_pos efc_margin efc_diagApprox efc_D efc_aref")
SOLUTION = (1e-4, "qacc qfrc_constraint")
PARAMETERS = ["dist", "pos", "frame", "includemargin", "friction", "solref", "solimp", "dim", "exclude", "mu"]
MODEL, CONTACT, STEP, INVERSE = 1e-7, 1e-6, 1e-5, 1e-6
"""Tolerances of differences relative to the largest number or one, as in the conformance tests of public models."""

UNWRITTEN = ("flexedge_length0", "stat.meansize", "stat.extent")
"""Fields that MuJoCo computes from uninitialized memory for rigid one-dimensional flexes."""

LAST_BITS, ROUNDINGS = 5, 3.0
"""Number of perturbations that measure MuJoCo's sensitivity to rounding, and the factor by which differences may exceed it."""

UNSUPPORTED = "hfield with sdf"
"""MuJoCo's warning about collisions that neither engine supports; MuJoCo continues without contacts."""

STIFFEST = 1e12
"""Largest `efc_D` (1/regularization) for which solutions are compared."""


def sides(contact: Any) -> tuple[tuple[int, ...], ...]:
    """Return the geom, flex, element and vertex ids of both sides of a contact."""
    return tuple(tuple(int(i) for i in getattr(contact, name)) for name in ("geom", "flex", "elem", "vert"))


def states(m: Any, seed: int) -> Iterator[Any]:
    """Yield MuJoCo data in several states: at rest, slightly and strongly displaced, and during a simulation."""
    source = np.random.default_rng(seed)
    for amount in (0.0, 0.005, 0.03):
        d = mujoco.MjData(m)
        mujoco.mj_integratePos(m, d.qpos, amount * source.standard_normal(m.nv), 1.0)
        d.qvel[:] = 3 * amount * source.standard_normal(m.nv)
        yield d
    d = mujoco.MjData(m)
    for _ in range(2):
        apart(mujoco.mj_step, m, d, nstep=20)
        if np.isfinite(d.qpos).all() and np.abs(d.qvel).max(initial=0) < 100:
            c = mujoco.MjData(m)
            copy(d, c)
            yield c


def copy(source: Any, target: Any) -> None:
    """Copy the state of one data object to another."""
    target.time = source.time
    for name in STATE:
        getattr(target, name)[:] = getattr(source, name)


def forward(m: Any, d: Any, theirs: Any, official: Any) -> Iterator[str]:
    """Yield a description of each difference from MuJoCo after forward and inverse dynamics."""
    conjoint.mj_forward(m, d)
    apart(mujoco.mj_forward, theirs, official)
    for group, (tolerance, names) in GROUPS.items():
        yield from fields(group, tolerance, names, d, official)
    mine, other = [sides(c) for c in d.contact], [sides(c) for c in official.contact]
    if mine != other:
        missing, more = sorted(set(other) - set(mine)), sorted(set(mine) - set(other))
        how = "order" if not missing and not more and len(mine) == len(other) else "contacts"
        yield f"{how}: {len(mine)} of {len(other)}; missing {missing[:3]}, more {more[:3]}"
        return
    for name in PARAMETERS:
        for a, b in zip(d.contact, official.contact, strict=True):
            error = difference(getattr(a, name), getattr(b, name))
            if not error <= CONTACT:
                yield f"contact.{name}: {error:.1e} of {sides(a)}"
                break
    if not has_unwritten_rotations(theirs, official):
        yield from fields("constraint", *CONSTRAINTS, d, official)
    if not comparable(theirs, official):
        return
    for name in SOLUTION[1].split():
        found = list(fields("solution", SOLUTION[0], name, d, official))
        if found and difference(getattr(d, name), getattr(official, name)) > ROUNDINGS * unsure(theirs, official, name):
            yield from found
    d.qacc[:] = official.qacc
    met = official.ncon
    apart(mujoco.mj_inverse, theirs, official)
    if official.ncon != met:
        # if MuJoCo runs collision detection twice, its elements may touch different prisms of a height field
        return
    conjoint.mj_inverse(m, d)
    found = list(fields("inverse", INVERSE, "qfrc_inverse", d, official))
    if found and difference(d.qfrc_inverse, official.qfrc_inverse) > ROUNDINGS * unsure(
        theirs, official, "qfrc_inverse"
    ):
        yield from found


def unsure(m: Any, official: Any, name: str) -> float:
    """Return how much a MuJoCo field changes if the last bits of positions change.

    Collisions of signed distance shapes amplify rounding, because they use differences of distances. A search for forces
    ends when the costs of its candidates differ only by rounding.
    """
    source, largest = np.random.default_rng(0), 0.0
    for _ in range(LAST_BITS):
        d = mujoco.MjData(m)
        copy(official, d)
        d.qpos[:] *= 1 + np.finfo(float).eps * source.integers(-1, 2, m.nq)
        d.qacc[:] = official.qacc
        apart(mujoco.mj_inverse if name == "qfrc_inverse" else mujoco.mj_forward, m, d)
        largest = max(largest, difference(getattr(d, name), getattr(official, name)))
    return largest


def has_unwritten_rotations(m: Any, d: Any) -> bool:
    """Return True if MuJoCo reads uninitialized memory, because a contact of a sparse model's flex has rotational rows."""
    return mujoco.mj_isSparse(m) and any(c.flex[1] >= 0 and c.dim > 3 for c in d.contact)


def comparable(m: Any, d: Any) -> bool:
    """Return True if MuJoCo's solution is meaningful: it uses no uninitialized memory, and no constraint is too stiff.

    A constraint is too stiff (`STIFFEST`) if nothing that it acts on can move.
    """
    return not has_unwritten_rotations(m, d) and d.efc_D.max(initial=0) < STIFFEST


def fields(group: str, tolerance: float, names: str, d: Any, official: Any) -> Iterator[str]:
    """Yield a description of each field that differs by more than the tolerance."""
    for name in names.split():
        error = difference(getattr(d, name), getattr(official, name))
        if not error <= tolerance:
            yield f"{group} {name}: {error:.1e}"


def stepped(m: Any, d: Any, theirs: Any, official: Any) -> Iterator[str]:
    """Yield differences after steps, each from MuJoCo's state, as long as MuJoCo's steps are reproducible.

    They may not be: MuJoCo's earlier computations may affect which prisms of a height field its flex elements touch.
    """
    for number in range(3):
        copy(official, d)
        twice = [mujoco.MjData(theirs) for _ in range(2)]
        for after in twice:
            copy(official, after)
            apart(mujoco.mj_step, theirs, after)
            apart(mujoco.mj_forward, theirs, official)
        if not comparable(theirs, official) or difference(twice[0].qvel, twice[1].qvel) > STEP:
            return
        conjoint.mj_step(m, d)
        for name in ("qpos", "qvel"):
            error = difference(getattr(d, name), getattr(after, name))
            if not error <= STEP:
                yield f"step {number} {name}: {error:.1e}"
        official = after


def batched(m: Any, theirs: Any, found: list[Any]) -> Iterator[str]:
    """Yield a description of each difference from MuJoCo after one step from all states in a batch."""
    batch = Batch(m, len(found), nthread=1)
    for world, start in enumerate(found):
        for name in STATE:
            if getattr(start, name).size:
                getattr(batch, name)[world] = getattr(start, name)
    batch.step()
    for world, start in enumerate(found):
        official = mujoco.MjData(theirs)
        copy(start, official)
        apart(mujoco.mj_step, theirs, official)
        if not comparable(theirs, official):
            continue
        for name in ("qpos", "qvel"):
            error = difference(getattr(batch, name)[world], getattr(official, name))
            if not error <= STEP:
                yield f"batch {name}: {error:.1e} in world {world}"


def trial(path: str, seed: int) -> list[str]:
    """Return the differences for the model in a file; the list is empty if both packages reject it."""
    try:
        theirs = mujoco.MjModel.from_xml_path(path)
    except ValueError as error:
        try:
            conjoint.MjModel.from_xml_path(path)
        except ValueError:
            return []
        return [f"accepts: {error}"]
    try:
        m = conjoint.MjModel.from_xml_path(path)
    except ValueError as error:
        return [f"refuses: {error}"]
    mine, found = numbers_of(m), []
    for name, value in numbers_of(theirs).items():
        if name.rsplit(".", 1)[-1] not in NOT_COMPARED:
            error = difference(mine[name], value) if name in mine else float("inf")
            if theirs.flex_rigid.any() and name in UNWRITTEN:
                continue
            if not error <= MODEL:
                found.append(f"model {name}: {error:.1e}")
    starts = []
    with contextlib.suppress(mujoco.FatalError):
        # MuJoCo fails for constraint islands that contain nothing movable
        starts.extend(states(theirs, seed))
    for number, start in enumerate(starts):
        try:
            d, official = conjoint.MjData(m), mujoco.MjData(theirs)
            copy(start, d)
            copy(start, official)
            found += [f"state {number} {text}" for text in forward(m, d, theirs, official)]
            copy(start, official)
            found += [f"state {number} {text}" for text in stepped(m, d, theirs, official)]
        except mujoco.FatalError:
            return found
        except conjoint.FatalError as error:
            return found if UNSUPPORTED in str(error) else [*found, f"refuses to step: {error}"]
    if seed % 4 == 0 and starts:
        found += list(batched(m, theirs, starts))
    return found


def main() -> int:
    """Run the comparison with the command-line options; the exit status is 1 if there are differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--show", action="store_true", help="print models")
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", DivergenceWarning)
        for name, content in FILES.items():
            (Path(folder) / name).write_bytes(content)
        for seed in range(arguments.first, arguments.first + arguments.count):
            path = Path(folder) / "model.xml"
            path.write_text(Draw(str(seed)).text())
            if arguments.show:
                print(path.read_text())
            found = trial(str(path), seed)
            wrong += bool(found)
            if found:
                print(f"seed {seed}\n  " + "\n  ".join(found), flush=True)
    print(f"{wrong} of {arguments.count} models differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
