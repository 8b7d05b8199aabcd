"""Shapes defined by signed distance functions: formulas, which the compiler samples, and octrees of meshes."""

EXACT_KERNELS = True
