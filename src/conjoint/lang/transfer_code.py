"""LLVM IR of `WorldTransfer`: worlds come from arrays into the lanes of a block, step, and go back."""

from __future__ import annotations

from .driver import DRIVER
from .layout import ALIGNMENT

COPY = """
define internal void @{name}_{bits}(
    ptr %array, i64 %stride, i64 %from, i64 %count, ptr %memory, i64 %step, ptr %worlds, i64 %lanes
) {{
entry:
  br label %lanes_loop
lanes_loop:
  %l = phi i64 [ 0, %entry ], [ %l1, %lanes_next ]
  %any_lane = icmp slt i64 %l, %lanes
  br i1 %any_lane, label %lane, label %done
lane:
  %world_p = getelementptr i64, ptr %worlds, i64 %l
  %world = load i64, ptr %world_p
  %offset = mul i64 %world, %stride
  %outside = getelementptr i8, ptr %array, i64 %offset
  %inside = getelementptr i{bits}, ptr %memory, i64 %l
  br label %numbers_loop
numbers_loop:
  %k = phi i64 [ %from, %lane ], [ %k1, %number ]
  %any_number = icmp slt i64 %k, %count
  br i1 %any_number, label %number, label %lanes_next
number:
  %place = mul i64 %k, %step
  %inside_p = getelementptr i8, ptr %inside, i64 %place
  %outside_p = getelementptr i{bits}, ptr %outside, i64 %k
{moves}
  %k1 = add i64 %k, 1
  br label %numbers_loop, !llvm.loop !0
lanes_next:
  %l1 = add i64 %l, 1
  br label %lanes_loop
done:
  ret void
}}
"""
"""Numbers `from` to `count` of all lanes of a block, one by one: they are few, so that vectors would not pay."""

MOVES = {
    "enter": "  %x = load i{bits}, ptr %outside_p\n  store i{bits} %x, ptr %inside_p",
    "leave": "  %x = load i{bits}, ptr %inside_p\n  store i{bits} %x, ptr %outside_p",
}
"""What is done with a number."""

KEEP = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @keep(ptr %array, i64 %stride, i64 %bytes, ptr %worlds, i64 %lanes, ptr %before) {
entry:
  br label %loop
loop:
  %l = phi i64 [ 0, %entry ], [ %l1, %lane ]
  %any_lane = icmp slt i64 %l, %lanes
  br i1 %any_lane, label %lane, label %done
lane:
  %world_p = getelementptr i64, ptr %worlds, i64 %l
  %world = load i64, ptr %world_p
  %offset = mul i64 %world, %stride
  %from = getelementptr i8, ptr %array, i64 %offset
  %to = getelementptr i8, ptr %before, i64 %offset
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %bytes, i1 false)
  %l1 = add i64 %l, 1
  br label %loop
done:
  ret void
}
"""
"""The rows of all lanes of a block are copied to a second array."""

BITS = (8, 32, 64)
"""Sizes of numbers."""


def _copies() -> str:
    """LLVM IR of what moves numbers one by one."""
    return "".join(
        COPY.format(name=name, bits=bits, moves=move.format(bits=bits)) for name, move in MOVES.items() for bits in BITS
    )


def _copied(name: str, first: str, then: str) -> str:
    """LLVM IR of a jump by the size of numbers to what moves all from number `first` on, and from there on."""
    given = f"ptr %array, i64 %stride, i64 {first}, i64 %count, ptr %memory, i64 %step, ptr %members, i64 %lanes"
    calls = "".join(f"{name}_{bits}:\n  call void @{name}_{bits}({given})\n  br label %{then}\n" for bits in BITS)
    return f"  switch i64 %size, label %{name}_8 [ i64 4, label %{name}_32 i64 8, label %{name}_64 ]\n{calls}"


SQUARE = 4
"""Worlds, and numbers of each, that are turned in registers: rows of numbers become lanes and back."""

TURN = """
  %a0 = shufflevector {v} %v0, {v} %v1, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %a1 = shufflevector {v} %v0, {v} %v1, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %a2 = shufflevector {v} %v2, {v} %v3, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %a3 = shufflevector {v} %v2, {v} %v3, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %w0 = shufflevector {v} %a0, {v} %a2, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %w1 = shufflevector {v} %a1, {v} %a3, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %w2 = shufflevector {v} %a0, {v} %a2, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %w3 = shufflevector {v} %a1, {v} %a3, <4 x i32> <i32 2, i32 3, i32 6, i32 7>"""
"""A square of numbers, `v0` to `v3` by rows, and by columns `w0` to `w3`."""


def _squares(bits: int, leaving: bool) -> str:
    """LLVM IR that moves the first `count` numbers, a multiple of four, of four worlds into lanes, or out of them."""
    size, kind = bits // 8, f"<{SQUARE} x i{bits}>"
    places = []
    for i in range(SQUARE):
        places.append(f"  %number{i} = add i64 %k, {i}")
        places.append(f"  %away{i} = mul i64 %number{i}, %step")
        places.append(f"  %lanes{i} = getelementptr i8, ptr %inside, i64 %away{i}")
        places.append(f"  %row{i} = getelementptr i{bits}, ptr %world{i}, i64 %k")
    read, written = ("lanes", "row") if leaving else ("row", "lanes")
    loads = [f"  %v{i} = load {kind}, ptr %{read}{i}, align {size}" for i in range(SQUARE)]
    stores = [f"  store {kind} %w{i}, ptr %{written}{i}, align {size}" for i in range(SQUARE)]
    worlds = ", ".join(f"ptr %world{i}" for i in range(SQUARE))
    return f"""
define internal void @squares_{"out" if leaving else "in"}_{bits}({worlds}, ptr %inside, i64 %step, i64 %count) {{
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %body ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %body, label %done
body:
{chr(10).join(places + loads)}{TURN.format(v=kind)}
{chr(10).join(stores)}
  %k1 = add i64 %k, {SQUARE}
  br label %loop
done:
  ret void
}}
"""


SQUARES = "".join(_squares(bits, leaving) for bits in (32, 64) for leaving in (False, True))


def _turned(bits: int, leaving: bool) -> str:
    """LLVM IR of the call in `move` for numbers of so many bits."""
    name = f"{'out' if leaving else 'in'}_{bits}"
    worlds = ", ".join(f"ptr %from{i}" for i in range(SQUARE))
    return f"""
{name}:
  call void @squares_{name}({worlds}, ptr %beside, i64 %step, i64 %whole)
  br label %group_next"""


def _places_of_worlds() -> str:
    """LLVM IR that finds the numbers of the four worlds of a group."""
    lines = []
    for i in range(SQUARE):
        lines += [
            f"  %member{i} = add i64 %member, {i}",
            f"  %id_p{i} = getelementptr i64, ptr %worlds, i64 %member{i}",
            f"  %id{i} = load i64, ptr %id_p{i}",
            f"  %at{i} = mul i64 %id{i}, %stride",
            f"  %from{i} = getelementptr i8, ptr %array, i64 %at{i}",
        ]
    return "\n".join(lines)


TASK = """\
  %rows_p = getelementptr i64, ptr %task, i64 1
  %rows = load ptr, ptr %rows_p
  %nrow_p = getelementptr i64, ptr %task, i64 2
  %nrow = load i64, ptr %nrow_p
  %worlds_p = getelementptr i64, ptr %task, i64 3
  %worlds = load ptr, ptr %worlds_p
  %lanes_p = getelementptr i64, ptr %task, i64 4
  %lanes = load i64, ptr %lanes_p
  %first = mul i64 %block, %lanes
"""
"""What a task is of, and the first place of a block in the list of worlds."""

ROW = """\
  %words = mul i64 %r, 8
  %row_p = getelementptr i64, ptr %rows, i64 %words
  %stride_p = getelementptr i64, ptr %row_p, i64 1
  %count_p = getelementptr i64, ptr %row_p, i64 2
  %size_p = getelementptr i64, ptr %row_p, i64 3
  %before_p = getelementptr i64, ptr %row_p, i64 5
  %array = load ptr, ptr %row_p
  %stride = load i64, ptr %stride_p
  %count = load i64, ptr %count_p
  %size = load i64, ptr %size_p
  %before = load ptr, ptr %before_p
"""
"""What row `r` of a task says of the memory outside."""

TRANSFER = f"""{SQUARES}{_copies()}{KEEP}
!0 = distinct !{{!0, !1}}
!1 = !{{!"llvm.loop.vectorize.enable", i1 false}}

define internal void @move(ptr %task, i64 %block, i64 %out) {{
entry:
{TASK}  %members = getelementptr i64, ptr %worlds, i64 %first
  br label %rows_loop
rows_loop:
  %r = phi i64 [ 0, %entry ], [ %r1, %rows_next ]
  %any_row = icmp slt i64 %r, %nrow
  br i1 %any_row, label %row, label %done
row:
{ROW}  %lane_p = getelementptr i64, ptr %row_p, i64 4
  %way_p = getelementptr i64, ptr %row_p, i64 6
  %memory = load ptr, ptr %lane_p
  %way = load i64, ptr %way_p
  %apart_p = getelementptr i64, ptr %row_p, i64 7
  %apart = load i64, ptr %apart_p
  %beside_size = mul i64 %lanes, %size
  %step = mul i64 %beside_size, %apart
  %shifted = lshr i64 %way, %out
  %bit = and i64 %shifted, 1
  %wanted = icmp ne i64 %bit, 0
  br i1 %wanted, label %moves, label %rows_next
moves:
  %wide = icmp sge i64 %size, 4
  %odd = and i64 %lanes, {SQUARE - 1}
  %even = icmp eq i64 %odd, 0
  %square = and i1 %wide, %even
  %fours = and i64 %count, {-SQUARE}
  %whole = select i1 %square, i64 %fours, i64 0
  %way_bits = shl i64 %out, 4
  %case = or i64 %way_bits, %size
  %some = icmp ne i64 %whole, 0
  %end = select i1 %some, i64 %lanes, i64 0
  br label %groups
groups:
  %g = phi i64 [ 0, %moves ], [ %g1, %group_next ]
  %any_group = icmp slt i64 %g, %end
  br i1 %any_group, label %group, label %singles
group:
  %member = add i64 %first, %g
{_places_of_worlds()}
  %aside = mul i64 %g, %size
  %beside = getelementptr i8, ptr %memory, i64 %aside
  switch i64 %case, label %in_64 [ i64 4, label %in_32 i64 20, label %out_32 i64 24, label %out_64 ]
{_turned(32, False)}{_turned(64, False)}{_turned(32, True)}{_turned(64, True)}
group_next:
  %g1 = add i64 %g, {SQUARE}
  br label %groups
singles:
  %leaving = icmp ne i64 %out, 0
  br i1 %leaving, label %leaves, label %enters
leaves:
{_copied("leave", "%whole", "rows_next")}enters:
{_copied("enter", "%whole", "entered")}entered:
  %keeps = icmp ne ptr %before, null
  br i1 %keeps, label %keep, label %rows_next
keep:
  %bytes = mul i64 %count, %size
  call void @keep(ptr %array, i64 %stride, i64 %bytes, ptr %members, i64 %lanes, ptr %before)
  br label %rows_next
rows_next:
  %r1 = add i64 %r, 1
  br label %rows_loop
done:
  ret void
}}

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

define internal void @approach(ptr %from, i64 %bytes) {{
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %body ]
  %more = icmp slt i64 %k, %bytes
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i8, ptr %from, i64 %k
  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 2, i32 1)
  %k1 = add i64 %k, {ALIGNMENT}
  br label %loop
done:
  ret void
}}

define internal void @foresee(ptr %task, i64 %last) {{
entry:
  %due_p = getelementptr i64, ptr %task, i64 5
  %due = load ptr, ptr %due_p
  %block = load atomic i64, ptr %due monotonic, align 8
  %is_due = icmp slt i64 %block, %last
  br i1 %is_due, label %begin, label %done
begin:
{TASK}  br label %rows_loop
rows_loop:
  %r = phi i64 [ 0, %begin ], [ %r1, %rows_next ]
  %any_row = icmp slt i64 %r, %nrow
  br i1 %any_row, label %row, label %done
row:
{ROW}  %bytes = mul i64 %count, %size
  %keeps = icmp ne ptr %before, null
  br label %lanes_loop
lanes_loop:
  %l = phi i64 [ 0, %row ], [ %l1, %lanes_next ]
  %any_lane = icmp slt i64 %l, %lanes
  br i1 %any_lane, label %lane, label %rows_next
lane:
  %place = add i64 %first, %l
  %world_p = getelementptr i64, ptr %worlds, i64 %place
  %world = load i64, ptr %world_p
  %offset = mul i64 %world, %stride
  %outside = getelementptr i8, ptr %array, i64 %offset
  call void @approach(ptr %outside, i64 %bytes)
  br i1 %keeps, label %keep, label %lanes_next
keep:
  %kept = getelementptr i8, ptr %before, i64 %offset
  call void @approach(ptr %kept, i64 %bytes)
  br label %lanes_next
lanes_next:
  %l1 = add i64 %l, 1
  br label %lanes_loop
rows_next:
  %r1 = add i64 %r, 1
  br label %rows_loop
done:
  ret void
}}

define i32 @drive_worlds(ptr %task, i64 %last, ptr %at) {{
entry:
  %run = load ptr, ptr %task
  %due_p = getelementptr i64, ptr %task, i64 5
  %due = load ptr, ptr %due_p
  %begun_p = getelementptr i64, ptr %at, i64 1
  %begun = load i64, ptr %begun_p
  %goes_on = icmp ne i64 %begun, 0
  %stopped = load i64, ptr %at
  br i1 %goes_on, label %advance, label %loop
loop:
  %next = atomicrmw add ptr %due, i64 1 monotonic
  %more = icmp slt i64 %next, %last
  br i1 %more, label %begin, label %done
begin:
  call void @move(ptr %task, i64 %next, i64 0)
  call void @foresee(ptr %task, i64 %last)
  br label %advance
advance:
  %i = phi i64 [ %stopped, %entry ], [ %next, %begin ]
  %status = call i32 @drive(ptr %run)
  %bad = icmp ne i32 %status, 0
  br i1 %bad, label %stop, label %finish
finish:
  call void @move(ptr %task, i64 %i, i64 1)
  br label %loop
stop:
  store i64 %i, ptr %at
  store i64 1, ptr %begun_p
  ret i32 %status
done:
  store i64 0, ptr %begun_p
  ret i32 0
}}
"""
"""`drive_worlds` takes one block after the other that is due, up to `last`, unless a stage answers other than 0: then
it stops in block `at[0]`, and `at[1]` is not 0; the next call goes on there. The number of the block that is due is
shared with other threads. A row of a task has eight words: array, bytes from world to world, numbers of a world, bytes
of a number, memory of the lanes, a second array that gets what comes in (0: none), ways (1 comes in, 2 goes out), and
how many numbers apart they lie in the lanes. What the next block needs is fetched while this one is computed."""

DRIVE_WORLDS = DRIVER + TRANSFER
"""LLVM IR of both."""
