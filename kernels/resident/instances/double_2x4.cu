#include "resident/instance.cuh"

RESIDENT_INSTANCE(double_2x4, double, 2, 4, 0, 16, 150)
