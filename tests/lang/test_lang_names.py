"""Names refer to kernels without importing them, so that a process that finds all code in the cache imports no kernels."""

from __future__ import annotations

import subprocess
import sys

import pytest

from conjoint.cli.catalogue import all_entries, all_stages
from conjoint.lang import Kernel
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.language.name import Name, kernel_of, name_of, value_of
from conjoint.runtime.stages import CONSTRAINT

physics = Name("conjoint.physics")

WARM = """
import sys, conjoint
m = conjoint.MjModel.from_xml_string('<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>')
d = conjoint.MjData(m)
conjoint.mj_kinematics(m, d)
found = [name.partition(".")[2] for name in sys.modules if name.startswith(("conjoint.physics.", "conjoint.solver."))]
print(*sorted(found))
print(*(name for name in ("conjoint.lang.frontend", "rich", "typer", "PIL") if name in sys.modules))
"""
EVERYTHING = """
import conjoint.mjcf.reader
from conjoint.cli.catalogue import all_entries
from conjoint.lang.language import name
assert all_entries()
for known in list(name._names.values()):
    name.value_of(known)
"""
LEAVES = {
    "physics.collision", "physics.collision.collider_table", "physics.collision.distance_table", "physics.pair_filter",
    "physics.passive_flags", "physics.plugin", "physics.plugin.plugin", "physics.plugins", "physics.row_storage",
    "physics.status",
}  # fmt: skip
"""Modules that contain tables and flags rather than stages; they may be imported."""


@pytest.mark.plain
def test_equal_names_are_one() -> None:
    assert physics.motion.com.com_pos is Name("conjoint.physics.motion").com.com_pos
    assert physics.sleep.awake.awake(physics.motion.com.com_pos) is physics.sleep.awake.awake(
        physics.motion.com.com_pos
    )
    assert repr(physics.constraint.jacobian.JACOBIANS[1]) == "conjoint.physics.constraint.jacobian.JACOBIANS[1]"
    assert name_of(physics.sleep.awake.awake(physics.motion.com.com_pos)) == "awake"


@pytest.mark.plain
def test_a_name_gives_what_it_names() -> None:
    from conjoint.physics.motion.com import com_pos
    from conjoint.physics.sleep.awake import awake

    assert value_of(physics.motion.com.com_pos) is com_pos
    assert kernel_of(physics.sleep.awake.awake(physics.motion.com.com_pos)) is awake(com_pos)
    assert value_of(com_pos) is com_pos
    with pytest.raises(AttributeError):
        value_of(physics.motion.com.nothing)
    with pytest.raises(ModuleNotFoundError):
        value_of(physics.nowhere)
    with pytest.raises(TypeError):
        iter(physics.constraint.jacobian.JACOBIANS)


@pytest.mark.plain
def test_every_stage_and_entry_names_a_kernel() -> None:
    works = [stage.work for stage in all_stages()] + [entry.work for entry in all_entries()]
    assert all(isinstance(kernel_of(work), Kernel) for work in works)
    assert sum(isinstance(work, Name) for work in works) > 200
    assert all(entry.parameters is not None for entry in all_entries())
    assert any("with_group" in repr(stage.work) for stage in CONSTRAINT)


@pytest.mark.plain
def test_every_name_in_a_module_is_there() -> None:
    """Every name that a module refers to exists, including names that are only imported for rare model elements."""
    subprocess.run([sys.executable, "-c", EVERYTHING], check=True)


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_a_process_imports_no_kernels_that_it_finds_compiled() -> None:
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    modules, others = done.stdout.splitlines()
    assert set(modules.split()) <= LEAVES
    assert others == ""
