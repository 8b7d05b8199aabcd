"""Progress messages of long tasks in terminals, logs and notebooks."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

import conjoint
from conjoint.cli import simulate
from conjoint.lang import kernel
from conjoint.lang.calls import compiled
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.memory.realisation import lanes
from conjoint.lang.objects import progress
from conjoint.lang.objects.unit import Unit
from conjoint.physics.dynamics.energy import energy_pos_unsensed
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.model import varied_rows


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


@kernel
def drag(m: Any, d: Any) -> None:
    for i in range(m.nv):
        d.qfrc_passive[i] = d.qfrc_passive[i] - 0.5 * d.qvel[i]


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_what_programs_add_is_told_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Progress is reported once for custom kernels and varied fields, but not for cached kernels."""
    xml = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    model = conjoint.MjModel.from_xml_string(xml)
    data = conjoint.MjData(model)
    conjoint.mj_step(model, data)
    capsys.readouterr()
    monkeypatch.setattr(progress, "_reported", set())
    # pretend that this machine has compiled neither of them before
    monkeypatch.setattr(compiled, "keep_object", lambda key, code: None)
    conjoint.set_mjcb_passive(drag)
    try:
        conjoint.mj_step(model, data, 2)
    finally:
        conjoint.mj_resetCallbacks()
    assert capsys.readouterr().err == "compiling kernels of this program (drag), once per machine\n"
    monkeypatch.setattr(compiled, "found_object", lambda key: (None, "the compiler"))
    unit = Unit(
        energy_pos_unsensed, lanes("float64", 4), varied_rows(frozenset({"body_mass", "dof_armature"})), DATA_ROWS
    )
    compiled.load([unit])
    assert capsys.readouterr().err == f"{progress.WORDS.format(compiled.VARIED)}\n"
    # compiling for another program in this process prints nothing more
    compiled.load([replace(unit, realisation=lanes("float64", 2))])
    assert not capsys.readouterr().err
