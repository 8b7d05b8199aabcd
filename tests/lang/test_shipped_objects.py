"""The package contains precompiled kernels by processor type, so that nothing needs to be compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import conjoint
from conjoint.cli.catalogue import all_entries, all_stages, units
from conjoint.lang.calls.compiled import jit_enabled, unit_text
from conjoint.lang.objects import shipped_objects
from conjoint.lang.objects.cache_keys import rows_digest
from conjoint.lang.objects.compile_pool import object_files
from conjoint.lang.objects.compile_worker import object_file
from tools.check_wheels import FORMATS, LIBRARY
from tools.object_symbols import read_object

MODEL = """<mujoco><worldbody><body><joint type="slide" axis="0 0 1"/><geom size=".1"/></body></worldbody></mujoco>"""
PROGRAM = """
import sys
import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls import compiled
m = conjoint.MjModel.from_xml_string(sys.argv[1])
d = conjoint.MjData(m)
conjoint.mj_step(m, d)
Batch(m, 2, nthread=1).step()
made = [name for name, origin in compiled.origins.items() if "package" not in origin]
print(d.time, len(compiled.origins), "conjoint.lang.frontend" in sys.modules, *made)
"""


def test_an_archive_gives_back_what_was_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped_objects, "FOLDER", tmp_path)
    monkeypatch.setattr(shipped_objects, "kind", lambda: "linux-x86-64-v3")
    shipped_objects._index.cache_clear()
    shipped_objects.store(
        tmp_path / shipped_objects.archive_name("linux-x86-64-v3"), {"a": b"\n{}", "b": b"", "c": bytes(range(256))}, {}
    )
    assert [shipped_objects.load(key) for key in "abcd"] == [b"\n{}", b"", bytes(range(256)), None]
    shipped_objects._index.cache_clear()


def test_a_truncated_archive_has_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A truncated archive is ignored, and its kernels are compiled instead."""
    monkeypatch.setattr(shipped_objects, "FOLDER", tmp_path)
    monkeypatch.setattr(shipped_objects, "kind", lambda: "linux-x86-64-v3")
    shipped_objects._index.cache_clear()
    archive = tmp_path / shipped_objects.archive_name("linux-x86-64-v3")
    shipped_objects.store(archive, {"a": bytes(range(256))}, {})
    archive.write_bytes(archive.read_bytes()[:-120])
    assert shipped_objects.load("a") is None
    shipped_objects._index.cache_clear()


def test_everything_is_in_the_catalogue() -> None:
    """The catalog lists all stages of a step and all entries, for one world and for both precisions of a batch."""
    names = {stage.kernel.__name__ for stage in all_stages()}
    assert names > {
        "kinematics",
        "narrowphase_plane_box",
        "solve_newton",
        "euler",
        "muscle_actuation",
        "spatial_tendons",
    }
    assert len(all_entries()) > 10
    found = units({"float64": 4, "float32": 8})
    # these kernels run in the threads of a batch
    assert {"drive_worlds", "order_homes", "begin_anew"} <= {unit.kernel.__name__ for unit in found}
    realisations = {unit.realisation.name for unit in found}
    blocks = {"lanes-float64-4", "lanes-float32-8", "view-float64-4", "view-float32-8"}
    assert realisations == {"world", "world-exact"} | blocks


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
@pytest.mark.parametrize("name", shipped_objects.KINDS)
def test_kernels_compile_for_every_kind_of_processor(name: str) -> None:
    """Kernels with and without branches compile for every processor type, in the object format of its system."""
    kind = shipped_objects.KINDS[name]
    wanted = {"kinematics", "narrowphase_plane_box"}
    chosen = [u for u in units(kind.widths) if u.kernel.__name__ in wanted and u.realisation.base == "float64"]
    # kinematics has an additional variant for the constants of a model
    assert len(chosen) == 5
    for unit in chosen:
        code = object_file(unit_text(unit)[1], kind.target)
        found = read_object(code)
        family, machine = kind.system.split("-")
        assert (found.format, found.machine) == (FORMATS[family], machine)
        assert {n for n in found.missing if not n.startswith("slot.")} <= LIBRARY[family]


def run_copy(package: Path, cache: Path, optimize: str) -> list[str]:
    """Return the output of `PROGRAM` in a process with a copy of the package and a separate cache."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, MODEL],
        env={
            **os.environ, "PYTHONPATH": str(package.parent), "CONJOINT_CACHE_DIR": str(cache),
            "CONJOINT_OPTIMIZE": optimize,
        },
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_a_package_with_objects_compiles_nothing(tmp_path: Path) -> None:
    """With an archive for this machine, the first steps of worlds and batches compile nothing.

    The archive contains the objects that the same steps compile without it, as far as the catalog lists them.
    """
    package = tmp_path / "conjoint"
    shutil.copytree(Path(conjoint.__file__).parent, package, ignore=shutil.ignore_patterns("*.objects", "__pycache__"))
    name = shipped_objects.kind_here()
    if name is None:
        pytest.skip("no objects are shipped for this machine")
    kind = shipped_objects.KINDS[name]
    _, _, _, *made = run_copy(package, tmp_path / "first", "first")
    assert len(made) > 15
    wanted = {path.name.rsplit("-", 1)[0] for path in (tmp_path / "first").rglob("*.o")}
    labels = {key.rpartition("-")[0] for key in wanted}
    texts, keys = {}, {}
    for unit in units(kind.widths):
        if f"{unit.kernel.__name__}-{unit.realisation.name}" in labels:
            key, *text = unit_text(unit)
            keys[f"{rows_digest(unit)} {unit.place}"] = key
            if key in wanted:
                texts[key] = text
    order = [*texts]
    codes = object_files(len(order), (texts[key][0] for key in order), kind.target)
    objects = {order[i]: texts[order[i]][1].packed(code) for i, code in codes}
    shipped_objects.store(package / "objects" / shipped_objects.archive_name(name), objects, keys)
    time, count, front_end, *made = run_copy(package, tmp_path / "second", "late")
    assert float(time) == 0.002
    assert int(count) > 15
    assert made == []
    # nothing else is compiled or stored, and the front end is not needed
    assert list((tmp_path / "second").rglob("*.o")) == [] and front_end == "False"


def test_the_catalogue_needs_no_extra() -> None:
    """The catalog needs only the required packages, because wheel builds and `conjoint doctor` import it."""
    program = (
        "import sys; sys.modules.update(dict.fromkeys(('ray', 'gymnasium', 'matplotlib', 'moderngl', 'mujoco')));"
        "from conjoint.cli.catalogue import all_entries; assert all_entries()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
