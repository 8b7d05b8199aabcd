"""Pairs, excludes, equalities, keyframes and custom data: resolution of references, and completion of values."""

from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np

from conjoint.compiler.draft import NAMED, Draft
from conjoint.compiler.inertia import CONDIMS
from conjoint.compiler.keyframe import place_states, scaled_numbers
from conjoint.compiler.kinds import Equality
from conjoint.compiler.passes import declared
from conjoint.schema.enums import mjtEq, mjtObj
from conjoint.schema.kinds import BALL, FREE, HINGE, NQ, SLIDE
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Element, suggestion
from conjoint.spec.keyframes import owners
from conjoint.spec.rotation import normalize_quat, unit_quat

MOST_NUMBERS = 500
"""Maximum length of a custom array."""


@declared(
    reads="body: id; geom: bodyid id",
    writes="exclude: id signature; pair: geom1 geom2 id signature",
)
def resolve_contacts(draft: Draft) -> None:
    """Set the ids and signatures of pairs and excludes, and sort them by signature."""
    for pair in draft.pairs:
        if pair.condim not in CONDIMS:
            draft.problems.about(pair, f"condim {pair.condim} is not 1, 3, 4 or 6", "condim")
        pair.geom1 = draft.find("geom", pair.geomname1, pair, "geom1")
        pair.geom2 = draft.find("geom", pair.geomname2, pair, "geom2")
        first, second = (draft.geoms[geom].bodyid if geom >= 0 else 0 for geom in (pair.geom1, pair.geom2))
        if first > second:
            pair.geom1, pair.geom2 = pair.geom2, pair.geom1
        pair.signature = signature(first, second)
    for exclude in draft.excludes:
        first = draft.find("body", exclude.bodyname1, exclude, "body1")
        second = draft.find("body", exclude.bodyname2, exclude, "body2")
        exclude.signature = signature(first, second)
    draft.pairs.sort(key=lambda pair: pair.signature)
    draft.excludes.sort(key=lambda exclude: exclude.signature)
    draft.number("pair")
    draft.number("exclude")


def signature(body1: int, body2: int) -> int:
    """Return a number that identifies a pair of bodies, independent of their order."""
    return (min(body1, body2) << 16) + max(body1, body2)


@declared(
    reads="body: id; geom: id; site: id",
    changes="numeric: data; tuple: elements; tupleelement: objtype",
    writes="tupleelement: objid",
)
def resolve_custom(draft: Draft) -> None:
    """Pad numeric arrays to their sizes, check texts, and set the ids of tuple members."""
    for numeric in draft.numerics:
        size = len(numeric.data) if numeric.size is None else numeric.size
        if size < len(numeric.data) or not 0 < size <= MOST_NUMBERS:
            message = (
                f"it has {len(numeric.data)} numbers of {size}: data needs 1 to size numbers, at most {MOST_NUMBERS}"
            )
            draft.problems.about(numeric, message, "size")
            continue
        numeric.data = tuple(numeric.data) + (0.0,) * (size - len(numeric.data))
    for text in draft.texts:
        if not text.data:
            draft.problems.about(text, "data is empty: give it a text", "data")
    for group in draft.tuples:
        group.elements = [member.copy() for member in group.elements]
        if not group.elements:
            draft.problems.about(group, "the tuple is empty: give it elements")
        for member in group.elements:
            kind = "body" if member.objtype == "xbody" else member.objtype
            if kind not in NAMED:
                hint = suggestion(member.objtype, NAMED)
                draft.problems.about(member, f"unknown object type '{member.objtype}'{hint}", "objtype")
                member.objid = -1
                continue
            member.objid = draft.find(kind, member.objname, member, "objname")
            member.objtype = OBJECT_TYPES[member.objtype]


@declared(
    reads=(
        "actuator: ctrlspec dynprm gainprm measure; body: pos quat; draft: frame_factors frame_scales qpos0 "
        "scales; joint: bodyid plasticadr qposadr springref springyield; tendon: plasticadr power springlength "
        "springyield"
    ),
    changes="key: act ctrl mpos mquat plastic qpos qvel",
    writes="key: placed",
)
def resolve_keys(draft: Draft) -> None:
    """Complete keyframes: use initial values for missing vectors and at the ends of short vectors."""
    if not draft.keys and draft.spec.size.nkey <= 0:
        return
    found = owners(draft.joints, draft.actuators, draft.bodies, draft.tendons)
    sizes = {name: sum(count for _, count in owned) for name, owned in found.items()}
    initial: dict[str, Sequence[float]] = {name: (0.0,) * size for name, size in sizes.items()}
    initial["qpos"] = draft.qpos0
    for name, value in (("mpos", "pos"), ("mquat", "quat")):
        initial[name] = [x for body, _ in found[name] for x in getattr(body, value)]
    initial["plastic"] = initial_plastic(draft)
    place_states(draft, found, initial)
    blank = defaults("key")
    for _ in range(draft.spec.size.nkey - len(draft.keys)):
        made: Any = Element("key", blank)
        draft.keys.append(made)
    for key in draft.keys:
        for name, size in sizes.items():
            numbers: Sequence[float] = getattr(key, name)
            if len(numbers) <= size:
                if name not in key.__dict__.get("placed", ()):
                    numbers = scaled_numbers(draft, name, 0, numbers)
                setattr(key, name, completed(name, numbers, initial[name]))
            else:
                draft.problems.about(key, f"{name} has {len(numbers)} numbers, expected {size}", name)
                setattr(key, name, initial[name])
        qpos = list(key.qpos)
        for joint in draft.joints:
            if joint.type in (FREE, BALL):
                start, end = joint.qposadr + NQ[joint.type] - 4, joint.qposadr + NQ[joint.type]
                # normalized as in the engine, unlike all other quaternions
                qpos[start:end] = normalize_quat(qpos[start:end])
        key.qpos = tuple(qpos)
        rests = list(key.plastic)
        for joint in draft.joints:
            if joint.plasticadr >= 0 and joint.type == BALL:
                start = joint.plasticadr
                rests[start : start + 4] = normalize_quat(rests[start : start + 4])
        key.plastic = tuple(rests)
        mquat = list(key.mquat)
        for i in range(0, len(mquat), 4):
            mquat[i : i + 4] = unit_quat(mquat[i : i + 4])
        key.mquat = tuple(mquat)


def completed(name: str, value: Sequence[float], initial: Sequence[float]) -> Sequence[float]:
    """Complete a keyframe's vector with initial values.

    An incomplete position or quaternion of a mocap body is ignored.
    """
    count = len(value) - len(value) % PER_BODY.get(name, 1)
    return (*value[:count], *initial[count:]) if value else initial


def initial_plastic(draft: Draft) -> list[float]:
    """Return initial plastic rest positions of springs.

    They are NaN for tendons whose lengths the compiler computes later.
    """
    found: list[float] = []
    for joint in draft.joints:
        if joint.plasticadr >= 0:
            found += [1.0, 0.0, 0.0, 0.0] if joint.type == BALL else [joint.springref]
    for tendon in draft.tendons:
        if tendon.plasticadr >= 0:
            found += [nan, nan] if tendon.springlength == (-1.0, -1.0) else tendon.springlength
    return found


@declared(
    reads="draft: arrays; tendon: plasticadr",
)
def complete_keys(draft: Draft) -> None:
    """Set the rest lengths of tendons in keyframes, after they were computed."""
    m = draft.arrays
    for tendon in draft.tendons:
        if tendon.plasticadr >= 0:
            rows = m.key_plastic[:, tendon.plasticadr : tendon.plasticadr + 2]
            rows[...] = np.where(np.isnan(rows), m.tendon_lengthspring[tendon.id], rows)


PER_BODY = {"mpos": 3, "mquat": 4}
"""Count of numbers per mocap body in the vectors of keyframes."""


@declared(
    reads="body: pos quat; joint: bodyid ref springref",
    writes="draft: qpos0 qpos_spring",
)
def find_initial_pose(draft: Draft) -> None:
    """Set `qpos0` and `qpos_spring`: the joint positions in the initial configuration, and at rest."""
    qpos0: list[float] = []
    spring: list[float] = []
    for joint in draft.joints:
        if joint.type == FREE:
            body = draft.bodies[joint.bodyid]
            pose = [*body.pos, *body.quat]
        elif joint.type == BALL:
            pose = [1.0, 0.0, 0.0, 0.0]
        else:
            pose = [joint.ref]
        qpos0 += pose
        spring += pose if joint.type in (FREE, BALL) else [joint.springref]
    draft.qpos0, draft.qpos_spring = qpos0, spring


CONNECT, WELD = int(mjtEq.mjEQ_CONNECT), int(mjtEq.mjEQ_WELD)
STRAIN = int(mjtEq.mjEQ_FLEXSTRAIN)
KINDS = {
    int(mjtEq.mjEQ_JOINT): "joint", int(mjtEq.mjEQ_TENDON): "tendon", int(mjtEq.mjEQ_FLEX): "flex", STRAIN: "flex",
}  # fmt: skip
"""Element type of the objects of a constraint, for constraint types that allow only one element type."""

ROWS = {CONNECT: 3, WELD: 7}
"""Number of constraint rows that `nemax` counts for an equality constraint, by type. All other types have one row."""


@declared(
    reads="body: id; flex: rigid; joint: id; site: id",
    writes="equality: active0 obj1id obj2id",
)
def resolve_equalities(draft: Draft) -> None:
    """Set the object ids of every equality constraint. A missing second object means the world, or a constant."""
    for equality in draft.equalities:
        sites = equality.objtype == mjtObj.mjOBJ_SITE
        if equality.type in ROWS and equality.objtype not in (mjtObj.mjOBJ_BODY, mjtObj.mjOBJ_SITE):
            draft.problems.about(equality, "it supports only sites and bodies: set objtype", "body1")
        kind = KINDS.get(equality.type, "site" if sites else "body")
        equality.obj1id = draft.find(kind, equality.name1, equality, kind + "1")
        equality.obj2id = 0 if kind == "body" else -1
        if equality.name2:
            equality.obj2id = draft.find(kind, equality.name2, equality, kind + "2")
        equality.active0 = equality.active
        if kind == "joint":
            _check_joints(draft, equality)
        if kind == "flex" and equality.obj1id >= 0 and draft.flexes[equality.obj1id].__dict__.get("rigid"):
            draft.problems.about(
                equality, f"the flex '{equality.name1}' is rigid: none of its edges can change", "flex"
            )
        if equality.type == STRAIN and equality.obj1id >= 0:
            _check_strain(draft, equality)
        if equality.obj1id == equality.obj2id >= 0:
            draft.problems.about(equality, f"the {kind} '{equality.name1}' is constrained to itself", kind + "2")


def _check_strain(draft: Draft, equality: Equality) -> None:
    """Check that a strain constraint belongs to a solid trilinear flex without other stiffness."""
    flex = draft.flexes[equality.obj1id]
    if flex.dim != 3 or not flex.nodebody:
        draft.problems.about(equality, f"the flex '{flex.name}' is not trilinear of dim 3", "flex")
    elif flex.young > 0:
        draft.problems.about(equality, f"the flex '{flex.name}' has a stiffness: set young to 0", "flex")
    if any(equality.data[:3]):
        draft.problems.about(equality, "there is one cell: set cell to 0 0 0", "cell")


def _check_joints(draft: Draft, equality: Equality) -> None:
    """Check that coupled joints have one degree of freedom."""
    for number, joint in (("1", equality.obj1id), ("2", equality.obj2id)):
        if joint >= 0 and draft.joints[joint].type not in (SLIDE, HINGE):
            name = draft.joints[joint].name
            draft.problems.about(equality, f"the joint '{name}' is not a hinge or slide", "joint" + number)


def most_rows(draft: Draft) -> int:
    """Return the maximum number of rows of all equality constraints (`nemax`)."""
    return sum(ROWS.get(equality.type, 1) for equality in draft.equalities)
