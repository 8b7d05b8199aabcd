"""Third-party MuJoCo programs, run unmodified with Conjoint."""
