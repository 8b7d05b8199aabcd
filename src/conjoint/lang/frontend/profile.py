"""Clock readings in profiled code (`objects.profile_counters`)."""

from __future__ import annotations

import platform

from ..objects.profile_counters import CALLS, CURRENT, LAST, READINGS, ROW, STATE, TICKS, label_symbol, stage_symbol
from .places import SLOT_RANGE
from .writer import Writer

CLOCKS = {
    "aarch64": 'asm sideeffect "mrs $0, cntvct_el0", "=r"()',
    "arm64": 'asm sideeffect "mrs $0, cntvct_el0", "=r"()',
}
"""Instructions that read a clock available to any program, by architecture.

On other architectures, profiled code reads LLVM's cycle counter (`CYCLES`), which ticks at a fixed rate.
"""

CYCLES = "@llvm.readcyclecounter()"

SWITCH = f"""define internal ptr @profile_switch(ptr %to) nounwind {{
  %now = call i64 {CLOCKS.get(platform.machine().lower(), CYCLES)}
  %clock = getelementptr i64, ptr @"{STATE}", i64 {LAST}
  %current = getelementptr i64, ptr @"{STATE}", i64 {CURRENT}
  %last = load i64, ptr %clock
  %from = load ptr, ptr %current
  %spent = sub i64 %now, %last
  %ticks = getelementptr i64, ptr %from, i64 {TICKS}
  %ticks.0 = load i64, ptr %ticks
  %ticks.1 = add i64 %ticks.0, %spent
  store i64 %ticks.1, ptr %ticks
  %readings = getelementptr i64, ptr %from, i64 {READINGS}
  %readings.0 = load i64, ptr %readings
  %readings.1 = add i64 %readings.0, 1
  store i64 %readings.1, ptr %readings
  store i64 %now, ptr %clock
  store ptr %to, ptr %current
  ret ptr %from
}}"""
"""LLVM function that adds the time since the last reading to the current counter, and selects another counter.

It returns the previous counter.
"""

ENTER = f"""define internal ptr @profile_enter(i64 %offset) nounwind {{
  %row = getelementptr i64, ptr @"{STATE}", i64 {ROW}
  %row.0 = load ptr, ptr %row
  %to = getelementptr i8, ptr %row.0, i64 %offset
  %calls = getelementptr i64, ptr %to, i64 {CALLS}
  %calls.0 = load i64, ptr %calls
  %calls.1 = add i64 %calls.0, 1
  store i64 %calls.1, ptr %calls
  %from = call ptr @profile_switch(ptr %to)
  ret ptr %from
}}"""
"""LLVM function that counts a call in the counter at an offset in the current row, and selects this counter.

It returns the previous counter.
"""

DECLARED = {
    "profile.state": f'@"{STATE}" = external global i8',
    "profile_switch": SWITCH,
    "profile_enter": ENTER,
    "llvm.readcyclecounter": "declare i64 @llvm.readcyclecounter()",
}
"""Declarations and definitions for a module with profiled code."""


def enter_label(out: Writer, label: str) -> str:
    """Emit code that starts attributing time to a label; return the previous counter."""
    symbol = label_symbol(label)
    out.intrinsics[symbol] = f'@"{symbol}" = external hidden global i8, !absolute_symbol {SLOT_RANGE}'
    return _enter(out, f'ptrtoint (ptr @"{symbol}" to i64)')


def leave(out: Writer, before: str) -> None:
    """Emit code that switches back to the counter `before`."""
    out.do(f"call ptr @profile_switch(ptr {before})")


def enter_stage(out: Writer, stage: str) -> tuple[str, str]:
    """Emit code that starts attributing time to a stage; return the previous row and counter."""
    symbol = stage_symbol(stage)
    out.intrinsics[symbol] = f'@"{symbol}" = external global i8'
    row = out.value(f'getelementptr i64, ptr @"{STATE}", i64 {ROW}')
    before = out.value(f"load ptr, ptr {row}")
    out.do(f'store ptr @"{symbol}", ptr {row}')
    return before, _enter(out, "0")


def leave_stage(out: Writer, before: tuple[str, str]) -> None:
    """Emit code that switches back to the row and the counter that were current before the stage."""
    row = out.value(f'getelementptr i64, ptr @"{STATE}", i64 {ROW}')
    out.do(f"store ptr {before[0]}, ptr {row}")
    leave(out, before[1])


def _enter(out: Writer, offset: str) -> str:
    """Emit code that switches to the counter at an offset in the current row; return the previous counter."""
    out.intrinsics |= DECLARED
    return out.value(f"call ptr @profile_enter(i64 {offset})")
