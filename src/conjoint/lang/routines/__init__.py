"""Kernels of integers and addresses, which run other kernels and call Python."""
