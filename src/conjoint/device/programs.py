"""Programs of a device: stages in LLVM IR, compiled by LLVM and by the driver, and kept for later processes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from conjoint.lang.errors import FatalError
from conjoint.lang.objects import disk_cache
from conjoint.lang.objects.compile_pool import object_files
from conjoint.lang.objects.native import compiler_version


def kernels(device: Any, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return kernels of a device, by name, from their modules in LLVM IR.

    Helper processes compile them, since LLVM and a driver that has its own do not go together in one process. What the
    driver makes of them is kept, by device and driver.

    Raises:
        FatalError: the driver does not take one of them.
    """
    names = {name: _file_name(device, name, text) for name, text in texts.items()}
    found = {}
    for name, file in names.items():
        if (code := disk_cache.load(file)) is not None:
            try:
                found[name] = device.program(code, name, is_binary=True)[0]
            except FatalError:
                # of another state of the driver
                continue
    missing = [name for name in texts if name not in found]
    if not missing:
        return found
    for i, made in object_files(len(missing), [texts[name] for name in missing], device.target):
        found[missing[i]], binary = device.program(made, missing[i])
        disk_cache.store(names[missing[i]], binary)
    return found


def _file_name(device: Any, name: str, text: str) -> str:
    """Return the name in the cache."""
    what = repr((device.name, device.driver, device.target, compiler_version(), text))
    return f"{name}-{hashlib.sha256(what.encode()).hexdigest()[:32]}.device"
