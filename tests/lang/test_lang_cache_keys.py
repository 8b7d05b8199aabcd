"""Keys of the object cache are hashes of LLVM IR, and are reused until the package source changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import conjoint
from conjoint.lang import Field, Kernel
from conjoint.lang.calls import compiled
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.memory.realisation import WORLD, lanes
from conjoint.lang.objects import cache_keys
from conjoint.lang.objects.unit import Tangents, Unit
from conjoint.physics.collision.finding import narrowphase_of
from conjoint.physics.dynamics.energy import energy_vel
from conjoint.physics.motion.kinematics import kinematics
from conjoint.runtime.dual_stages import DUAL_DATA, DUAL_MODEL, dual_world
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.model import MODEL_ROWS

DUAL = Unit(energy_vel, dual_world(("d.qvel",)), DUAL_MODEL, DUAL_DATA)

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")

STEP = """
import sys, conjoint
{forbidden}
m = conjoint.MjModel.from_xml_string('<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>')
d = conjoint.MjData(m)
conjoint.mj_energyVel(m, d)
print(*(name for name in ("numba", "scipy", "PIL", "rich", "conjoint.lang.frontend") if name in sys.modules))
"""
FORBIDDEN = "import linecache; linecache.getlines = None"


def forgotten() -> None:
    """Clear the keys in memory, so that they are read from the file as in a new process."""
    cache_keys._file.cache_clear()
    cache_keys._name.cache_clear()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield an empty cache folder, with no keys in memory."""
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path))
    forgotten()
    yield tmp_path
    forgotten()


def unit(kernel: Kernel = kinematics, **changes) -> Unit:
    return Unit(kernel, **{"realisation": WORLD, "model": MODEL_ROWS, "data": DATA_ROWS} | changes)


def test_keys_are_kept_for_other_processes(folder: Path) -> None:
    """Cache keys persist across processes, and later processes can add keys."""
    assert cache_keys.known_key(unit()) is None
    for kernel, key in ((kinematics, "key1"), (energy_vel, "key2")):
        cache_keys.remember(unit(kernel), key)
        cache_keys.write_keys([unit(kernel)])
        forgotten()
    assert [cache_keys.known_key(unit(kernel)) for kernel in (energy_vel, kinematics)] == ["key2", "key1"]


@pytest.mark.parametrize(
    "changes",
    [{"realisation": lanes("float32", 16)}, {"parameters": ()}, {"data": (*DATA_ROWS, Field("other", "real"))}],
)
def test_what_a_key_depends_on_is_told_apart(folder: Path, changes: dict) -> None:
    cache_keys.remember(unit(), "key1")
    assert cache_keys.known_key(unit(**changes)) is None


def test_keys_of_other_source_are_not_trusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache_keys.remember(unit(), "key1")
    cache_keys.write_keys([unit()])
    monkeypatch.setattr(cache_keys, "source_state", lambda: "other")
    forgotten()
    assert cache_keys.known_key(unit()) is None


def test_kernels_are_told_apart_by_what_they_are_made_with(folder: Path) -> None:
    """Kernels that are built with different numbers or callees have different cache keys."""
    made = [narrowphase_of(n, collider) for n in (0, 1) for collider in (kinematics, energy_vel)]
    assert len({unit(kernel).place for kernel in made}) == len(made)


def test_keys_do_not_depend_on_what_was_read_before(folder: Path) -> None:
    """Cache keys do not depend on the order in which a process reads kernels."""
    wanted = ("com_pos", "kinematics", "make_M")
    program = """
import sys
from conjoint.lang.calls.compiled import unit_text
from conjoint.lang.memory.realisation import WORLD
from conjoint.lang.objects.unit import Unit
from conjoint.runtime.position_stages import COM_POS, KINEMATICS, MAKE_M
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS
kernels = {s.kernel.__name__: s.kernel for s in (*COM_POS, *KINEMATICS, *MAKE_M)}
print(*sorted(unit_text(Unit(kernels[name], WORLD, MODEL_ROWS, DATA_STRUCT))[0] for name in sys.argv[1:]))
"""
    keys = {
        subprocess.run([sys.executable, "-c", program, *names], capture_output=True, text=True, check=True).stdout
        for names in (wanted, wanted[::-1])
    }
    assert len(keys) == 1 and all(name in next(iter(keys)) for name in wanted)


CHANGES = """
import sys, conjoint
from conjoint.lang.calls import compiled
m = conjoint.MjModel.from_xml_string('<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>')
d = conjoint.MjData(m)
conjoint.mj_kinematics(m, d)
conjoint.mj_Euler(m, d)
print(*sorted(name.rpartition("-")[0] for name, origin in compiled.origins.items() if origin == "the compiler"))
"""


def test_a_changed_comment_compiles_nothing(tmp_path: Path) -> None:
    """A changed comment recompiles nothing; a changed formula recompiles only the kernels that use it."""
    package = tmp_path / "conjoint"
    shutil.copytree(Path(conjoint.__file__).parent, package, ignore=shutil.ignore_patterns("*.objects", "__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "CONJOINT_CACHE_DIR": str(tmp_path / "cache")}

    def made() -> list[str]:
        """Return the names of the stages that a new process compiles for kinematics and an Euler step."""
        command = [sys.executable, "-c", CHANGES]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()

    assert "kinematics-world" in made()
    for room in ("lang", "physics", "solver"):
        for path in (package / room).rglob("*.py"):
            path.write_text(path.read_text().replace("\n\n\n", "\n\n\n# another comment\n\n\n"))
    assert made() == []
    formulas = package / "physics" / "integration" / "integrate.py"
    text = formulas.read_text()
    assert "+ m.opt.timestep" in text
    formulas.write_text(text.replace("+ m.opt.timestep", "+ 2.0 * m.opt.timestep"))
    changed = made()
    assert "euler-world" in changed and "kinematics-world" not in changed


def test_a_process_that_finds_everything_reads_no_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If all code is in the cache, a process reads no source and imports no package that only the compiler needs."""
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path))
    for forbidden in ("", FORBIDDEN):
        code = STEP.format(forbidden=forbidden)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


def test_what_becomes_of_tangents_is_found_once(folder: Path) -> None:
    """The fields of a kernel that have tangents are determined once; later processes read their names from one file."""
    known, found = Tangents(["d.qpos"], ["d.qpos"], []), []

    def find() -> Tangents:
        found.append(1)
        return known

    for _ in range(2):
        for key in ("one", "other"):
            assert cache_keys.tangents_kept(key, DUAL, find) == known
        cache_keys.write_keys([DUAL])
        forgotten()
    assert len(found) == 2
    assert len(list(folder.rglob("tangents-*.json"))) == 1


def test_what_processes_find_at_the_same_time_is_kept(folder: Path) -> None:
    """When a process writes its cache entries, it keeps entries that other processes have written since it started."""
    for key in ("mine", "theirs"):
        # both processes read the folder before one of them writes
        forgotten()
        cache_keys.tangents_kept(key, DUAL, lambda: Tangents([], [], []))
        if key == "mine":
            mine = cache_keys._file_of("tangents", DUAL)
        else:
            cache_keys.write_keys([DUAL])
    mine.write()
    forgotten()
    for key in ("mine", "theirs"):
        cache_keys.tangents_kept(key, DUAL, lambda: pytest.fail("it was written"))


def test_tangents_are_read_from_objects_that_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the object of a kernel is cached, its list of fields with tangents is read from the object, not derived from source."""
    known = compiled.tangents_of(DUAL)
    assert "d.energy" in known.active
    compiled.load([DUAL])
    for path in folder.rglob("tangents-*"):
        path.unlink()
    forgotten()
    monkeypatch.setattr(compiled, "unit_text", lambda *unit: pytest.fail("the kernel is read"))
    assert compiled.tangents_of(DUAL) == known
