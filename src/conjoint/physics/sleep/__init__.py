"""Sleeping trees: how they wake and fall asleep, and stages that skip them."""
