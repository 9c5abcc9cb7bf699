/* Configurations: read, described, checked, and made a problem and a system where the grid is small; one in a few of these
 * is drawn, which takes long. */
#include <stdlib.h>

#include "config/config.h"
#include "config/identity.h"
#include "fuzz/fuzz.h"
#include "output/output.h"
#include "output/picture/drawing/drawing.h"
#include "run/job.h"

enum { NODES_MOST = 4096, PARTS_MOST = 100, DRAWN = 16 };

static void describe(const struct hs_config *config)
{
  struct hs_error err = {0};
  char text[2048], *identity = hs_config_identity(config, &err);
  if (identity) hs_config_identity_differences(identity, "grid.nx = 2\n", text, sizeof text);
  (void)hs_config_unused_describe(config, text, sizeof text);
  free(identity);
}

/* What takes long and is not read from the configuration is left out. */
static int is_small(const struct hs_config *config)
{
  return (double)config->grid.nx * config->grid.ny <= NODES_MOST && config->time.snapshot_count <= PARTS_MOST &&
         config->probe_count <= PARTS_MOST;
}

static hs_status prepare(const struct hs_config *config, int drawn, struct hs_error *err)
{
  struct hs_job job = {0};
  struct hs_remarks remarks = {0};
  hs_status status = hs_job_prepare(config, NULL, &job, err);
  if (!status) status = hs_answers_check(job.problem, err);
  if (!status) status = hs_problem_remarks(job.problem, &remarks, err);
  if (!status) (void)hs_job_expected_s(&job);
  if (!status && drawn) status = hs_drawing_write(job.problem, fuzz_path("problem.png"), err);
  hs_remarks_clear(&remarks);
  hs_job_clear(&job);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *path = fuzz_file("input.ini", data, size);
  struct hs_config *config = NULL;
  struct hs_error err = {0};
  hs_status status = hs_config_read(path, NULL, 0, &config, &err);
  if (!status) describe(config);
  if (!status) status = hs_output_config_check(config, &err);
  if (!status && is_small(config)) status = prepare(config, size % DRAWN == 0, &err);
  hs_config_destroy(config);
  fuzz_outcome(status, &err);
  return 0;
}
