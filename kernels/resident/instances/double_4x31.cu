#include "resident/instance.cuh"

RESIDENT_INSTANCE(double_4x31, double, 4, 12, 19, 8, 2500)
