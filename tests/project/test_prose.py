"""The prose checker finds violations of each rule, and only in prose."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.check_prose import MOST_WORDS, main, read_page, split_sentences

LONG = " ".join(["word"] * (MOST_WORDS + 1)) + "."

FAULTS = {
    "first line": '"""What a step does."""',
    "first line of a value": 'X = 1\n"""Whether it holds."""',
    "question": '"""Return whether a step is done."""',
    "which": '"""Return the rows, of which some are active."""',
    "whose": '"""Return the body in whose frame it is."""',
    "reported": "# the solver is told the tolerance",
    "requested": "x = 1  # it is asked at each step",
    "who": "# who waits holds the lock",
    "spelling": '"""Return the colour."""',
    "stem": '"""Return the center.\n\n    Args:\n        x: normalised direction.\n    """',
    "notation": '"""Run the narrowphase."""',
    "long": f'"""Return it.\n\n{LONG}\n"""',
}


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Return a function that checks a text and returns the exit status and the printed lines."""

    def run(text: str, name: str = "module.py") -> tuple[int, list[str]]:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return main([str(path)]), capsys.readouterr().out.splitlines()

    return run


@pytest.mark.parametrize("text", FAULTS.values(), ids=list(FAULTS))
def test_a_fault_of_each_rule_is_found(text: str, check) -> None:
    status, lines = check(text + "\n")
    assert status == 1
    assert len(lines) == 2 and "module.py:" in lines[0]


@pytest.mark.parametrize(
    "text",
    [
        '"""Return the `colour` of a body."""\n',
        'message = "what is told, in whose colour"\n',
        '"""Return it.\n\nIt is a color:\n\n    x = colour\n"""\n',
        '"""Return a list.\n\nTwo of which are users who wait, and cannot be told apart.\n"""\n',
        '"""Return it, as in Featherstone, ch. 2. It is short.\n\nThe last one ends at 1.\n2. It goes on.\n"""\n',
    ],
)
def test_code_messages_and_idioms_are_no_faults(text: str, check) -> None:
    assert check(text)[0] == 0


def test_pages_are_checked_without_their_code(check) -> None:
    text = "---\ntitle: colour\n---\n# Colour\n\nA body.\n\n```python\n# grey\n```\n\n| `grey` | a grey body |\n"
    status, lines = check(text, "page.md")
    assert status == 1
    assert [line.split(": ")[0].rpartition(":")[2] for line in lines[:-1]] == ["12"]


def test_items_of_lists_are_paragraphs_with_their_lines() -> None:
    text = "Begin\nhere.\n\n* One\n  more.\n* Two. Three.\n"
    assert [(each.line, each.text) for each in read_page("x", text)] == [
        (1, "Begin here."),
        (4, "One more."),
        (6, "Two. Three."),
    ]


def test_abbreviations_end_no_sentence() -> None:
    assert len(split_sentences("See Todorov et al. 2012, ch. 2. It helps, e.g. Newton's method.")) == 2


def test_one_long_sentence_in_a_hundred_is_no_fault(check) -> None:
    short = "".join("# it ends here.\n\n" for _ in range(120))
    assert check(f"{short}# {LONG}\n")[0] == 0
