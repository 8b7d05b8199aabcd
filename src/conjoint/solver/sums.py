"""Sums over dofs, or over the elements of rows, as four partial sums that do not depend on each other.

The kernel language preserves the order of additions, so LLVM does not split sums.
"""

from conjoint.lang import kernel

LONG = 32
"""Minimum length of a sum that is split, because splitting shorter sums gains nothing."""


@kernel
def sum_of_dofs(m, d, zero, part):
    """Return the sum of part(d, i) over the dofs; `zero` is the empty sum."""
    return sum_between(d, 0, m.nv, zero, part)


@kernel
def sum_between(d, begin, end, zero, part):
    """Return the sum of part(d, i) for `begin` <= i < `end`; `zero` is the empty sum."""
    first, second, third, fourth = zero, zero, zero, zero
    whole = begin
    if end - begin >= LONG:
        whole = end - (end - begin) % 4
    for i in range(begin, whole, 4):
        first = first + part(d, i)
        second = second + part(d, i + 1)
        third = third + part(d, i + 2)
        fourth = fourth + part(d, i + 3)
    for i in range(whole, end):
        first = first + part(d, i)
    return (first + third) + (second + fourth)
