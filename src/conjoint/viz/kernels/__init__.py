"""Kernels that make scenes: `d` is a world with a scene, options, a perturbation and a camera (`viz.view`)."""
