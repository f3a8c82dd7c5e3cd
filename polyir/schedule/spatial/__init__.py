"""Scheduling for temporal and spatial locality: paper 001, sections 4.1 to 4.8."""
