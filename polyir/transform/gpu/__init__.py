"""Mapping of schedule trees to GPU kernels."""
