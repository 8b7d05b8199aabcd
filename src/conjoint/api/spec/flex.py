"""Method that adds the output of the macro flexcomp: one body per vertex, the flex and its constraint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from conjoint.once import MAKING
from conjoint.schema.mjcf.deformable import EDGE_EQUALITIES
from conjoint.spec.element import ATTACHED
from conjoint.spec.files import Files
from conjoint.spec.problems import guarded

WORLD = "world"
KEPT = {number: word for word, number in EDGE_EQUALITIES.items()}
"""MJCF keywords for the equality constraint of a flex, by number."""
SOLID = 3
"""Dimension of flexes that consist of tetrahedra."""
MADE = ("flexes", "equalities", "excludes")
"""Element lists of a model to which the macro adds elements."""


@guarded
def make_flex(body: Any, options: Mapping[str, Any]) -> Any:
    """Add the output of flexcomp to a body; see `MjsBody.make_flex`."""
    spec, given = body.spec, {name: value for name, value in options.items() if value is not None}
    if given.get("file") and given.get("mesh"):
        raise ValueError("make_flex: both 'file' and 'mesh' are given")
    mesh = given.pop("mesh", None)
    if mesh is not None:
        if spec.mesh(mesh) is None:
            raise ValueError(f"make_flex: mesh '{mesh}' not found")
        spec.store_exposed()
        given.update(_of_mesh(spec, spec.mesh(mesh).element, given))
    equality, elastic2d = given.pop("equality", 0), given.pop("elastic2d", 0)
    if equality not in KEPT or "cellcount" in given:
        raise ValueError("make_flex: equality must be 0, 1 (edges) or 3 (strain), and cellcount is not implemented")
    if given.get("rigid") and not body.name:
        raise ValueError("make_flex: the body of a rigid flex needs a name")
    with MAKING.held:
        from conjoint.compiler.compile import read_string

    made = read_string(_text(body.name or "body", given, KEPT[equality]), spec.files)
    holder = made.worldbody if body.name == WORLD else made.worldbody.bodies[0]
    for name in (*ATTACHED.values(), "bodies"):
        getattr(body.element, name).extend(getattr(holder, name))
    for name in MADE:
        getattr(spec.spec, name).extend(getattr(made, name))
    spec.__dict__["named_handles"] = None
    flex = spec.handle(made.flexes[0])
    flex.elastic2d = elastic2d
    return flex


def _of_mesh(spec: Any, mesh: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a "direct" flexcomp with the points and elements of a mesh.

    Raises:
        ValueError: the mesh or the options `given` are not suitable for a flex.
    """
    with MAKING.held:
        from conjoint.mjcf.flex_files import mesh_shape

    kind, dim, origin = given.pop("type", None), given.pop("dim", None), given.pop("origin", None)
    if kind not in (None, "mesh", "gmsh"):
        raise ValueError(f"make_flex: with a mesh, the type must be mesh or gmsh, not {kind}")
    # `dim` 3 may be the default of `make_flex`; then the mesh decides
    solid = bool(mesh.__dict__.get("usertet")) or origin is not None
    try:
        shape = mesh_shape(Files(spec.spec), mesh, None if dim == SOLID and not solid else dim, origin)
    except ValueError as error:
        raise ValueError(f"make_flex: {error}") from None
    texcoord = {} if len(shape.texcoord_ids) else {"texcoord": shape.texcoord}
    return {"type": "direct", "dim": shape.dim, "point": shape.points, "element": shape.elements, **texcoord}


def _text(name: str, given: Mapping[str, Any], equality: str) -> str:
    """Return the XML of a model that contains the macro flexcomp in a body called `name`."""
    attributes = "".join(f" {key}={quoteattr(_word(value))}" for key, value in given.items())
    edge = f'<edge equality="{equality}"/>'
    macro = f"<flexcomp{attributes}>{edge}</flexcomp>"
    inside = macro if name == WORLD else f"<body name={quoteattr(name)}>{macro}</body>"
    return f"<mujoco><worldbody>{inside}</worldbody></mujoco>"


def _word(value: Any) -> str:
    """Return the value of an XML attribute as text."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return value if isinstance(value, str) else " ".join(repr(number) for number in np.ravel(value).tolist())
