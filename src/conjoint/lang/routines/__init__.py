"""Kernels that compute with integers and addresses, run other kernels, and call Python's C API."""
