"""Vertices and triangles of flexes and skins in a scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.api.arguments import checked
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvScene
from conjoint.lang import ArgumentError
from conjoint.runtime.entry import entry as world_entry
from conjoint.schema.scene import GROUPS
from conjoint.viz.kernels import flexes as kernels
from conjoint.viz.view import View, entry

_show_flexes = entry(kernels.show_flexes, "out real[]", "out int[]")
show_skins = entry(kernels.show_skins)
_update_skins = world_entry(kernels.update_skins, "byte[]", "out float[]", "out float[]")


def update_flexes(plan: Any, view: View) -> None:
    """Write the vertices of flexes to a scene, and the triangles that the options select."""
    if view.flex_room is None:
        m = view.m
        triangles = max(m.flex_elemnum.max(), m.flex_shellnum.max())
        view.flex_room = np.empty((m.nflexvert + triangles, 3)), np.empty(m.nflexvert, np.int32)
    _show_flexes(plan, view, *view.flex_room)


@checked
def mjv_updateSkin(m: MjModel, d: MjData, scn: MjvScene) -> None:
    """Update the vertices and normals of skins in a scene (`skinvert`, `skinnormal`) from their bones.

    Vertices of skins in groups that are hidden by default are set to zero.

    Args:
        m: the model.
        d: the world, after `mj_kinematics`.
        scn: a scene created for the model.

    Raises:
        FatalError: the scene was created for another model.
    """
    if scn.nskin != m.nskin or len(scn.skinvert) != 3 * m.nskinvert:
        raise ArgumentError(
            "mjv_updateSkin: the scene has other skins than the model: create it with MjvScene(m, maxgeom)"
        )
    _update_skins(m.plans.current, d.world, np.array(GROUPS, np.uint8), scn.skinvert, scn.skinnormal)


def face_normals(corners: np.ndarray) -> np.ndarray:
    """Return unit normals for the corners of triangles, shape (n, 3, 3), equal for all corners of a triangle."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.repeat(unit(across)[:, None], 3, axis=1)


def elements_of(m: MjModel, f: int) -> np.ndarray:
    """Return the vertex ids of a flex's elements, one row per element."""
    size, at = m.flex_dim[f] + 1, m.flex_elemdataadr[f]
    return m.flex_elem[at : at + size * m.flex_elemnum[f]].reshape(-1, size)


def shell_of(m: MjModel, f: int) -> np.ndarray:
    """Return the vertex ids of a flex's shell fragments, one row per fragment."""
    size, at = int(m.flex_dim[f]), m.flex_shelldataadr[f]
    return m.flex_shell[at : at + size * m.flex_shellnum[f]].reshape(-1, size)


def unit(v: np.ndarray) -> np.ndarray:
    """Scale rows to length 1; rows of length 0 stay unchanged."""
    length = np.linalg.norm(v, axis=1, keepdims=True)
    return v / np.where(length > 0, length, 1.0)
