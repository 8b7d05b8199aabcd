"""Rays: where they meet geoms, meshes, height fields, flexes and skins."""
