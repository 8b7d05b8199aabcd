"""Deformable bodies: positions of vertices, lengths of edges, and forces."""
