#include "resident/instance.cuh"

RESIDENT_INSTANCE(single_4x8, float, 4, 8, 0, 16, 800)
