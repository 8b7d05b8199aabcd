"""The editable model."""

from conjoint.spec.element import Body, Element, Place
from conjoint.spec.problems import Problems, choices, suggestion
from conjoint.spec.spec import DefaultsClass, Spec

__all__ = ["Body", "DefaultsClass", "Element", "Place", "Problems", "Spec", "choices", "suggestion"]
