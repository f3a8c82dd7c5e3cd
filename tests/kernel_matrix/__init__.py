"""All kernels through combinations of passes, widths, targets and threads, to the bit."""
