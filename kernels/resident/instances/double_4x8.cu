#include "resident/instance.cuh"

RESIDENT_INSTANCE(double_4x8, double, 4, 8, 0, 12, 1700)
