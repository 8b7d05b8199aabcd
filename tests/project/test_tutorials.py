"""Tutorials state their goals and next steps, and the site shows the output of their programs."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path

import pytest

from places import ROOT

pytest.importorskip("nbclient")

from nbformat import v4

import conjoint
from tools.run_tutorials import CODE, executed, notebook, shown

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_has_its_form(page: Path) -> None:
    """A tutorial has a title, its goals and requirements, programs, and links at the end."""
    text = page.read_text(encoding="utf-8")
    first = re.sub(r"\s+", " ", CODE.split(text)[0])
    assert text.startswith("# ") and "You will learn" in first and "pip install -e '.[" in first
    assert len(CODE.findall(text)) > 3
    assert "## Next steps" in CODE.split(text)[-1]
    assert f"tutorials/{page.name}" in (ROOT / "mkdocs.yml").read_text()


def test_there_are_tutorials() -> None:
    assert len(TUTORIALS) >= 9


def test_results_stand_behind_programs() -> None:
    book = notebook('# Title\n\nYou will learn.\n\n```python\nprint("a")\n```\n\nNext.\n\n```python\nfilm\n```\n')
    assert [cell.cell_type for cell in book.cells] == ["markdown", "code", "markdown", "code"]
    book.cells[1].outputs = [v4.new_output("stream", name="stdout", text=text) for text in ("one\n", "two\n")]
    film = {"image/gif": b64encode(b"GIF").decode(), "text/plain": "<Film>"}
    book.cells[3].outputs = [v4.new_output("execute_result", film)]
    text, pictures = shown(book, "page")
    assert pictures == {"page-1.gif": b"GIF"}
    parts = [
        "# Title",
        "page.ipynb",
        'print("a")',
        "```text\none\ntwo\n```",
        "Next.",
        "```python\nfilm\n```",
        "(page-1.gif)",
    ]
    places = [text.rindex(part) for part in parts]
    assert places == sorted(places) and "<Film>" not in text
    assert text.index("(page-1.gif)") < text.index("Download"), "the film is shown first, too"


def test_a_cell_that_fails_is_an_error() -> None:
    from nbclient.exceptions import CellExecutionError

    with pytest.raises(CellExecutionError, match="no such thing"):
        executed(notebook('```python\nprint(1)\nraise ValueError("no such thing")\n```\n'))


def test_sample_models_are_found() -> None:
    assert conjoint.sample_model("humanoid").is_file()
    with pytest.raises(ValueError, match=r"there are ant, .*quadruped"):
        conjoint.sample_model("humanoids")
