"""XML text to a tree of nodes that know their place in the file."""

from __future__ import annotations

import re
from pathlib import Path

from conjoint.lang.errors import ModelError

MOST_BYTES = 16 * 1024 * 1024
"""Largest file that is read; numbers take ten times their text in memory."""
SMALL = 64 * 1024
"""Bytes of files that are read at once: memory for the largest is slow to get and to give back."""

_MARKUP = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<![^>]*>|</[^>]*>|<(?P<start>[^\s/>\"']+(?:[^>\"']|\"[^\"]*\"|'[^']*')*)>",
    re.DOTALL,
)
MOST_ATTRIBUTES = 5000
"""Attributes of one element; libxml2 compares each with all others."""
_VALUE = re.compile(rb"""=\s*["']""")
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_QUOTED = re.compile(rb"""=\s*(?:"[^"]*"|'[^']*')""")
_BARE = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)")
_TOUCHING = re.compile(rb"""(=\s*(?:"[^"<]*"|'[^'<]*'))(?=[A-Za-z_])""")


class Document:
    """One XML file: its name and its text."""

    def __init__(self, name: str, data: bytes):
        self.name = name
        self.data = data

    def position(self, ordinal: int, attribute: str | None) -> tuple[int, int]:
        """Line and column, from 1, of the start tag number `ordinal` or of one of its attributes."""
        source = self.data.decode("utf-8", "replace")
        starts = (match for match in _MARKUP.finditer(source) if match["start"] is not None)
        for number, match in enumerate(starts):
            if number == ordinal:
                offset = match.start()
                found = attribute and re.search(rf"[\s\"']{re.escape(attribute)}\s*=", match.group())
                offset += found.start() + 1 if found else 0
                return source.count("\n", 0, offset) + 1, offset - source.rfind("\n", 0, offset)
        return 1, 1


class Node:
    """One XML element: tag, attributes and children, and which start tag of the document it is."""

    __slots__ = ("attributes", "children", "document", "ordinal", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], document: Document, ordinal: int):
        self.tag = tag
        self.attributes = attributes
        self.children: list[Node] = []
        self.document = document
        self.ordinal = ordinal

    def at(self, attribute: str | None = None) -> str:
        """File, line and column of the element or of one of its attributes."""
        line, column = self.document.position(self.ordinal, attribute)
        return f"{self.document.name}:{line}:{column}"


def read_file(path: str | Path) -> Node:
    """Root of the XML file at `path`.

    Raises:
        ModelError: the file cannot be read, is too large or is not well-formed.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(SMALL)
            if len(data) == SMALL:
                data += file.read(MOST_BYTES + 1 - SMALL)
    except OSError as error:
        raise ModelError(f"{path}: cannot read the model: {error.strerror}") from None
    return read_text(data, str(path))


def read_text(data: bytes, name: str) -> Node:
    """Root of the XML document `data`; `name` is used in messages.

    Raises:
        ModelError: the text is too large or is not well-formed XML.
    """
    if len(data) > MOST_BYTES:
        raise ModelError(f"{name}: larger than {MOST_BYTES >> 20} MiB: large data belong into files of their own")
    if b"<!ENTITY" in data:
        raise ModelError(f"{name}: entities are not allowed in a model")
    if not data.strip(b"\x00 \t\r\n"):
        raise ModelError(f"{name}: the file is empty")
    # an attribute takes at least five characters
    least = 5 * MOST_ATTRIBUTES
    long = [tag for tag in data.split(b"<") if len(tag) > least] if len(data) > least else []
    if any(len(_VALUE.findall(tag)) > MOST_ATTRIBUTES for tag in long):
        raise ModelError(f"{name}: an element has more than {MOST_ATTRIBUTES} attributes")
    root = _parse(data, name)
    definitions = root.getroottree().docinfo.internalDTD
    if definitions is not None and any(True for _ in definitions.iterentities()):
        raise ModelError(f"{name}: entities are not allowed in a model")
    return _tree(root, Document(name, data))


def _parse(data: bytes, name: str):
    """lxml element of the root, read without entities, network or external definitions."""
    from lxml import etree

    # in other encodings, entities cannot be seen before reading
    plain = b"\0" not in data

    def parser():
        return etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            # names of elements nest deeper than 256 in chains of bodies; entities, the danger, are refused
            huge_tree=plain,
            remove_comments=True,
            remove_pis=True,
        )

    try:
        return etree.fromstring(data, parser())
    except etree.XMLSyntaxError as error:
        # slips that are common and that other tools read
        try:
            return etree.fromstring(_repaired(data), parser())
        except etree.XMLSyntaxError:
            line, column = error.position
            reason = (error.msg or "").partition(", line ")[0]
            raise ModelError(f"{name}:{line}:{column}: not well-formed XML: {reason}") from None


def _repaired(data: bytes) -> bytes:
    """`data` in UTF-8 without comments (they may hold two hyphens), with blanks between attributes, escaped values."""
    try:
        data.decode()
    except UnicodeDecodeError:
        data = data.decode("latin-1").encode()
    return _QUOTED.sub(_escaped, _TOUCHING.sub(rb"\1 ", _COMMENT.sub(_blank, data)))


def _escaped(match: re.Match[bytes]) -> bytes:
    """A value whose characters < and & are written as XML wants them."""
    return _BARE.sub(b"&amp;", match.group()).replace(b"<", b"&lt;")


def _blank(match: re.Match[bytes]) -> bytes:
    """As many blanks as the comment is long, on as many lines."""
    return re.sub(rb"[^\n]", b" ", match.group())


def _tree(root, document: Document) -> Node:
    """Nodes of the lxml element `root` and all below it."""
    nodes: dict[object, Node] = {}
    for ordinal, item in enumerate(root.iter()):
        tag = item.tag
        if not isinstance(tag, str):
            line, _ = document.position(ordinal, None)
            raise ModelError(f"{document.name}:{line}: entities are not allowed in a model")
        node = Node(tag, dict(item.attrib), document, ordinal)
        nodes[item] = node
        if item is not root:
            nodes[item.getparent()].children.append(node)
    return nodes[root]
