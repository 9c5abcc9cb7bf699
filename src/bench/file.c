/* The problem of a configuration at other sizes than its own. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "bench/bench.h"
#include "config/config.h"

enum { OVERRIDE_LENGTH = 64 };

/* With the overrides of the file, and `count` more. */
static hs_status parse(const struct hs_bench_file *file, const char (*more)[OVERRIDE_LENGTH], int count,
                       struct hs_config **config, struct hs_error *err)
{
  const char **overrides = NULL;
  const int all = file->override_count + count;
  hs_status status = hs_array_create((void **)&overrides, (size_t)all + 1, sizeof *overrides, "overrides", err);
  *config = NULL;
  if (status) return status;
  for (int k = 0; k < all; k++)
    overrides[k] = k < file->override_count ? file->overrides[k] : more[k - file->override_count];
  status = hs_config_parse(file->path, file->text, overrides, all, NULL, config, err);
  free(overrides);
  return status;
}

hs_status hs_bench_file_size(const struct hs_bench_file *file, struct hs_bench_size *size, struct hs_error *err)
{
  struct hs_config *config = NULL;
  hs_status status = parse(file, NULL, 0, &config, err);
  if (status) return status;
  *size = (struct hs_bench_size){config->grid.nx, config->grid.ny};
  if (config->time.scheme != HS_SCHEME_STEADY)
    status = hs_error_set(err, HS_ERR_CONFIG,
                          "%s is a run over time, and bench measures sweeps and steady solutions; "
                          "--set time.scheme=steady measures the plate as a steady problem",
                          file->path);
  hs_config_destroy(config);
  return status;
}

hs_status hs_bench_draw(const struct hs_bench_file *file, struct hs_bench_size size, struct hs_config **config,
                        struct hs_problem **problem, struct hs_error *err)
{
  char more[4][OVERRIDE_LENGTH];
  hs_status status = parse(file, NULL, 0, config, err);
  *problem = NULL;
  if (status) return status;
  snprintf(more[0], sizeof more[0], "grid.nx=%d", size.nx);
  snprintf(more[1], sizeof more[1], "grid.ny=%d", size.ny);
  snprintf(more[2], sizeof more[2], "grid.lx=%.17g", (*config)->grid.lx_m);
  snprintf(more[3], sizeof more[3], "grid.ly=%.17g", (*config)->grid.ly_m);
  if (size.nx != (*config)->grid.nx || size.ny != (*config)->grid.ny) {
    hs_config_destroy(*config);
    status = parse(file, more, 4, config, err);
  }
  if (!status) status = hs_problem_create(*config, NULL, problem, err);
  if (status) {
    hs_config_destroy(*config);
    *config = NULL;
  }
  return status;
}
