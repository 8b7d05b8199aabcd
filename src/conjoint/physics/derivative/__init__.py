"""Derivatives of smooth forces by velocity."""
