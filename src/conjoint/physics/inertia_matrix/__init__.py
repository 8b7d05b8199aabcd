"""Joint-space inertia matrix and its factors (stages 6 and 7)."""
