"""What the scenes of the film share."""
