"""Compiles and runs what was emitted, on NumPy arrays."""
