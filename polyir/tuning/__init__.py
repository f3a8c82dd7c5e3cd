"""The search for the fastest pipeline by measuring, and the files that keep what was found."""
