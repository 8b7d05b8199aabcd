"""Kernels of `WorldTransfer`: copy worlds from arrays into the lanes of a block, step, and copy them back.

A task has six words: the address of the run, the address and number of the rows, the address of the world indices of
all blocks, the number of lanes of a block, and the address of the ranges of blocks. A range has three words: the
address of the count of its blocks that have been started, its first block, and the end of its blocks.

A row describes one field and has eight words. The first five are the address of the array, bytes from one world to the
next, count of numbers per world, bytes per number, and the memory of the lanes. The address of a second array for a
copy of the input follows (0 for none). The last two are the directions (1 in, 2 out) and the distance between numbers
in the lanes.
"""

from __future__ import annotations

from ..language.functions import minimum, where
from ..language.kernel import kernel
from ..memory.layout import ALIGNMENT
from .addresses import add_relaxed, ints, longs, octets, prefetch, read_relaxed, turn
from .driver_code import drive

RUN, ROWS, NROW, WORLDS, LANES, RANGES = range(6)
"""Indices of words in a task."""

ARRAY, STRIDE, COUNT, SIZE, MEMORY, BEFORE, WAYS, APART = range(8)
"""Indices of words in a row."""

TAKEN, FIRST, END = range(3)
"""Indices of words in a range."""

ROW_WORDS = 8
SQUARE = 4
"""Size of the square matrices (worlds by numbers) that are transposed in registers."""


@kernel(label="moving worlds")
def move(address, block, leaving):
    """Copy the worlds of a block into the lanes, or back to the arrays if `leaving` is 1."""
    task = longs(address)
    lanes = task[LANES]
    worlds = longs(task[WORLDS] + 8 * block * lanes)
    for r in range(task[NROW]):
        row = longs(task[ROWS] + 8 * ROW_WORDS * r)
        if ((row[WAYS] >> leaving) & 1) != 0:
            if row[SIZE] >= 4 and row[COUNT] >= SQUARE and lanes % SQUARE == 0:
                array = row[ARRAY]
                stride = row[STRIDE]
                for lane in range(0, lanes, SQUARE):
                    a = array + worlds[lane] * stride
                    b = array + worlds[lane + 1] * stride
                    c = array + worlds[lane + 2] * stride
                    d = array + worlds[lane + 3] * stride
                    move_squares(row, a, b, c, d, row[MEMORY] + lane * row[SIZE], lanes, leaving)
            else:
                move_numbers(row, worlds, lanes, leaving)


@kernel
def move_squares(row, a, b, c, d, inside, lanes, leaving):
    """Copy numbers of the worlds at a, b, c and d, four of each world at a time.

    The last four numbers may overlap with those copied before.
    """
    size = row[SIZE]
    step = lanes * size * row[APART]
    last = row[COUNT] - SQUARE
    before = row[BEFORE] if leaving == 0 else 0
    # distance from a world in the array to its copy
    far = before - row[ARRAY]
    for k in range(0, last + SQUARE, SQUARE):
        first = minimum(k, last)
        o = first * size
        p = inside + first * step
        q = o + far
        if leaving != 0 and size == 4:
            turn(32, p, p + step, p + 2 * step, p + 3 * step, a + o, b + o, c + o, d + o)
        elif leaving != 0:
            turn(64, p, p + step, p + 2 * step, p + 3 * step, a + o, b + o, c + o, d + o)
        elif before == 0 and size == 4:
            turn(32, a + o, b + o, c + o, d + o, p, p + step, p + 2 * step, p + 3 * step)
        elif before == 0:
            turn(64, a + o, b + o, c + o, d + o, p, p + step, p + 2 * step, p + 3 * step)
        elif size == 4:
            turn(32, a + o, b + o, c + o, d + o, p, p + step, p + 2 * step, p + 3 * step, a + q, b + q, c + q, d + q)
        else:
            turn(64, a + o, b + o, c + o, d + o, p, p + step, p + 2 * step, p + 3 * step, a + q, b + q, c + q, d + q)


@kernel
def move_numbers(row, worlds, lanes, leaving):
    """Copy the numbers of all worlds of a block one by one, because they are few or are bytes."""
    size = row[SIZE]
    step = lanes * size * row[APART]
    before = row[BEFORE] if leaving == 0 else 0
    far = before - row[ARRAY]
    for k in range(row[COUNT]):
        outside = row[ARRAY] + k * size
        inside = row[MEMORY] + k * step
        stride = row[STRIDE]
        for lane in range(lanes):
            there = outside + worlds[lane] * stride
            here = inside + lane * size
            source = where(leaving != 0, here, there)
            move_number(where(leaving != 0, there, here), source, size)
            if before != 0:
                move_number(there + far, source, size)


@kernel
def move_number(target, source, size):
    """Copy a number of the given size in bytes."""
    if size == 8:
        longs(target)[0] = longs(source)[0]
    elif size == 4:
        ints(target)[0] = ints(source)[0]
    else:
        octets(target)[0] = octets(source)[0]


@kernel(label="moving worlds")
def foresee(address, blocks):
    """Prefetch the worlds of the next block in a range, if there is one, while another block is computed."""
    task = longs(address)
    block = blocks[FIRST] + read_relaxed(longs(blocks[TAKEN]), 0)
    if block < blocks[END]:
        lanes = task[LANES]
        worlds = longs(task[WORLDS] + 8 * block * lanes)
        for r in range(task[NROW]):
            row = longs(task[ROWS] + 8 * ROW_WORDS * r)
            for lane in range(lanes):
                offset = worlds[lane] * row[STRIDE]
                fetch(row[ARRAY] + offset, row[COUNT] * row[SIZE])
                if row[BEFORE] != 0:
                    fetch(row[BEFORE] + offset, row[COUNT] * row[SIZE])


@kernel
def fetch(start, count):
    """Prefetch `count` bytes, starting at address `start`."""
    for k in range(0, count, ALIGNMENT):
        prefetch(start + k)


@kernel
def drive_worlds(address, count, at):
    """Copy in, step and copy out the blocks of one range after the other, until a stage returns a nonzero status.

    The position is then stored: range in `at[0]`, block in `at[1]`, and 1 in `at[2]`. The next call continues there.
    Each range has a count of its started blocks, which all threads update.
    """
    task = longs(address)
    stopped = longs(at)
    r = stopped[0]
    block = stopped[1]
    begun = stopped[2]
    while r < count:
        blocks = longs(task[RANGES] + 24 * r)
        if begun == 0:
            block = blocks[FIRST] + add_relaxed(longs(blocks[TAKEN]), 0, 1)
        if block >= blocks[END]:
            r += 1
        else:
            if begun == 0:
                move(address, block, 0)
                foresee(address, blocks)
            answer = drive(task[RUN])
            if answer != 0:
                stopped[0] = r
                stopped[1] = block
                stopped[2] = 1
                return answer
            move(address, block, 1)
            begun = 0
    stopped[0] = 0
    stopped[2] = 0
    return 0
