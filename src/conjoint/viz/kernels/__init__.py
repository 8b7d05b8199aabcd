"""Kernels that update scenes. Their argument `d` is a world with a scene, options and a camera (`viz.view`)."""
