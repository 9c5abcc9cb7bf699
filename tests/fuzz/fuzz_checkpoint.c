/* Checkpoints: as they are, and sealed again after the change. What is taken goes on to its end. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "fuzz/fuzz.h"
#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/seal.h"
#include "run/job.h"

static hs_status go_on(struct hs_job *job, struct hs_error *err)
{
  struct hs_warnings notes = {0};
  struct hs_restart *restart = NULL;
  struct hs_result result = {0};
  hs_status status = hs_restart_open(job, &restart, &notes, err);
  job->from = hs_restart_checkpoint(restart);
  if (!status) status = hs_job_run(job, job->backend, NULL, NULL, &result, err);
  hs_result_clear(&result);
  hs_restart_close(restart);
  return status;
}

/* Goes on with each of the problems; one of them is another one. */
static hs_status checkpoint_read(struct hs_job *jobs, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; k < FUZZ_PROBLEMS; k++) {
    memset(err, 0, sizeof *err);
    status = go_on(&jobs[k], err);
    fuzz_outcome(status, err);
    if (!status) break;
  }
  return status;
}

static void seal(const char *path)
{
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd >= 0) (void)hs_seal_put(fd);
  if (fd >= 0) (void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct hs_job jobs[FUZZ_PROBLEMS];
  static int ready;
  const char *path = fuzz_file(hs_checkpoint_name(0), data, size);
  struct hs_error err = {0};
  for (; ready < FUZZ_PROBLEMS; ready++)
    if (hs_job_prepare(fuzz_config(fuzz_problem(ready)), &jobs[ready], &err)) fuzz_outcome(HS_ERR_INTERNAL, &err);
  if (checkpoint_read(jobs, &err) && size > HS_SEAL_BYTES) {
    seal(path);
    (void)checkpoint_read(jobs, &err);
  }
  return 0;
}
