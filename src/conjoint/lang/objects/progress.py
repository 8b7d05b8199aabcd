"""Progress of the first compilation of stages: a bar on a terminal and in notebooks, else lines of text.

If the program causes the compilation (by its own kernels, or by worlds that differ), the reason is reported once per
process, before it starts. Without a bar, the report is a sentence.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from conjoint.once import MAKING

WORDS = "compiling {}, once per machine"

PHYSICS = "the physics"
"""Subject of the report for programs that only use the package."""

EVERY = 5.0
"""Seconds between two lines of output if there is no terminal."""


_reported: set[str] = set()
"""Sentences that this process has already written."""


def report(names: Sequence[str], occasion: str = "") -> Callable[[str], None]:
    """Report that stages are being compiled for the first time; return a function to call after each stage.

    Args:
        names: names of the stages.
        occasion: reason for compiling them; "" if the program only uses the package.
    """
    words = WORDS.format(occasion or PHYSICS)
    if len(names) < 2:
        tell(words, occasion)
        return lambda name: None
    if in_notebook():
        return notebook_bar(words, len(names))
    with MAKING.held:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        tell(words, occasion)
        return lines(words, len(names))
    columns = (
        TextColumn(words),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task("compile", total=len(names))
    bar.start()
    left = len(names)

    def advance(name: str) -> None:
        nonlocal left
        left -= 1
        bar.advance(task)
        if left == 0:
            bar.stop()

    return advance


def tell(words: str, occasion: str) -> None:
    """Write a sentence to standard error if there is an occasion and the sentence has not been written before."""
    if occasion and words not in _reported:
        _reported.add(words)
        print(words, file=sys.stderr, flush=True)


def lines(words: str, total: int) -> Callable[[str], None]:
    """Return a function to call after each stage, which writes a line to standard error every few seconds.

    If the compilation is quick, it writes nothing.
    """
    reported, done = time.monotonic(), 0

    def advance(name: str) -> None:
        nonlocal reported, done
        done += 1
        if time.monotonic() - reported > EVERY and done < total:
            reported = time.monotonic()
            print(f"{words}: {done} of {total}", file=sys.stderr, flush=True)

    return advance


def in_notebook() -> bool:
    """Return True if this process is the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def notebook_bar(words: str, total: int) -> Callable[[str], None]:
    """Show a progress bar below the notebook cell, and return a function that advances it.

    The bar disappears at the end.
    """
    with MAKING.held:
        # IPython is installed, because it runs this program
        from IPython.display import HTML, display

    def bar(done: int) -> Any:
        return HTML(f"{words} <progress value={done} max={total}></progress>" if done < total else "")

    handle, done = display(bar(0), display_id=True), 0

    def advance(name: str) -> None:
        nonlocal done
        done += 1
        handle.update(bar(done))

    return advance
