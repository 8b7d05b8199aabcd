"""Sensors, one file per stage after which they can be read: position, velocity, acceleration."""
