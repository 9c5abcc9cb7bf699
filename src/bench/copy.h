/* The part of hs_rate_copy that needs a device; chosen by the build. */
#ifndef HS_BENCH_COPY_H
#define HS_BENCH_COPY_H

#include "base/status.h"

/* Bytes per second, read plus written, of copying large arrays in device memory. Errors: HS_ERR_DEVICE. */
hs_status hs_rate_copy_device(double *bytes_per_s, struct hs_error *err);

#endif
