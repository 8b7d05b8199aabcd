"""Parser that converts XML text to a tree of nodes with their positions in the file."""

import os
import re
from pathlib import Path

from conjoint.lang.errors import ModelError, ModelWarning
from conjoint.lang.warn import warn
from conjoint.mjcf.repair import UNDECLARED, repaired, with_lines
from conjoint.once import MAKING
from conjoint.spec.filename import check_regular, elsewhere

MOST_BYTES = 16 * 1024 * 1024
"""Maximum size of a file in bytes. Parsed numbers need ten times the memory of their text."""
SMALL = 64 * 1024
"""Number of bytes to read at first, because a buffer for the largest file is slow to allocate and to free."""

_MARKUP = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<![^>]*>|<\s*/[^>]*>|<\s*(?P<start>[^\s/>\"']+(?:[^>\"']|\"[^\"]*\"|'[^']*')*)>",
    re.DOTALL,
)
MOST_ATTRIBUTES = 5000
"""Maximum number of attributes of one element.

It is limited because libxml2 compares each attribute with all others.
"""
BLANKS = b"\0 \t\r\n"
"""Bytes that are ignored at the end of a text."""
_VALUE = re.compile(rb"""=\s*["']""")


class Document:
    """One XML file, with its name and its text.

    Attributes:
        folder: for an included file, the folder that is searched for its files after the folder of the main file.
        tags: tags of the elements below the root.
    """

    def __init__(self, name: str, data: bytes, folder: str | None = None):
        self.name = name
        self.data = data
        self.folder = folder
        self.tags: set[str] = set()

    def position(self, ordinal: int, attribute: str | None) -> tuple[int, int]:
        """Return the line and column, counted from 1, of start tag number `ordinal`, or of one of its attributes."""
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
    """One XML element, with its tag, attributes and children, and the index of its start tag in the document."""

    __slots__ = ("attributes", "children", "document", "ordinal", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], document: Document, ordinal: int):
        self.tag = tag
        self.attributes = attributes
        self.children: list[Node] = []
        self.document = document
        self.ordinal = ordinal

    @property
    def line(self) -> int:
        """Line at which the element starts."""
        line, _ = self.document.position(self.ordinal, None)
        return line

    def at(self, attribute: str | None = None) -> str:
        """Return the file, line and column of the element, or of one of its attributes."""
        line, column = self.document.position(self.ordinal, attribute)
        return f"{self.document.name}:{line}:{column}"


def read_file(path: str | Path, folder: str | None = None) -> Node:
    """Return the root of the XML file at `path`. Its `Document` stores `folder`.

    Raises:
        ModelError: the file cannot be read, is too large or is not well-formed.
    """
    try:
        check_regular(os.fspath(path))
        with open(path, "rb") as file:
            data = file.read(SMALL)
            if len(data) == SMALL:
                data += file.read(MOST_BYTES + 1 - SMALL)
    except OSError as error:
        hint = elsewhere(str(path), folder or "") if isinstance(error, FileNotFoundError) else ""
        raise ModelError(f"{path}: cannot read the model: {error.strerror}{hint}") from None
    return read_text(data, str(path), folder)


def read_text(data: bytes, name: str, folder: str | None = None) -> Node:
    """Return the root of the XML document `data`, which messages call `name`. Its `Document` stores `folder`.

    Raises:
        ModelError: the text is too large or is not well-formed XML.
    """
    if len(data) > MOST_BYTES:
        raise ModelError(f"{name}: larger than {MOST_BYTES >> 20} MiB: store large data in separate files")
    # the search for a single byte takes a fraction of the time
    if b"!" in data and b"<!ENTITY" in data:
        raise ModelError(f"{name}: entities are not allowed in a model")
    # text that starts with zeros is in another encoding; elsewhere a zero ends the text, as in MuJoCo
    if b"\0" not in data[:4]:
        data, _, rest = data.partition(b"\0")
        if rest.strip(BLANKS):
            message = "text after a zero byte is ignored, as in MuJoCo"
            warn(f"{name}: {message}", ModelWarning)
    if not data.strip(BLANKS):
        raise ModelError(f"{name}: the file is empty")
    # an attribute takes at least five characters
    least = 5 * MOST_ATTRIBUTES
    many = data.count(b"=") > MOST_ATTRIBUTES
    if many and any(len(tag) > least and len(_VALUE.findall(tag)) > MOST_ATTRIBUTES for tag in data.split(b"<")):
        raise ModelError(f"{name}: an element has more than {MOST_ATTRIBUTES} attributes")
    document = Document(name, data, folder)
    root = _parse(document)
    definitions = root.getroottree().docinfo.internalDTD
    if definitions is not None and any(True for _ in definitions.iterentities()):
        raise ModelError(f"{name}: entities are not allowed in a model")
    return _tree(root, document)


def _parse(document: Document):
    """Return the root as an lxml element, parsed without entities, network access or external definitions."""
    with MAKING.held:
        from lxml import etree

    # in other encodings, entities cannot be detected before parsing
    name, data = document.name, document.data
    plain = b"\0" not in data
    # the declared encoding of a file is often wrong, most of all in Python strings
    encoding = "utf-8" if plain and _is_utf8(data) else None

    def parser():
        return etree.XMLParser(
            encoding=encoding,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            # chains of bodies nest deeper than 256 elements; entities, which make huge trees dangerous, are rejected
            huge_tree=plain,
            remove_comments=True,
            remove_pis=True,
        )

    try:
        return etree.fromstring(with_lines(data), parser())
    except etree.XMLSyntaxError as error:
        # repair common mistakes that other tools accept
        text = with_lines(repaired(data))
        try:
            return etree.fromstring(text, parser())
        except etree.XMLSyntaxError:
            root = _first_root(text, parser(), document) if plain else None
            if root is not None:
                return root
            line, column = error.position
            reason = (error.msg or "").partition(", line ")[0]
            if reason.startswith("Excessive depth"):
                reason = "elements are nested too deep"
            raise ModelError(f"{name}:{line}:{column}: not well-formed XML: {reason}") from None


def _first_root(text: bytes, parser, document: Document):
    """Return the first of several root elements of a text, and ignore the others.

    Return None if any of the elements is not well-formed.
    """
    with MAKING.held:
        from lxml import etree

    try:
        around = etree.fromstring(b"<roots>" + text + b"</roots>", parser)
    except etree.XMLSyntaxError:
        return None
    if not len(around) or any((root.tail or "").strip() for root in around):
        return None
    root = around[0]
    second = Node("", {}, document, sum(1 for _ in root.iter()))
    message = "text after the root element is ignored, as in MuJoCo"
    warn(f"{second.at()}: {message}", ModelWarning)
    return root


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _tree(root, document: Document) -> Node:
    """Return the nodes for the lxml element `root` and its descendants."""
    nodes: dict[object, Node] = {}
    tags = document.tags
    # files declare their namespaces, except the XML namespace; in other encodings, declarations cannot be detected
    data = document.data
    spaced = b"\0" in data or bool(root.nsmap) or (b":" in data and (b"xmlns" in data or b"xml:" in data))
    for ordinal, item in enumerate(root.iter()):
        tag = item.tag
        if not isinstance(tag, str):
            line, _ = document.position(ordinal, None)
            raise ModelError(f"{document.name}:{line}: entities are not allowed in a model")
        # a declaration without a colon is detected only here
        spaced = spaced or tag[0] == "{"
        node = Node(*_written(item), document, ordinal) if spaced else Node(tag, dict(item.items()), document, ordinal)
        nodes[item] = node
        if ordinal:
            nodes[item.getparent()].children.append(node)
            tags.add(tag)
    return nodes[root]


def _written(item) -> tuple[str, dict[str, str]]:
    """Return the tag and attributes of an lxml element as written, with prefixes and namespace declarations."""
    tag = item.tag.rpartition("}")[2]
    above = item.getparent()
    declared = {} if above is None else above.nsmap
    attributes = {}
    for prefix, space in item.nsmap.items():
        if declared.get(prefix) != space and not space.startswith(UNDECLARED):
            attributes["xmlns:" + prefix if prefix else "xmlns"] = space
    prefixes = {space: prefix for prefix, space in item.nsmap.items() if prefix}
    for name, value in item.attrib.items():
        space, _, local = name.rpartition("}")
        attributes[f"{prefixes.get(space[1:], 'xml')}:{local}" if space else name] = value
    return f"{item.prefix}:{tag}" if item.prefix else tag, attributes


class Misuse(ValueError):
    """Error for input that a macro cannot use.

    Attributes:
        attribute: name of the wrong attribute; "" if the error is not about an attribute.
        node: element with the error; None for the macro itself.
    """

    def __init__(self, message: str, attribute: str = "", node: Node | None = None):
        super().__init__(message)
        self.attribute, self.node = attribute, node
