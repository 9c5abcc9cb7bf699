#include "resident/instance.cuh"

RESIDENT_INSTANCE(single_2x4, float, 2, 4, 0, 16, 150)
