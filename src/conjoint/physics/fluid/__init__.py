"""Forces of a fluid on the bodies that move through it, and their derivatives."""
