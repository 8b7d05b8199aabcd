"""Rules of newer versions: how they are chosen, and that a model keeps them."""

import copy
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import conjoint
from conjoint.schema import semantics, version
from conjoint.schema.semantics import RULES
from places import ROOT

BALL = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
FIRST = RULES[0].name


def test_rules_are_read_and_written() -> None:
    """Versions, names, both with signs; what is written is read as the same."""
    whole = semantics.read("4.0")
    assert whole == sum(rule.bit for rule in RULES) and semantics.read("3.3.5") == 0
    assert semantics.read(f"3.3.5 + {FIRST}") == semantics.read(FIRST) == semantics.read((FIRST,)) == RULES[0].bit
    assert semantics.read(f"4.0-{FIRST}") == whole - RULES[0].bit
    for rule in RULES:
        assert semantics.read(semantics.written(rule.bit)) == rule.bit
        assert semantics.read(semantics.written(whole - rule.bit)) == whole - rule.bit
        assert semantics.read(rule.since) & rule.bit


@pytest.mark.parametrize(
    ("chosen", "error", "text"),
    [
        (FIRST[:-1], ValueError, f"did you mean '{FIRST}'"), ("5.0", ValueError, "from 3.3.0 to 4.0.0"),
        ("4.0+", ValueError, "a name is missing behind"), (4.0, TypeError, "must be text such as '4.0'"),
        ([4.0], TypeError, "must be text such as '4.0'"),
    ],
)  # fmt: skip
def test_unknown_rules_are_refused(chosen: object, error: type[Exception], text: str) -> None:
    """The message says what there is."""
    spec = conjoint.MjSpec()
    with pytest.raises(error, match=re.escape(text)):
        conjoint.semantics(chosen)  # type: ignore[arg-type]
    with pytest.raises(error, match=re.escape(text)):
        spec.semantics = chosen
    assert spec.semantics == conjoint.MjSpec().semantics == "3.3.5"


def test_unknown_rules_in_a_file_are_refused() -> None:
    """With the place in the file."""
    with pytest.raises(ValueError, match=r"(?s):1:49.*there is no rule 'smooth'"):
        conjoint.MjModel.from_xml_string(
            "<mujoco><custom><text name='conjoint.semantics' data='smooth'/></custom></mujoco>"
        )


def test_a_model_keeps_its_rules(tmp_path: Path) -> None:
    """In copies, pickles, binary files and saved XML; compiled again; another default does not change them."""
    spec = conjoint.MjSpec.from_string(BALL)
    spec.semantics = "4.0"
    model = spec.compile()
    conjoint.mj_saveModel(model, str(tmp_path / "m.mjb"))
    again = conjoint.MjModel.from_binary_path(str(tmp_path / "m.mjb"))
    for kept in (model, copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model)), again):
        assert kept.semantics == "4.0"
    assert spec.copy().compile().semantics == "4.0"
    assert spec.recompile(model, conjoint.MjData(model))[0].semantics == "4.0"
    read = conjoint.MjModel.from_xml_string(spec.to_xml())
    assert read.semantics == "4.0" and read.ntext == 0
    conjoint.mj_saveLastXML(str(tmp_path / "m.xml"), read)
    assert conjoint.MjModel.from_xml_path(str(tmp_path / "m.xml")).semantics == "4.0"
    assert "semantics" not in conjoint.MjSpec.from_string(BALL).to_xml()
    # a model that has chosen the default says so
    spec.semantics = "3.3.5"
    with conjoint.semantics("4.0"):
        assert conjoint.MjModel.from_xml_string(spec.to_xml()).semantics == "3.3.5"


def test_rules_of_a_block_and_of_the_process() -> None:
    """A block gives back what was chosen before it."""
    with conjoint.semantics("4.0") as chosen:
        assert str(chosen) == "4.0" and conjoint.MjModel.from_xml_string(BALL).semantics == "4.0"
        with conjoint.semantics("3.3.5"):
            assert conjoint.MjSpec().semantics == "3.3.5"
        assert conjoint.MjSpec().semantics == "4.0"
    assert conjoint.MjSpec().semantics == "3.3.5"


def test_rules_of_the_environment_and_of_a_version() -> None:
    """A version that is stood in for brings its rules; the environment and programs decide before it."""
    program = (
        "import conjoint; conjoint.install_as_mujoco({}); from conjoint.schema import semantics; "
        "print(semantics.written(semantics.DEFAULT.rules))"
    )
    for given, variable, expected in (
        ("", "", "3.3.5"), ("version='4.0'", "", "4.0"), ("version='4.0'", "3.3.5", "3.3.5"), ("", "4.0", "4.0"),
        ("version='4.0', semantics='3.3.5'", "4.0", "3.3.5"), ("version='3.3.5'", "", "3.3.5"),
    ):  # fmt: skip
        lines = f"import os; os.environ['CONJOINT_SEMANTICS'] = {variable!r}; " + program.format(given)
        run = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=False)
        assert run.stdout.strip() == expected, run.stderr


def test_the_page_lists_the_rules() -> None:
    """Those of the schema, in its order and words."""
    page = (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| (.*) \|$", page, re.MULTILINE)
    assert [tuple(row) for row in rows] == [tuple(rule) for rule in RULES]
    assert np.unique([rule.name for rule in RULES]).size == len(RULES)


def test_fields_that_are_true_or_false(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays of bool for programs that ask for 3.9 or newer, in the same memory."""
    m = conjoint.MjModel.from_xml_string(
        "<mujoco><worldbody><body><joint name='j' range='-1 1'/><geom size='.1'/></body></worldbody></mujoco>"
    )
    assert copy.copy(m).jnt_limited.dtype == np.uint8
    monkeypatch.setattr(version.STANDS_FOR, "parts", (3, 9, 0))
    shown = copy.copy(m)
    assert shown.jnt_limited.dtype == bool and shown.jnt_limited[0]
    assert shown.body_sameframe.dtype == np.uint8
    shown.joint("j").limited = False
    assert not shown.memory.view("jnt_limited")[0]
