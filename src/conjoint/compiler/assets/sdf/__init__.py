"""Signed distances from meshes, and meshes of shapes that are defined by signed distances."""

from conjoint.compiler.assets.sdf.marching_cubes import sdf_mesh
from conjoint.compiler.assets.sdf.octree import Octree, mesh_octree

__all__ = ["Octree", "mesh_octree", "sdf_mesh"]
