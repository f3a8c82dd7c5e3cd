"""From loop IR to loop IR."""
