"""Pseudo-random orders of constraints: numbers of the generator PCG32, and the shuffle that they decide.

The generator is O'Neill's (PCG: A family of simple fast space-efficient statistically good algorithms for random number
generation, 2014): a linear congruential one of 64 bits, whose high bits decide by how much the others are rotated.
Its state is in four quarters of 16 bits, so that no number passes the 31 bits of integers in lanes. Each solve begins
with the same numbers: it depends on nothing but what is solved.
"""

from conjoint.lang import kernel, local

QUARTERS = 4
BITS = 16
LOW = (1 << BITS) - 1
BYTE = 255
FACTOR = 6364136223846793005
INCREMENT = 1


@kernel
def begin_order(state):
    """The state before the first number: that of the stream with this increment, from 0, after a number that is left
    out."""
    for k in range(QUARTERS):
        state[k] = INCREMENT if k == 0 else 0


@kernel
def shuffle(d, count, state):
    """Shuffle the first `count` entries of `dual_order` (Fisher and Yates), and advance the generator."""
    for i in range(count - 1, 0, -1):
        high, low = output_of(state)
        advance(state)
        # a number of 32 bits modulo i + 1
        j = high % (i + 1)
        j = (256 * j + (low >> 8)) % (i + 1)
        j = (256 * j + (low & BYTE)) % (i + 1)
        entry = d.dual_order[i]
        d.dual_order[i] = d.dual_order[j]
        d.dual_order[j] = entry


@kernel
def output_of(state):
    """Number of 32 bits that a state stands for, in halves."""
    s1, s2, s3 = state[1], state[2], state[3]
    # the state and itself 18 bits lower, from bit 27 on
    m1 = s1 ^ ((s2 >> 2) | ((s3 & 3) << 14))
    m2 = s2 ^ (s3 >> 2)
    low = (m1 >> 11) | ((m2 & 2047) << 5)
    high = (m2 >> 11) | ((s3 & 2047) << 5)
    turn = s3 >> 11
    if turn >= BITS:
        turn -= BITS
        high, low = low, high
    rest = BITS - turn
    return ((high >> turn) | (low << rest)) & LOW, ((low >> turn) | (high << rest)) & LOW


@kernel
def advance(state):
    """The next state: the state times the factor, plus the increment, modulo 2^64."""
    sums = local(int, QUARTERS)
    for k in range(QUARTERS):
        sums[k] = INCREMENT if k == 0 else 0
    for i in range(QUARTERS):
        for j in range(QUARTERS - i):
            factor = (FACTOR >> (BITS * j)) & LOW
            lower = state[i] * (factor & BYTE)
            upper = state[i] * (factor >> 8) + (lower >> 8)
            sums[i + j] = sums[i + j] + ((upper & BYTE) << 8) + (lower & BYTE)
            if i + j < QUARTERS - 1:
                sums[i + j + 1] = sums[i + j + 1] + (upper >> 8)
    carry = 0
    for k in range(QUARTERS):
        sum = sums[k] + carry
        state[k] = sum & LOW
        carry = sum >> BITS
