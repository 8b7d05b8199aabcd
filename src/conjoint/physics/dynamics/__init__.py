"""Dynamics without constraints: velocities, bias forces, energies, and the inverse problem (stages 12 to 18, 24)."""
