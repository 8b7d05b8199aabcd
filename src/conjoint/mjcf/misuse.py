"""What a macro says when it cannot be expanded."""

from conjoint.mjcf.document import Node


class Misuse(ValueError):
    """What was written is not what the macro needs.

    Attributes:
        attribute: name of the wrong attribute, "" if it is not one.
        node: element that has it; None: the macro itself.
    """

    def __init__(self, message: str, attribute: str = "", node: Node | None = None):
        super().__init__(message)
        self.attribute, self.node = attribute, node
