"""Forces of the medium that bodies move through, and their derivatives."""
