"""polyir: a polyhedral compiler in Python, built on xDSL and isl."""
