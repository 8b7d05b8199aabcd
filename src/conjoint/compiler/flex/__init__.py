"""Flexes: topology, elasticity and the arrays of a model."""
