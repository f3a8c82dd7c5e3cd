"""Which statements share loops, and in what order: the space, what is legal, the schedules."""
