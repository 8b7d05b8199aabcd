"""Transmission from actuators to joints, tendons and sites: lengths and moment arms."""
