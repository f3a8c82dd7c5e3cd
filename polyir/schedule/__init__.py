"""From dependences to a schedule tree."""
