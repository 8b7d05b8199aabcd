"""Functions that depend on the operating system, the processor or the Python version, tested by emulating other systems."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any

import llvmlite.binding
import pytest

from conjoint.lang import system
from conjoint.lang.memory.realisation import default_width
from conjoint.lang.objects import disk_cache, native, shipped_objects
from conjoint.lang.system import (
    library_symbols,
    processor_features,
    processor_name,
    processors,
    system_name,
    user_cache_folder,
    user_id,
)


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Yield a function that emulates a system and its machine name."""

    def fake(name: str, machine: str = "x86_64") -> None:
        monkeypatch.setattr(platform, "system", lambda: name)
        monkeypatch.setattr(platform, "machine", lambda: machine)

    forget = processor_features, library_symbols, shipped_objects.kind
    for made in forget:
        made.cache_clear()
    yield fake
    for made in forget:
        made.cache_clear()


@pytest.mark.parametrize(
    ("name", "machine", "build", "known"),
    [
        ("Linux", "x86_64", "", "linux-x86_64"),
        ("Linux", "aarch64", "", "linux-aarch64"),
        ("Linux", "armv7l", "", ""),
        ("Linux", "riscv64", "", ""),
        ("Darwin", "arm64", "", "macos-aarch64"),
        ("Darwin", "x86_64", "", "macos-x86_64"),
        ("Windows", "AMD64", "win-amd64", "windows-x86_64"),
        # an x86-64 build of Python on Windows for ARM
        ("Windows", "ARM64", "win-amd64", "windows-x86_64"),
        ("Windows", "ARM64", "win-arm64", "windows-aarch64"),
        ("FreeBSD", "amd64", "", ""),
    ],
)
def test_names_of_systems(on: Any, monkeypatch, name: str, machine: str, build: str, known: str) -> None:
    on(name, machine)
    monkeypatch.setattr(sysconfig, "get_platform", lambda: build)
    assert system_name() == known
    monkeypatch.setattr(sys, "maxsize", 2**31 - 1)
    assert system_name() == ""


@pytest.mark.parametrize(
    ("name", "machine", "lacking", "kind"),
    [
        ("Linux", "x86_64", (), "linux-x86-64-v4"),
        ("Linux", "x86_64", ("avx512f",), "linux-x86-64-v3"),
        ("Linux", "x86_64", ("avx512bw",), "linux-x86-64-v3"),
        ("Linux", "x86_64", ("avx512f", "fma"), None),
        ("Windows", "AMD64", (), "windows-x86-64-v4"),
        ("Windows", "AMD64", ("avx512f",), "windows-x86-64-v3"),
        ("Linux", "aarch64", shipped_objects.V4, "linux-aarch64"),
        ("Darwin", "arm64", shipped_objects.V4, "macos-arm64"),
        ("Darwin", "x86_64", (), None),
    ],
)
def test_kinds_of_processors(on: Any, monkeypatch, name: str, machine: str, lacking, kind: str | None) -> None:
    on(name, machine)
    monkeypatch.setattr(sysconfig, "get_platform", lambda: "win-amd64")
    features = {feature: feature not in lacking for feature in shipped_objects.V4}
    monkeypatch.setattr(llvmlite.binding, "get_host_cpu_features", lambda: features)
    assert shipped_objects.kind_here() == kind


def test_a_processor_that_llvm_does_not_know(on: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a processor unknown to LLVM, code is compiled for the processor name alone, and blocks have the smallest width.

    On macOS for ARM, the binding raises an error for such processors.
    """

    def unknown() -> None:
        raise RuntimeError("failed to get host cpu features.")

    monkeypatch.setattr(llvmlite.binding, "get_host_cpu_features", unknown)
    assert (default_width("float64"), default_width("float32")) == (4, 8)
    native.host.cache_clear()
    assert native.host().features == ""
    native.host.cache_clear()


def test_processors_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("process_cpu_count", "sched_getaffinity"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert processors() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processors() == 1
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 3, 5}, raising=False)
    assert processors() == 3
    monkeypatch.setattr(os, "process_cpu_count", lambda: 2, raising=False)
    assert processors() == 2


def test_names_of_processors(on: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    on("Darwin", "arm64")
    monkeypatch.setattr(system, "_of_kernel", lambda name: {"machdep.cpu.brand_string": "Apple M3"}[name])
    assert processor_name() == "Apple M3"
    on("Windows", "AMD64")
    registry = types.ModuleType("winreg")
    registry.HKEY_LOCAL_MACHINE = 0
    registry.OpenKey = lambda root, place: contextlib.nullcontext()
    registry.QueryValueEx = lambda key, name: ({"ProcessorNameString": "AMD Ryzen "}[name], 1)
    monkeypatch.setitem(sys.modules, "winreg", registry)
    assert processor_name() == "AMD Ryzen"
    # missing information is not an error
    monkeypatch.setitem(sys.modules, "winreg", None)
    monkeypatch.setattr(platform, "processor", lambda: "Intel64 Family 6")
    assert processor_name() == "Intel64 Family 6"
    on("Linux")
    monkeypatch.setattr(Path, "read_text", lambda *rest, **named: "processor : 0\nmodel name\t: Quick 9\n")
    assert processor_name() == "Quick 9"


@pytest.mark.parametrize(
    ("name", "environment", "wanted"),
    [
        ("Linux", {}, "home/.cache/conjoint"),
        ("Linux", {"XDG_CACHE_HOME": "ROOT/xdg"}, "xdg/conjoint"),
        ("Darwin", {}, "home/Library/Caches/conjoint"),
        ("Windows", {"LOCALAPPDATA": "ROOT/local"}, "local/conjoint"),
        ("Windows", {}, "home/AppData/Local/conjoint"),
    ],
)
def test_folders_of_caches(on: Any, monkeypatch, tmp_path: Path, name: str, environment, wanted: str) -> None:
    on(name)
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value.replace("ROOT", str(tmp_path)))
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    assert user_cache_folder() == tmp_path / wanted


def test_where_users_have_no_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On Windows, which has no user ids, a folder in the user's profile counts as the user's own."""
    monkeypatch.delattr(os, "geteuid")
    assert user_id() is None
    assert disk_cache.refusal(tmp_path / "not there") == ""


def test_a_file_that_another_process_reads_is_kept_already(monkeypatch, tmp_path: Path, recwarn) -> None:
    """If another process reads a cached file, so that Windows refuses to replace it, the old file with the same contents remains."""
    monkeypatch.setenv("CONJOINT_CACHE_DIR", str(tmp_path))
    name = f"a-{'0' * 16}.o"

    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(13, "The process cannot access the file because it is being used by another process")

    disk_cache.store(name, b"code")
    monkeypatch.setattr(os, "replace", refuse)
    disk_cache.store(name, b"code")
    assert [path.name for path in (tmp_path / "conjoint").iterdir()] == [name]
    assert bytes(disk_cache.load(name)) == b"code" and not recwarn.list


def test_functions_of_the_system_on_windows(on: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows, compiled functions with large stack frames find the system function that they call."""
    assert library_symbols() == {}
    library_symbols.cache_clear()
    on("Windows", "AMD64")
    process = ctypes.CDLL(None)
    requested = []

    class System:
        def __getitem__(self, name: str) -> Any:
            requested.append(name)
            return process.memset

    monkeypatch.setattr(ctypes, "CDLL", lambda name: System() if name == "ntdll" else None)
    found = library_symbols()
    assert set(found) == set(requested) == {"__chkstk", "memcpy", "memmove", "memset"}
    assert set(found.values()) == {ctypes.cast(process.memset, ctypes.c_void_p).value}
