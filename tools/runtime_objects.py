"""Extension of griffe, the source reader of mkdocstrings, for names that modules create while they are imported.

The functions of stages, and some classes, are created from tables. Their signatures are not in the sources, so this
extension reads them from the imported package.
"""

import inspect
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import griffe

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
sys.path.insert(0, str(ROOT / "tools"))

from api_pages import PAGES, ApiPage, entries, values_text  # noqa: E402

import conjoint  # noqa: E402
from conjoint.api import arguments  # noqa: E402
from conjoint.api.signature import in_python  # noqa: E402
from hatch_stubs import source_text  # noqa: E402


class RuntimeObjects(griffe.Extension):
    """Griffe extension that documents names from the imported package if the sources do not define them."""

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **_: Any) -> None:
        """Complete the public names and classes of `conjoint` after griffe has read the package's modules."""
        if pkg.path != "conjoint":
            return
        for name in dir(conjoint):
            member = pkg.members.get(name)
            if isinstance(member, griffe.Alias) and not is_found(pkg, member.target_path):
                pkg.set_member(name, made(name, getattr(conjoint, name), pkg))
            elif isinstance(member, griffe.Function) and member.docstring:
                # array shapes are only in the imported package, not in the stub
                shown = made(name, getattr(conjoint, name), pkg)
                shown.docstring = member.docstring
                pkg.set_member(name, shown)
        for name in classes():
            module, _, own = name.rpartition(".")
            complete(pkg[name.removeprefix("conjoint.")], getattr(import_module(module), own))


def classes() -> list[str]:
    """Return the full names of the classes that pages of the reference list."""
    return [name for page in PAGES.values() for name in listed(page) if is_class(name)]


def listed(page: ApiPage) -> list[str]:
    """Return the full names of the entries of a page."""
    return [name for sources in page.groups.values() for source in sources for name in entries(source)]


def is_class(name: str) -> bool:
    """Return True if a full name is the name of a class."""
    module, _, own = name.rpartition(".")
    return isinstance(getattr(import_module(module), own), type)


def complete(described: Any, cls: type) -> None:
    """Add inherited methods and properties to a class description, and remove members that `dir` does not show."""
    described = described.final_target if described.is_alias else described
    kind = getattr(cls, "kind", "")
    if isinstance(kind, str) and described.docstring and (values := values_text(kind)):
        described.docstring.value += f"\n\n{values}"
    hidden = {*vars(cls).get("_inside", ()), *(set(vars(cls)) - set(dir(cls)))}
    for name in hidden & set(described.members):
        del described.members[name]
    for base in cls.__mro__[:-1]:
        if not base.__module__.startswith("conjoint"):
            continue
        for name, value in vars(base).items():
            if name.startswith("_") or name not in dir(cls):
                continue
            if name in described.members:
                # if a method has no docstring here, use that of the base class that defines it
                if value.__doc__ and not described.members[name].docstring:
                    described.members[name].docstring = text_of(value)
                continue
            function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            if isinstance(value, property) and value.__doc__:
                described.set_member(name, griffe.Attribute(name, docstring=text_of(value), parent=described))
            elif inspect.isfunction(function):
                described.set_member(name, made(name, function, described))


def text_of(value: Any) -> griffe.Docstring:
    """Return the docstring of an imported object."""
    return griffe.Docstring(inspect.cleandoc(getattr(value, "__doc__", "") or ""), parser="google")


def is_found(pkg: griffe.Module, path: str) -> bool:
    """Return True if the sources define `path`."""
    try:
        found = pkg[path.removeprefix("conjoint.")]
        return (found.final_target if found.is_alias else found) is not None
    except (KeyError, griffe.AliasResolutionError, griffe.CyclicAliasError):
        return False


def made(name: str, value: Any, parent: griffe.Object) -> griffe.Object:
    """Return a griffe object that describes an imported class or function."""
    text = text_of(in_python(value))
    if isinstance(value, type):
        return griffe.Class(name, docstring=text, parent=parent)
    function = in_python(value)
    signature = inspect.signature(function, eval_str=True)
    parameters = [
        griffe.Parameter(
            parameter.name,
            annotation=written(parameter.annotation, parent),
            kind=griffe.ParameterKind(parameter.kind.description),
            default=None if parameter.default is parameter.empty else repr(parameter.default),
        )
        for parameter in signature.parameters.values()
    ]
    returned = written(signature.return_annotation, parent)
    return griffe.Function(
        name, parameters=griffe.Parameters(*parameters), returns=returned, docstring=text, parent=parent
    )


def written(annotation: Any, parent: griffe.Object) -> str | griffe.Expr | None:
    """Return an annotation with links, as written in the source; types of `conjoint.api.arguments` appear by name."""
    if annotation is inspect.Parameter.empty:
        return None
    if annotation is None or annotation is type(None):
        return "None"
    if name := DECLARATIONS.get(annotation):
        return griffe.ExprName(name, parent=parent.package["api.arguments"])
    kinds = get_args(annotation)
    if type(None) in kinds and len(kinds) == 2:
        return griffe.ExprBinOp(written(kinds[0], parent) or "", "|", "None")
    return annotation.__name__ if isinstance(annotation, type) else source_text(annotation)


DECLARATIONS = {
    annotation: name
    for name, annotation in vars(arguments).items()
    if get_origin(annotation) in (Annotated, Literal) and not name.startswith("_")
}
"""Names of the argument types of `conjoint.api.arguments`, by annotation; a page of the reference describes them."""
