"""deformable: flexes written element by element."""

from conjoint.mjcf.document import Node
from conjoint.mjcf.elements import ElementReader
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.mjcf.table import Element as Row


def read_flex(reader: ElementReader, node: Node, row: Row) -> None:
    """A flex, with what its contact, edge and elasticity say."""
    flex = reader.element(node, row)
    for child, inner in reader.children(node, row):
        flex.__dict__.update(reader.fill(reader.values(child, inner), inner, defaults("flex")))
    reader.spec.flexes.append(flex)
