"""Checks of the scene: a floor below bodies that may fall, geoms that may touch it, and gravity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conjoint.doctor.finding import Finding, finding
from conjoint.doctor.subject import Subject
from conjoint.schema.enums import mjtDisableBit

STRONG = 30.0
"""Magnitude of gravity above which it is flagged (m/s^2): three times the Earth's."""


def check_floor(subject: Subject) -> Iterator[Finding]:
    """Find bodies that fall forever, because they cannot touch any fixed geom."""
    model = subject.model
    still = ~subject.moves[model.geom_bodyid]
    odd = []
    for body in subject.floating:
        below = subject.below(body)
        weight = float((model.body_mass * (1 - model.body_gravcomp))[below].sum())
        if not any(model.opt.gravity) or weight <= 0:
            continue
        own = below[model.geom_bodyid]
        if not may_touch(subject, own, still):
            geoms = "none of its geoms can touch" if still.any() and own.any() else "no floor"
            odd.append(f"{subject.label('body', body)}: {weight:.3g} kg, {geoms if own.any() else 'it has no geoms'}")
    contacts_off = model.opt.disableflags & (mjtDisableBit.mjDSBL_CONTACT | mjtDisableBit.mjDSBL_GRAVITY)
    if odd and not contacts_off:
        yield finding(
            "floor",
            "Bodies with a free joint fall forever.",
            odd,
            'Add <geom type="plane" size="0 0 1"/> to the world, and check contype and conaffinity of geoms.',
            "floor",
        )


def may_touch(subject: Subject, own: np.ndarray, others: np.ndarray) -> bool:
    """Return True if a geom of one set may have contacts with a geom of the other."""
    model = subject.model
    pairs = zip(model.pair_geom1, model.pair_geom2, strict=True)
    if any((own[a] and others[b]) or (own[b] and others[a]) for a, b in pairs):
        return True
    first = model.geom_contype[own][:, None] & model.geom_conaffinity[others][None, :]
    second = model.geom_conaffinity[own][:, None] & model.geom_contype[others][None, :]
    return bool(np.any(first | second))


def check_gravity(subject: Subject) -> Iterator[Finding]:
    """Find gravity that points up or has a wrong unit."""
    gravity = np.asarray(subject.model.opt.gravity)
    strength = float(np.linalg.norm(gravity))
    if strength > STRONG or gravity[2] > 0:
        numbers = " ".join(f"{value:g}" for value in gravity)
        yield finding(
            "gravity",
            "Gravity differs from gravity on Earth.",
            [f"option gravity: {numbers} m/s^2"],
            'Gravity on Earth is gravity="0 0 -9.81", with z up.',
            "floor",
        )
