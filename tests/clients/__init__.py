"""Programs of others, written for the official package, run with this one as they are."""
