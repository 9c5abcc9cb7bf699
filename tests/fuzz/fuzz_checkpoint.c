/* Checkpoints: as they are, and sealed again after the change. What is taken goes on to its end.
 *
 * A change of a byte seldom meets a number, so inputs of at most PATCHES_BYTES_MOST are something else: which of the kept
 * good checkpoints, then places and values of numbers in it, PATCH bytes each. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "fuzz/fuzz.h"
#include "io/h5_error.h"
#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/members.h"
#include "output/checkpoint/seal.h"
#include "run/job.h"

enum { PATCH = 10, PATCHES_BYTES_MOST = 255, FILE_BYTES_MOST = 1 << 16 };

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
  if (fd >= 0) (void)hs_seal_put(hs_comm_alone(), fd);
  if (fd >= 0) (void)close(fd);
}

/* --- numbers of good checkpoints ------------------------------------------------------------- */

/* Puts a good checkpoint where a run looks for its own. */
static const char *good_put(int which)
{
  static const char *const names[FUZZ_PROBLEMS] = {"good-steady.h5", "good-transient.h5"};
  static uint8_t bytes[FUZZ_PROBLEMS][FILE_BYTES_MOST];
  static size_t sizes[FUZZ_PROBLEMS];
  const char *tests = getenv("HS_TEST_SRCDIR");
  if (sizes[which] == 0) {
    char path[4096];
    FILE *file;
    snprintf(path, sizeof path, "%s/fuzz/corpus/checkpoint/%s", tests ? tests : "tests", names[which]);
    file = fopen(path, "rb");
    if (!file) {
      perror(path);
      abort();
    }
    sizes[which] = fread(bytes[which], 1, FILE_BYTES_MOST, file);
    fclose(file);
  }
  return fuzz_file(hs_checkpoint_name(0), bytes[which], sizes[which]);
}

/* Sets one number of one member. */
static void number_set(hid_t group, const struct hs_member *members, const uint8_t *patch)
{
  const struct hs_member *m = members;
  int count = 0;
  double reals[HS_MEMBER_MOST];
  int64_t integers[HS_MEMBER_MOST];
  hid_t attribute;
  while (members[count].name) count++;
  m = &members[patch[0] % count];
  attribute = H5Aopen(group, m->name, H5P_DEFAULT);
  if (m->type == HS_MEMBER_REAL) {
    (void)H5Aread(attribute, H5T_NATIVE_DOUBLE, reals);
    memcpy(&reals[patch[1] % m->count], patch + 2, 8);
    (void)H5Awrite(attribute, H5T_NATIVE_DOUBLE, reals);
  } else {
    (void)H5Aread(attribute, H5T_NATIVE_INT64, integers);
    memcpy(&integers[patch[1] % m->count], patch + 2, 8);
    (void)H5Awrite(attribute, H5T_NATIVE_INT64, integers);
  }
  (void)H5Aclose(attribute);
}

static const char *patched_put(const uint8_t *data, size_t size)
{
  const int which = size > 0 ? data[0] % FUZZ_PROBLEMS : 0;
  const char *path = good_put(which);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t group = H5Gopen2(file, which == 0 ? "steady" : "transient", H5P_DEFAULT);
  for (size_t at = 1; at + PATCH <= size; at += PATCH)
    number_set(group, which == 0 ? hs_members_steady : hs_members_transient, data + at);
  (void)H5Gclose(group);
  (void)H5Fclose(file);
  seal(path);
  return path;
}

/* --- the harness ----------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct hs_job jobs[FUZZ_PROBLEMS];
  static int ready;
  const int patches = size <= PATCHES_BYTES_MOST;
  const char *path = patches ? patched_put(data, size) : fuzz_file(hs_checkpoint_name(0), data, size);
  struct hs_error err = {0};
  for (; ready < FUZZ_PROBLEMS; ready++)
    if (hs_job_prepare(fuzz_config(fuzz_problem(ready)), NULL, &jobs[ready], &err)) fuzz_outcome(HS_ERR_INTERNAL, &err);
  if (checkpoint_read(jobs, &err) && !patches && size > HS_SEAL_BYTES) {
    seal(path);
    (void)checkpoint_read(jobs, &err);
  }
  return 0;
}
