"""C source text to affine IR: the regions between `#pragma scop` and `#pragma endscop`."""
