"""Rays: intersections with geoms, meshes, height fields, flexes and skins."""
