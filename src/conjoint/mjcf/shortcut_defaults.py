"""Inheritance of default values by actuator shortcuts, with the semantics of MuJoCo 4.0 (XML Reference, since 3.16).

Gains, biases and dynamics come from the nearest defaults class that sets them with the same shortcut or with
`general`. Without such a class, the shortcut's own defaults are used. Mechanical values (`ctrlrange`, `gear`, ...)
come from any class, as with the semantics of 3.3.5.
"""

from typing import Any

from conjoint.mjcf.actuators import SEVERAL_CONTROLS
from conjoint.schema.enums import mjtBias, mjtDyn, mjtGain
from conjoint.schema.mjcf.grammar import defaults
from conjoint.spec import DefaultsClass

OWN = ("gainprm", "biasprm", "dynprm", "gaintype", "biastype", "dyntype", "actdim", "actearly", "inheritrange")
"""Values that actuators inherit only from a class with the same shortcut or with `general`."""

WHOLE = ("general", "plugin")
"""Tags of actuators that inherit all values of their class."""


def with_own_parameters(
    tag: str, values: dict[str, Any], owner: DefaultsClass
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values of an actuator as written, and the values that it inherits.

    Args:
        tag: tag of the actuator, such as motor or position.
        values: attributes as written.
        owner: the defaults class.

    Returns:
        `values`, completed by the inherited gain, bias and dynamics; and all initial values of the actuator.
    """
    base = owner.of("actuator")
    if tag in WHOLE:
        return values, base
    source = _source(tag, owner)
    own: dict[str, Any] = {name: defaults("actuator")[name] for name in OWN}
    if source is not None and source.shortcut == tag:
        own = {name: source.of("actuator")[name] for name in OWN}
    elif source is not None:
        own |= _of_general(tag, own, source.of("actuator"))
    if tag == "damper":
        values = {"kv": -own["gainprm"][2], **values}
    if tag == "cylinder":
        # use all numbers of the bias
        own["biasprm"] = (*values.get("bias", ()), *own["biasprm"][len(values.get("bias", ())) :])
    return own | values, base | own


def _source(tag: str, owner: DefaultsClass) -> DefaultsClass | None:
    """Return the nearest class that sets actuator values with the shortcut `tag` or with `general`, or None."""
    found: DefaultsClass | None = owner
    while found is not None and found.shortcut not in (tag, "general"):
        found = found.parent
    return found


def _of_general(tag: str, own: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that a shortcut inherits from a general actuator with matching gain and bias types."""
    found: dict[str, Any] = {}
    fixed, muscle = base["gaintype"] == mjtGain.mjGAIN_FIXED, base["gaintype"] == mjtGain.mjGAIN_MUSCLE
    linear = base["biastype"] in (mjtBias.mjBIAS_NONE, mjtBias.mjBIAS_AFFINE)
    if tag in ("position", "intvelocity", "velocity", "cylinder", "adhesion") and fixed:
        found["gainprm"] = (base["gainprm"][0], *own["gainprm"][1:])
    if tag in ("position", "intvelocity") and linear:
        found["biasprm"] = (*own["biasprm"][:2], base["biasprm"][2], *own["biasprm"][3:])
    if tag == "cylinder" and linear:
        found["biasprm"] = base["biasprm"]
    if tag == "cylinder" and base["dyntype"] == mjtDyn.mjDYN_FILTER:
        found["dynprm"] = (base["dynprm"][0], *own["dynprm"][1:])
    if tag == "damper" and base["gaintype"] == mjtGain.mjGAIN_AFFINE:
        found["gainprm"] = base["gainprm"]
    if tag in SEVERAL_CONTROLS and base["gaintype"] == SEVERAL_CONTROLS[tag]:
        found |= {name: base[name] for name in ("gainprm", "biasprm", "dynprm", "gaintype", "biastype", "dyntype")}
    if tag == "muscle" and muscle:
        found |= {name: base[name] for name in ("gainprm", "biasprm", "dynprm")}
    return found
