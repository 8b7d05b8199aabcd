"""Object files: their compilation, storage, lookup and loading."""
