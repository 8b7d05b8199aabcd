"""Keys of units are remembered as long as the source of this package stays as it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conjoint.lang import Field, Kernel, kernel
from conjoint.lang.calls import compiled
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.memory.realisation import WORLD, lanes
from conjoint.lang.objects import cache_keys, disk_cache
from conjoint.lang.objects.unit import Tangents, Unit
from conjoint.physics.collision.finding import narrowphase_of
from conjoint.physics.dynamics.energy import energy_vel
from conjoint.physics.motion.kinematics import kinematics
from conjoint.runtime.dual_stages import DUAL_DATA, DUAL_MODEL, dual_world
from conjoint.schema.data import DATA_ROWS
from conjoint.schema.model import MODEL_ROWS

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")

STEP = """
import sys, conjoint
from conjoint.lang import Kernel
{forbidden}
m = conjoint.MjModel.from_xml_string('<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>')
d = conjoint.MjData(m)
conjoint.mj_energyVel(m, d)
print(*(name for name in ("numba", "scipy", "PIL", "rich", "conjoint.lang.frontend") if name in sys.modules))
"""
FORBIDDEN = "Kernel.digest = property(lambda kernel: 1 / 0)"


def forgotten() -> None:
    """What another process remembers."""
    cache_keys._file.cache_clear()
    cache_keys._name.cache_clear()


@pytest.fixture
def reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Kernel]:
    """Kernels whose source was read, with a cache folder of its own and nothing remembered in this process."""
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path))
    forgotten()
    found: list[Kernel] = []
    monkeypatch.setattr(Unit, "key", property(lambda unit: found.append(unit.kernel) or f"key{len(found)}"))
    return found


def unit(kernel: Kernel = kinematics, **changes) -> Unit:
    return Unit(kernel, **{"realisation": WORLD, "model": MODEL_ROWS, "data": DATA_ROWS} | changes)


def test_the_source_is_read_once(reads: list[Kernel]) -> None:
    """Also for a process that comes later and needs more."""
    assert cache_keys.keys_of([unit(), unit()]) == ["key1", "key1"]
    forgotten()
    assert cache_keys.keys_of([unit(), unit(energy_vel)]) == ["key1", "key2"]
    forgotten()
    assert cache_keys.keys_of([unit(energy_vel), unit()]) == ["key2", "key1"]
    assert reads == [kinematics, energy_vel]


@pytest.mark.parametrize(
    "changes",
    [{"realisation": lanes("float32", 16)}, {"parameters": ()}, {"data": (*DATA_ROWS, Field("other", "real"))}],
)
def test_what_a_key_depends_on_is_told_apart(reads: list[Kernel], changes: dict) -> None:
    assert cache_keys.keys_of([unit(), unit(**changes)]) == ["key1", "key2"]


def test_other_source_is_read(reads: list[Kernel], monkeypatch: pytest.MonkeyPatch) -> None:
    cache_keys.keys_of([unit()])
    monkeypatch.setattr(disk_cache, "SOURCE_STATE", "other")
    forgotten()
    assert cache_keys.keys_of([unit()]) == ["key2"]


@kernel
def elsewhere(m, d):
    d.time = 0.0


def test_kernels_of_others_are_read_always(reads: list[Kernel], tmp_path: Path) -> None:
    """Their source may change without notice; also that of one that a kernel of ours is made with."""
    made = narrowphase_of(0, elsewhere)
    for _ in range(2):
        cache_keys.keys_of([unit(elsewhere), unit(made)])
    assert reads == [elsewhere, made] * 2
    assert not list(tmp_path.iterdir())


def test_kernels_are_told_apart_by_what_they_are_made_with(reads: list[Kernel]) -> None:
    """Numbers and other kernels, in whatever process."""
    for _ in range(2):
        made = [unit(narrowphase_of(n, collider)) for n in (0, 1) for collider in (kinematics, energy_vel)]
        assert cache_keys.keys_of(made) == ["key1", "key2", "key3", "key4"]
        forgotten()


def test_a_process_that_finds_everything_reads_no_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither that nor any package that it takes only to make things."""
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path))
    for forbidden in ("", FORBIDDEN):
        code = STEP.format(forbidden=forbidden)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


def test_what_becomes_of_tangents_is_found_once(reads: list[Kernel], tmp_path: Path) -> None:
    """By reading the kernel; a process that comes later finds it in one file."""
    known, found = Tangents(["d.qpos"], ["d.qpos"], []), []

    def find() -> Tangents:
        found.append(1)
        return known

    for _ in range(2):
        for key in ("one", "other"):
            assert cache_keys.tangents_kept(key, unit(), find) == known
        cache_keys.write_tangents([unit()])
        forgotten()
    assert len(found) == 2
    assert len(list(tmp_path.rglob("tangents-*.json"))) == 1


def test_what_processes_find_at_the_same_time_is_kept(reads: list[Kernel]) -> None:
    """None of them takes away what another one has written since it began."""
    for key in ("mine", "theirs"):
        # both have looked into the folder before one of them writes
        forgotten()
        cache_keys.tangents_kept(key, unit(), lambda: Tangents([], [], []))
        if key == "mine":
            mine = cache_keys._file_of("tangents", unit())
        else:
            cache_keys.write_tangents([unit()])
    mine.write()
    forgotten()
    for key in ("mine", "theirs"):
        cache_keys.tangents_kept(key, unit(), lambda: pytest.fail("it was written"))


def test_tangents_are_read_from_objects_that_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that did not compile them, nor found what others wrote down, reads no kernel."""
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path))
    forgotten()
    dual = Unit(energy_vel, dual_world(("d.qvel",)), DUAL_MODEL, DUAL_DATA)
    known = compiled.tangents_of(dual)
    assert "d.energy" in known.active
    compiled.load([dual])
    forgotten()
    monkeypatch.setattr(compiled, "unit_text", lambda *unit: pytest.fail("the kernel is read"))
    assert compiled.tangents_of(dual) == known
    forgotten()
