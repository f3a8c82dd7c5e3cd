"""Hypothesis takes the same examples in every run: `make fuzz` and its kin are for new ones."""

from hypothesis import settings

settings.register_profile("suite", derandomize=True)
settings.load_profile("suite")
