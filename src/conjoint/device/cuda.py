"""NVIDIA GPUs through CUDA (needs the extra `cuda`): memory, programs in PTX, and graphs of kernel launches.

See NVIDIA, CUDA C++ Programming Guide, "CUDA Graphs". The packages cuda-core and cuda-bindings call the driver.
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
    raise missing("cuda", "a CUDA device", error) from None

BLOCK = 64
"""Number of threads in a thread block: two warps."""


def device_count() -> int:
    """Return the number of NVIDIA GPUs, or 0 if there is no driver."""
    try:
        return len(Device.get_all_devices())
    except Exception:
        # if the driver is missing or does not start, cuda-core raises exceptions of several modules
        return 0


class CudaDevice:
    """NVIDIA GPU with a stream of its own, which executes all operations in order.

    Attributes:
        name: name of the graphics card.
        driver: compute capability and driver version, which are a part of the cache keys of compiled programs.
        has_float64: True, because all NVIDIA GPUs support double precision.
        target: target machine for LLVM.
    """

    has_float64 = True

    def __init__(self, number: int = 0):
        """Open a GPU by its number.

        Raises:
            FatalError: the GPU does not exist, or there is no driver.
        """
        found = device_count()
        if number >= found:
            raise FatalError(
                f"there is no CUDA device {number}: {found} found; check the card and its driver with nvidia-smi"
            )
        self._device = Device(number)
        self._device.set_current()
        self._stream = self._device.create_stream()
        capability = self._device.compute_capability
        self.name = self._device.name
        self.driver = f"sm_{capability.major}{capability.minor} driver {_answer(driver.cuDriverGetVersion())}"
        self.target = nvidia_target(min(10 * capability.major + capability.minor, NEWEST))

    def memory(self, nbytes: int) -> Any:
        """Allocate uninitialized memory.

        Raises:
            FatalError: the device does not have enough memory.
        """
        self._device.set_current()
        try:
            return self._device.allocate(max(nbytes, 1), stream=self._stream)
        except Exception as error:
            raise FatalError(
                f"{self.name} has no memory for {nbytes / 2**20:.0f} MB ({error}): use fewer worlds"
            ) from None

    def write(self, memory: Any, rows: np.ndarray, first: int = 0, pitch: int = 0) -> None:
        """Copy rows of bytes from the host to device memory.

        Args:
            memory: device memory.
            rows: rows to copy, shape (n, nbytes).
            first: offset of the first row in `memory`, in bytes.
            pitch: distance between the starts of neighboring rows in `memory`, in bytes; 0 for rows without gaps.
        """
        given = np.ascontiguousarray(rows)
        self._copy(_on_host(given), _on_device(memory, first, pitch or rows.shape[1]), rows.shape)
        self.finish()

    def read(self, memory: Any, rows: np.ndarray, first: int = 0, pitch: int = 0) -> None:
        """Copy rows of bytes from device memory into the host array `rows`; arguments as for `write`."""
        self._copy(_on_device(memory, first, pitch or rows.shape[1]), _on_host(rows), rows.shape)
        self.finish()

    def copy(
        self, source: Any, target: Any, first: tuple[int, int], pitches: tuple[int, int], count: int, width: int
    ) -> None:
        """Copy `count` rows of `width` bytes between two blocks of device memory.

        Args:
            source, target: device memory.
            first: offsets of the first row in `source` and in `target`, in bytes.
            pitches: distances between the starts of neighboring rows in `source` and in `target`, in bytes.
            count: number of rows.
            width: size of a row in bytes.
        """
        ends = _on_device(source, first[0], pitches[0]), _on_device(target, first[1], pitches[1])
        self._copy(*ends, (count, width))

    def _copy(self, source: dict[str, Any], target: dict[str, Any], shape: tuple[int, ...]) -> None:
        """Enqueue a copy of rows on the stream.

        Args:
            source, target: results of `_on_host` or `_on_device`.
            shape: number of rows, and size of a row in bytes.
        """
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
        """Compile kernels for this GPU, as `conjoint.device.programs.kernels` does for any device."""
        return kernels(self, {name: for_nvidia(text) for name, text in texts.items()})

    def program(self, code: bytes | memoryview, name: str, is_binary: bool = False) -> tuple[Any, bytes]:
        """Compile a program for this GPU, or load a compiled one.

        Args:
            code: PTX, or the machine code that an earlier call returned.
            name: name of the kernel in the program.
            is_binary: True if `code` is machine code.

        Returns:
            The kernel, and the machine code of the program.

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
            # these exceptions come from several modules and have no common base class
            raise FatalError(f"{self.name} cannot compile {name}: {str(error)[:500]}") from error

    def sequence(self, launches: Sequence[tuple[Any, tuple]], count: int) -> Callable[[], None]:
        """Record kernel launches as a CUDA graph, and return a function that runs it.

        Args:
            launches: kernels in order, each with its arguments.
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
        """Return a view of device memory that other libraries can read without a copy (DLPack).

        Args:
            memory: memory of this device.
            first: offset of the first element in bytes.
            shape: shape of the view.
            strides: distance between neighboring elements along each axis, in bytes.
            dtype: element type.
        """
        size = dtype.itemsize
        nbytes = sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) + size
        part = memory.from_handle(int(memory.handle) + first, nbytes, owner=memory)
        apart = tuple(step // size for step in strides)
        return StridedMemoryView.from_buffer(part, shape, apart, itemsize=size, dtype=dtype)

    def finish(self) -> None:
        """Wait until all enqueued operations have finished."""
        self._stream.sync()


def _answer(given: tuple) -> Any:
    """Check the status that a driver call returned, and return the call's result.

    Raises:
        FatalError: the driver reports an error.
    """
    status, *found = given
    if status != driver.CUresult.CUDA_SUCCESS:
        raise FatalError(f"the CUDA driver reports {status.name}")
    return found[0] if found else None


def _on_host(rows: np.ndarray) -> dict[str, Any]:
    """Describe a host array of rows as the source or target of a copy.

    The keys of the result are suffixes of field names of `CUDA_MEMCPY2D`.
    """
    kind = driver.CUmemorytype.CU_MEMORYTYPE_HOST
    return {"MemoryType": kind, "Host": rows.ctypes.data, "Pitch": rows.shape[1]}


def _on_device(memory: Any, first: int, pitch: int) -> dict[str, Any]:
    """Describe rows in device memory as the source or target of a copy, as `_on_host` does for an array."""
    kind = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    return {"MemoryType": kind, "Device": int(memory.handle) + first, "Pitch": pitch}
