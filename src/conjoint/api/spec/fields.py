"""Attributes of the elements of an editable model, and their types.

Most attributes are derived from the rows of the grammar. This module adds attributes that have no counterpart in XML.
"""

from enum import IntEnum
from functools import cache

from conjoint.api.spec.field_types import Field, Letters, Polynomial, Repeated
from conjoint.schema import enums
from conjoint.schema.enums_newer import mjtConflict, mjtEmbed, mjtPassthrough, mjtScaling
from conjoint.schema.mjcf.asset import CUBE_FACES
from conjoint.schema.mjcf.grammar import rows
from conjoint.schema.mjcf.table import Attribute

NAN = float("nan")
TEXTURE_ROLES = 10
"""Maximum number of textures per material: mjNTEXROLE."""

_LETTERS = {("texture", "gridlayout"): 12}
"""String attributes that are lists of letters in newer versions, with their lengths."""

_POLYNOMIALS = {(kind, name) for kind in ("joint", "tendon") for name in ("stiffness", "damping")}
"""Attributes that newer versions present as polynomials, by element type and name."""

_ENUMS: dict[str, dict[str, type[IntEnum]]] = {
    "geom": {"type": enums.mjtGeom, "typeinertia": enums.mjtGeomInertia},
    "site": {"type": enums.mjtGeom},
    "joint": {"type": enums.mjtJoint},
    "camera": {"mode": enums.mjtCamLight},
    "compiler": {"conflict": mjtConflict, "passthrough": mjtPassthrough},
    "frame": {"scaling": mjtScaling},
    "light": {"mode": enums.mjtCamLight, "type": enums.mjtLightType},
    "mesh": {"inertia": enums.mjtMeshInertia},
    "texture": {"type": enums.mjtTexture, "colorspace": enums.mjtColorSpace, "embed": mjtEmbed},
    "actuator": {
        "dyntype": enums.mjtDyn, "gaintype": enums.mjtGain, "biastype": enums.mjtBias, "trntype": enums.mjtTrn,
    },
    "equality": {"type": enums.mjtEq, "objtype": enums.mjtObj},
    "sensor": {
        "type": enums.mjtSensor, "datatype": enums.mjtDataType, "needstage": enums.mjtStage,
        "objtype": enums.mjtObj, "reftype": enums.mjtObj,
    },
}  # fmt: skip
"""Enumeration classes of attributes, by element type and name."""

_SINGLE = {
    "rgba", "resolution", "sensor_size", "focal_length", "focal_pixel", "principal_length", "principal_pixel",
    "intrinsic", "ambient", "diffuse", "specular", "attenuation", "texrepeat", "uservert", "usernormal", "usertexcoord",
    "vert", "texcoord",
}  # fmt: skip
"""Names of list attributes in single precision."""

_SINGLE_KINDS = frozenset({"rgba", "headlight"})
"""Element types whose list attributes are all in single precision."""

_SINGLE_NUMBERS = frozenset({"light", "material", "skin", "global", "map", "scale"})
"""Element types whose scalar attributes are all in single precision."""

_NUMBER = frozenset({"fluid_ellipsoid"})
"""Names of attributes that are keywords in XML and numbers in handles."""

_ANGLES = {"axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}
ORIENTATIONS = {name: Field(name, "reals", size) for name, size in _ANGLES.items()}
"""Representations of orientation other than the quaternion."""


def _undefined_list(name: str, size: int) -> Field:
    return Field(name, "reals", size, missing=(NAN,) + (0.0,) * (size - 1))


_ADDED: dict[str, tuple[Field, ...]] = {
    "body": (
        Field("mass", "real", missing=0.0), _undefined_list("ipos", 3), Field("iquat", "reals", 4),
        Field("inertia", "reals", 3), _undefined_list("fullinertia", 6), Field("explicitinertial", "int", missing=0),
    ),
    "joint": (Field("align", "int", missing=2),),
    "camera": (Field("intrinsic", "reals", 4, single=True, missing=(0.0,) * 4),),
    "actuator": (Field("trntype", "enum", enum=enums.mjtTrn), Field("target", "text", missing="")),
    "equality": (
        Field("type", "enum", enum=enums.mjtEq), Field("objtype", "enum", enum=enums.mjtObj),
        Field("name1", "text"), Field("name2", "text"), Field("data", "reals", 11),
    ),
    "sensor": (
        Field("type", "enum", enum=enums.mjtSensor), Field("objtype", "enum", enum=enums.mjtObj, missing=0),
        Field("objname", "text", missing=""), Field("reftype", "enum", enum=enums.mjtObj, missing=0),
        Field("refname", "text", missing=""), Field("intprm", "ints", 3, missing=(0, 0, 0)),
    ),
    "numeric": (Field("size", "int", missing=0),),
    "mesh": (
        Field("userfacetexcoord", "ints", missing=()), Field("needsdf", "int", missing=0),
        Field("usernode", "reals", missing=()), Field("usertet", "ints", missing=()),
    ),
    "hfield": (Field("userdata", "reals", single=True, missing=()),),
    "texture": (
        Field("cubefiles", "words", 6, missing=("",) * 6), Field("data", "bytes", missing=b""),
    ),
    "material": (Field("textures", "words", TEXTURE_ROLES, missing=("",) * TEXTURE_ROLES),),
    "option": tuple(Field(name, "int") for name in ("disableflags", "enableflags", "disableactuator")),
    "plugin": (Field("plugin_name", "text", missing=""), Field("active", "int", missing=0)),
    "tuple": (
        Field("objtype", "ints", missing=()), Field("objname", "words", missing=()),
        Field("objprm", "reals", missing=()),
    ),
    "skin": (
        Field("bindpos", "reals", missing=(), single=True), Field("bindquat", "reals", missing=(), single=True),
        Field("bodyname", "words", missing=()),
    ),
    "flex": (Field("vert", "reals", missing=()), Field("node", "reals", missing=())),
}  # fmt: skip
"""Attributes, by element type, that XML does not have, or has with a different type."""

_REPLACED = {
    "texture": {"file" + side for side in CUBE_FACES}, "material": {"texture"}, "sensor": {"objtype", "reftype"},
}  # fmt: skip
"""XML attributes, by element type, that handles present in a different form."""


@cache
def fields(kind: str) -> dict[str, Field]:
    """Return the attributes of elements of type `kind`, by name."""
    found: dict[str, Field] = {}
    # rows of elements take precedence over rows of defaults classes, which lack some attributes
    for row in (row for row in reversed(rows()) if row.kind == kind):
        for attribute in row.attributes.values():
            name = attribute.lands
            if name and not name.endswith("alt") and name not in found and name not in _REPLACED.get(kind, ()):
                found[name] = _field(kind, attribute)
    for field in _ADDED.get(kind, ()):
        found[field.name] = field
    found.setdefault("name", Field("name", "text", missing=""))
    return found


def _field(kind: str, attribute: Attribute) -> Field:
    """Return the handle attribute for an XML attribute."""
    name = attribute.lands
    if (kind, name) == ("frame", "scale"):
        return Repeated(name, "reals", 3)
    if (kind, name) in _LETTERS:
        return Letters(name, "text", _LETTERS[kind, name])
    single = name in _SINGLE or kind in _SINGLE_KINDS
    if attribute.type in ("word", "text"):
        return Field(name, "text", missing="")
    if attribute.type == "bits":
        return Field(name, "int")
    if attribute.type == "words":
        return Field(name, "words", missing=())
    if attribute.type == "choice":
        enum = _ENUMS.get(kind, {}).get(name)
        if enum is None:
            return Field(name, "real" if name in _NUMBER else "int")
        return Field(name, "enum", enum=enum)
    if (kind, name) in _POLYNOMIALS:
        return Polynomial(name, attribute.type)
    if attribute.scalar:
        return Field(
            name, attribute.type, single=kind in _SINGLE_NUMBERS, missing=NAN if attribute.default is None else None
        )
    size = attribute.most or 0
    if attribute.default is None:
        return _undefined_list(name, size)
    return Field(name, attribute.type + "s", size, single=single)
