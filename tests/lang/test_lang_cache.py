"""The cache key of a compiled stage covers all inputs, processes can share the cache, and cache errors never prevent a run."""

from __future__ import annotations

import errno
import importlib.util
import itertools
import os
import subprocess
import sys
import tempfile
import textwrap
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from conjoint.lang import Buffer, Field, Layout
from conjoint.lang.calls import compiled
from conjoint.lang.calls.compiled import jit_enabled, unit_text
from conjoint.lang.calls.fast_call import machine_call
from conjoint.lang.memory.realisation import WORLD, lanes
from conjoint.lang.objects import disk_cache
from conjoint.lang.objects.unit import Unit
from waiting import PATIENCE

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")

MODEL = (Field("n", "int"),)
DATA = (Field("x", "real", ("n",)), Field("y", "real", ("n",)))
SOURCE = """
import enum
from conjoint.lang import kernel, formula

class Kind(enum.IntEnum):
    ONE = {member}

FACTOR = {constant}

@formula("real", "real")
def scaled(x):
    return x * {formula}

@kernel
def helper(m, d, i):
    d.y[i] = scaled(d.x[i]) + {helper}

@kernel
def stage(m, d):
    for i in range(m.n):
        helper(m, d, i)
        d.y[i] = d.y[i] * FACTOR + Kind.ONE
"""
VALUES = {"member": 1, "constant": 2.0, "formula": 3.0, "helper": 4.0}

_numbers = itertools.count()


def module(folder: Path, **changes: float) -> ModuleType:
    """Return a new module with the kernels of SOURCE, in which some constants have changed values."""
    name = f"kernels{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(SOURCE.format(**VALUES | changes))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def key(kernels: ModuleType, realisation=WORLD, model=MODEL, data=DATA) -> str:
    return unit_text(Unit(kernels.stage, realisation, model, data))[0]


@pytest.mark.parametrize("what", VALUES)
def test_the_key_follows_everything_a_stage_uses(tmp_path: Path, what: str) -> None:
    """The cache key depends on enumeration members, constants, formulas and called kernels."""
    same, again, other = module(tmp_path), module(tmp_path), module(tmp_path, **{what: 7})
    assert key(same) == key(again)
    assert key(same) != key(other)


def test_the_key_follows_the_realisation_and_the_fields_in_use(tmp_path: Path) -> None:
    kernels = module(tmp_path)
    other_kind = (DATA[0], Field("y", "float", ("n",)))
    keys = [
        key(kernels), key(kernels, lanes("float64", 8)), key(kernels, lanes("float32", 8)),
        key(kernels, data=other_kind),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)


def test_other_fields_do_not_matter(tmp_path: Path) -> None:
    """Added or reordered fields cause no recompilation; the cached object works with any field order."""
    kernels = module(tmp_path)
    more = (Field("a", "real"), DATA[1], Field("z", "vec3", ("n",)), DATA[0])
    assert key(kernels) == key(kernels, data=more)
    for fields in (DATA, more):
        (address,) = compiled.stage_addresses([(kernels.stage, WORLD)], MODEL, fields)
        m, d = Buffer(Layout(MODEL, {"n": 4})), Buffer(Layout(fields, {"n": 4}))
        m.view("n")[...] = 4
        d.view("x")[...] = range(4)
        machine_call()(address, m.address, d.address, 0)
        assert d.view("y").tolist() == [(3.0 * x + 4.0) * 2.0 + 1 for x in range(4)]


def test_sizes_do_not_matter(tmp_path: Path) -> None:
    """Compiled code reads sizes from the model: one object serves all models."""
    kernels = module(tmp_path)
    assert key(kernels) == key(kernels, data=(Field("x", "real", (3,)), Field("y", "real", (5,))))


# ---- processes


PROGRAM = """
import ctypes, sys
sys.path.insert(0, {folder!r})
import kernels0 as kernels
from conjoint.lang import Buffer, Field, Layout
from conjoint.lang.calls import compiled
MODEL = (Field("n", "int"),)
DATA = (Field("x", "real", ("n",)), Field("y", "real", ("n",)))
made = []
compiled.progress = lambda names: made.append(list(names)) or (lambda name: None)
from conjoint.lang.memory.realisation import WORLD
(address,) = compiled.stage_addresses([(kernels.stage, WORLD)], MODEL, DATA)
m, d = Buffer(Layout(MODEL, dict(n=4))), Buffer(Layout(DATA, dict(n=4)))
m.view("n")[...] = 4
d.view("x")[...] = range(4)
ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * 3)(address)(m.address, d.address, 0)
print(len(made), "conjoint.lang.frontend" in sys.modules, *d.view("y"))
"""
EXPECTED = [(3.0 * x + 4.0) * 2.0 + 1 for x in range(4)]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that starts a process which compiles one stage, and the path of the process's cache folder."""
    (tmp_path / "kernels0.py").write_text(SOURCE.format(**VALUES))
    folder = tmp_path / "cache"
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(folder))

    def start() -> subprocess.Popen[str]:
        code = textwrap.dedent(PROGRAM).format(folder=str(tmp_path))
        return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start, folder


def outcome(process: subprocess.Popen[str]) -> tuple[int, bool, str]:
    """Return the number of compilations, True if the front end was loaded, and the warnings of a process.

    Fail if the process computed wrong numbers.
    """
    out, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    compiled, frontend, *numbers = out.split()
    assert [float(x) for x in numbers] == EXPECTED
    return int(compiled), frontend == "True", errors


def test_processes_that_fill_the_cache_at_once(program) -> None:
    """Processes that compile the same stage at once leave one complete file, which a later process only loads."""
    start, folder = program
    for process in [start() for _ in range(3)]:
        outcome(process)
    assert len(list((folder / "conjoint").glob("*.o"))) == 1
    assert outcome(start()) == (0, False, "")


def test_a_damaged_file_is_compiled_again(program) -> None:
    """A truncated file, as a full disk leaves it, is compiled again; it would crash the loader."""
    start, folder = program
    outcome(start())
    (path,) = (folder / "conjoint").glob("*.o")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert outcome(start())[:2] == (1, True)
    assert len(path.read_bytes()) > len(whole) // 2
    assert outcome(start()) == (0, False, "")


@pytest.mark.parametrize(
    "damage", [lambda b: b"", lambda b: b[:40], lambda b: b[:-1], lambda b: b[:50] + b"?" + b[51:], lambda b: b + b"?"]
)
def test_a_damaged_file_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage) -> None:
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path))
    disk_cache.store("a.o", bytes(100))
    path = disk_cache.cache_folder() / "a.o"
    path.write_bytes(damage(path.read_bytes()))
    assert disk_cache.load("a.o") is None


def test_without_a_folder_to_write_in(program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the cache folder cannot be created, kernels compile anyway, and one warning names `CONJOINT_CACHE_DIR`."""
    start, _ = program
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path / "file" / "cache"))
    compiled, _, errors = outcome(start())
    assert compiled == 1
    assert errors.count("cannot write the cache") == 1
    assert "CONJOINT_CACHE_DIR" in errors


def test_the_warning_comes_once_in_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        disk_cache.store("a.o", b"code")
        disk_cache.store("b.o", b"code")
    assert len(caught) == 1


def test_what_is_stored_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path / "deep" / "cache"))
    assert disk_cache.load("a.o") is None
    disk_cache.store("a.o", b"code")
    assert disk_cache.load("a.o") == b"code"
    assert [p.name for p in disk_cache.cache_folder().iterdir()] == ["a.o"]


# ---- permissions of the cache folder


def warned(monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[str]:
    """Return the warnings that occur when two objects are stored in, and loaded from, a cache folder that cannot contain files."""
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(folder))
    monkeypatch.setattr(disk_cache, "_judged", {})
    monkeypatch.setattr(disk_cache, "_refused", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for name in ("a.o", "b.o"):
            disk_cache.store(name, b"code")
            assert disk_cache.load(name) is None
    return [str(warning.message) for warning in caught]


def test_what_cannot_be_looked_at_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path))
    disk_cache.store("something.o", b"contents")
    assert disk_cache.holds("something.o") and not disk_cache.holds("nothing.o")
    # the name is too long for the file system
    assert not disk_cache.holds("x" * 5000)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no users and modes of POSIX")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
@pytest.mark.parametrize("inner", [False, True])
def test_a_folder_that_others_may_write_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, inner: bool
) -> None:
    """A cache folder that other users can write to is never used, because its files run as code."""
    (tmp_path / "conjoint").mkdir(0o700)
    open_one = tmp_path / "conjoint" if inner else tmp_path
    open_one.chmod(mode)
    (reported,) = warned(monkeypatch, tmp_path)
    assert f"chmod go-w {open_one}" in reported and "run as code" in reported
    assert not list((tmp_path / "conjoint").iterdir())
    open_one.chmod(0o700)
    monkeypatch.setattr(disk_cache, "_judged", {})
    disk_cache.store("a.o", b"code")
    assert disk_cache.load("a.o") == b"code"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no users and modes of POSIX")
def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = os.geteuid()
    (tmp_path / "conjoint").mkdir(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: user + 12345)
    if user == 0:
        # files that belong to root are trusted, because root can do anything
        os.chown(tmp_path / "conjoint", 54321, -1)
    (reported,) = warned(monkeypatch, tmp_path)
    assert "belongs to another user" in reported


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no users and modes of POSIX")
def test_a_folder_like_tmp_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sticky world-writable folder such as /tmp is accepted; new folders in it are private."""
    tmp_path.chmod(0o1777)
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path))
    disk_cache.store("a.o", b"code")
    assert disk_cache.load("a.o") == b"code"
    assert disk_cache.cache_folder().stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("what", ["a file", "a link to itself", "a long name", "not to be listed"])
def test_a_folder_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """An unusable cache folder causes one warning and no OSError."""
    place = tmp_path / ("x" * 300 if what == "a long name" else "place")
    if what == "a file":
        place.write_text("in the way")
    elif what == "a link to itself":
        place.symlink_to(place)
    if what == "not to be listed":
        monkeypatch.setattr(os, "scandir", refuse)
        monkeypatch.setattr(disk_cache, "load", lambda name: None)
    (reported,) = warned(monkeypatch, place)
    assert "cannot write the cache" in reported


def refuse(path: Path) -> None:
    raise PermissionError(errno.EACCES, "Permission denied", str(path))


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If the user has no home folder, as in a container, the cache is in the folder of temporary files."""

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("CONJOINT_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    disk_cache._cache_of_user.cache_clear()
    disk_cache.store("a.o", b"code")
    found = disk_cache.cache_folder()
    disk_cache._cache_of_user.cache_clear()
    assert found.parent == tmp_path and (found / "a.o").exists()


def test_the_folder_of_the_system_is_no_relative_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONJOINT_CACHE_DIR", raising=False)
    for given in ("", "cache"):
        monkeypatch.setenv("XDG_CACHE_HOME", given)
        disk_cache._cache_of_user.cache_clear()
        assert disk_cache.cache_folder().is_absolute()
    disk_cache._cache_of_user.cache_clear()


# ---- machine code


def test_a_loop_over_contiguous_fields_is_vectorised(tmp_path: Path) -> None:
    """A plain loop over the fields of one world is vectorized, because fields of a struct do not overlap."""
    from llvmlite import binding

    from conjoint.lang.frontend.module import stage_assembly

    features = binding.get_host_cpu_features()
    if not features.get("avx", False):
        pytest.skip("packed registers are looked for by their x86 names")
    path = tmp_path / "sums.py"
    path.write_text(
        "from conjoint.lang import kernel\n@kernel\ndef stage(m, d):\n"
        "    for i in range(m.n):\n        d.a[i] = d.b[i] * m.c[i] + d.e[i]\n"
    )
    spec = importlib.util.spec_from_file_location("sums", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    model = (*MODEL, Field("c", "real", ("n",)))
    text = stage_assembly(made.stage, WORLD, model, tuple(Field(name, "real", ("n",)) for name in "abe"))
    packed = [line for line in text.splitlines() if "pd" in line and ("%ymm" in line or "%zmm" in line)]
    assert any(word in line for line in packed for word in ("vfmadd", "vmulpd")), text
    # the entry is the only call: helpers are inlined
    assert "callq" not in text


def test_lanes_compile_to_packed_arithmetic(tmp_path: Path) -> None:
    """In lanes, the reals of eight worlds are one vector operand."""
    from llvmlite import binding

    from conjoint.lang.frontend.module import stage_assembly

    if not binding.get_host_cpu_features().get("avx", False):
        pytest.skip("packed registers are looked for by their x86 names")
    text = stage_assembly(module(tmp_path).stage, lanes("float64", 8), MODEL, DATA)
    assert any("pd" in line and ("%ymm" in line or "%zmm" in line) for line in text.splitlines())
    assert not any("mulsd" in line for line in text.splitlines())


def test_tables_hold_addresses_of_aligned_fields() -> None:
    buffer = Buffer(Layout(DATA, {"n": 3}))
    np.testing.assert_array_equal(buffer.table, [buffer.view("x").ctypes.data, buffer.view("y").ctypes.data])
    assert (buffer.table % 64 == 0).all()
