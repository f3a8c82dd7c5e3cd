"""The polyhedral view of a scop: statements, accesses, dependences, legality."""
