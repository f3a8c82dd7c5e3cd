"""A page on which one transforms a program by hand: `polyir-explore`."""
