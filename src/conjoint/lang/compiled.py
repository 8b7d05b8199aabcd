"""Machine code of kernels: from the cache, or compiled now; and the driver that walks a table of stages."""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import cache, kept
from .kernel import Kernel
from .layout import Field
from .native import llvm, load_object, target_machine
from .realisation import Realisation

ENTRY = "conjoint_stage"

_lock = threading.RLock()
_addresses: dict[str, int] = {}
_engines: list[Any] = []

progress: Callable[[Sequence[str]], Callable[[str], None]] | None = None
"""Called with the names of stages about to be compiled; returns a function to call after each."""


def jit_enabled() -> bool:
    """False when CONJOINT_JIT=0: kernels run as plain Python."""
    return os.environ.get("CONJOINT_JIT", "1") != "0"


def _load(code: bytes | memoryview) -> int:
    """Load the object file of a stage; the address of its entry."""
    engine, address = load_object(code, ENTRY)
    _engines.append(engine)
    return address


def stage_addresses(
    kernels: Sequence[tuple[Kernel, Realisation]], model_fields: tuple[Field, ...], data_fields: tuple[Field, ...]
) -> list[int]:
    """Addresses of stages `int32 (int64 m, int64 d, int64 lane)`; what is not in the cache is compiled, with progress.

    Raises:
        FatalError: a kernel breaks a rule of the kernel language.
    """
    with _lock:
        keys = [cache.stage_key(k, r, model_fields, data_fields) for k, r in kernels]
        missing: dict[str, tuple[Kernel, Realisation]] = {}
        for key, item in zip(keys, kernels, strict=True):
            if key in _addresses or key in missing:
                continue
            code = kept.load(key)
            if code is None:
                missing[key] = item
            else:
                _addresses[key] = _load(code)
        if missing:
            _compile(missing, model_fields, data_fields)
        return [_addresses[key] for key in keys]


def _compile(
    missing: dict[str, tuple[Kernel, Realisation]], model_fields: tuple[Field, ...], data_fields: tuple[Field, ...]
) -> None:
    advance = (progress or report)([f"{k.__name__} ({r.name})" for k, r in missing.values()])
    from .frontend.module import stage_object

    for key, (kernel, realisation) in missing.items():
        code = stage_object(kernel, realisation, model_fields, data_fields)
        kept.store(key, code)
        _addresses[key] = _load(code)
        advance(f"{kernel.__name__} ({realisation.name})")


def report(names: Sequence[str]) -> Callable[[str], None]:
    """Show on a terminal that stages are being compiled for the first time."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal or len(names) < 2:
        return lambda name: None
    columns = (
        TextColumn("compiling the physics, once per machine"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task("compile", total=len(names))
    bar.start()
    left = len(names)

    def advance(name: str) -> None:
        nonlocal left
        left -= 1
        bar.advance(task)
        if left == 0:
            bar.stop()

    return advance


DRIVER = """
define i64 @drive(ptr %run) {
entry:
  %program = load ptr, ptr %run
  %nstagep = getelementptr i64, ptr %run, i64 1
  %nstage = load i64, ptr %nstagep
  %mp = getelementptr i64, ptr %run, i64 2
  %m = load i64, ptr %mp
  %dp = getelementptr i64, ptr %run, i64 3
  %d = load i64, ptr %dp
  %nstepp = getelementptr i64, ptr %run, i64 4
  %nstep = load i64, ptr %nstepp
  %position = getelementptr i64, ptr %run, i64 5
  %step0 = load i64, ptr %position
  %stagep = getelementptr i64, ptr %position, i64 1
  %stage0 = load i64, ptr %stagep
  %lanep = getelementptr i64, ptr %position, i64 2
  %lane0 = load i64, ptr %lanep
  br label %steps
steps:
  %step = phi i64 [ %step0, %entry ], [ %step1, %step_end ]
  %first = phi i64 [ %stage0, %entry ], [ 0, %step_end ]
  %firstlane = phi i64 [ %lane0, %entry ], [ 0, %step_end ]
  %more = icmp slt i64 %step, %nstep
  br i1 %more, label %stages, label %done
stages:
  %stage = phi i64 [ %first, %steps ], [ %stage1, %stage_end ]
  %lanestart = phi i64 [ %firstlane, %steps ], [ 0, %stage_end ]
  %any = icmp slt i64 %stage, %nstage
  br i1 %any, label %load, label %step_end
load:
  %row = mul i64 %stage, 2
  %entryp = getelementptr i64, ptr %program, i64 %row
  %address = load i64, ptr %entryp
  %countp = getelementptr i64, ptr %entryp, i64 1
  %count = load i64, ptr %countp
  %function = inttoptr i64 %address to ptr
  br label %lanes
lanes:
  %lane = phi i64 [ %lanestart, %load ], [ %lane1, %lane_next ]
  %left = icmp slt i64 %lane, %count
  br i1 %left, label %call, label %stage_end
call:
  %status = call i32 %function(i64 %m, i64 %d, i64 %lane)
  %bad = icmp ne i32 %status, 0
  br i1 %bad, label %stop, label %lane_next
lane_next:
  %lane1 = add i64 %lane, 1
  br label %lanes
stage_end:
  %stage1 = add i64 %stage, 1
  br label %stages
step_end:
  %step1 = add i64 %step, 1
  br label %steps
stop:
  store i64 %step, ptr %position
  store i64 %stage, ptr %stagep
  store i64 %lane, ptr %lanep
  %result = sext i32 %status to i64
  ret i64 %result
done:
  store i64 0, ptr %position
  store i64 0, ptr %stagep
  store i64 0, ptr %lanep
  ret i64 0
}

define i64 @drive_all(ptr %runs, i64 %count, ptr %index) {
entry:
  %first = load i64, ptr %index
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %again ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %walk, label %done
walk:
  %runp = getelementptr i64, ptr %runs, i64 %i
  %run = load ptr, ptr %runp
  %status = call i64 @drive(ptr %run)
  %bad = icmp ne i64 %status, 0
  br i1 %bad, label %stop, label %again
again:
  %next = add i64 %i, 1
  br label %loop
stop:
  store i64 %i, ptr %index
  ret i64 %status
done:
  store i64 0, ptr %index
  ret i64 0
}
"""
"""The driver: for each step, for each stage, for each lane it must run in (its count; 1 for one that runs all at once).

A stage that answers other than 0 stops the walk; `position` says where (step, stage, lane), and the next call goes on
from there.
"""


@functools.cache
def _driver_engine() -> Any:
    engine = llvm().create_mcjit_compiler(llvm().parse_assembly(DRIVER), target_machine())
    engine.finalize_object()
    _engines.append(engine)
    return engine


@functools.cache
def driver() -> Any:
    """The compiled driver as a ctypes function of the address of a `Run`; answers the status, and releases the GIL."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(_driver_engine().get_function_address("drive"))


@functools.cache
def driver_of_many() -> Any:
    """The driver for many runs, one after another: (addresses of runs, their number, address of the first index)."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 3)
    return kind(_driver_engine().get_function_address("drive_all"))


class Run:
    """One walk through a program, for one world or block: what the driver reads, and where it stands.

    Args:
        program: rows (stage address, number of lanes to run it in); kept alive by this object.
        m, d: addresses of the tables of addresses.
    """

    __slots__ = ("address", "drive", "memory", "nstep", "program")

    def __init__(self, program: np.ndarray, m: int, d: int):
        self.program = np.ascontiguousarray(program, np.int64)
        self.memory = np.array([self.program.ctypes.data, len(self.program), m, d, 1, 0, 0, 0], np.int64)
        self.address = int(self.memory.ctypes.data)
        self.nstep = 1
        self.drive = driver()

    def go(self, nstep: int = 1) -> int:
        """Walk the program `nstep` times; 0, or the status of the stage that stopped it (see `position`)."""
        if nstep != self.nstep:
            self.nstep = self.memory[4] = nstep
        return self.drive(self.address)

    @property
    def position(self) -> tuple[int, int, int]:
        """(step, stage, lane) at which the last walk stopped, zeros if it came to its end."""
        step, stage, lane = self.memory[5:8].tolist()
        return step, stage, lane

    @position.setter
    def position(self, value: tuple[int, int, int]) -> None:
        self.memory[5:8] = value
