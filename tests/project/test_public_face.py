"""The public face: Conjoint's own names, hints for wrong ones, and one vocabulary over all of them."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import conjoint
from programs import run_program

pytestmark = pytest.mark.plain

OWN = {
    "Batch", "Film", "RayRenderer", "Recorder", "Renderer", "derivative", "envs", "install_as_mujoco", "minimize",
    "rollout", "sample_model", "semantics", "show", "viewer",
}  # fmt: skip


def test_dir_lists_the_family_first() -> None:
    names = dir(conjoint)
    assert names[: len(OWN)] == sorted(OWN)
    assert names[len(OWN) :] == sorted(names[len(OWN) :]) and len(names) == len(set(names))
    assert {"MjModel", "mj_step", "FatalError", "__version__"} <= set(names)
    assert set(OWN) - set(conjoint.__all__) == {"derivative", "envs", "minimize", "rollout", "viewer"}


EVERY = f"""
import conjoint as cj
found = [getattr(cj, name) for name in {sorted(OWN)!r}]
assert cj.Film is found[1] and cj.derivative.jacobian and cj.envs.Task and cj.viewer.launch
assert cj.MjModel.from_xml_path(cj.sample_model("cartpole")).nv == 2
"""


def test_every_name_is_there_after_one_import() -> None:
    run_program(EVERY)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Bacth", "Batch"), ("batchs", "Batch"), ("renderer_", "Renderer"), ("mj_stepp", "mj_step"), ("MjModle", "MjModel"),
        ("jacobian", "conjoint.derivative.jacobian"), ("StepFunktion", "conjoint.derivative.StepFunction"),
        ("BatchEnv", "conjoint.envs.BatchEnv"), ("launch_passive", "conjoint.viewer.launch_passive"),
        ("least_square", "conjoint.minimize.least_squares"),
    ],
)  # fmt: skip
def test_wrong_names_have_a_hint(name: str, meant: str) -> None:
    assert not hasattr(conjoint, name)
    with pytest.raises(
        AttributeError, match=rf"^module 'conjoint' has no attribute '{name}'; did you mean '{meant}'\?$"
    ):
        getattr(conjoint, name)


def test_names_of_nothing_have_no_hint() -> None:
    with pytest.raises(AttributeError, match=r"^module 'conjoint' has no attribute 'spaghetti'$"):
        _ = conjoint.spaghetti  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="'jacobain'; did you mean 'jacobian'"):
        _ = conjoint.derivative.jacobain  # type: ignore[attr-defined]


WITHOUT_AN_EXTRA = """
import sys
sys.modules["gymnasium"] = None
import conjoint
assert not hasattr(conjoint, "envs")
for name in ("envs", "BatchEnv"):
    try:
        getattr(conjoint, name)
    except AttributeError as error:
        print(error)
"""


def test_a_module_without_its_extra_names_it() -> None:
    module, name = run_program(WITHOUT_AN_EXTRA)[0].splitlines()
    assert module.startswith("conjoint.envs needs gymnasium") and "pip install 'conjoint[envs]'" in module
    assert name.endswith("did you mean 'conjoint.envs.BatchEnv'?")


def test_the_import_is_light() -> None:
    """It loads no NumPy and nothing of the package but a few small modules, and needs less than 0.1 s."""
    code = "import conjoint, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    own = {name for name in loaded if name.partition(".")[0] == "conjoint"}
    assert own == {"conjoint", "conjoint.lazy", "conjoint.once"} and "numpy" not in loaded


def test_modules_of_the_family_are_modules() -> None:
    assert all(isinstance(getattr(conjoint, name), ModuleType) for name in conjoint.MODULES)
