"""Dynamics without constraints: velocities, bias forces, energies and inverse dynamics (stages 12 to 18, 24)."""
