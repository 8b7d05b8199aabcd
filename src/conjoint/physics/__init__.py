"""Kernels: the physics, one room per stage of the Computation chapter."""
