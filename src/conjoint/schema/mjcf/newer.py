"""What MJCF has got in versions of MuJoCo after the one whose grammar this is, so that errors can say so.

The list is the difference of the grammar of 3.3.5 and the one that `mj_printSchema` of 4.0.0 prints. The versions are
those of the official changelog.
"""

from __future__ import annotations

OWN = "3.3.5"
"""The version whose grammar this is."""

ELEMENTS = {"flexvert": "3.5"}
"""Elements, and the versions that they are known since."""

ROWS = (
    ("3.3.6", "contact", "passive"),
    ("3.8", "flex flexcomp", "cellcount"),
    ("3.12", "flex", "nodecoord"),
    ("3.13", "tactile", "cutoff"),
    ("3.14", "flag", "ipc"),
    ("3.16", "compiler", "savecanonical savecompiled"),
    ("3.17", "elasticity", "section sectionsize"),
    ("4.0", "flag", "speculative"),
    ("4.0", "elasticity", "shear yield"),
)  # fmt: skip
"""Versions, elements, and the attributes that these elements have since then."""

ATTRIBUTES = {(tag, name): version for version, tags, names in ROWS for tag in tags.split() for name in names.split()}
"""The versions that attributes are known since, by element and attribute."""

KEYWORDS = {("option", "integrator", "discrete"): "3.13"}
"""The versions that words are known since, by element, attribute and word."""


def since(tag: str, name: str = "", word: str = "") -> str:
    """The end of a sentence that says since which version an element, its attribute, or a word in it is known.

    It is empty if no later version is known to have it.
    """
    version = KEYWORDS.get((tag, name, word)) if word else ATTRIBUTES.get((tag, name)) if name else ELEMENTS.get(tag)
    return f"; it is known since MuJoCo {version}, and models are read as by {OWN} here" if version else ""
