"""The driver: runs a table of compiled stages, step by step, for one world or block."""

from __future__ import annotations

import numpy as np

from .fast_call import machine_call
from .native import load_text

DRIVER = """
define i32 @drive(ptr %run) {
entry:
  %table = load ptr, ptr %run
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
  %entryp = getelementptr i64, ptr %table, i64 %row
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
  ret i32 %status
done:
  store i64 0, ptr %position
  store i64 0, ptr %stagep
  store i64 0, ptr %lanep
  ret i32 0
}
"""
"""The driver: for each step, for each stage, for each lane it must run in (its count; 1 for one that runs all at once).

A stage that answers other than 0 stops the run; `position` says where (step, stage, lane), and the next call goes on
from there.
"""


class Run:
    """A table of stages, for one world or block: what the driver reads, and where it stands.

    Args:
        table: rows (stage address, number of lanes to run it in); kept alive by this object.
        m, d: addresses of the tables of addresses.
    """

    __slots__ = ("address", "call", "driver", "memory", "nstep", "table")

    def __init__(self, table: np.ndarray, m: int, d: int):
        self.table = np.ascontiguousarray(table, np.int64)
        self.memory = np.array([self.table.ctypes.data, len(self.table), m, d, 1, 0, 0, 0], np.int64)
        self.address = int(self.memory.ctypes.data)
        self.nstep = 1
        self.call, self.driver = machine_call(), load_text(DRIVER, "drive")["drive"]

    def go(self, nstep: int = 1) -> int:
        """Run the stages `nstep` times; 0, or the status of the stage that stopped it (see `position`)."""
        if nstep != self.nstep:
            self.nstep = self.memory[4] = nstep
        return self.call(self.driver, self.address, 0, 0)

    @property
    def position(self) -> tuple[int, int, int]:
        """(step, stage, lane) at which the last run stopped, zeros if it came to its end."""
        step, stage, lane = self.memory[5:8].tolist()
        return step, stage, lane

    @position.setter
    def position(self, value: tuple[int, int, int]) -> None:
        self.memory[5:8] = value
