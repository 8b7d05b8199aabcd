"""Modules that the scenes of the film share."""
