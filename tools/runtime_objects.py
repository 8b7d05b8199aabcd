"""An extension of griffe, with which mkdocstrings reads sources: names that modules make while they are imported.

The functions of the stages, and some classes, are made from tables. Their sources do not tell their signatures; the
imported package does.
"""

import inspect
import sys
from pathlib import Path
from typing import Any

import griffe

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import conjoint
from conjoint.api.signature import in_python


class RuntimeObjects(griffe.Extension):
    """Replaces names of the stub whose sources griffe does not find."""

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **_: Any) -> None:
        """Look at every name of the package once its modules are read."""
        if pkg.path != "conjoint":
            return
        for name in dir(conjoint):
            member = pkg.members.get(name)
            if isinstance(member, griffe.Alias) and not is_found(pkg, member.target_path):
                pkg.set_member(name, made(name, getattr(conjoint, name), pkg))


def is_found(pkg: griffe.Module, path: str) -> bool:
    """Whether the sources have what `path` names."""
    try:
        found = pkg[path.removeprefix("conjoint.")]
        return (found.final_target if found.is_alias else found) is not None
    except (KeyError, griffe.AliasResolutionError, griffe.CyclicAliasError):
        return False


def made(name: str, value: Any, parent: griffe.Module) -> griffe.Object:
    """An object of griffe that tells what the imported one is."""
    text = griffe.Docstring(inspect.cleandoc(getattr(in_python(value), "__doc__", "") or ""))
    if isinstance(value, type):
        return griffe.Class(name, docstring=text, parent=parent)
    function = in_python(value)
    signature = inspect.signature(function)
    parameters = [
        griffe.Parameter(
            parameter.name,
            annotation=written(parameter.annotation),
            kind=griffe.ParameterKind(parameter.kind.description),
            default=None if parameter.default is parameter.empty else repr(parameter.default),
        )
        for parameter in signature.parameters.values()
    ]
    returned = written(signature.return_annotation)
    return griffe.Function(
        name, parameters=griffe.Parameters(*parameters), returns=returned, docstring=text, parent=parent
    )


def written(annotation: Any) -> str | None:
    """An annotation as it stands in a source."""
    if annotation is inspect.Parameter.empty:
        return None
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
