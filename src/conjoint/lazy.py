"""Packages that import their modules on first use (CONTRIBUTING.md, Threads and imports), and hints for wrong names."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any


class First(str):
    """Name that sorts before all plain strings, so that `dir`, which sorts names, lists it first."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return super().__lt__(other) if isinstance(other, First) else True

    def __gt__(self, other: str) -> bool:
        return super().__gt__(other) if isinstance(other, First) else False


class Missing:
    """Error message for a missing attribute. It is created only when read, because `hasattr` discards it.

    Args:
        package: name of the package.
        name: name of the attribute.
    """

    def __init__(self, package: str, name: str):
        self.package, self.name = package, name

    def __str__(self) -> str:
        return f"module {self.package!r} has no attribute {self.name!r}{_hint(self.package, self.name)}"

    def __repr__(self) -> str:
        return repr(str(self))


def unknown_name(package: str, name: str) -> AttributeError:
    """Return the exception for a missing attribute of a package."""
    # without the argument `obj`, Python does not add a hint of its own
    return AttributeError(Missing(package, name), name=name)


def _hint(package: str, name: str) -> str:
    """Return "; did you mean ...?" with the public name most similar to `name`, or ""."""
    from difflib import get_close_matches

    known = dict(_known(package))
    like = {each.lower(): each for each in known}
    near = [name] if name in known else [like[name.lower()]] if name.lower() in like else []
    near = near or get_close_matches(name, known, 1, 0.7)
    return f"; did you mean {known[near[0]]!r}?" if near else ""


def _known(package: str) -> Iterator[tuple[str, str]]:
    """Yield public names, each with its dotted path. Names of modules in the package come first."""
    found = sys.modules[package]
    for module in getattr(found, "HINTED", getattr(found, "MODULES", ())):
        for name in _exported(f"{package}.{module}"):
            yield name, f"{package}.{module}.{name}"
    for name in (*dir(found), *getattr(found, "__all__", ())):
        yield str(name), str(name)


def _exported(module: str) -> list[str]:
    """Return `__all__` of a module, read from its source because it may need packages that are not installed."""
    import ast
    from importlib.util import find_spec

    spec = find_spec(module)
    with open(str(spec and spec.origin), encoding="utf-8") as source:
        tree = ast.parse(source.read())
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def names_of(package: str, modules: Mapping[str, str], inside: Sequence[str] = ()) -> Callable[[str], Any]:
    """Return a function `__getattr__` for a package, which imports modules on first use.

    Args:
        package: name of the package.
        modules: public names, separated by spaces, by the module that defines them.
        inside: modules that are attributes of the package even if programs do not import them.
    """
    places = {name: module for module, names in modules.items() for name in names.split()}

    def imported(name: str) -> Any:
        if name in inside:
            return import_module(f"{package}.{name}")
        if name not in places:
            raise unknown_name(package, name)
        return getattr(import_module(f"{package}.{places[name]}"), name)

    return imported
