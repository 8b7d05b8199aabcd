"""Kernels that read numbers and meshes."""
