"""Which elements of a model are seen, and which colour they have (Programming, Scene update)."""

from conjoint.lang import kernel
from conjoint.schema.constants import mjNGROUP

DEFAULT_GREY = 0.5
DEFAULT_GLOSS = 0.5


@kernel
def is_shown(groups, group):
    """True if elements of a group are shown; groups out of range count as the nearest."""
    if group < 0:
        group = 0
    if group >= mjNGROUP:
        group = mjNGROUP - 1
    return groups[group] != 0


@kernel
def is_default(colors, i):
    """True if row i of colours is the grey that elements have by default, so that a material decides."""
    grey = colors[4 * i] == DEFAULT_GREY and colors[4 * i + 1] == DEFAULT_GREY and colors[4 * i + 2] == DEFAULT_GREY
    return grey and colors[4 * i + 3] == 1.0


@kernel
def is_invisible(m, material, colors, i):
    """True if an element is fully transparent: it is left out."""
    if material >= 0 and is_default(colors, i):
        return m.mat_rgba[material, 3] == 0.0
    return colors[4 * i + 3] == 0.0
