"""Tendons: their paths, lengths and moment arms."""
