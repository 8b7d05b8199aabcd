"""Signed distances: meshes of shapes given by signed distances, and signed distances of meshes."""

from conjoint.compiler.assets.sdf.marching_cubes import sdf_mesh
from conjoint.compiler.assets.sdf.octree import Octree, mesh_octree

__all__ = ["Octree", "mesh_octree", "sdf_mesh"]
