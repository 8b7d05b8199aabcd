"""Shared modules of the scenes of the film."""
