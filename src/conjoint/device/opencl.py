"""Devices by OpenCL (needs the extra `opencl`): memory, programs in SPIR-V, and a queue of launches.

See Khronos, The OpenCL Specification 3.0; PyOpenCL does the calls.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.device.programs import kernels
from conjoint.lang.errors import FatalError
from conjoint.lang.frontend.threads import SPIRV, for_opencl
from conjoint.lang.objects.compile_worker import Target
from conjoint.lang.optional_packages import missing

RUNTIME = Path(sys.prefix) / "lib" / "libintelocl.so"
"""Place of Intel's OpenCL runtime for processors, where the package `intel-opencl-rt` puts it."""


VENDORS = Path("/etc/OpenCL/vendors")
"""Folder in which drivers on Linux say where they are."""


def announce_runtime() -> None:
    """Let OpenCL's loader find the runtime of the environment where no driver is installed.

    The file of its package names another place.
    """
    if RUNTIME.exists() and "OCL_ICD_VENDORS" not in os.environ and not any(VENDORS.glob("*.icd")):
        os.environ["OCL_ICD_VENDORS"] = str(RUNTIME)


announce_runtime()
try:
    import pyopencl as cl
except ImportError as error:
    raise missing("opencl", "conjoint.device.opencl", error) from None

GROUP = 64
"""Threads of a work group: those of two warps, or of a wavefront."""


def devices() -> list[cl.Device]:
    """Return the devices that take SPIR-V, GPUs first."""
    try:
        platforms = cl.get_platforms()
    except cl.LogicError:
        return []
    found = [device for platform in platforms for device in platform.get_devices() if takes_spirv(device)]
    return sorted(found, key=lambda device: not device.type & cl.device_type.GPU)


def takes_spirv(device: cl.Device) -> bool:
    """Return True if programs can be made of SPIR-V."""
    try:
        return "SPIR-V" in str(device.il_version)
    except cl.Error:
        return False


class OpenCLDevice:
    """A device, with a queue of its own in which one thing follows the other.

    Attributes:
        name: what the driver calls it.
        driver: identifies the driver, for the cache of programs.
        has_float64: True if it computes in double precision.
        target: what LLVM compiles for.
    """

    target: Target = SPIRV

    def __init__(self, number: int = 0):
        """Open a device by its number in `devices`.

        Raises:
            FatalError: there is no such device.
        """
        found = devices()
        if number >= len(found):
            raise FatalError(
                f"there is no OpenCL device {number} that takes SPIR-V: {len(found)} found; a driver of the card, or "
                "`pip install intel-opencl-rt` for processors, brings one"
            )
        self._device = found[number]
        self.name, self.driver = self._device.name.strip(), f"{self._device.version} {self._device.driver_version}"
        self.has_float64 = "cl_khr_fp64" in self._device.extensions
        self._context = cl.Context([self._device])
        self._queue = cl.CommandQueue(self._context)

    def memory(self, nbytes: int) -> cl.Buffer:
        """Return new memory, which holds anything.

        Raises:
            FatalError: the device has no room for it.
        """
        try:
            return cl.Buffer(self._context, cl.mem_flags.READ_WRITE, max(nbytes, 1))
        except cl.Error as error:
            raise FatalError(
                f"{self.name} has no memory for {nbytes / 2**20:.0f} MB ({error}): use fewer worlds"
            ) from None

    def write(self, memory: cl.Buffer, rows: np.ndarray, first: int = 0, pitch: int = 0) -> None:
        """Write rows of bytes, shape (n, nbytes), `pitch` bytes apart, from byte `first` on."""
        self._move(memory, rows, first, pitch, True)

    def read(self, memory: cl.Buffer, rows: np.ndarray, first: int = 0, pitch: int = 0) -> None:
        """Read rows of bytes, as `write` writes them."""
        self._move(memory, rows, first, pitch, False)

    def _move(self, memory: cl.Buffer, rows: np.ndarray, first: int, pitch: int, into: bool) -> None:
        count, width = rows.shape
        if not rows.size:
            return
        where: dict[str, Any] = {
            "buffer_origin": (first, 0, 0), "host_origin": (0, 0, 0), "region": (width, count, 1),
            "buffer_pitches": (pitch or width,), "host_pitches": (width,), "is_blocking": True,
        }  # fmt: skip
        pair = (memory, rows) if into else (rows, memory)
        cl.enqueue_copy(self._queue, *pair, **where)

    def copy(
        self, source: cl.Buffer, target: cl.Buffer, first: tuple[int, int], pitches: tuple[int, int], count: int,
        width: int,
    ) -> None:  # fmt: skip
        """Copy `count` rows of `width` bytes: of both memories the first byte, and how far rows are apart."""
        cl.enqueue_copy(
            self._queue, target, source, src_origin=(first[0], 0, 0), dst_origin=(first[1], 0, 0),
            region=(width, count, 1), src_pitches=(pitches[0],), dst_pitches=(pitches[1],),
        )  # fmt: skip

    def kernels(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Return kernels, by name, from their modules in LLVM IR."""
        return kernels(self, {name: for_opencl(text) for name, text in texts.items()})

    def program(self, code: bytes | memoryview, name: str, is_binary: bool = False) -> tuple[Any, bytes]:
        """Return the kernel `name` of a program, and the program as the driver has compiled it.

        Args:
            code: SPIR-V, or what an earlier call returned.
            name: of the kernel.
            is_binary: whether it is that.

        Raises:
            FatalError: the driver does not take it.
        """
        with warnings.catch_warnings():
            # what a compiler says of a program without faults
            warnings.simplefilter("ignore")
            try:
                given = (self._context, [self._device], [bytes(code)]) if is_binary else (self._context, bytes(code))
                program = cl.Program(*given).build()
                return cl.Kernel(program, name), program.get_info(cl.program_info.BINARIES)[0]
            except cl.Error as error:
                raise FatalError(f"{self.name} cannot compile {name}: {str(error)[:500]}") from error

    def launch(self, kernel: Any, count: int, arguments: Sequence[Any]) -> None:
        """Let a kernel run in `count` threads, after all that was asked for before."""
        threads = -(-count // GROUP) * GROUP
        kernel(self._queue, (threads,), (GROUP,), *arguments)

    def finish(self) -> None:
        """Wait until all is done."""
        self._queue.finish()
