"""Device programs: kernels in LLVM IR, compiled by LLVM and by the driver, and cached on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from conjoint.lang.errors import FatalError
from conjoint.lang.objects import disk_cache
from conjoint.lang.objects.compile_pool import object_files
from conjoint.lang.objects.native import compiler_version


def kernels(device: Any, texts: Mapping[str, str]) -> dict[str, Any]:
    """Compile kernels for a device, or load them from the disk cache.

    Helper processes run LLVM, because a driver may contain another LLVM, which would conflict with it in one process.
    The machine code that the driver returns is cached per device and driver.

    Args:
        device: the device.
        texts: modules in LLVM IR, by kernel name.

    Returns:
        Kernels, by name.

    Raises:
        FatalError: the driver rejects a program.
    """
    names = {name: _file_name(device, name, text) for name, text in texts.items()}
    found = {}
    for name, file in names.items():
        if (code := disk_cache.load(file)) is not None:
            try:
                found[name] = device.program(code, name, is_binary=True)[0]
            except FatalError:
                # the state of the driver has changed, and it rejects this machine code: compile again
                continue
    missing = [name for name in texts if name not in found]
    if not missing:
        return found
    for i, made in object_files(len(missing), [texts[name] for name in missing], device.target):
        found[missing[i]], binary = device.program(made, missing[i])
        disk_cache.store(names[missing[i]], binary)
    return found


def _file_name(device: Any, name: str, text: str) -> str:
    """Return the name of a kernel's file in the disk cache."""
    what = repr((device.name, device.driver, device.target, compiler_version(), text))
    return f"{name}-{hashlib.sha256(what.encode()).hexdigest()[:32]}.device"
