"""Pairs, excludes, keyframes, custom: references to ids, and what follows from them."""

from collections.abc import Sequence
from math import nan

import numpy as np

from conjoint.compiler.arrays import Arrays
from conjoint.compiler.draft import NAMED, Draft
from conjoint.compiler.inertia import CONDIMS
from conjoint.compiler.keyframe import place_states
from conjoint.compiler.scale_keys import scaled_numbers
from conjoint.schema.joints import BALL, FREE, NQ
from conjoint.schema.mjcf.lookup import defaults
from conjoint.schema.mjcf.shared import OBJECT_TYPES
from conjoint.spec import Element, suggestion
from conjoint.spec.keyframes import owners
from conjoint.spec.rotation import normalize_quat, unit_quat

MOST_NUMBERS = 500
"""Longest custom array."""


def resolve_contacts(draft: Draft) -> None:
    """Pairs and excludes: ids and signatures; sorted by signature."""
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
    """A number that identifies a pair of bodies, in any order."""
    return (min(body1, body2) << 16) + max(body1, body2)


def resolve_custom(draft: Draft) -> None:
    """Sizes of numeric arrays and ids of tuple members."""
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
            draft.problems.about(text, "the text is empty", "data")
    for group in draft.tuples:
        group.elements = [member.copy() for member in group.elements]
        if not group.elements:
            draft.problems.about(group, "the tuple is empty")
        for member in group.elements:
            kind = "body" if member.objtype == "xbody" else member.objtype
            if kind not in NAMED:
                hint = suggestion(member.objtype, NAMED)
                draft.problems.about(member, f"unknown object type '{member.objtype}'{hint}", "objtype")
                member.objid = -1
                continue
            member.objid = draft.find(kind, member.objname, member, "objname")
            member.objtype = OBJECT_TYPES[member.objtype]


def resolve_keys(draft: Draft) -> None:
    """Keyframes: initial values where nothing is written, also at the end of vectors that are too short."""
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
        draft.keys.append(Element("key", blank))
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
                # by the engine, unlike all other quaternions
                qpos[start:end] = normalize_quat(qpos[start:end])
        key.qpos = qpos
        rests = list(key.plastic)
        for joint in draft.joints:
            if joint.plasticadr >= 0 and joint.type == BALL:
                start = joint.plasticadr
                rests[start : start + 4] = normalize_quat(rests[start : start + 4])
        key.plastic = rests
        mquat = list(key.mquat)
        for i in range(0, len(mquat), 4):
            mquat[i : i + 4] = unit_quat(mquat[i : i + 4])
        key.mquat = mquat


def completed(name: str, value: Sequence[float], initial: Sequence[float]) -> Sequence[float]:
    """A vector of a keyframe: what is not written is as initially; of a mocap body all numbers are written or none."""
    count = len(value) - len(value) % PER_BODY.get(name, 1)
    return (*value[:count], *initial[count:]) if value else initial


def initial_plastic(draft: Draft) -> list[float]:
    """Where springs that yield are at rest initially; NaN where the model itself tells the length of a tendon."""
    found: list[float] = []
    for joint in draft.joints:
        if joint.plasticadr >= 0:
            found += [1.0, 0.0, 0.0, 0.0] if joint.type == BALL else [joint.springref]
    for tendon in draft.tendons:
        if tendon.plasticadr >= 0:
            found += [nan, nan] if tendon.springlength == (-1.0, -1.0) else tendon.springlength
    return found


def complete_keys(draft: Draft, m: Arrays) -> None:
    """Lengths at which tendons are at rest in keyframes, once they are known."""
    for tendon in draft.tendons:
        if tendon.plasticadr >= 0:
            rows = m.key_plastic[:, tendon.plasticadr : tendon.plasticadr + 2]
            rows[...] = np.where(np.isnan(rows), m.tendon_lengthspring[tendon.id], rows)


PER_BODY = {"mpos": 3, "mquat": 4}
"""Numbers of a mocap body in the vectors of keyframes."""


def initial_qpos(draft: Draft) -> tuple[list[float], list[float]]:
    """qpos0 and qpos_spring."""
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
    return qpos0, spring
