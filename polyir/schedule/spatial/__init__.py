"""Scheduling for temporal and spatial locality.

Zinenko et al., "Unified Polyhedral Modeling of Temporal and Spatial Locality", 2017, section 4.
"""
