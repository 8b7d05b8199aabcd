"""Directions of differentiation passes in dual numbers: tangents of inputs before a pass, and of outputs after it.

A table of integers, written by `conjoint.derivative.passes`, lists the operations. It contains addresses of numbers in
the memory of a world or model, and of the eight tangents of each number in the memory of tangents. A unit quaternion q
has three directions: rotations about the axes of its own frame. Its tangents are q * (0, e_i) / 2, and a change dq
corresponds to the rotation vector 2 Im(conj(q) * dq).
"""

from conjoint.lang import kernel, load, put, quat, tile, where
from conjoint.lang.language.tile import TILE

HEAD, PASS, SEED, SPAN, OUTPUT = 5, 4, 7, 3, 3
"""Number of integers in the head of a table, and in each entry for a pass, seed, memory span or output.

* Head: number of passes; start and number of the spans that a step advances; start and number of the outputs.
* Pass: start and number of the spans of tangents to clear; start and number of the seeds.
* Seed: 1 if it belongs to the model; index of the number whose tangent is set, or of the first one of a quaternion; its
  axis, or `NUMBER`; index of the tangent; address of the value; address of its upper bound in the model, or
  `UNBOUNDED`; 1 if it is also limited to the range from 0 to 1.
* Span: 1 if it belongs to the model; its first number and its length.
* Output (always of the world): index of the number, or of the first one of a quaternion; axis, or `NUMBER`; address of
  the quaternion.
"""

NUMBER = -1
"""Value of an axis if the input or output is a number and not a quaternion."""

UNBOUNDED = -1
"""Value of the address of an upper bound if there is none."""


@kernel
def take_state(spans, moved, source, target, kept):
    """Copy `spans` of memory from one world to another, and the `moved` spans (the integrated state) also to `kept`.

    Both lists contain the number of spans, then the first number and the size of each.
    """
    for k in range(spans[0]):
        for i in range(spans[1 + 2 * k], spans[1 + 2 * k] + spans[2 + 2 * k]):
            target[i] = source[i]
    at = 0
    for k in range(moved[0]):
        for i in range(moved[1 + 2 * k], moved[1 + 2 * k] + moved[2 + 2 * k]):
            kept[at] = source[i]
            at += 1


@kernel
def turn_passes(table, data, model, tangents, model_tangents, kept, signs, matrix, number):
    """Read the outputs of the previous pass, and set the state and the inputs of pass `number`.

    An input at its upper bound can only decrease, so the sign of its direction is -1.

    Args:
        table: operations to perform.
        data, model: memory of numbers.
        tangents, model_tangents: memory of their tangents.
        kept: state before the step.
        signs: signs of the directions of all passes, 1 or -1; an input between its bounds keeps the given sign.
        matrix: changes in outputs (rows) along the directions of all passes (columns, eight for each pass).
        number: index of the pass to begin, or the number of passes after the last one has run.
    """
    if number > 0:
        read_outputs(table, data, tangents, signs, matrix, number - 1)
    at = 0
    for k in range(table[2]):
        span = table[1] + SPAN * k
        for i in range(table[span + 1], table[span + 1] + table[span + 2]):
            data[i] = kept[at]
            at += 1
    if number < table[0]:
        set_inputs(table, data, model, tangents, model_tangents, signs, number)


@kernel
def set_inputs(table, data, model, tangents, model_tangents, signs, number):
    """Set the tangents at the start of a pass: 1 or -1 along each direction, 0 elsewhere."""
    begin = HEAD + PASS * number
    for k in range(table[begin + 1]):
        span = table[begin] + SPAN * k
        for i in range(table[span + 1], table[span + 1] + table[span + 2]):
            if table[span] != 0:
                put(model_tangents, TILE * i, tile(0.0))
            else:
                put(tangents, TILE * i, tile(0.0))
    for k in range(table[begin + 3]):
        seed = table[begin + 2] + SEED * k
        to = TILE * table[seed + 1] + table[seed + 3]
        at = TILE * number + table[seed + 3]
        if table[seed] != 0:
            # model parameters are always varied upward
            signs[at] = 1.0
            set_direction(model_tangents, to, model, table[seed + 2], table[seed + 4], 1.0)
        else:
            signs[at] = free_side(data[table[seed + 4]], model, table[seed + 5], table[seed + 6], signs[at])
            set_direction(tangents, to, data, table[seed + 2], table[seed + 4], signs[at])


@kernel
def free_side(x, model, bound, muscle, sign):
    """Return the sign of a feasible change in an input: -1 at its upper bound, 1 at its lower bound, else `sign`."""
    if bound != UNBOUNDED:
        sign = where(x <= model[bound - 1], 1.0, where(x >= model[bound], -1.0, sign))
    if muscle != 0:
        sign = where(x <= 0.0, 1.0, where(x >= 1.0, -1.0, sign))
    return sign


@kernel
def set_direction(tangents, to, values, axis, place, sign):
    """Set the tangent of a number, or of a quaternion, to a unit change along a direction."""
    if axis < 0:
        tangents[to] = sign
    else:
        change = turn_of(load(quat, values, place), axis)
        for k in range(4):
            tangents[to + TILE * k] = 0.5 * sign * change[k]


@kernel
def turn_of(q, axis):
    """Return q times the pure quaternion of a coordinate axis of its local frame."""
    if axis == 0:
        return quat(-q[1], q[0], q[3], -q[2])
    if axis == 1:
        return quat(-q[2], -q[3], q[0], q[1])
    return quat(-q[3], q[2], -q[1], q[0])


@kernel
def read_outputs(table, data, tangents, signs, matrix, number):
    """Read the tangents of the outputs into the matrix columns of the directions of a pass."""
    columns = TILE * table[0]
    for r in range(table[4]):
        output = table[3] + OUTPUT * r
        place = TILE * table[output]
        axis = table[output + 1]
        change = tile(tangents, place)
        if axis >= 0:
            turn = turn_of(load(quat, data, table[output + 2]), axis)
            change = turn[0] * change + turn[1] * tile(tangents, place + TILE)
            change = change + turn[2] * tile(tangents, place + 2 * TILE)
            change = 2.0 * (change + turn[3] * tile(tangents, place + 3 * TILE))
        put(matrix, r * columns + TILE * number, change * tile(signs, TILE * number))
