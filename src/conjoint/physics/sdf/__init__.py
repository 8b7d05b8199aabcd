"""Shapes that are given by their signed distance: formulas, which the compiler samples, and octrees of meshes."""

EXACT_KERNELS = True
