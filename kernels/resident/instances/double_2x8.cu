#include "resident/instance.cuh"

RESIDENT_INSTANCE(double_2x8, double, 2, 8, 0, 12, 80)
