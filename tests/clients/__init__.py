"""Third-party programs for MuJoCo, run unmodified with Conjoint."""
