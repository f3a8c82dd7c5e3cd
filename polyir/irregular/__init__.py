"""Inspectors and executors for loops whose subscripts come out of index arrays."""
