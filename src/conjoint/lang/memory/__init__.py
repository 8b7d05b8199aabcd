"""How fields lie in memory, and what a real is."""
