"""Types of geoms."""

from conjoint.schema.enums import mjtGeom

GEOM_TYPES = tuple(map(int, mjtGeom))[: mjtGeom.mjNGEOMTYPES]
"""Types that geoms can have; the others of mjtGeom are only drawn."""
PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF = GEOM_TYPES
