"""Meshes of shapes that are given by their signed distance."""

from conjoint.compiler.assets.sdf.mesh import sdf_mesh
from conjoint.compiler.assets.sdf.shape import SHAPES, SignedDistance

__all__ = ["SHAPES", "SignedDistance", "sdf_mesh"]
