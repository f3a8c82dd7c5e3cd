"""C in, C out: the regions of a C file, and what is tested before each of them."""
