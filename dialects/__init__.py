"""The poly dialect."""
