#include "resident/instance.cuh"

RESIDENT_INSTANCE(double_4x16, double, 4, 16, 0, 8, 2700)
