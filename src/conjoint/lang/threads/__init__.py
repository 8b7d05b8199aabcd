"""Threads that run machine code for their caller."""
