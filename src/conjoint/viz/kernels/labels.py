"""Texts of labels: names of elements, island numbers, geoms or flexes in contact, magnitudes of contact forces."""

from conjoint.lang import fma, integer, kernel, norm
from conjoint.physics.motion.support import contact_wrench
from conjoint.schema.enums_visual import mjtLabel
from conjoint.viz.kernels.geom import MARKED

EXACT_KERNELS = True


def word(text: str) -> int:
    """Pack at most eight ASCII characters into an integer, with the first character in the lowest byte."""
    return int.from_bytes(text.encode(), "little")


BODY, JOINT, GEOM, SITE, CAMERA, LIGHT, TENDON, ACTUATOR, EQUALITY, SKIN, FLEX = (
    word(text)
    for text in ("body", "joint", "geom", "site", "camera", "light", "tendon", "actuator", "equality", "skin", "flex")
)
BLANK, BETWEEN, SHORT_GEOM, SHORT_FLEX, SHORT_ELEMENT, SHORT_VERTEX = (
    word(text) for text in (" ", " | ", "g", "f", ".e", ".v")
)
INFINITE, ZERO, POINT, EXPONENT, MINUS, PLUS = (word(text) for text in ("inf", "0", ".", "e", "-", "+"))

DIGITS = 3
"""Number of significant digits of forces."""
LEAST_EXPONENT = -4
"""Smallest decimal exponent for which a number is written without an exponent."""
ROOM = 99
"""Maximum length of a label in bytes."""
STEP = 1e10
"""Power of ten by which large forces are divided before formatting."""


@kernel
def write_labels(m, d, first):
    """Write the label texts of the marked geoms, starting at geom `first`, for all labels except `mjLABEL_SELPNT`."""
    for g in range(first, d.scn.ngeom):
        if d.scn.geoms.label[g, 0] == MARKED:
            d.scn.geoms.label[g, write_label(m, d, g, d.opt.label, d.scn.geoms.objid[g])] = 0


@kernel
def write_label(m, d, g, label, i):
    """Write the label text of geom g, which shows object i, and return its length."""
    if label == mjtLabel.mjLABEL_ISLAND:
        return put_integer(d, g, 0, d.dof_island[m.body_dofadr[m.body_weldid[i]]])
    if label == mjtLabel.mjLABEL_CONTACTFORCE:
        return put_force(d, g, norm(contact_wrench(m, d, i).linear))
    if label == mjtLabel.mjLABEL_CONTACTPOINT:
        at = put_side(m, d, g, 0, i, 0)
        return put_side(m, d, g, put_word(d, g, at, BETWEEN), i, 1)
    name, kind = name_of(m, label, i)
    at = put_name(m, d, g, 0, name)
    if at > 0:
        return at
    return put_integer(d, g, put_word(d, g, put_word(d, g, 0, kind), BLANK), i)


@kernel
def name_of(m, label, i):
    """Return the address of object i's name, and the word that replaces the name if it is empty."""
    if label == mjtLabel.mjLABEL_JOINT:
        return m.name_jntadr[i], JOINT
    if label == mjtLabel.mjLABEL_GEOM:
        return m.name_geomadr[i], GEOM
    if label == mjtLabel.mjLABEL_SITE:
        return m.name_siteadr[i], SITE
    if label == mjtLabel.mjLABEL_CAMERA:
        return m.name_camadr[i], CAMERA
    if label == mjtLabel.mjLABEL_LIGHT:
        return m.name_lightadr[i], LIGHT
    if label == mjtLabel.mjLABEL_TENDON:
        return m.name_tendonadr[i], TENDON
    if label == mjtLabel.mjLABEL_ACTUATOR:
        return m.name_actuatoradr[i], ACTUATOR
    if label == mjtLabel.mjLABEL_CONSTRAINT:
        return m.name_eqadr[i], EQUALITY
    if label == mjtLabel.mjLABEL_SKIN:
        return m.name_skinadr[i], SKIN
    if label == mjtLabel.mjLABEL_FLEX:
        return m.name_flexadr[i], FLEX
    return m.name_bodyadr[i], BODY


@kernel
def put_side(m, d, g, at, contact, side):
    """Write the name of one of the two geoms or flexes in contact; return the index after the text."""
    geom = d.contact_geom[contact, side]
    if geom >= 0:
        end = put_name(m, d, g, at, m.name_geomadr[geom])
        return end if end > at else put_integer(d, g, put_word(d, g, at, SHORT_GEOM), geom)
    flex = d.contact_flex[contact, side]
    end = put_name(m, d, g, at, m.name_flexadr[flex])
    if end == at:
        end = put_integer(d, g, put_word(d, g, at, SHORT_FLEX), flex)
    element = d.contact_elem[contact, side]
    if element >= 0:
        return put_integer(d, g, put_word(d, g, end, SHORT_ELEMENT), element)
    return put_integer(d, g, put_word(d, g, end, SHORT_VERTEX), d.contact_vert[contact, side])


@kernel
def put_name(m, d, g, at, name):
    """Write the name that starts at an address in `m.names`; return the index after the text."""
    while m.names[name] != 0:
        at = put_word(d, g, at, m.names[name])
        name += 1
    return at


@kernel
def put_word(d, g, at, word):
    """Write a packed word, truncated if it does not fit; return the index after the text."""
    while word > 0 and at < ROOM:
        d.scn.geoms.label[g, at] = word & 255
        word = word >> 8
        at += 1
    return at


@kernel
def put_integer(d, g, at, value):
    """Write an integer in decimal; return the index after the text."""
    if value < 0:
        at = put_word(d, g, at, MINUS)
        value = -value
    power = 1
    while value // power >= 10:
        power = 10 * power
    while power > 0:
        at = put_word(d, g, at, ZERO + value // power % 10)
        power = power // 10
    return at


@kernel
def put_force(d, g, force):
    """Write a positive number in C's format "%.3g"; return the index after the text."""
    base = 0
    while force > 1e20:
        if force == 0.5 * force:
            return put_word(d, g, 0, INFINITE)
        force = force / STEP
        base += 10
    digits, exponent = decimal(force)
    used = DIGITS
    while digits % 10 == 0:
        digits = digits // 10
        used -= 1
    exponent += base
    # position of the decimal point, relative to the first digit
    place = exponent if exponent >= LEAST_EXPONENT and exponent < DIGITS else 0
    at = 0
    power = 1
    for _ in range(used - 1):
        power = 10 * power
    for k in range(place if place < 0 else 0, used if used > place else place + 1):
        if k == place + 1:
            at = put_word(d, g, at, POINT)
        digit = ZERO
        if k >= 0 and k < used:
            digit = ZERO + digits // power % 10
            power = power // 10
        at = put_word(d, g, at, digit)
    if place == exponent:
        return at
    at = put_word(d, g, put_word(d, g, at, EXPONENT), MINUS if exponent < 0 else PLUS)
    size = -exponent if exponent < 0 else exponent
    return put_integer(d, g, at if size >= 10 else put_word(d, g, at, ZERO), size)


@kernel
def decimal(x):
    """Return x rounded to `DIGITS` significant digits, as an integer, and the decimal exponent of its first digit.

    If the scaled number lies exactly between two integers, its rounding error decides; exact ties are rounded to even.
    """
    exponent = DIGITS - 1
    scale = 1.0
    near = x
    while near >= 1000.0:
        scale = scale * 10.0
        exponent += 1
        near = x / scale
    error = fma(-near, scale, x)
    if x < 100.0:
        while near < 100.0:
            scale = scale * 10.0
            exponent -= 1
            near = x * scale
        error = fma(x, scale, -near)
    digits = integer(near)
    rest = near - digits
    if rest > 0.5 or (rest == 0.5 and (error > 0.0 or (error == 0.0 and digits % 2 == 1))):
        digits += 1
    if digits == 1000:
        digits = 100
        exponent += 1
    return digits, exponent
