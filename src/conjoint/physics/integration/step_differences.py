"""Finite differences of a step: inputs with one changed number each, and derivatives computed from the outputs.

Inputs are numbered in this order: controls, positions along each dof, velocities, activations. The inputs of each world
form a row: qpos, qvel, act, ctrl. The outputs of a world form another row: qpos, qvel, act, sensordata. Centered
differences use two rows for each number, with an upward and a downward change. Other differences use one row for each
number. The last row has no changes.
"""

from conjoint.lang import kernel, where
from conjoint.physics.integration.integrate import motion_between, move_joint


@kernel
def change_inputs(m, start, inputs, change, direction, first, count, eps, centered):
    """Write rows of inputs, each with one number changed by up to `eps`, and store the changes in `change`.

    The changed numbers start at `first`. A control is changed toward the inside of its range, any other number
    upward, or in both directions if `centered`. `direction` is a work array of nv zeros.
    """
    width = m.nq + m.nv + m.na + m.nu
    last = count
    if centered:
        last = 2 * count - 1
    for r in range(last + 1):
        change[r] = 0.0
        for k in range(width):
            inputs[r * width + k] = start[k]
    for k in range(count):
        number = first + k
        up, down = eps, 0.0
        if centered:
            down = -eps
        if number < m.nu:
            up, down = control_changes(m, start, number, eps, centered)
        if centered:
            change[k], change[count + k] = up, down
            change_number(m, inputs, (count + k) * width, number, down, direction)
        else:
            # one change, which is `down` if `up` would leave the range
            change[k] = up + down
        change_number(m, inputs, k * width, number, change[k], direction)


@kernel
def control_changes(m, start, u, eps, centered):
    """Return the upward and downward changes in control u, each 0 if the control would leave its range."""
    control = start[m.nq + m.nv + m.na + u]
    low = m.actuator_ctrlrange[u, 0]
    high = m.actuator_ctrlrange[u, 1]
    free = m.actuator_ctrllimited[u] == 0
    up = where(free | within_range(control, control + eps, low, high), eps, 0.0)
    down = where(free | within_range(control - eps, control, low, high), -eps, 0.0)
    if centered:
        return up, down
    return up, where(up > 0.0, 0.0, down)


@kernel
def within_range(x, y, low, high):
    """Return True if x and y, where x <= y, are in a range."""
    return (low <= x) & (y <= high)


@kernel
def change_number(m, inputs, begin, number, size, direction):
    """Add `size` to input `number` in the row that starts at `begin`; a position moves along its dof."""
    if number < m.nu:
        at = begin + m.nq + m.nv + m.na + number
        inputs[at] = inputs[at] + size
    elif number < m.nu + m.nv:
        i = number - m.nu
        direction[i] = 1.0
        move_joint(m, inputs, begin, direction, size, m.dof_jntid[i])
        direction[i] = 0.0
    else:
        # velocities and activations are adjacent in both layouts
        at = begin + m.nq + number - m.nu - m.nv
        inputs[at] = inputs[at] + size


@kernel
def write_slopes(m, outcome, change, motion, group, A, B, C, D):
    """Write columns of derivatives of the state (A, B) and of sensors (C, D).

    A and C are derivatives with respect to the state, B and D with respect to controls.

    Args:
        outcome: outputs of the rows of `change_inputs`.
        change: size of the change in each row.
        motion: work array of nv elements, for the difference of two configurations.
        group: first changed number of the inputs; count of changed numbers; 1 if differences are centered; requested
            matrices (sum of 1 for A, 2 for B, 4 for C, 8 for D).
        A, B, C, D: row-major matrices; see `mjd_transitionFD`.
    """
    first, count, centered, matrices = group[0], group[1], group[2], group[3]
    nx = 2 * m.nv + m.na
    width = m.nq + m.nv + m.na + m.nsensordata
    for k in range(count):
        number, below = first + k, count
        if centered:
            below = count + k
        size = change[k] - change[below]
        # the size is zero if no change stayed within the range
        scale = where(size == 0.0, 0.0, 1.0 / where(size == 0.0, 1.0, size))
        if number < m.nu:
            if matrices & 2:
                state_slopes(m, outcome, k * width, below * width, scale, motion, B, number, m.nu)
            if matrices & 8:
                sensor_slopes(m, outcome, k * width, below * width, scale, D, number, m.nu)
        else:
            if matrices & 1:
                state_slopes(m, outcome, k * width, below * width, scale, motion, A, number - m.nu, nx)
            if matrices & 4:
                sensor_slopes(m, outcome, k * width, below * width, scale, C, number - m.nu, nx)


@kernel
def state_slopes(m, outcome, up, down, scale, motion, matrix, column, columns):
    """Write the derivatives of the state to one column of a matrix, from the outputs at `up` and at `down`."""
    motion_between(m, motion, 1.0, outcome, down, outcome, up)
    for i in range(m.nv):
        matrix[i * columns + column] = motion[i] * scale
    for i in range(m.nv + m.na):
        difference = outcome[up + m.nq + i] - outcome[down + m.nq + i]
        matrix[(m.nv + i) * columns + column] = difference * scale


@kernel
def sensor_slopes(m, outcome, up, down, scale, matrix, column, columns):
    """Write the derivatives of sensors to one column of a matrix, from the outputs at `up` and at `down`."""
    begin = m.nq + m.nv + m.na
    for s in range(m.nsensordata):
        matrix[s * columns + column] = (outcome[up + begin + s] - outcome[down + begin + s]) * scale
