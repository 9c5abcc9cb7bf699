/* The CUDA backends of a build without CUDA: known by name, refused with the reason. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <string.h>

#include "backend/backend.h"

static hs_status absent_probe(const struct hs_system *system, const struct hs_backend_options *options,
                              struct hs_error *why)
{
  (void)system;
  (void)options;
  return hs_error_set(why, HS_ERR_DEVICE, "this build has no CUDA (%s); for a GPU, build again with the CUDA toolkit",
                      !strncmp(HS_BUILD_CUDA, "no: ", 4) ? &HS_BUILD_CUDA[4] : HS_BUILD_CUDA);
}

const struct hs_backend hs_backend_cuda_global = {
    .name = "cuda-global",
    .summary = "one sweep at a time from the GPU's memory",
    .probe = absent_probe,
};

const struct hs_backend hs_backend_cuda_shared = {
    .name = "cuda-shared",
    .summary = "one sweep at a time by tiles in shared memory",
    .probe = absent_probe,
};

const struct hs_backend hs_backend_cuda_resident = {
    .name = "cuda-resident",
    .summary = "the whole grid stays on the chip from sweep to sweep",
    .probe = absent_probe,
};

const struct hs_backend hs_backend_cuda_blocked = {
    .name = "cuda-blocked",
    .summary = "many sweeps in each pass over the GPU's memory",
    .probe = absent_probe,
};

const struct hs_backend hs_backend_cuda_streamed = {
    .name = "cuda-streamed",
    .summary = "grids larger than the GPU's memory, band by band",
    .probe = absent_probe,
};
