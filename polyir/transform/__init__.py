"""From a schedule tree to a schedule tree."""
