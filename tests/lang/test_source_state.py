"""The digest of the package source depends on file contents, not only on sizes and times."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import conjoint

PRINT = """
import sys
from conjoint.lang.objects import source_state
source_state.SETTLED = int(sys.argv[1])
reads = []
read = source_state.source_digest
source_state.source_digest = lambda: reads.append(1) or read()
print(source_state.source_state(), len(reads))
"""


def digest(source: Path, cache: Path, settled: int = 0) -> tuple[str, bool]:
    """Return the digest that a new process computes for a copy of the package, and True if it read the files."""
    env = os.environ | {"PYTHONPATH": str(source), "CONJOINT_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", PRINT, str(settled)]
    printed = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.split()
    return printed[0], printed[1] != "0"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return the folder of a copy of those parts of the package that compute its digest."""
    source, target = Path(conjoint.__file__).parent, tmp_path / "one" / "conjoint"
    for name in ("lang", "physics/integration"):
        shutil.copytree(source / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("once.py", "lazy.py"):
        shutil.copy2(source / name, target / name)
    (target / "__init__.py").write_text("")
    return target.parent


def rewritten(path: Path, old: str, new: str) -> None:
    """Replace text in a file without changing the file's size and modification time."""
    text, status = path.read_text(), path.stat()
    assert old in text and len(old) == len(new)
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)


def test_other_contents_of_equal_size_and_time_are_another_state(copied: Path, tmp_path: Path) -> None:
    file = copied / "conjoint" / "physics" / "integration" / "integrate.py"
    first, read = digest(copied, tmp_path)
    assert read and digest(copied, tmp_path) == (first, False)
    rewritten(file, "+ d.advance_acc", "- d.advance_acc")
    second, read = digest(copied, tmp_path)
    assert read and second != first
    # restored contents have the first digest again
    rewritten(file, "- d.advance_acc", "+ d.advance_acc")
    assert digest(copied, tmp_path)[0] == first


def test_a_copy_at_another_place_and_time_is_the_same_state(copied: Path, tmp_path: Path) -> None:
    shutil.copytree(copied, tmp_path / "two", copy_function=shutil.copyfile)
    assert digest(copied, tmp_path)[0] == digest(tmp_path / "two", tmp_path)[0]


def test_what_an_installer_recorded_is_looked_at(copied: Path, tmp_path: Path) -> None:
    """The source digest includes RECORD, because images can have equal inode numbers and timestamps."""
    digest(copied, tmp_path)
    assert not digest(copied, tmp_path)[1]
    record = copied / "conjoint-0.1.0.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("conjoint/__init__.py,sha256=47DEQpj8HBSa,0\n")
    assert digest(copied, tmp_path)[1] and not digest(copied, tmp_path)[1]


def test_files_that_have_just_changed_are_read_every_time(copied: Path, tmp_path: Path) -> None:
    """A recently changed file is always read, because it may change again within the time resolution of the file system."""
    for _ in range(2):
        assert digest(copied, tmp_path, settled=3600 * 10**9)[1]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no time of changes")
def test_a_mesh_file_is_known_by_the_time_of_its_change(tmp_path: Path) -> None:
    """A rewritten mesh file is reloaded within a process, even if its size and modification time are unchanged."""
    xml = f'<mujoco><compiler meshdir="{tmp_path}"/><asset><mesh name="m" file="m.obj"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>'
    sizes = []
    path = tmp_path / "m.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n")
    for new in ("v 1 0 0", "v 2 0 0"):
        rewritten(path, "v 1 0 0", new)
        sizes.append(float(conjoint.MjModel.from_xml_string(xml).geom_aabb[0, 3:].max()))
    assert sizes[1] > 1.2 * sizes[0]
