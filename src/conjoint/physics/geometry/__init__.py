"""Simple shapes, and the matrices that describe them."""
