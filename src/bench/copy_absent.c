/* Copying in device memory, in a build without CUDA: refused. */
#include "bench/copy.h"

hs_status hs_rate_copy_device(double *bytes_per_s, struct hs_error *err)
{
  (void)bytes_per_s;
  return hs_error_set(err, HS_ERR_DEVICE, "this build has no CUDA, so there is no device memory to copy in");
}
