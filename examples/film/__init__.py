"""Shared parts of the scenes of the film."""
