#include "resident/instance.cuh"

RESIDENT_INSTANCE(single_8x8, float, 8, 8, 0, 12, 2400)
