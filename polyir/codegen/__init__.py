"""From a schedule tree to loop IR."""
