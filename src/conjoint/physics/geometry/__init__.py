"""Simple shapes, and the vectors and matrices that describe them."""
