"""The editable model (`Spec`), its elements and their files."""

from importlib import import_module
from typing import TYPE_CHECKING

from conjoint.lazy import names_of

if TYPE_CHECKING:
    from conjoint.spec.element import Body, Element, Place
    from conjoint.spec.problems import Problems, choices, suggestion
    from conjoint.spec.spec import DefaultsClass, Spec

# load `conjoint.lang` completely before any of its modules (CONTRIBUTING.md, Threads and imports)
import_module("conjoint.lang")

__all__ = ["Body", "DefaultsClass", "Element", "Place", "Problems", "Spec", "choices", "suggestion"]

__getattr__ = names_of(
    __name__,
    {
        "element": "Body Element Place",
        "problems": "Problems choices suggestion",
        "spec": "DefaultsClass Spec",
    },
)
