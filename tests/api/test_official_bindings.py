"""MuJoCo's own tests of its Python bindings, taken from the installed package and run against Conjoint.

They run in a separate process, in which `import mujoco` imports Conjoint. Tests that are known to fail are listed with
the reason; it is also an error if a listed test passes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from conjoint.lang.calls.compiled import jit_enabled
from waiting import PATIENCE

KNOWN: dict[str, dict[str, str]] = {
    "bindings_test": {
        "test_can_raise_error": "there is no stack that could overflow",
        "test_realloc_con_efc": "a private function of the official package",
        "test_timer_installed_by_default": "timers run with mjcb_time only: measuring takes longer than some stages",
    },
    "specs_test": {"test_kwarg": "an error lists keywords in the order of the XML reference"},
    "rollout_test": {},
    "minimize_test": {},
    "memory_leak_test": {},
    "msh2obj_test": {},
    "viewer_test": {},
    "render_test": {},
    "renderer_test": {},
}
"""Tests that are known to fail, with the reason, by test file of MuJoCo."""

PROGRAM = """
import importlib.util, json, os, sys, unittest

folder = importlib.util.find_spec("mujoco").submodule_search_locations[0]
import conjoint

conjoint.install_as_mujoco()
from etils import epath

# data of the tests lie in the official package
epath.resource_path = lambda package: epath.Path(folder)
place = importlib.util.spec_from_file_location("official", os.path.join(folder, sys.argv[1] + ".py"))
sys.modules["official"] = official = importlib.util.module_from_spec(place)
place.loader.exec_module(official)
module = next(name for name in ("mujoco", "minimize", "viewer") if hasattr(official, name))
found = getattr(official, module)
assert found.__file__ == conjoint.__file__ if module == "mujoco" else found.__name__ == f"conjoint.{module}"
result = unittest.TestResult()
unittest.defaultTestLoader.loadTestsFromModule(official).run(result)
failed = {test.id().rpartition(".")[2]: text for test, text in result.failures + result.errors}
print(json.dumps([result.testsRun, failed]))
"""


DRAWN = ("render_test", "renderer_test")
"""Test files that need OpenGL, here through EGL."""


def draws() -> bool:
    """Return True if OpenGL is available, tested in a separate process."""
    code = "from conjoint.render.context import make_context; make_context('egl')"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=PATIENCE).returncode == 0


@pytest.mark.skipif(find_spec("mujoco") is None, reason="the official package is not installed")
@pytest.mark.skipif(not jit_enabled(), reason="minutes of uncompiled steps")
@pytest.mark.parametrize("name", KNOWN)
def test_official_tests_pass(name: str, tmp_path: Path) -> None:
    if name in DRAWN and not draws():
        pytest.skip("there is no OpenGL here")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, name],
        cwd=tmp_path,
        env={**os.environ, "MUJOCO_GL": "egl"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    count, failed = json.loads(done.stdout.splitlines()[-1])
    assert count > len(failed)
    unexpected = {test: text for test, text in failed.items() if test not in KNOWN[name]}
    assert not unexpected, "\n".join(f"{test}: {text[-600:]}" for test, text in unexpected.items())
    assert sorted(failed) == sorted(KNOWN[name])
