"""Devices through OpenCL (needs the extra `opencl`): memory, programs in SPIR-V, and a queue of kernel launches.

See Khronos, The OpenCL Specification 3.0. PyOpenCL calls the driver.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.device.programs import kernels
from conjoint.lang.errors import FatalError
from conjoint.lang.frontend.threads import SPIRV, for_opencl
from conjoint.lang.objects.compile_worker import Target
from conjoint.lang.optional_packages import missing

RUNTIME = Path(sys.prefix) / "lib" / "libintelocl.so"
"""Path of Intel's OpenCL runtime for processors, if the package `intel-opencl-rt` is installed."""


VENDORS = Path("/etc/OpenCL/vendors")
"""Directory in which installed OpenCL drivers register their libraries on Linux."""


def announce_runtime() -> None:
    """Register the OpenCL runtime of the Python environment, if no other driver is installed.

    This is necessary because the registration file in the runtime's package contains a wrong path.
    """
    if RUNTIME.exists() and "OCL_ICD_VENDORS" not in os.environ and not any(VENDORS.glob("*.icd")):
        os.environ["OCL_ICD_VENDORS"] = str(RUNTIME)


announce_runtime()
try:
    import pyopencl as cl
except ImportError as error:
    raise missing("opencl", "an OpenCL device", error) from None

GROUP = 64
"""Number of threads in a work group: two warps, or one wavefront."""


def devices() -> list[cl.Device]:
    """Return the devices whose drivers accept SPIR-V, GPUs first."""
    try:
        platforms = cl.get_platforms()
    except cl.LogicError:
        return []
    found = [device for platform in platforms for device in platform.get_devices() if takes_spirv(device)]
    return sorted(found, key=lambda device: not device.type & cl.device_type.GPU)


def gpu_count() -> int:
    """Return the number of GPUs whose drivers accept SPIR-V."""
    return sum(bool(device.type & cl.device_type.GPU) for device in devices())


def takes_spirv(device: cl.Device) -> bool:
    """Return True if the driver of a device accepts programs in SPIR-V."""
    try:
        return "SPIR-V" in str(device.il_version)
    except cl.Error:
        return False


class OpenCLDevice:
    """OpenCL device with a queue of its own, which executes all operations in order.

    Attributes:
        name: name of the device, as the driver reports it.
        driver: OpenCL version and driver version, which are a part of the cache keys of compiled programs.
        has_float64: True if the device supports double precision.
        target: target machine for LLVM.
    """

    target: Target = SPIRV

    def __init__(self, number: int = 0):
        """Open a device by its index in `devices`.

        Raises:
            FatalError: the device does not exist.
        """
        found = devices()
        if number >= len(found):
            raise FatalError(
                f"there is no OpenCL device {number} that accepts SPIR-V: {len(found)} found; install the driver of "
                "the graphics card, or for processors `pip install intel-opencl-rt`"
            )
        self._device = found[number]
        self.name, self.driver = self._device.name.strip(), f"{self._device.version} {self._device.driver_version}"
        self.has_float64 = "cl_khr_fp64" in self._device.extensions
        self._context = cl.Context([self._device])
        self._queue = cl.CommandQueue(self._context)

    def memory(self, nbytes: int) -> cl.Buffer:
        """Allocate uninitialized memory.

        Raises:
            FatalError: the device does not have enough memory.
        """
        try:
            return cl.Buffer(self._context, cl.mem_flags.READ_WRITE, max(nbytes, 1))
        except cl.Error as error:
            raise FatalError(
                f"{self.name} has no memory for {nbytes / 2**20:.0f} MB ({error}): use fewer worlds"
            ) from None

    def write(self, memory: cl.Buffer, rows: np.ndarray, first: int = 0, pitch: int = 0) -> None:
        """Copy rows of bytes from the host to device memory.

        Args:
            memory: device memory.
            rows: rows to copy, shape (n, nbytes).
            first: offset of the first row in `memory`, in bytes.
            pitch: distance between the starts of neighboring rows in `memory`, in bytes; 0 for rows without gaps.
        """
        self._move(memory, rows, first, pitch, True)

    def read(self, memory: cl.Buffer, rows: np.ndarray, first: int = 0, pitch: int = 0) -> None:
        """Copy rows of bytes from device memory into the host array `rows`; arguments as for `write`."""
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
        """Copy `count` rows of `width` bytes between two blocks of device memory.

        Args:
            source, target: device memory.
            first: offsets of the first row in `source` and in `target`, in bytes.
            pitches: distances between the starts of neighboring rows in `source` and in `target`, in bytes.
            count: number of rows.
            width: size of a row in bytes.
        """
        cl.enqueue_copy(
            self._queue, target, source, src_origin=(first[0], 0, 0), dst_origin=(first[1], 0, 0),
            region=(width, count, 1), src_pitches=(pitches[0],), dst_pitches=(pitches[1],),
        )  # fmt: skip

    def kernels(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Compile kernels for this device, as `conjoint.device.programs.kernels` does for any device."""
        return kernels(self, {name: for_opencl(text) for name, text in texts.items()})

    def program(self, code: bytes | memoryview, name: str, is_binary: bool = False) -> tuple[Any, bytes]:
        """Compile a program for this device, or load a compiled one.

        Args:
            code: SPIR-V, or the machine code that an earlier call returned.
            name: name of the kernel in the program.
            is_binary: True if `code` is machine code.

        Returns:
            The kernel, and the machine code of the program.

        Raises:
            FatalError: the driver rejects the program.
        """
        with warnings.catch_warnings():
            # PyOpenCL turns the compiler's output into warnings, even if the program is correct
            warnings.simplefilter("ignore")
            try:
                given = (self._context, [self._device], [bytes(code)]) if is_binary else (self._context, bytes(code))
                program = cl.Program(*given).build()
                return cl.Kernel(program, name), program.get_info(cl.program_info.BINARIES)[0]
            except cl.Error as error:
                raise FatalError(f"{self.name} cannot compile {name}: {str(error)[:500]}") from error

    def sequence(self, launches: Sequence[tuple[cl.Kernel, tuple]], count: int) -> Callable[[], None]:
        """Return a function that launches kernels one after another.

        Args:
            launches: kernels in order, each with its arguments.
            count: number of threads.
        """
        made = []
        for kernel, arguments in launches:
            # a kernel object stores its arguments, so each launch of a kernel needs its own object
            own = kernel.clone() if hasattr(kernel, "clone") else cl.Kernel(kernel.program, kernel.function_name)
            own.set_args(*arguments)
            made.append(own)
        threads = (-(-count // GROUP) * GROUP,)

        def run() -> None:
            for kernel in made:
                cl.enqueue_nd_range_kernel(self._queue, kernel, threads, (GROUP,))
            self._queue.flush()

        return run

    def array(self, memory: cl.Buffer, *_: Any) -> Any:
        """Raise an error, because memory of OpenCL devices cannot be shared with other libraries.

        Raises:
            FatalError: always.
        """
        raise FatalError(f"{self.name}: other libraries cannot read OpenCL memory; use the NumPy arrays of the batch")
