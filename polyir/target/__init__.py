"""From loop IR to text."""
