"""Kernels that read texts and meshes."""
