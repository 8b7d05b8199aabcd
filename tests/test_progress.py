"""How far long work is, is told on a terminal, in logs and in notebooks."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from conjoint.cli import simulate
from conjoint.lang.objects import progress


def test_runs_are_told_as_lines_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "LINE_INTERVAL", -1.0)
    stream = io.StringIO()
    with simulate.progress_line(Console(file=stream)) as bar:
        task = bar.add_task("simulating", total=1000, rate="")
        bar.update(task, completed=400, rate="7 steps/s")
        bar.update(task, completed=1000)
    assert stream.getvalue().split("\n")[0] == "simulating 400 of 1,000  7 steps/s"


def test_compiling_is_told_as_lines_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    advance = progress.report(["a", "b", "c"])
    advance("a")
    assert not capsys.readouterr().err
    monkeypatch.setattr(progress, "EVERY", -1.0)
    advance("b")
    advance("c")
    assert capsys.readouterr().err == "compiling the physics, once per machine: 2 of 3\n"


def test_compiling_is_told_as_a_bar_in_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def display(thing: str, display_id: bool) -> Any:
        shown.append(thing)
        return SimpleNamespace(update=shown.append)

    kernel = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=None))
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display))
    advance = progress.report(["a", "b"])
    advance("a")
    advance("b")
    assert "value=0 max=2" in shown[0] and "value=1 max=2" in shown[1] and shown[2] == ""
