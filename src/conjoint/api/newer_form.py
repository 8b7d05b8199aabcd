"""Functions that newer versions declare with other arguments: both forms can be called, told apart by what is given."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

Chooses = Callable[[tuple[Any, ...], Mapping[str, Any]], bool]
"""Whether these arguments are those of the newer form."""


def newer_form(newer: Callable[..., Any], chooses: Chooses) -> Callable[[F], F]:
    """Decorator: arguments that `chooses` accepts are for `newer`. What users get is made by `api.signature.public`."""

    def note(function: F) -> F:
        function.newer = newer, chooses  # type: ignore[attr-defined]
        return function

    return note


def both_forms(function: Callable[..., Any]) -> Callable[..., Any]:
    """What calls a function in the form that its arguments are in; the function itself if it has one form."""
    forms = getattr(function, "newer", None)
    if forms is None:
        return function
    newer, chooses = forms

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        chosen = newer if chooses(arguments, named) else function
        return chosen(*arguments, **named)

    return call
