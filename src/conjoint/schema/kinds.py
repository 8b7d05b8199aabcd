"""Element types, with their names in a Spec and in a model, and their mjtObj; types of geoms and joints."""

from dataclasses import dataclass

from conjoint.schema.enums import mjtGeom, mjtJoint, mjtObj


@dataclass(frozen=True, slots=True)
class Kind:
    """One element type.

    Attributes:
        name: name of the type in a Spec.
        plural: name of the lists that contain its elements.
        prefix: prefix of the names of its fields in a model.
    """

    name: str
    plural: str
    prefix: str

    @property
    def size(self) -> str:
        """Name of the model size that counts the elements of this type."""
        return "n" + self.prefix

    @property
    def names(self) -> str:
        """Name of the field that contains the name addresses of the elements."""
        return f"name_{self.prefix}adr"


KINDS = tuple(Kind(*words.split()) for words in (
    "body bodies body", "joint joints jnt", "geom geoms geom", "site sites site", "camera cameras cam",
    "light lights light", "flex flexes flex", "mesh meshes mesh", "skin skins skin", "hfield hfields hfield",
    "texture textures tex", "material materials mat", "pair pairs pair", "exclude excludes exclude",
    "equality equalities eq", "tendon tendons tendon", "actuator actuators actuator", "sensor sensors sensor",
    "numeric numerics numeric", "text texts text", "tuple tuples tuple", "key keys key", "plugin plugins plugin",
))  # fmt: skip
"""All element types, in the order of their names in a model."""

_SIZES = {"XBODY": "nbody", "DOF": "nv", **{kind.name.upper(): kind.size for kind in KINDS}}

OBJECTS = {kind: _SIZES[word] for kind in mjtObj if (word := kind.name.removeprefix("mjOBJ_")) in _SIZES}
"""Name of the model size that counts the objects of each type (mjtObj)."""

GEOM_TYPES = tuple(map(int, mjtGeom))[: mjtGeom.mjNGEOMTYPES]
"""Types that geoms can have. The other members of mjtGeom are only drawn."""
PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF = GEOM_TYPES

FREE, BALL, SLIDE, HINGE = map(int, mjtJoint)
NQ = (7, 4, 1, 1)
"""Number of coordinates in `qpos`, by type of joint."""
NV = (6, 3, 1, 1)
"""Number of degrees of freedom, by type of joint."""
