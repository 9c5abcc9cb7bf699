#include "resident/instance.cuh"

RESIDENT_INSTANCE(double_1x4, double, 1, 4, 0, 16, 120)
