"""Geoms that programs and plugins add to scenes."""

from typing import Annotated

import numpy as np

from conjoint.api.argument_kinds import Array
from conjoint.api.arguments import Vector3, Vector9, checked, without_warnings
from conjoint.api.mju.quaternions import mju_quat2Mat, mju_quatZ2Vec
from conjoint.api.objects.data import MjData
from conjoint.api.objects.struct import fields_of
from conjoint.api.objects.visual import MjvGeom, MjvScene
from conjoint.lang import ArgumentError
from conjoint.runtime.warning_report import report_warnings
from conjoint.schema.enums import mjtGeom, mjtWarning

Color = Annotated[np.ndarray, Array((4,), dtype=np.float32)]

SOLID = (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CYLINDER)
"""Connector types whose position is their midpoint."""

THIN = (mjtGeom.mjGEOM_ARROW, mjtGeom.mjGEOM_ARROW1, mjtGeom.mjGEOM_ARROW2, mjtGeom.mjGEOM_LINE)
"""Connector types whose position is their start."""

KEPT = ("objtype", "objid", "category", "segid")
"""Fields of a geom that `mjv_initGeom` does not change."""


def warn_full(d: MjData, scn: MjvScene) -> None:
    """Issue the warning that a scene has no space for more geoms."""
    d.warning[mjtWarning.mjWARN_VGEOMFULL].number += 1
    d.warning[mjtWarning.mjWARN_VGEOMFULL].lastinfo = scn.maxgeom
    report_warnings(d.world)


@checked
@without_warnings
def mjv_initGeom(
    geom: MjvGeom, type: Annotated[int, mjtGeom], size: Vector3, pos: Vector3, mat: Vector9, rgba: Color
) -> None:
    """Set type, size, pose and color of a geom, and its material to the default.

    Args:
        geom: the geom.
        type: geom type (mjtGeom).
        size: half sizes; for a sphere, the radius; for capsules and cylinders, the radius and half the length.
        pos: position.
        mat: rotation matrix, by rows.
        rgba: color and opacity.
    """
    fresh = MjvGeom()
    for name in fields_of(MjvGeom):
        if name not in KEPT:
            setattr(geom, name, getattr(fresh, name))
    geom.type = type
    radius = size[0]
    if type == mjtGeom.mjGEOM_SPHERE:
        size = np.full(3, radius)
    elif type in SOLID:
        size = np.array([radius, radius, size[1]])
    geom.size, geom.pos, geom.mat, geom.rgba = size, pos, mat.reshape(3, 3), rgba


@checked
@without_warnings
def mjv_connector(geom: MjvGeom, type: Annotated[int, mjtGeom], width: float, from_: Vector3, to: Vector3) -> None:
    """Set type, size and pose of a geom that connects two points, after `mjv_initGeom`.

    Args:
        geom: the geom.
        type: geom type (mjtGeom): a capsule, a cylinder, an arrow or a line.
        width: radius (m); in pixels for a line.
        from_, to: the two points (m).

    Raises:
        FatalError: geoms of this type cannot connect points.
    """
    if type not in SOLID + THIN:
        raise ArgumentError(
            f"mjv_connector: invalid geom type {type} for connector: give a capsule, cylinder, arrow or line"
        )
    span = to - from_
    length = float(np.linalg.norm(span))
    quat, mat = np.zeros(4), np.zeros(9)
    mju_quatZ2Vec(quat, span)
    mju_quat2Mat(mat, quat)
    solid = type in SOLID
    geom.type = type
    geom.size = width, width, length / 2 if solid else length
    geom.pos = (from_ + to) / 2 if solid else from_
    geom.mat = mat.reshape(3, 3)
