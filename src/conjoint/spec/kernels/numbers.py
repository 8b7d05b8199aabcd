"""Parser of decimal numbers."""

from conjoint.lang import abs, fma, kernel

EXACT_KERNELS = True

TAB, NEWLINE, RETURN, BLANK, PLUS, MINUS, POINT, ZERO, NINE, CAPITAL_E, SMALL_E = (
    9,
    10,
    13,
    32,
    43,
    45,
    46,
    48,
    57,
    69,
    101,
)
"""Character codes. The characters from TAB to RETURN separate words, as BLANK does."""
MOST_DIGITS = 18
"""Maximum number of digits that always fit into a 64-bit integer."""
MOST_POWER = 22
"""Largest power of ten that a real represents exactly."""
LOW_BITS = 27
"""Number of bits of the lower part when an integer is split into two reals."""
DOUBT = 2.0**-49
"""Maximum relative error of the correction term in a product."""
NUMBERS_OF_WORD = 3


@kernel
def read_numbers(text, end, values, others):
    """Read words separated by blanks as numbers.

    Args:
        text: bytes of the text.
        end: number of bytes.
        values: receives the numbers, rounded to the nearest.
        others: receives index, start and end of each word that the caller must convert.

    Returns:
        number of words, and number of words that are left to the caller.
    """
    count = 0
    left = 0
    at = next_word(text, 0, end)
    while at < end:
        stop = end_of_word(text, at, end)
        values[count], good = number_in(text, at, stop)
        if not good:
            others[NUMBERS_OF_WORD * left] = count
            others[NUMBERS_OF_WORD * left + 1] = at
            others[NUMBERS_OF_WORD * left + 2] = stop
            left += 1
        count += 1
        at = next_word(text, stop, end)
    return count, left


@kernel
def is_blank(c):
    """Return True if a character separates words."""
    return c == BLANK or (c >= TAB and c <= RETURN)


@kernel
def next_word(text, at, end):
    """Return the start of the first word at or after `at`."""
    while at < end and is_blank(text[at]):
        at += 1
    return at


@kernel
def end_of_word(text, at, end):
    """Return the end of the word that starts at `at`."""
    while at < end and not is_blank(text[at]):
        at += 1
    return at


@kernel
def number_in(text, at, stop):
    """Return the number in a word and True, or 0 and False if the number cannot be converted here.

    This is the case if the word is not a number, or has too many digits or too large an exponent to round reliably.
    """
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    digits = 0
    seen = False
    power = 0
    behind = False
    mantissa = 0
    while at < stop and ((text[at] >= ZERO and text[at] <= NINE) or (text[at] == POINT and not behind)):
        if text[at] == POINT:
            behind = True
        else:
            if digits == MOST_DIGITS:
                return 0.0, False
            mantissa = 10 * mantissa + text[at] - ZERO
            seen = True
            if mantissa > 0:
                digits += 1
            if behind:
                power -= 1
        at += 1
    if seen and at + 1 < stop and (text[at] == SMALL_E or text[at] == CAPITAL_E):
        exponent, at = exponent_in(text, at + 1, stop)
        power += exponent
    if not seen or at != stop or power > MOST_POWER or power < -MOST_POWER:
        return 0.0, False
    value, good = scaled(mantissa, power)
    return (-value if negative else value), good


@kernel
def exponent_in(text, at, stop):
    """Return the exponent that starts at `at`, and its end. Without an exponent, the end is `at`."""
    negative = text[at] == MINUS
    first = at + 1 if negative or text[at] == PLUS else at
    exponent = 0
    here = first
    while here < stop and text[here] >= ZERO and text[here] <= NINE and here < first + MOST_DIGITS:
        exponent = 10 * exponent + text[here] - ZERO
        here += 1
    return (-exponent if negative else exponent), (here if here > first else at)


@kernel
def scaled(mantissa, power):
    """Return an integer times a power of ten, rounded to the nearest, and True if the rounding is certain."""
    scale = power_of_ten(-power if power < 0 else power)
    high = 1.0 * (mantissa >> LOW_BITS << LOW_BITS)
    low = 1.0 * (mantissa & ((1 << LOW_BITS) - 1))
    whole = high + low
    rest = low - (whole - high)
    near = whole / scale if power < 0 else whole * scale
    if rest == 0.0:
        # a single operation on exact numbers
        return near, True
    error = fma(-near, scale, whole) if power < 0 else fma(whole, scale, -near)
    more = (error + rest) / scale if power < 0 else error + rest * scale
    doubt = DOUBT * abs(more)
    return near + more, near + (more - doubt) == near + (more + doubt)


@kernel
def power_of_ten(exponent):
    """Return ten to the power of `exponent`, exactly. The exponent is at most `MOST_POWER`."""
    power = 1.0
    if exponent & 1:
        power = 10.0
    if exponent & 2:
        power = power * 1e2
    if exponent & 4:
        power = power * 1e4
    if exponent & 8:
        power = power * 1e8
    if exponent & 16:
        power = power * 1e16
    return power
