#include "resident/instance.cuh"

RESIDENT_INSTANCE(double_4x12, double, 4, 12, 0, 8, 800)
