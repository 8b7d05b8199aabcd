"""Rendering without a graphics card: ray-cast images and lidars."""
