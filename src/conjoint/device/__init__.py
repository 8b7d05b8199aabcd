"""Devices that step worlds of a batch with a thread for each: GPUs and processors, by OpenCL."""

from __future__ import annotations

from typing import Any

from conjoint.lang.errors import ArgumentError

NAMES = ("opencl",)
"""Kinds of devices; a number after a colon chooses one of several."""


def open_device(name: str) -> Any:
    """Return a device by its name, such as "opencl" or "opencl:1".

    Raises:
        ValueError: there is no such kind of device.
        FatalError: there is no such device.
    """
    kind, _, number = name.partition(":")
    if kind not in NAMES or (number and not number.isdecimal()):
        raise ArgumentError(f"device must be 'cpu' or {' or '.join(map(repr, NAMES))}, not {name!r}")
    from conjoint.device.opencl import OpenCLDevice

    return OpenCLDevice(int(number or 0))
