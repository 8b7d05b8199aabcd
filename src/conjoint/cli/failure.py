"""Errors of the command line: one clear line on stderr, and an exit status."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import typer
from rich.console import Console
from rich.text import Text

from conjoint.lang.errors import ConjointError

EXIT_DIFFERENT = 1
"""Exit status: two models that should be equal differ."""

EXIT_FINDINGS = 1
"""Exit status: the doctor has found suspicious properties of a model."""

EXIT_INPUT = 2
"""Exit status: a model, control file or option cannot be used."""

EXIT_DIVERGED = 3
"""Exit status: the simulation ran, but its state became bad and was reset."""


class InputError(ConjointError):
    """The user's input is invalid. The message explains why, and how to fix it."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Replace operating system errors with an error that names the file that cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


@contextmanager
def reported_errors() -> Iterator[None]:
    """Report an error of this package as text with exit status 2; other errors are defects and keep their traceback.

    Warnings are printed without their Python source line.
    """
    with warnings.catch_warnings():
        warnings.showwarning = _print_warning
        try:
            yield
        except ConjointError as error:
            _print("error", "bold red", str(error))
            raise typer.Exit(EXIT_INPUT) from None


def _print(label: str, style: str, text: str) -> None:
    """Print one line to stderr."""
    message = Text(f"{label}: ", style=style) + Text(text, style="default")
    Console(stderr=True, soft_wrap=True, highlight=False).print(message)


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning without its source line; it replaces `warnings.showwarning` while a command runs."""
    _print("warning", "bold yellow", str(message))
