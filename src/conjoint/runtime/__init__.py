"""What derives from a model, worlds, the table of stages, capabilities, profile."""
