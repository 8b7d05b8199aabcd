"""Paths, lengths and moment arms of tendons."""
