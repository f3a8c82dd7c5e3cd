"""Run GPU code from Python: kernels on a device, the code around them in xDSL's interpreter."""
