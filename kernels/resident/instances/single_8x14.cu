#include "resident/instance.cuh"

RESIDENT_INSTANCE(single_8x14, float, 8, 14, 0, 8, 3600)
