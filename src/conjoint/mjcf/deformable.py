"""deformable: flexes written element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conjoint.mjcf.document import Node
from conjoint.schema.mjcf import Element as Row
from conjoint.schema.mjcf import defaults

if TYPE_CHECKING:
    from conjoint.mjcf.reader import Reader


def read_flex(reader: Reader, node: Node, row: Row) -> None:
    """A flex, with what its contact, edge and elasticity say."""
    flex = reader.element(node, row)
    flex.node = ()
    for child, inner in reader.children(node, row):
        flex.__dict__.update(reader.fill(reader.values(child, inner), inner, defaults("flex")))
    reader.spec.flexes.append(flex)
