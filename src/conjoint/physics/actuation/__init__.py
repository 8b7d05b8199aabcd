"""Forces of actuators, and their activations."""
