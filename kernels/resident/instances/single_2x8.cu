#include "resident/instance.cuh"

RESIDENT_INSTANCE(single_2x8, float, 2, 8, 0, 16, 80)
