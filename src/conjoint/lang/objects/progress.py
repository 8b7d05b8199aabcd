"""What a terminal shows while stages are compiled for the first time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conjoint.once import MAKING


def report(names: Sequence[str]) -> Callable[[str], None]:
    """Show on a terminal that stages are being compiled for the first time."""
    with MAKING.held:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal or len(names) < 2:
        return lambda name: None
    columns = (
        TextColumn("compiling the physics, once per machine"),
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
