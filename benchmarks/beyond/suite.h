#include "../polybench_c/suite.h"
