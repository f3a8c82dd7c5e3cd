"""Reductions in parallel: what they are, and the trees that compute them."""
