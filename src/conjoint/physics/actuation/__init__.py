"""Actuator forces and actuator activations."""
