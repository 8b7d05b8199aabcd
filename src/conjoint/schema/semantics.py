"""Rules of newer official versions by which a model may be computed: each once, and what is said in text about them.

A model is computed as by 3.3.5, but for the rules that were chosen when it was read or made (docs/semantics.md). They
stand in its row `rules` as a sum of bits; stages ask for them by `on` and `off` (`runtime.stage`).
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

from conjoint.schema.contact_rules import CONTACT_RULES
from conjoint.schema.solver_rules import SOLVER_RULES, SWEEP_RULES
from conjoint.schema.version import NEWEST, OWN, parsed

VARIABLE = "CONJOINT_SEMANTICS"
"""Variable of the environment that chooses the rules of a process."""

IN_FILES = "conjoint.semantics"
"""Name of the custom text of a file that chooses the rules of its model."""


class Rule(NamedTuple):
    """One rule.

    Attributes:
        name: what programs call it.
        since: the first official version that has it.
        meaning: what it says, in one sentence.
    """

    name: str
    since: str
    meaning: str

    @property
    def bit(self) -> int:
        """What stands for it in the row `rules` of a model."""
        return 1 << RULES.index(self)


# fmt: off
RULES: tuple[Rule, ...] = (
    Rule("jdotv", "3.7", "The reference acceleration of `connect` and `weld` includes the rate of change of their "
                         "Jacobian."),
    Rule("sidesites", "4.0", "Of the two ways around a geom, a tendon takes the one on which the path over its side "
                             "site lies."),
    Rule("shortcuts", "3.16", "Gains and dynamics of an actuator's shortcut come from a defaults class of the same "
                              "shortcut or of `general` only; `set_to_position` and the like begin anew."),
    Rule("dampratio", "3.15", "`dampratio` is that of the inertia which the actuator moves at `qpos0`, couplings and "
                              "armatures included."),
    Rule("rk4", "4.0", "RK4 is of fourth order for ball and free joints, and leaves the mean acceleration in `qacc`."),
    Rule("inertia", "4.0", "Principal axes of inertias are exact, also of small ones, those of meshes to 1e-7."),
    Rule("mocap", "3.12", "A mocap body is no part of the world: it and its children do not collide, rays tell it from "
                          "what is fixed."),
    Rule("islands", "3.3.6", "Constraint islands are solved each on its own unless the flag `island` is disabled; in "
                             "batches only where it is enabled, or where PGS sweeps by `shuffle`."),
    Rule("warmstart", "3.3.6", "`qacc_warmstart` changes at the end of a step, not in the solver: `mj_forward` can be "
                               "repeated."),
    *(Rule(*row) for row in (*CONTACT_RULES, *SOLVER_RULES)),
    Rule("setpoints", "3.11", "Servos of rotations in space turn to the nearest of the setpoints that stand for one "
                              "orientation; `intvelocity` is clamped where it has an `actrange` only."),
    Rule("readings", "4.0", "Distances go from the first geom to the second whatever their shapes; contact sensors are "
                            "read as soon as they can be, and are not cut off; rangefinders are cut off to both sides; "
                            "actuators between sites have the angles between their frames."),
    *(Rule(*row) for row in SWEEP_RULES),
    Rule("massless", "3.6", "Geoms without mass have no part in the inertia of their body, nor in where it is."),
    Rule("diagonals", "3.14", "In OBJ files, quadrilaterals are cut along their shorter diagonal, and an ear of larger "
                              "polygons is where a corner turns the way its first side goes about the origin; before, "
                              "where it turns as the polygon does."),
)
# fmt: on

ABOUT_SOLVERS = sum(rule.bit for rule in RULES if rule.name in {row[0] for row in (*SOLVER_RULES, *SWEEP_RULES)})
"""Bits of the rules about solvers."""

ABOUT_SWEEPS = sum(rule.bit for rule in RULES if rule.name in {row[0] for row in SWEEP_RULES})
"""Bits of those about Gauss-Seidel methods."""

_NAMES = {rule.name: rule.bit for rule in RULES}
_PART = re.compile(r"([+-]?)([^+-]*)")


def on(name: str) -> str:
    """What a stage needs that is there with a rule only."""
    assert name in _NAMES, f"there is no rule {name}"
    return f"rule {name}"


def off(name: str) -> str:
    """What a stage needs that is there without a rule only."""
    assert name in _NAMES, f"there is no rule {name}"
    return f"no rule {name}"


def has(rules: int, name: str) -> bool:
    """Whether a rule is one of these."""
    return bool(rules & _NAMES[name])


def of_version(parts: tuple[int, ...]) -> int:
    """All rules that this official version has."""
    return sum(rule.bit for rule in RULES if parsed(rule.since) <= parts)


@functools.lru_cache
def found(rules: int) -> frozenset[str]:
    """What stages may need of a model with these rules: of each rule, that it is on or off."""
    return frozenset(on(rule.name) if rules & rule.bit else off(rule.name) for rule in RULES)


def read(chosen: str | Iterable[str], asked: str = "semantics: chosen") -> int:
    """Rules as a sum of bits.

    Args:
        chosen: a version, whose rules are meant, and names of rules: `"4.0"`, `"3.3.5+jdotv"`, `"4.0-jdotv"`, `"jdotv"`
            or several of such words, `("jdotv", "rk4")`. Without a version those of 3.3.5, which has none of them.
        asked: whose argument it is, and its name, for the message.

    Raises:
        TypeError: it is neither text nor several of them.
        ValueError: there is no such version or rule.
    """
    words = [chosen] if isinstance(chosen, str) else list(chosen) if isinstance(chosen, Iterable) else [None]
    rules = 0
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"{asked} must be text such as '4.0' or '3.3.5+jdotv', or names of rules, not {word!r}")
        for sign, name in _PART.findall("".join(word.split())):
            if name:
                bits = _bits(name)
                rules = rules & ~bits if sign == "-" else rules | bits
            elif sign:
                raise ValueError(f"semantics {word!r}: a name is missing behind '{sign}'")
    return rules


def _bits(name: str) -> int:
    """The bit of a rule, or those of a version."""
    if name in _NAMES:
        return _NAMES[name]
    if name[0].isdigit():
        return of_version(parsed(name))
    near = get_close_matches(name.lower(), _NAMES, 1, 0.5)
    hint = f"did you mean '{near[0]}'?" if near else "give a version from 3.3.5 to 4.0.0, or names of rules:"
    raise ValueError(f"semantics: there is no rule {name!r}; {hint} ({', '.join(_NAMES)})")


def written(rules: int) -> str:
    """Rules as text that `read` takes: the shorter of what is added to 3.3.5, and what 4.0 has besides."""
    whole = of_version(NEWEST)
    added = [rule.name for rule in RULES if rules & rule.bit]
    left = [rule.name for rule in RULES if whole & ~rules & rule.bit]
    return "-".join(["4.0", *left]) if len(left) < len(added) else "+".join([".".join(map(str, OWN)), *added])


READINGS = _NAMES["readings"]
"""Bit of the rule that kernels of sensors and transmissions ask for in the row `rules` of a model."""


class Default:
    """What models get that do not choose themselves, in this process.

    Attributes:
        given: rules that a program has chosen; None: none has.
        version: rules of the version that is stood in for.
    """

    def __init__(self) -> None:
        self.given: int | None = None
        self.version = 0

    @property
    def rules(self) -> int:
        """The rules: as a program chose, as the environment says, or those of the version that is stood in for."""
        if self.given is not None:
            return self.given
        variable = os.environ.get(VARIABLE, "").strip()
        try:
            return read(variable) if variable else self.version
        except ValueError as error:
            raise ValueError(f"{VARIABLE}: {error}") from None


DEFAULT = Default()
"""Set by `conjoint.semantics` and `install_as_mujoco`."""


class Choice:
    """Rules that were chosen for this process; with `with`, as long as its block runs.

    Args:
        rules: the rules.
    """

    def __init__(self, rules: int):
        self._before, self._rules = DEFAULT.given, rules
        DEFAULT.given = rules

    def __enter__(self) -> Choice:
        return self

    def __exit__(self, *_: object) -> None:
        DEFAULT.given = self._before

    def __str__(self) -> str:
        return written(self._rules)

    def __repr__(self) -> str:
        return f"<conjoint.semantics: {self}>"
