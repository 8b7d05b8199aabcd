"""Sleeping trees: how they fall asleep and wake up, and stages that skip them."""
