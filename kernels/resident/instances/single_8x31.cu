#include "resident/instance.cuh"

RESIDENT_INSTANCE(single_8x31, float, 8, 14, 17, 8, 5000)
