"""Passive forces of joints, tendons and cables (stage 15)."""
