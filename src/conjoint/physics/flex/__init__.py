"""Deformable bodies: where their vertices are, how long their edges, the forces in them."""
