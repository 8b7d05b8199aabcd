"""Seeing without a graphics card: pictures made of rays, and lidars."""
