"""Conjoint's own functions, methods and constructors use one vocabulary, described in docs/api-in-ten-minutes.md."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import pytest

import conjoint
from places import ROOT

pytestmark = pytest.mark.plain

ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| (.*) \| ((?:`\w+`(?:, )?)*) \|$", re.MULTILINE)

OFFICIAL = {"rollout", "minimize"}
"""Modules whose argument names are MuJoCo's."""

INSIDE = ("batch.cluster:ClusterBatch", *(f"viewer.web:{name}" for name in conjoint.viewer.web.__all__))
"""Public names that are not attributes of `conjoint` or of its public modules."""

PRESCRIBED = {"envs.BatchEnv": {"num_envs"}}
"""Argument names that Gymnasium prescribes, by callable."""


class Public(NamedTuple):
    """Public function, method or constructor, with its docstring."""

    name: str
    call: Callable[..., Any]
    doc: str

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """Return the parameters of the callable by name, without `self`."""
        return dict(inspect.signature(self.call).parameters)


def public() -> Iterator[Public]:
    """Yield Conjoint's own public callables."""
    names = [name for name in conjoint.OWN if name not in conjoint.MODULES]
    found = {name: getattr(conjoint, name) for name in names}
    for module in sorted({*conjoint.MODULES} - OFFICIAL):
        inside = getattr(conjoint, module)
        found |= {f"{module}.{name}": getattr(inside, name) for name in inside.__all__}
    for module, name in (place.split(":") for place in INSIDE):
        found[f"{module}.{name}"] = getattr(import_module(f"conjoint.{module}"), name)
    for name, value in found.items():
        yield from of_class(name, value) if isinstance(value, type) else of_function(name, value)


def of_function(name: str, value: Any) -> Iterator[Public]:
    """Yield a function, unless its name is one of MuJoCo's."""
    if inspect.isroutine(value) and not name.rpartition(".")[2].startswith("mj"):
        yield Public(name, value, inspect.getdoc(value) or "")


def of_class(name: str, cls: type) -> Iterator[Public]:
    """Yield the constructor of a class, and its public methods that the package defines."""
    yield Public(name, cls, inspect.getdoc(cls) or "")
    for method in (each for each in dir(cls) if not each.startswith("_")):
        value = getattr(cls, method)
        if inspect.isroutine(value) and value.__module__.startswith("conjoint"):
            bound = value if inspect.ismethod(value) else value.__get__(object(), object)
            yield Public(f"{name}.{method}", bound, inspect.getdoc(value) or "")


def table() -> dict[str, set[str]]:
    """Return the disallowed synonyms of each argument name in the documentation's table."""
    text = (ROOT / "docs/api-in-ten-minutes.md").read_text(encoding="utf-8").partition("\n## Conventions")[2]
    return {
        name: set(re.findall(r"\w+", wrong))
        for names, _, wrong in ROW.findall(text)
        for name in re.findall(r"\w+", names)
    }


EVERY = list(public())
RIGHT = table()


def broken(each: Public) -> Iterator[str]:
    """Yield the violations of the conventions in a callable's signature."""
    parameters = each.parameters
    names = [name for name, it in parameters.items() if it.kind is not it.VAR_KEYWORD]
    for right, wrong in RIGHT.items():
        for name in wrong & set(names) - PRESCRIBED.get(each.name, set()):
            yield f"{name} must be {right}"
    if "model" in names and names[0] != "model":
        yield "model must come first"
    if {"model", "data"} <= set(names) and names[1] != "data":
        yield "data must follow model"
    if {"width", "height"} & set(names) and each.name != "Renderer" and "width height" not in " ".join(names):
        yield "width and height must follow each other"
    if "worlds" in names and not each.name.startswith("envs.Task."):
        if names[-1] != "worlds":
            yield "worlds must be the last argument"
        if len(names) > 1 and parameters["worlds"].kind is not inspect.Parameter.KEYWORD_ONLY:
            yield "worlds must be given by keyword"
        if parameters["worlds"].default is not None:
            yield "worlds must be None by default"
    if "precision" in names and parameters["precision"].default != "float64":
        yield "precision must be float64 by default"
    if any(it.kind is it.POSITIONAL_ONLY for it in parameters.values()):
        yield "arguments must be usable by keyword"


def misdocumented(each: Public) -> Iterator[str]:
    """Yield the violations of the conventions in a callable's docstring."""
    for shape in re.findall(r"\(([\w., +*]*\bnworld\b[\w., +*]*)\)", each.doc):
        if "," in shape and not shape.startswith(("nworld", "model")):
            yield f"worlds must come first in the shape ({shape})"
    documented = re.findall(
        r"^    (\*{0,2}\w+(?:, \*{0,2}\w+)*): ", each.doc.partition("\nArgs:")[2].partition("\n\n")[0], re.MULTILINE
    )
    unknown = {name.lstrip("*") for names in documented for name in names.split(", ")} - set(each.parameters)
    if unknown and not any(it.kind is it.VAR_KEYWORD for it in each.parameters.values()):
        yield f"{', '.join(sorted(unknown))} of the docstring is no argument"
    if each.name.startswith("derivative.") and "`qpos`" in each.doc and "tangent" not in each.doc:
        yield "coordinates of qpos must be named tangent coordinates"


def test_the_table_is_read() -> None:
    assert {"model", "data", "nworld", "worlds", "nstep", "width", "height", "camera", "fps", "precision"} <= set(RIGHT)
    assert "m" in RIGHT["model"] and "num_envs" in RIGHT["nworld"]
    names = {each.name for each in EVERY}
    assert len(names) > 60
    assert {"Batch", "Batch.step", "Film.save", "derivative.jacobian", "envs.BatchEnv.reset", "sample_model"} <= names


@pytest.mark.parametrize("each", EVERY, ids=lambda each: each.name)
def test_conventions(each: Public) -> None:
    assert [*broken(each), *misdocumented(each)] == []


def test_violations_are_found() -> None:
    def first(m, worlds=None, nsteps=1, *, height=1, width=1, precision="float32"):
        """Return an array of shape (nstep, nworld, nq).

        Args:
            m: the model.
            worlds, nstep: which, and how many.
        """

    def second(data, model, /, worlds=()): ...

    found = set()
    for call in (first, second):
        it = Public("call", call, inspect.getdoc(call) or "")
        found |= {*broken(it), *misdocumented(it)}
    assert found == {
        "m must be model", "nsteps must be nstep", "model must come first", "data must follow model",
        "width and height must follow each other", "worlds must be the last argument", "worlds must be given by keyword", "worlds must be None by default",
        "precision must be float64 by default", "arguments must be usable by keyword",
        "worlds must come first in the shape (nstep, nworld, nq)", "nstep of the docstring is no argument",
    }  # fmt: skip
