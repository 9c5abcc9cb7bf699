/* All row functions for one precision; included by rows/rows.c with REAL, BITS, PRECISION, STENCIL and LANES set. */
enum { PRECISION(WIDTH) = LANES };

#include "backend/cpu/rows/vector.h"

#include "backend/cpu/rows/natural.h"

#include "backend/cpu/rows/norms.h"

#include "backend/cpu/rows/transposed.h"

#include "backend/cpu/rows/transposed_norms.h"
