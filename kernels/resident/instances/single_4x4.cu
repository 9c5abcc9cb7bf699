#include "resident/instance.cuh"

RESIDENT_INSTANCE(single_4x4, float, 4, 4, 0, 16, 190)
