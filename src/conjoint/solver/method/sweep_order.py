"""Pseudo-random orders of constraints: numbers of the generator PCG32, and the shuffle that they decide.

The generator is O'Neill's (PCG: A family of simple fast space-efficient statistically good algorithms for random number
generation, 2014): a linear congruential one of 64 bits, whose high bits decide by how much the others are rotated.
Its state is in two halves of 32 bits, so that no product passes 63 bits, compiled or not. Each solve begins with the
same numbers: it depends on nothing but what is solved.
"""

from conjoint.lang import kernel

HALF = 32
LOW = (1 << HALF) - 1
QUARTER = (1 << 16) - 1
FACTOR_HIGH, FACTOR_LOW = divmod(6364136223846793005, 1 << HALF)
INCREMENT = 1
START_HIGH, START_LOW = 0, INCREMENT
"""State before the first number: that of the stream with this increment, from 0, after a number that is left out."""


@kernel
def shuffle(d, count, high, low):
    """Shuffle the first `count` entries of `dual_order` (Fisher and Yates); the state of the generator behind it."""
    for i in range(count - 1, 0, -1):
        number = output_of(high, low)
        high, low = state_after(high, low)
        j = number % (i + 1)
        entry = d.dual_order[i]
        d.dual_order[i] = d.dual_order[j]
        d.dual_order[j] = entry
    return high, low


@kernel
def output_of(high, low):
    """Number of 32 bits that a state stands for."""
    mixed_high = high ^ (high >> 18)
    mixed_low = low ^ (((high << 14) | (low >> 18)) & LOW)
    number = ((mixed_high << 5) | (mixed_low >> 27)) & LOW
    turn = high >> 27
    return ((number >> turn) | (number << ((HALF - turn) & 31))) & LOW


@kernel
def state_after(high, low):
    """The next state: the state times the factor, plus the increment, modulo 2^64."""
    upper = (low >> 16) * FACTOR_LOW
    lower = (low & QUARTER) * FACTOR_LOW + ((upper & QUARTER) << 16) + INCREMENT
    carry = (lower >> HALF) + (upper >> 16)
    return (carry + low_product(high, FACTOR_LOW) + low_product(low, FACTOR_HIGH)) & LOW, lower & LOW


@kernel
def low_product(a, b):
    """The lower 32 bits of a product of two numbers of 32 bits."""
    return ((a & QUARTER) * b + ((((a >> 16) * b) & QUARTER) << 16)) & LOW
