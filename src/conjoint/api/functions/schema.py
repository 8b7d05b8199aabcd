"""The grammar as text (API reference, Printing)."""

import textwrap
from collections.abc import Iterator

from conjoint.api.arguments import checked
from conjoint.schema.mjcf.grammar import MUJOCO
from conjoint.schema.mjcf.table import Element

NAMES, WIDTH = 30, 68
"""Columns where attributes start and end."""


@checked
def mj_printSchema(flg_html: bool, flg_pad: bool) -> str:
    """Elements and attributes of MJCF, as text or as an HTML table.

    An element is followed by how often it may appear: ! once, ? at most once, * any number of times, R also inside
    itself. What holds bodies is written once.

    Args:
        flg_html: write HTML.
        flg_pad: in HTML, indent with styles rather than with blanks that do not break.
    """
    parts = [_row(row, depth, sign, flg_pad) if flg_html else _text(row, depth, sign) for row, depth, sign in _walk()]
    return f'<table border="1">\n{"".join(parts)}</table>\n' if flg_html else "".join(parts)


def _walk() -> Iterator[tuple[Element, int, str]]:
    """Every element with its depth and sign, parents before children."""
    seen: set[int] = set()

    def visit(row: Element, depth: int) -> Iterator[tuple[Element, int, str]]:
        seen.add(id(row))
        yield row, depth, "!" if row is MUJOCO else "R" if row.recursive else "?" if row.once else "*"
        for child in row.children.values():
            if not child.recursive or id(child) not in seen:
                yield from visit(child, depth + 1)

    return visit(MUJOCO, 0)


def _text(row: Element, depth: int, sign: str) -> str:
    """Lines of one element."""
    name = f"{'   ' * depth}{row.name} ({sign})".ljust(NAMES - 1) + " "
    lines = textwrap.wrap(" ".join(sorted(row.attributes)), WIDTH - NAMES) or [""]
    return "".join((name if i == 0 else " " * NAMES) + line + "\n" for i, line in enumerate(lines))


def _row(row: Element, depth: int, sign: str, pad: bool) -> str:
    """Row of the HTML table for one element."""
    style = f'style="padding-left:{5 + 15 * depth}" ' if pad else ""
    name = ("" if pad else "&nbsp;" * (4 * depth)) + row.name
    attributes = " ".join(sorted(row.attributes)) or "<i>no attributes</i>"
    cells = (f'<td {style}class="el">{name}</td>', f'<td class="ty">{sign}</td>', f'<td class="at">{attributes}</td>')
    return "<tr>\n\t" + "\n\t".join(cells) + "\n</tr>\n"
