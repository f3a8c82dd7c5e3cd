"""Which elements of arrays the operations in a loop touch, and whether they can be the same."""
