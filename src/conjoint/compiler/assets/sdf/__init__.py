"""Signed distances: meshes of shapes that are given by them, and those of meshes."""

from conjoint.compiler.assets.sdf.mesh import sdf_mesh
from conjoint.compiler.assets.sdf.octree import Octree, mesh_octree
from conjoint.compiler.assets.sdf.shape import SHAPES, SignedDistance, is_ours

__all__ = ["SHAPES", "Octree", "SignedDistance", "is_ours", "mesh_octree", "sdf_mesh"]
