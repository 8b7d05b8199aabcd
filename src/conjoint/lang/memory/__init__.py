"""Memory layout of fields, and variants of compiled kernels (precision, lanes, dual numbers)."""
