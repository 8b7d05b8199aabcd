"""Export of the grammar as an XML Schema, for completion and validation in editors (W3C XML Schema 1.0).

Some rules cannot be expressed, and only the reader checks them: children that may appear only once, if the order of
children is arbitrary; references that do not resolve; rules about more than one attribute.
"""

from conjoint.mjcf.written import Tag, format_value
from conjoint.schema.mjcf.grammar import INCLUDE, MUJOCO, rows
from conjoint.schema.mjcf.table import Attribute, Element

NAMESPACE = "http://www.w3.org/2001/XMLSchema"
HEX = r"[\da-fA-F]"
REAL = (
    rf"[+\-]?((\d+\.?\d*|\.\d+)([eE][+\-]?\d+)?|0[xX]({HEX}+\.?{HEX}*|\.{HEX}+)([pP][+\-]?\d+)?"
    r"|[iI][nN][fF]([iI][nN][iI][tT][yY])?|[nN][aA][nN])"
)
"""Pattern of a real number that Python and C accept."""
INTEGER = r"[+\-]?\d+"


def xml_schema() -> str:
    """Return the text of the schema, which covers models, included files, and MJCF elements in URDF files."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _Writer().schema().text()


class _Writer:
    """Writer of the schema, with one type for each row of the grammar and for each format of numbers.

    Attributes:
        names: names of the types of rows, by the Python id of the row.
        forms: types of attribute values created so far, by name.
    """

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.forms: dict[str, Tag] = {}
        self._name(MUJOCO, "mujoco")
        self._name(INCLUDE, "include")

    def _name(self, row: Element, path: str) -> None:
        """Name `row` and its descendants by their paths in the grammar."""
        if id(row) not in self.names:
            self.names[id(row)] = path
            for tag, child in row.children.items():
                self._name(child, f"{path}.{tag}" if row is not MUJOCO else tag)

    def schema(self) -> Tag:
        """Return the whole schema."""
        root = Tag("xs:schema", {"xmlns:xs": NAMESPACE, "elementFormDefault": "qualified"})
        root.add(_documented("MJCF, and the elements of it inside URDF files."))
        root.add(_use(MUJOCO, "mujoco"))
        for name, meaning in (("mujocoinclude", INCLUDE.meaning), ("robot", "Robot in URDF; it is not checked.")):
            root.add(Tag("xs:element", {"name": name, "type": "anything"})).add(_documented(meaning))
        types = [self._type(row) for row in (*rows(), INCLUDE)]
        root.children += [_numbers("real", REAL), _numbers("integer", INTEGER), _anything(), _nothing()]
        root.children += [*self.forms.values(), *types]
        return root

    def _type(self, row: Element) -> Tag:
        """Return the schema type for elements of `row`: children and includes in any order, with arbitrary text."""
        made = Tag("xs:complexType", {"name": self.names[id(row)], "mixed": "true"})
        choice = made.add(Tag("xs:choice", {"minOccurs": "0", "maxOccurs": "unbounded"}))
        children = dict(row.children)
        if row.recursive:
            children[row.name] = row
        for child in children.values():
            choice.add(_use(child, self.names[id(child)]))
        if row is not INCLUDE:
            choice.add(_use(INCLUDE, "include"))
        for attribute in row.attributes.values():
            made.add(self._attribute(attribute))
        return made

    def _attribute(self, row: Attribute) -> Tag:
        """Return the declaration of an attribute, with its documentation."""
        made = Tag("xs:attribute", {"name": row.name})
        if row.required:
            made.attributes["use"] = "required"
        default = default_text(row)
        notes = [row.meaning, f"Unit: {row.unit}." if row.unit else "", f"Default: {default}." if default else ""]
        made.add(_documented(" ".join(note for note in notes if note)))
        if row.choices:
            made.add(_keywords(row))
        else:
            made.attributes["type"] = self._form(row)
        return made

    def _form(self, row: Attribute) -> str:
        """Return the name of the schema type for an attribute's values. Empty lists of numbers are allowed."""
        if row.type not in ("real", "int"):
            return "xs:string"
        kind = "real" if row.type == "real" else "integer"
        if row.scalar:
            return kind
        name = f"{kind}.{row.least}.{'any' if row.most is None else row.most}"
        if name not in self.forms:
            made = self.forms[name] = Tag("xs:simpleType", {"name": name})
            union = made.add(Tag("xs:union", {"memberTypes": "nothing"}))
            limits = union.add(Tag("xs:simpleType")).add(Tag("xs:restriction"))
            limits.add(Tag("xs:simpleType")).add(Tag("xs:list", {"itemType": kind}))
            limits.add(Tag("xs:minLength", {"value": str(row.least)}))
            if row.most is not None:
                limits.add(Tag("xs:maxLength", {"value": str(row.most)}))
        return name


def _use(row: Element, name: str) -> Tag:
    """Return the declaration of the element `row` with the type `name`."""
    made = Tag("xs:element", {"name": row.name, "type": name})
    made.add(_documented(row.meaning))
    return made


def _documented(text: str) -> Tag:
    """Return an annotation that contains `text`."""
    made = Tag("xs:annotation")
    made.add(Tag("xs:documentation")).words = text
    return made


def default_text(row: Attribute) -> str:
    """Return the default of an attribute as it is written in a file, or "" if it has none."""
    value = row.implied if row.default is None or row.default == "" else row.default
    # a default without a keyword means that the attribute is missing
    nameless = row.type == "choice" and value not in row.choices.values()
    return "" if value is None or nameless else format_value(row, value)


def _keywords(row: Attribute) -> Tag:
    """Return the schema type for an attribute with keywords: a single keyword, or a list of keywords."""
    made = Tag("xs:simpleType")
    one = made.add(Tag("xs:list")).add(Tag("xs:simpleType")) if row.type == "bits" else made
    allowed = one.add(Tag("xs:restriction", {"base": "xs:string"}))
    for keyword in row.choices:
        allowed.add(Tag("xs:enumeration", {"value": keyword}))
    return made


def _numbers(name: str, pattern: str) -> Tag:
    """Return a schema type for numbers that match a pattern."""
    made = Tag("xs:simpleType", {"name": name})
    made.add(Tag("xs:restriction", {"base": "xs:token"})).add(Tag("xs:pattern", {"value": pattern}))
    return made


def _nothing() -> Tag:
    """Return the schema type for empty lists."""
    made = Tag("xs:simpleType", {"name": "nothing"})
    made.add(Tag("xs:restriction", {"base": "xs:token"})).add(Tag("xs:length", {"value": "0"}))
    return made


def _anything() -> Tag:
    """Return the schema type for elements with arbitrary contents. Known contents are validated."""
    made = Tag("xs:complexType", {"name": "anything", "mixed": "true"})
    sequence = made.add(Tag("xs:sequence"))
    sequence.add(Tag("xs:any", {"minOccurs": "0", "maxOccurs": "unbounded", "processContents": "lax"}))
    made.add(Tag("xs:anyAttribute", {"processContents": "lax"}))
    return made
