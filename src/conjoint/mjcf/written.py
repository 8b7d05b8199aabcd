"""Values as they are written: in the units and orientations of the whole model."""

from __future__ import annotations

from math import degrees, radians
from typing import Any

from conjoint.schema.mjcf import Attribute
from conjoint.spec import Element, Spec
from conjoint.spec.rotation import orientation

_SLIDE = 2


def plain(value: Any) -> Any:
    """Tuples and numbers of Python for what may be lists or arrays of NumPy."""
    if isinstance(value, list) or hasattr(value, "tolist"):
        value = value.tolist() if hasattr(value, "tolist") else value
        return tuple(value) if isinstance(value, list) else value
    return value


class Units:
    """Converts what was written under the compiler settings of another, attached model."""

    def __init__(self, spec: Spec):
        self.main = spec.compiler

    def own(self, element: Element) -> dict[str, Any]:
        """Values of `element`; orientations that depend on other settings become quaternions."""
        settings = element.__dict__.get("settings", self.main)
        values = element.__dict__
        if settings is self.main or (settings.degree, settings.eulerseq) == (self.main.degree, self.main.eulerseq):
            return values
        for quat, alt in (("quat", "alt"), ("iquat", "ialt")):
            written = values.get(alt)
            if written is not None:
                form, numbers = written
                turned = orientation(form, numbers, bool(settings.degree), settings.eulerseq)
                values = {**values, quat: turned, alt: None}
        return values

    def convert(self, attribute: Attribute, value: Any, element: Element) -> Any:
        """`value` of `element` in the unit of angles of the whole model."""
        settings = element.__dict__.get("settings", self.main)
        if settings.degree == self.main.degree or attribute.unit != "angle" or not _turns(attribute, element):
            return value
        change = degrees if self.main.degree else radians
        return change(value) if attribute.scalar else tuple(map(change, value))


def _turns(attribute: Attribute, element: Element) -> bool:
    """True if the attribute of the joint `element` is converted when it is compiled."""
    return element.kind == "joint" and element.type != _SLIDE and attribute.name in ("range", "ref", "springref")
