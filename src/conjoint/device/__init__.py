"""Devices that step each world of a batch in a thread of its own: GPUs, and processors with an OpenCL driver."""

from __future__ import annotations

from typing import Any

from conjoint.lang.errors import ArgumentError, MissingExtraError

KINDS = ("cuda", "opencl")
"""Device types, in order of preference. In a device name, a number after a colon selects one of several devices."""


def open_device(name: str) -> Any:
    """Open a device by its name, such as "cuda" or "opencl:1".

    Raises:
        ValueError: the device type does not exist.
        FatalError: the device does not exist.
        MissingExtraError: the packages for this device type are not installed.
    """
    kind, _, number = name.partition(":")
    if kind not in KINDS or (number and not number.isdecimal()):
        names = ", ".join(map(repr, ("cpu", "auto", *KINDS)))
        raise ArgumentError(f"device must be one of {names}, or a type with a number such as 'cuda:1', not {name!r}")
    if kind == "cuda":
        from conjoint.device.cuda import CudaDevice

        return CudaDevice(int(number or 0))
    from conjoint.device.opencl import OpenCLDevice

    return OpenCLDevice(int(number or 0))


def automatic_device() -> str:
    """Return the name of the first GPU, or "cpu" if no GPU is available.

    A processor with an OpenCL driver does not count, because the CPU code of a batch is faster.
    """
    try:
        from conjoint.device.cuda import device_count

        if device_count():
            return "cuda"
    except MissingExtraError:
        pass
    try:
        from conjoint.device.opencl import gpu_count

        if gpu_count():
            return "opencl"
    except MissingExtraError:
        pass
    return "cpu"
