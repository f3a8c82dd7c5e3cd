#include "../../../benchmarks/polybench_c/suite.h"
