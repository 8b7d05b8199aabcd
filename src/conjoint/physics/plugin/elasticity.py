"""Elasticity plugins for flexes, for models of version 3.2.3 and earlier: solids, membranes and shells.

The forces are those of flexes with `<elasticity>`, except that damping uses the change in strain since the last step.
Plugin instances store the strain of every edge in that step: the squared length of the edge minus its squared rest
length. Repeated calls of forward dynamics give the same forces; the original plugins counted each call as a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.lang import kernel, rotate
from conjoint.physics.flex.elasticity import bending, stiffness
from conjoint.physics.flex.forces import FLAP, bending_forces, push_vertex, strain_elements
from conjoint.physics.flex.simplices import flaps
from conjoint.physics.plugin.plugin import Config, mjpPlugin, number, plugin_integer, plugin_number, reference_poses
from conjoint.schema.enums import mjtPluginCapabilityBit

MATERIAL = ("young", "poisson", "thickness", "damping")

LISTS = ("face", "edge")
"""Settings that flexcomp writes: lists of the vertices of all elements (`face`) and of the edges of all elements."""

HEADER = 3
"""Number of parameters of solids and membranes before the stiffness forms: flex, damping (s), size of a form."""


def edge_count(config: Config) -> int:
    """Return the number of edges of the flex elements, according to the setting `edge`."""
    listed = config["edge"].split()
    return max(map(int, listed)) + 1 if listed else 0


def elastic_numbers(m: Any, instance: int, config: Config) -> list[float]:
    """Return the parameters of a solid or membrane, with the stiffness forms of its elements.

    Raises:
        ValueError: the bodies do not form a flex of triangles or tetrahedra, or its edges differ from the listed ones.
    """
    f, points = _flex_at_rest(m, instance)
    if edge_count(config) != m.flex_edgenum[f]:
        raise ValueError(f"the setting 'edge' lists {edge_count(config)} edges, the flex has {m.flex_edgenum[f]}")
    young, poisson = number(config, "young"), number(config, "poisson")
    thickness = [number(config, "thickness")] if "thickness" in config else []
    forms = stiffness(points[elements_of(m, f)], young, poisson, *thickness)
    return [f, number(config, "damping"), forms.shape[1], *forms.ravel()]


def bending_numbers(m: Any, instance: int, config: Config) -> list[float]:
    """Return the parameters of a shell: the bending forms of its edges, and the vertices opposite every edge.

    Raises:
        ValueError: the bodies do not belong to a flex of triangles.
    """
    f, points = _flex_at_rest(m, instance)
    if m.flex_dim[f] != 2:
        raise ValueError("the flex of a shell consists of triangles")
    first, count = int(m.flex_edgeadr[f]), int(m.flex_edgenum[f])
    ends = m.flex_edge[first : first + count]
    sides, corners = int(m.flex_elemedgeadr[f]), elements_of(m, f)
    beside = flaps(corners, m.flex_elemedge[sides : sides + corners.size].reshape(-1, 3), count)
    inside = beside[:, 1] >= 0
    forms = np.zeros((count, FLAP))
    young, poisson, thickness = (number(config, key) for key in ("young", "poisson", "thickness"))
    forms[inside] = bending(points[np.hstack([ends, beside])[inside]], young, poisson, thickness)
    return [f, *forms.ravel(), *beside.ravel()]


def elements_of(m: Any, f: int) -> np.ndarray:
    """Return the vertices of all elements of flex f, one row for each element."""
    corners, first = int(m.flex_dim[f]) + 1, int(m.flex_elemdataadr[f])
    return m.flex_elem[first : first + corners * m.flex_elemnum[f]].reshape(-1, corners)


def _flex_at_rest(m: Any, instance: int) -> tuple[int, np.ndarray]:
    """Return the flex whose vertices are a plugin instance's bodies, and its vertices in the reference configuration.

    Raises:
        ValueError: there is no such flex, or it consists of lines.
    """
    carrying = np.flatnonzero(m.body_plugin == instance)
    for f in range(len(m.flex_dim)):
        first, count = int(m.flex_vertadr[f]), int(m.flex_vertnum[f])
        bodies = m.flex_vertbodyid[first : first + count]
        if np.isin(bodies, carrying).any() and m.flex_dim[f] > 1 and not m.flex_interp[f] and not m.flex_rigid[f]:
            place, turn = reference_poses(m)
            local = np.zeros((count, 3)) if m.flex_centered[f] else m.flex_vert[first : first + count]
            at = [place[b] + rotate(turn[b], v.tolist()).parts for b, v in zip(bodies, local, strict=True)]
            return f, np.array(at)
    raise ValueError("no body with this plugin carries a vertex of a flex that stretches in two or three dimensions")


@kernel
def elastic_forces(m, d, i):
    """Add the elastic forces of the elements of instance i's flex to qfrc_passive."""
    f = plugin_integer(m, i, 0)
    rate = plugin_number(m, i, 1) / m.opt.timestep
    for k in range(m.flex_edgenum[f]):
        strain = edge_strain(m, d, m.flex_edgeadr[f] + k)
        before = d.plugin_state[m.plugin_stateadr[i] + k]
        d.flexedge_strain[m.flex_edgeadr[f] + k] = strain + (strain - before) * rate
    forms = m.plugin_numberadr[i] + HEADER
    strain_elements(m, d, f, m.plugin_number, forms, plugin_integer(m, i, 2))
    for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
        push_vertex(m, d, v, d.qfrc_passive)


@kernel
def edge_strain(m, d, e):
    """Return the squared length of edge e minus its squared rest length."""
    return d.flexedge_length[e] * d.flexedge_length[e] - m.flexedge_length0[e] * m.flexedge_length0[e]


@kernel
def keep_strains(m, d, i):
    """Save the strains of all edges, from which the next step computes damping."""
    f = plugin_integer(m, i, 0)
    for k in range(m.flex_edgenum[f]):
        d.plugin_state[m.plugin_stateadr[i] + k] = edge_strain(m, d, m.flex_edgeadr[f] + k)


@kernel
def shell_forces(m, d, i):
    """Add the bending forces of the flex of instance i to qfrc_passive."""
    f = plugin_integer(m, i, 0)
    first = m.plugin_numberadr[i] + 1
    beside = first + FLAP * m.flex_edgenum[f]
    bending_forces(m, d, f, m.plugin_number, first, m.plugin_integer, beside, d.qfrc_passive)


def _stretching(name: str, material: tuple[str, ...]) -> mjpPlugin:
    """Return the plugin of a material whose elements resist stretching."""
    return mjpPlugin(
        name,
        mjtPluginCapabilityBit.mjPLUGIN_PASSIVE,
        (*LISTS, *material),
        nstate=edge_count,
        init=elastic_numbers,
        compute=elastic_forces,
        advance=keep_strains,
    )


SHELL = mjpPlugin(
    "mujoco.elasticity.shell",
    mjtPluginCapabilityBit.mjPLUGIN_PASSIVE,
    (*LISTS, *MATERIAL),
    init=bending_numbers,
    compute=shell_forces,
)
MEMBRANE = _stretching("mujoco.elasticity.membrane", MATERIAL)
SOLID = _stretching("mujoco.elasticity.solid", tuple(key for key in MATERIAL if key != "thickness"))
ELASTIC = (SHELL, MEMBRANE, SOLID)
"""Elasticity plugins, in the order of their slots."""
