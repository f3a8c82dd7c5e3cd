"""What all other folders may use: diagnostics, limits, walks over operations."""
