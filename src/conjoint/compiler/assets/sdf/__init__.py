"""Signed distances: meshes of shapes that are given by them, and those of meshes."""

from conjoint.compiler.assets.sdf.marching_cubes import sdf_mesh
from conjoint.compiler.assets.sdf.octree import Octree, mesh_octree

__all__ = ["Octree", "mesh_octree", "sdf_mesh"]
