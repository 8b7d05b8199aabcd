"""Units of constraint rows in lanes, which group rows of different worlds that act on the same dofs.

Row r of one world may belong to a foot on the floor, and row r of another world to a hand. Side by side, they would
couple arms and legs in the Hessian of a block of worlds. So the lists of rows are merged by body, and a world has a gap
where other worlds have a row that it lacks. Rows of a world keep their order, and gaps add zeros: no bit of a world
depends on the other worlds.

A slot contains one row of each world, or a gap. A unit is a sequence of consecutive slots, with the rows of an elliptic
contact or a few rows of another constraint.
"""

from conjoint.lang import any, kernel, maximum, minimum, where
from conjoint.physics.row_storage import fullest
from conjoint.schema.enums import mjtConstraint
from conjoint.solver.linear.half_rows import LARGEST_CONE

CONTACTS = int(mjtConstraint.mjCNSTR_CONTACT_FRICTIONLESS)
ELLIPTIC = int(mjtConstraint.mjCNSTR_CONTACT_ELLIPTIC)
MOST_KEYS = 2**30
GAP = -1
"""Row number that marks a gap."""


@kernel
def find_keys(m, d, n, count):
    """Compute unit.key and unit.left of the rows: the key of a row's unit, and the number of rows left in the unit.

    The number includes the row itself. Keys ascend in the order of each world's rows.
    """
    left = 0
    key = 0
    for r in range(n - 1, -1, -1):
        last = r + 1 >= count
        if r < n - 1:
            last = last | (d.efc_type[r] != d.efc_type[r + 1]) | (d.efc_id[r] != d.efc_id[r + 1])
        left = where(last, 1, left + 1)
        if last & (r < count):
            key = minimum(key_of(m, d, r), MOST_KEYS - 1)
        d.unit.key[r] = key
        size = minimum(left, LARGEST_CONE)
        d.unit.left[r] = where(size == 2, 1, size)


@kernel
def is_of_cone(d, r):
    """Return True if a row belongs to an elliptic contact."""
    return d.efc_type[r] == ELLIPTIC


@kernel
def key_of(m, d, r):
    """Return the sort key of row r, which identifies its constraint or the body pair of its contact.

    Contacts sort after all other constraints.
    """
    key = d.efc_id[r] + d.efc_type[r] * most_of_a_kind(m)
    if d.efc_type[r] >= CONTACTS:
        c = d.efc_id[r]
        i = m.geom_bodyid[maximum(d.contact_geom[c, 0], 0)]
        j = m.geom_bodyid[maximum(d.contact_geom[c, 1], 0)]
        key = CONTACTS * most_of_a_kind(m) + minimum(i, j) * m.nbody + maximum(i, j)
    return key


@kernel
def most_of_a_kind(m):
    """Return an integer that is greater than the ids of all constraints except contacts."""
    return maximum(maximum(m.nv, m.njnt), maximum(m.neq, m.ntendon))


@kernel
def key_range(m):
    """Return a power of two that is greater than all keys."""
    keys = CONTACTS * most_of_a_kind(m) + m.nbody * m.nbody
    power = 1
    while power < keys and power < MOST_KEYS:
        power = 2 * power
    return power


@kernel
def merge_rows(m, d, n, count):
    """Merge the first `count` rows of each world into units (unit.count, unit.first, unit.row).

    The largest count over the worlds is n.
    """
    places = 0
    units = 0
    row = 0
    keys = key_range(m)
    while any(row < count):
        key = keys
        left = 0
        if row < count:
            key = d.unit.key[row]
            left = d.unit.left[row]
        taken = key <= least_key(key, keys)
        if places + 3 * n > 3 * d.nefc_capacity:
            # little space is left: merge units of several rows, and single rows, regardless of their keys
            if any(left > 1):
                taken = left > 1
            else:
                taken = left == 1
        left = where(taken, left, 0)
        d.unit.first[units] = places
        units += 1
        for k in range(fullest(left)):
            d.unit.row[places] = where(k < left, row + k, GAP)
            places += 1
        row = row + left
    d.unit.first[units] = places
    d.unit.count = units


@kernel
def least_key(key, keys):
    """Return the smallest key over the worlds of a block; `keys` is a power of two above all keys."""
    least = 0
    bit = keys
    while bit > 1:
        bit = bit // 2
        least = where(any(key < least + bit), least, least + bit)
    return least
