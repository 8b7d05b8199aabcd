"""Differences between operating systems and Python versions; all other modules are independent of them."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conjoint.once import MAKING, made_once

SYSTEMS = {"Linux": "linux", "Darwin": "macos", "Windows": "windows"}
"""System names in wheel file names of this package, by the value of `platform.system`."""

MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
"""Processor names of this package, by the names that operating systems use."""


def system_name() -> str:
    """Return the system and processor that this Python was built for, such as "linux-x86_64"; "" if unknown."""
    machine = platform.machine()
    if platform.system() == "Windows":
        # a Python for x86-64 also runs on Windows for ARM, where `platform.machine` names the machine's processor
        machine = sysconfig.get_platform().rpartition("-")[2]
    known = SYSTEMS.get(platform.system()), MACHINES.get(machine.lower())
    return f"{known[0]}-{known[1]}" if all(known) and sys.maxsize > 1 << 32 else ""


def processors() -> int:
    """Return the number of processors that this process may use."""
    # Python 3.13 and later
    if hasattr(os, "process_cpu_count"):
        return os.process_cpu_count() or 1
    # not on macOS and Windows
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@made_once
def processor_features() -> Mapping[str, bool]:
    """Return the features of this processor by their LLVM names.

    The result is empty if LLVM does not know them, as on macOS for ARM.
    """
    with MAKING.held:
        from llvmlite import binding
    try:
        return dict(binding.get_host_cpu_features())
    except RuntimeError:
        return {}


def processor_name() -> str:
    """Return the model name of the processor, as the system reports it."""
    try:
        if platform.system() == "Darwin":
            return _of_kernel("machdep.cpu.brand_string")
        if platform.system() == "Windows":
            return _of_registry(r"HARDWARE\DESCRIPTION\System\CentralProcessor\0", "ProcessorNameString")
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except (OSError, ImportError):
        pass
    return platform.processor() or platform.machine()


def _of_kernel(name: str) -> str:
    """Return a text that the macOS kernel stores under `name` (man 3 sysctlbyname)."""
    library: Any = ctypes.CDLL(None)
    room = ctypes.create_string_buffer(256)
    size = ctypes.c_size_t(len(room))
    if library.sysctlbyname(name.encode(), room, ctypes.byref(size), None, ctypes.c_size_t(0)):
        raise OSError(f"no {name}")
    return room.value.decode(errors="replace").strip()


def _of_registry(place: str, name: str) -> str:
    """Return a text stored in the Windows registry."""
    import winreg

    # type checkers for other systems know no names of this module
    registry: Any = winreg
    with registry.OpenKey(registry.HKEY_LOCAL_MACHINE, place) as key:
        return str(registry.QueryValueEx(key, name)[0]).strip()


def user_cache_folder() -> Path:
    """Return this package's folder inside the user's cache folder."""
    try:
        if platform.system() == "Windows":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        elif platform.system() == "Darwin":
            base = Path.home() / "Library" / "Caches"
        else:
            named = Path(os.environ.get("XDG_CACHE_HOME", ""))
            # a relative path must be ignored (XDG Base Directory Specification)
            base = named if named.is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        # some containers have users without a home folder
        return Path(tempfile.gettempdir()) / f"conjoint-{user_id()}"
    return base / "conjoint"


def user_id() -> int | None:
    """Return the id of the effective user of this process; None on Windows, which has none."""
    return os.geteuid() if hasattr(os, "geteuid") else None


@made_once
def library_symbols() -> Mapping[str, int]:
    """Return addresses of C library functions for machine code, on systems where LLVM does not find them itself.

    On Windows, no library that Python loads for its extensions contains them. Functions with large stack frames call
    the system function `__chkstk`, which makes the system map the frames' memory.
    """
    if platform.system() != "Windows":
        return {}
    library: Any = ctypes.CDLL("ntdll")
    found = {name: library[name] for name in ("__chkstk", "memcpy", "memmove", "memset")}
    return {name: ctypes.cast(function, ctypes.c_void_p).value or 0 for name, function in found.items()}
