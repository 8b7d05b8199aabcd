"""Merging of options, sizes and visual settings when one model is attached to another (compiler/conflict)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from conjoint.lang.errors import ModelError
from conjoint.lang.warn import warn
from conjoint.schema.mjcf.grammar import defaults
from conjoint.spec.element import Element
from conjoint.spec.spec import Spec

WARNING, MERGE, ERROR = range(3)
"""Policies for settings that both models specify: keep the outer value, merge both values, or raise an error."""

LEAST = {
    "option": "timestep tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance",
    "map": "znear", "global": "realtime",
}  # fmt: skip
"""Settings that are merged by using the minimum."""

MOST = {
    "option": "iterations ls_iterations noslip_iterations ccd_iterations sdf_iterations sdf_initpoints",
    "size": "nkey nuserdata nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon nuser_actuator "
    "nuser_sensor",
    "map": "zfar",
}  # fmt: skip
"""Settings that are merged by using the maximum."""

UNION = {"option": "disableflags enableflags disableactuator"}
"""Flags that are merged by combining their bits."""

ALONE = {
    "option": "gravity wind magnetic density viscosity integrator cone jacobian solver impratio o_margin o_solref "
    "o_solimp o_friction",
}  # fmt: skip
"""Settings that cannot be merged."""


class Setting(NamedTuple):
    """A setting that the inner model specifies.

    Attributes:
        name: name of the setting.
        outer, inner: the elements that contain the setting in the two models.
        both: whether the outer model specifies a different value for the setting.
        merged: the merged value; None if merging is impossible.
    """

    name: str
    outer: Element
    inner: Element
    both: bool
    merged: Any


def _given(element: Element, name: str) -> bool:
    """Return True if a file or a program specifies a setting."""
    return name in element.written or element.__dict__[name] != defaults(element.kind).get(name, 0)


def _settings(target: Spec, source: Spec) -> Iterator[Setting]:
    """Yield the settings that the inner model, `source`, specifies."""
    pairs = [(target.option, source.option), (target.size, source.size)]
    pairs += [(group, source.visual[name]) for name, group in target.visual.items()]
    for table, merge in ((LEAST, min), (MOST, max), (UNION, int.__or__), (ALONE, None)):
        for outer, inner in pairs:
            for name in table.get(outer.kind, "").split():
                if name not in inner.__dict__ or not _given(inner, name):
                    continue
                one, other = outer.__dict__[name], inner.__dict__[name]
                both = one != other and _given(outer, name)
                merged = other if not both and merge is not int.__or__ else merge(one, other) if merge else None
                yield Setting(name, outer, inner, both and merge is not int.__or__, merged)


def check_conflicts(target: Spec, source: Spec) -> None:
    """Raise ModelError if the settings of two models conflict, under the outer model's policy."""
    how = target.compiler.conflict
    for setting in _settings(target, source) if how != WARNING else ():
        if setting.both and (how == ERROR or setting.merged is None):
            one, other = (element.__dict__[setting.name] for element in (setting.outer, setting.inner))
            raise ModelError(
                f"attach: {setting.name} is {one} in this model and {other} in the attached one: make "
                "them equal, or set compiler/conflict"
            )


def merge_settings(target: Spec, source: Spec) -> None:
    """Merge the settings of an attached model into the outer model, following the outer model's policy.

    Raises:
        ModelError: the settings cannot be merged. In this case nothing is changed.
    """
    how = target.compiler.conflict
    check_conflicts(target, source)
    if how == MERGE:
        for setting in [*_settings(target, source)]:
            setting.outer.__dict__[setting.name] = setting.merged
            setting.outer.written |= {setting.name}
        target.memory = max(target.memory, source.memory)
    elif how == WARNING and "conflict" in target.compiler.written:
        for setting in _settings(target, source):
            if setting.both:
                warn(f"attach: {setting.name} of the attached model differs; it is ignored")
