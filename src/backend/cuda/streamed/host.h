/* What the processor does for cuda-streamed: everything that takes one look at fields that lie in its own memory.
 *
 * Norms, steps and distances read every node once or twice, so bringing the fields to the device for them would cost
 * more than the reading. The bits are those of cpu-reference. Fields are [ny*nx] without padding, float where single,
 * else double. Calls of CUDA have no place here.
 */
#ifndef HS_BACKEND_CUDA_STREAMED_HOST_H
#define HS_BACKEND_CUDA_STREAMED_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "numerics/stoptest.h"
#include "problem/system.h"

/* Whole pages of zeroed memory, touched by all threads; free with free(). NULL: there is too little. */
void *hs_streamed_array(size_t bytes);

/* values[count] into a field, rounded; and back. */
void hs_streamed_pack(bool single, void *field, const double *values, size_t count);
void hs_streamed_unpack(bool single, double *values, const void *field, size_t count);

/* max |a - b|, the difference taken in the fields' precision. */
double hs_streamed_distance(bool single, const void *a, const void *b, size_t count);

/* Largest |value|. */
double hs_streamed_largest(bool single, const void *field, size_t count);

/* r = source_w_m / diagonal, 0 where there is none. */
void hs_streamed_constants(const struct hs_system *system, bool single, void *r);

/* r = hs_node_step of the field `now` (hs_backend.step). */
void hs_streamed_step(const struct hs_system *system, bool single, const void *now, bool trapezoid, void *r);

/* All norms; r may be NULL. Errors: HS_ERR_MEMORY. */
hs_status hs_streamed_norms(const struct hs_system *system, bool single, const void *now, const void *before,
                            const void *r, const struct hs_bounds *bounds, struct hs_norms *norms,
                            struct hs_error *err);

#endif
