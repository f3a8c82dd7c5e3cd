"""Systems of equations over integer sets: checks, normal form, simplification, and code."""
