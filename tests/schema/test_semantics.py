"""The edition of the physics: how it is chosen, and how a model keeps it."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import conjoint
from conjoint.schema import semantics, version

BALL = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"


def test_editions_are_read() -> None:
    """An edition can be given by its name or by a MuJoCo version, which maps to its edition."""
    for chosen, edition in (("3.3.5", "3.3.5"), ("3.3", "3.3.5"), ("3.3.6", "4.0"), ("3.16", "4.0"), (" 4.0 ", "4.0")):
        assert semantics.EDITIONS[semantics.read(chosen)] == edition


SINGLE = "; single rules of edition '4.0' cannot be chosen"


@pytest.mark.parametrize(
    ("chosen", "error", "text"),
    [
        ("jdotv", ValueError, f"there is no edition 'jdotv'; choose '3.3.5' or '4.0'{SINGLE}"),
        ("3.3.5+jdotv", ValueError, f"there is no edition '3.3.5+jdotv'; choose '3.3.5' or '4.0'{SINGLE}"),
        ("4.0-jdotv", ValueError, SINGLE), ("5.0", ValueError, "there is no edition '5.0'; choose '3.3.5' or '4.0'"),
        (4.0, TypeError, "must be the name of an edition, '3.3.5' or '4.0', not 4.0"),
        (("jdotv", "rk4"), TypeError, "must be the name of an edition, '3.3.5' or '4.0', not ('jdotv', 'rk4')"),
    ],
)  # fmt: skip
def test_single_rules_and_unknown_editions_are_refused(chosen: object, error: type[Exception], text: str) -> None:
    """Every function that chooses an edition rejects names of single rules and unknown names, and then changes nothing."""
    spec = conjoint.MjSpec()
    for choose in (
        conjoint.semantics, lambda value: conjoint.install_as_mujoco(semantics=value),
        lambda value: setattr(spec, "semantics", value),
    ):  # fmt: skip
        with pytest.raises(error) as raised:
            choose(chosen)
        assert text in str(raised.value)
    assert "mujoco" not in sys.modules or sys.modules["mujoco"].__name__ == "mujoco"
    assert spec.semantics == conjoint.MjSpec().semantics == "3.3.5"
    with pytest.raises(ValueError, match="single rules") as raised:
        conjoint.install_as_mujoco(semantics="jdotv")
    assert str(raised.value).startswith("install_as_mujoco: semantics: there is no edition 'jdotv'")


def test_single_rules_in_a_file_are_refused() -> None:
    """A single rule in a file is rejected with its line and column."""
    with pytest.raises(
        ValueError, match=r"(?s):1:49.*there is no edition 'jdotv'; choose .*edition '4.0' cannot be chosen"
    ):
        conjoint.MjModel.from_xml_string(
            "<mujoco><custom><text name='conjoint.semantics' data='jdotv'/></custom></mujoco>"
        )


def test_single_rules_in_the_environment_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """If CONJOINT_SEMANTICS names a single rule instead of an edition, reading a model raises an error that names the variable."""
    monkeypatch.setenv("CONJOINT_SEMANTICS", "3.3.5+jdotv")
    with pytest.raises(ValueError, match=r"CONJOINT_SEMANTICS: there is no edition .* edition '4.0' cannot be chosen"):
        conjoint.MjModel.from_xml_string(BALL)
    monkeypatch.setenv("CONJOINT_SEMANTICS", "4.0")
    assert conjoint.MjModel.from_xml_string(BALL).semantics == "4.0"


def test_a_model_keeps_its_edition(tmp_path: Path) -> None:
    """A model keeps its edition in copies, pickles, files and recompilation, whatever the default is."""
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
    # a model in which the default edition was chosen explicitly keeps it
    spec.semantics = "3.3.5"
    with conjoint.semantics("4.0"):
        assert conjoint.MjModel.from_xml_string(spec.to_xml()).semantics == "3.3.5"


def test_the_edition_of_a_block_and_of_the_process() -> None:
    """After a `with` block, the previous edition is restored."""
    with conjoint.semantics("4.0") as chosen:
        assert str(chosen) == "4.0" and conjoint.MjModel.from_xml_string(BALL).semantics == "4.0"
        with conjoint.semantics("3.3.5"):
            assert conjoint.MjSpec().semantics == "3.3.5"
        assert conjoint.MjSpec().semantics == "4.0"
    assert conjoint.MjSpec().semantics == "3.3.5"


def test_the_edition_of_the_environment_and_of_a_version() -> None:
    """The version passed to `install_as_mujoco` selects its edition, unless the environment or the program chooses one."""
    program = (
        "import conjoint; conjoint.install_as_mujoco({}); import mujoco; "
        "print(mujoco.__version__, mujoco.MjModel.from_xml_string('<mujoco/>').semantics)"
    )
    for given, variable, expected in (
        ("", "", "3.3.5 3.3.5"), ("'4.0'", "", "4.0.0 4.0"), ("'4.0'", "3.3.5", "4.0.0 3.3.5"), ("", "4.0", "3.3.5 4.0"),
        ("'4.0', semantics='3.3.5'", "4.0", "4.0.0 3.3.5"), ("'3.3.5'", "", "3.3.5 3.3.5"),
        ("'3.3.6'", "", "3.3.6 4.0"), ("'3.3.4', semantics='4.0'", "", "3.3.4 4.0"),
    ):  # fmt: skip
        lines = f"import os; os.environ['CONJOINT_SEMANTICS'] = {variable!r}; " + program.format(given)
        run = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=False)
        assert run.stdout.strip() == expected, run.stderr


def test_fields_that_are_true_or_false(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the program requests MuJoCo 3.9 or newer, boolean fields are bool arrays that are views of the same memory."""
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
