/* The problem of a configuration at other sizes than its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bench/bench.h"
#include "config/config.h"

enum { OVERRIDE_LENGTH = 64, SIZES = 4 };

/* Is it of the plate's size, which is given another way? */
static bool is_length(const char *override)
{
  static const char *const keys[SIZES] = {"grid.lx=", "grid.ly=", "grid.dx=", "grid.dy="};
  for (int k = 0; k < SIZES; k++)
    if (!strncmp(override, keys[k], strlen(keys[k]))) return true;
  return false;
}

/* The configuration at another size. */
static hs_status resize(const struct hs_bench_file *file, struct hs_bench_size size, struct hs_config **config,
                        struct hs_error *err)
{
  char more[SIZES][OVERRIDE_LENGTH];
  const char **overrides = NULL;
  int count = 0;
  hs_status status =
      hs_array_create((void **)&overrides, (size_t)file->override_count + SIZES, sizeof *overrides, "overrides", err);
  if (status) return status;
  snprintf(more[0], sizeof more[0], "grid.nx=%d", size.nx);
  snprintf(more[1], sizeof more[1], "grid.ny=%d", size.ny);
  snprintf(more[2], sizeof more[2], "grid.lx=%.17g", file->config->grid.lx_m);
  snprintf(more[3], sizeof more[3], "grid.ly=%.17g", file->config->grid.ly_m);
  for (int k = 0; k < file->override_count; k++)
    if (!is_length(file->overrides[k])) overrides[count++] = file->overrides[k];
  for (int k = 0; k < SIZES; k++) overrides[count++] = more[k];
  status = hs_config_parse(file->path, file->text, overrides, count, NULL, config, err);
  free(overrides);
  return status;
}

hs_status hs_bench_draw(const struct hs_bench_file *file, struct hs_bench_size size, struct hs_config **config,
                        struct hs_problem **problem, struct hs_error *err)
{
  const double bytes_a_node = 2.0 * sizeof(uint16_t) + sizeof(double); /* materials, index, field */
  hs_status status = hs_memory_check(1.1 * bytes_a_node * (double)size.nx * size.ny, "the problem alone", err);
  *config = NULL;
  *problem = NULL;
  if (!status && size.nx == file->config->grid.nx && size.ny == file->config->grid.ny)
    status = hs_config_parse(file->path, file->text, file->overrides, file->override_count, NULL, config, err);
  else if (!status)
    status = resize(file, size, config, err);
  if (!status) status = hs_problem_create(*config, NULL, problem, err);
  if (status) {
    hs_config_destroy(*config);
    *config = NULL;
  }
  return status;
}
