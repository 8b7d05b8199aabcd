"""Packages that import their modules when somebody asks for a name in one (CONTRIBUTING.md, Threads and imports)."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def names_of(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The function `__getattr__` of a package.

    Args:
        package: its name.
        modules: names by the module that has them, with blanks between them.
    """
    places = {name: module for module, names in modules.items() for name in names.split()}

    def imported(name: str) -> Any:
        if name not in places:
            # with the module Python finds the name that may be meant
            text = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(text, name=name, obj=sys.modules.get(package))
        return getattr(import_module(f"{package}.{places[name]}"), name)

    return imported
