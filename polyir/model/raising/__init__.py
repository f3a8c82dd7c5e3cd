"""Raising affine IR to the polyhedral level."""

from polyir.model.raising.raising import RaiseOutcome, raise_function, raise_module
from polyir.model.raising.regions import Left

__all__ = ["Left", "RaiseOutcome", "raise_function", "raise_module"]
