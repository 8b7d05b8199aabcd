"""Functions of newer MuJoCo versions, composed of existing functions."""

from __future__ import annotations

import os
from xml.etree import ElementTree

import numpy as np

from conjoint.api.arguments import Integers, OutMatrix, Vector, Vector3, checked, require
from conjoint.api.functions.functions import run
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.names import inputs_of
from conjoint.lang import ArgumentError
from conjoint.lang.text import as_path
from conjoint.physics.sensor import position
from conjoint.runtime.entry import entry
from conjoint.schema.constants import mjMAXCONPAIR
from conjoint.schema.enums import mjtGeom
from conjoint.spec.filename import forward, place

KINEMATICS = ("mj_kinematics", "mj_comPos", "mj_camlight", "mj_flex", "mj_tendon")
"""Pipeline functions that together compute forward kinematics."""

ONE_CONTACT = (mjtGeom.mjGEOM_SPHERE, mjtGeom.mjGEOM_ELLIPSOID)
"""Geom types that touch another geom at only one point."""

_inside_site = entry(position.inside_site, "int", "vec3")


@checked
def mj_fwdKinematics(m: MjModel, d: MjData) -> None:
    """Compute forward kinematics: bodies and their elements, centers of mass, cameras, lights, flexes, tendons.

    Args:
        m: the model.
        d: the world, whose `qpos`, `mocap_pos` and `mocap_quat` are read.

    Raises:
        FatalError: the model cannot be simulated.
    """
    for name in KINEMATICS:
        run(m, d, name)


@checked
def mj_insideSite(m: MjModel, d: MjData, siteid: int, point: Vector3) -> int:
    """Return 1 if a point is inside the volume of a site, else 0.

    Args:
        d: the world, after `mj_kinematics`.
        siteid: id of the site.
        point: the point, in global coordinates.

    Raises:
        FatalError: the site does not exist.
    """
    if not 0 <= siteid < m.nsite:
        raise ArgumentError(f"mj_insideSite: there is no site {siteid}: the model has {m.nsite}")
    return int(_inside_site(m.plans.current, d.world, siteid, point))


@checked(res="n, n", rownnz="n", rowadr="n")
def mju_sym2dense(res: OutMatrix, mat: Vector, rownnz: Integers, rowadr: Integers, colind: Integers) -> None:
    """Convert a symmetric matrix whose lower triangle is in compressed rows, such as `d.M`, to a dense matrix.

    Args:
        res: receives the dense matrix, n x n.
        mat: elements of the lower triangle, row by row.
        rownnz: number of elements in each row.
        rowadr: index in mat of the first element of each row.
        colind: column index of each element.
    """
    rows = np.repeat(np.arange(len(rownnz)), rownnz)
    places = np.concatenate([np.arange(a, a + n) for a, n in zip(rowadr, rownnz, strict=True)] or [np.zeros(0, int)])
    fits = places.size == 0 or (places.min() >= 0 and places.max() < min(len(mat), len(colind)))
    require(bool(fits), "rows extend beyond the elements of mat and colind")
    columns = colind[places]
    require(bool(np.all((columns >= 0) & (columns < res.shape[1]))), "colind contains columns that res does not have")
    res[...] = 0.0
    res[rows, columns] = mat[places]
    res[columns, rows] = mat[places]


@checked
def mj_actuatorInputName(m: MjModel, id: int, input: int) -> str | None:
    """Return the name of an actuator's input, which depends on the actuator type.

    Args:
        m: the model.
        id: id of the actuator.
        input: index of the input among the actuator's inputs.

    Returns:
        `pos`, `vel`, `ff`, `voltage` or `pressure`; None for an input without a name, or if the input does not exist.
    """
    if not 0 <= id < m.nactuator:
        return None
    names = inputs_of(m, id)
    return names[input] if 0 <= input < len(names) else None


@checked
def mj_maxContact(m: MjModel, g1: int, g2: int, has_margin: int) -> int:
    """Return the maximum number of contacts between two geoms.

    Args:
        m: the model.
        g1, g2: ids of the geoms.
        has_margin: not used, because the number does not depend on margins.

    Raises:
        FatalError: a geom does not exist.
    """
    for geom in (g1, g2):
        if not 0 <= geom < m.ngeom:
            raise ArgumentError(f"mj_maxContact: there is no geom {geom}: the model has {m.ngeom}")
    kinds = [int(m.geom_type[geom]) for geom in (g1, g2)]
    return 1 if any(kind in ONE_CONTACT for kind in kinds) and mjtGeom.mjGEOM_HFIELD not in kinds else mjMAXCONPAIR


FOLDERS = {"texture": ("texturedir", "assetdir"), **dict.fromkeys(("mesh", "hfield", "skin"), ("meshdir", "assetdir"))}
"""Compiler settings that may specify the folder of asset files, by element type.

The first setting that is set applies.
"""


def mju_getXMLDependencies(filename: str | os.PathLike[str]) -> list[str]:
    """Return the paths of all files that an MJCF model needs: its own, included and attached files, and assets.

    Args:
        filename: path of the file.

    Raises:
        ValueError: a file cannot be read, or is not XML.
    """
    if not isinstance(filename, str | os.PathLike):
        raise TypeError(f"mju_getXMLDependencies: filename must be the path of a file, not {filename!r}")
    found: dict[str, None] = {}
    _add_dependencies(forward(as_path(filename, "mju_getXMLDependencies: filename")), found)
    return list(found)


def _add_dependencies(path: str, found: dict[str, None]) -> None:
    """Add the path of an MJCF file, and the paths of all files that it needs, to `found`."""
    if path in found:
        return
    found[path] = None
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise ValueError(f"mju_getXMLDependencies: cannot read '{path}': {error}") from None
    folder = os.path.dirname(path)
    settings: dict[str, str] = {}
    for compiler in root.iter("compiler"):
        settings.update(compiler.attrib)
    for element in root.iter():
        names = [value for name, value in element.attrib.items() if name.startswith("file") and value]
        inside = next((settings[name] for name in FOLDERS.get(element.tag, ()) if name in settings), "")
        for name in names:
            file = forward(place(place(folder, inside), name))
            if element.tag in ("include", "model"):
                _add_dependencies(file, found)
            else:
                found[file] = None
