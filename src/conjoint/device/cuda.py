"""NVIDIA GPUs through CUDA (needs the extra `cuda`): memory, programs in PTX, and graphs of launches.

See NVIDIA, CUDA C++ Programming Guide, "CUDA Graphs"; cuda-core and cuda-bindings call the driver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conjoint.device.programs import kernels
from conjoint.lang.errors import FatalError
from conjoint.lang.frontend.threads import NEWEST, for_nvidia, nvidia_target
from conjoint.lang.optional_packages import missing

try:
    from cuda.bindings import driver
    from cuda.core import Device, LaunchConfig, ObjectCode, Program, ProgramOptions, launch
    from cuda.core.utils import StridedMemoryView
except ImportError as error:
    raise missing("cuda", "conjoint.device.cuda", error) from None

BLOCK = 64
"""Threads in a thread block: two warps."""


def device_count() -> int:
    """Return the number of NVIDIA GPUs; 0 without a driver."""
    try:
        return len(Device.get_all_devices())
    except Exception:
        # cuda-core raises errors of several modules if the driver is missing or does not start
        return 0


class CudaDevice:
    """A GPU, with a stream of its own that runs all requests in order.

    Attributes:
        name: name of the card.
        driver: compute capability and driver version, which identify compiled programs in the cache.
        has_float64: True, because all cards have double precision.
        target: machine for which LLVM compiles.
    """

    has_float64 = True

    def __init__(self, number: int = 0):
        """Open a GPU by its number.

        Raises:
            FatalError: there is no such GPU, or no driver.
        """
        found = device_count()
        if number >= found:
            raise FatalError(
                f"there is no CUDA device {number}: {found} found; check that the card and its driver work (nvidia-smi)"
            )
        self._device = Device(number)
        self._device.set_current()
        self._stream = self._device.create_stream()
        capability = self._device.compute_capability
        self.name = self._device.name
        self.driver = f"sm_{capability.major}{capability.minor} driver {_answer(driver.cuDriverGetVersion())}"
        self.target = nvidia_target(min(10 * capability.major + capability.minor, NEWEST))

    def memory(self, nbytes: int) -> Any:
        """Allocate memory with undefined content.

        Raises:
            FatalError: the device has not enough memory.
        """
        self._device.set_current()
        try:
            return self._device.allocate(max(nbytes, 1), stream=self._stream)
        except Exception as error:
            raise FatalError(
                f"{self.name} has no memory for {nbytes / 2**20:.0f} MB ({error}): use fewer worlds"
            ) from None

    def write(self, memory: Any, rows: np.ndarray, first: int = 0, pitch: int = 0) -> None:
        """Write rows of bytes, shape (n, nbytes), to rows of memory that are `pitch` bytes apart and start at byte
        `first`.
        """
        given = np.ascontiguousarray(rows)
        self._copy(_on_host(given), _on_device(memory, first, pitch or rows.shape[1]), rows.shape)
        self.finish()

    def read(self, memory: Any, rows: np.ndarray, first: int = 0, pitch: int = 0) -> None:
        """Read rows of bytes into an array; arguments as in `write`."""
        self._copy(_on_device(memory, first, pitch or rows.shape[1]), _on_host(rows), rows.shape)
        self.finish()

    def copy(
        self, source: Any, target: Any, first: tuple[int, int], pitches: tuple[int, int], count: int, width: int
    ) -> None:
        """Copy `count` rows of `width` bytes.

        Args:
            source, target: memory.
            first: offset of the first byte, in both.
            pitches: distance of rows in bytes, in both.
            count: number of rows.
            width: bytes of a row.
        """
        ends = _on_device(source, first[0], pitches[0]), _on_device(target, first[1], pitches[1])
        self._copy(*ends, (count, width))

    def _copy(self, source: dict[str, Any], target: dict[str, Any], shape: tuple[int, ...]) -> None:
        """Copy rows between two places, in the order of the stream."""
        if not all(shape):
            return
        self._device.set_current()
        given = driver.CUDA_MEMCPY2D()
        for prefix, place in (("src", source), ("dst", target)):
            for name, value in place.items():
                setattr(given, prefix + name, value)
        given.Height, given.WidthInBytes = shape
        _answer(driver.cuMemcpy2DAsync(given, self._stream.handle))

    def kernels(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Return kernels, by name, from their modules in LLVM IR."""
        return kernels(self, {name: for_nvidia(text) for name, text in texts.items()})

    def program(self, code: bytes | memoryview, name: str, is_binary: bool = False) -> tuple[Any, bytes]:
        """Compile a program for this card.

        Args:
            code: PTX, or the second result of an earlier call.
            name: name of its kernel.
            is_binary: True for the latter.

        Returns:
            The kernel, and the program in machine code.

        Raises:
            FatalError: the driver rejects the program.
        """
        self._device.set_current()
        try:
            if is_binary:
                found = ObjectCode.from_cubin(bytes(code))
            else:
                options = ProgramOptions(arch=f"sm_{self._device.arch}")
                found = Program(bytes(code).decode(), "ptx", options).compile("cubin")
            return found.get_kernel(name), bytes(found.code)
        except Exception as error:
            # of several modules, without a common class
            raise FatalError(f"{self.name} cannot compile {name}: {str(error)[:500]}") from error

    def sequence(self, launches: Sequence[tuple[Any, tuple]], count: int) -> Callable[[], None]:
        """Return a function that runs kernels one after another, recorded as a CUDA graph.

        Args:
            launches: kernels with their arguments.
            count: number of threads.
        """
        self._device.set_current()
        config = LaunchConfig(grid=-(-count // BLOCK), block=BLOCK)
        building = self._device.create_graph_builder().begin_building()
        for kernel, arguments in launches:
            launch(building, config, kernel, *arguments)
        graph = building.end_building().complete()

        def run() -> None:
            self._device.set_current()
            graph.launch(self._stream)

        return run

    def array(self, memory: Any, first: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype) -> Any:
        """Return a part of memory as an array for other libraries, which read it without a copy (DLPack).

        Args:
            memory: memory of this device.
            first: offset of its first byte.
            shape: shape.
            strides: distances of neighboring elements in bytes.
            dtype: type of the numbers.
        """
        size = dtype.itemsize
        nbytes = sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) + size
        part = memory.from_handle(int(memory.handle) + first, nbytes, owner=memory)
        apart = tuple(step // size for step in strides)
        return StridedMemoryView.from_buffer(part, shape, apart, itemsize=size, dtype=dtype)

    def finish(self) -> None:
        """Wait until all requests are done."""
        self._stream.sync()


def _answer(given: tuple) -> Any:
    """Return the result of a call of the driver.

    Raises:
        FatalError: the driver reports an error.
    """
    status, *found = given
    if status != driver.CUresult.CUDA_SUCCESS:
        raise FatalError(f"the CUDA driver reports {status.name}")
    return found[0] if found else None


def _on_host(rows: np.ndarray) -> dict[str, Any]:
    """Return an array of rows, as the driver describes one side of a copy."""
    kind = driver.CUmemorytype.CU_MEMORYTYPE_HOST
    return {"MemoryType": kind, "Host": rows.ctypes.data, "Pitch": rows.shape[1]}


def _on_device(memory: Any, first: int, pitch: int) -> dict[str, Any]:
    """Return rows in memory of the device, as the driver describes one side of a copy."""
    kind = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    return {"MemoryType": kind, "Device": int(memory.handle) + first, "Pitch": pitch}
