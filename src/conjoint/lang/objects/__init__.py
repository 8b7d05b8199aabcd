"""Object files: how they are made, kept, found and loaded."""
