"""Object files: compiling, storing, finding and loading them."""
