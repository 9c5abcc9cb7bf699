/* See cpu/subdomains.h. */
#include "backend/cpu/subdomains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Times are taken in together of so many passes, or of passes of so many seconds. */
enum { FEW_PASSES = 8 };
static const double LONG_S = 0.005;

/* Of these passes the fastest counts: others may have lost their core to another program for a moment. Weight of the
 * last one in the mean of all, and the factor by which a time may change at once. */
static const double SMOOTHING = 0.5;
static const double MOST_CHANGE = 2.0;

/* Of a pass, below which no rows are moved: they are in their thread's caches. */
static const double LEAST_GAIN = 0.05;

/* Rows that thread k makes beside its own, in the mean of all stages; in a pipelined pass fewer than none for the last
 * thread. */
static double more_rows(const struct hs_cpu_subdomains *subdomains, int k, double stages)
{
  const int south = k > 0, north = k + 1 < subdomains->threads;
  return subdomains->pipelined ? 0.5 * (north - south) * (stages + 1.0) : 0.5 * (north + south) * (stages - 1.0);
}

static double time_of(const struct hs_cpu_subdomains *subdomains, int k)
{
  return subdomains->row_s[k] > 0.0 ? subdomains->row_s[k] : 1.0;
}

/* Seconds a stage takes when all threads take the same. */
static double balanced_s(const struct hs_cpu_subdomains *subdomains, double stages)
{
  double rows = subdomains->ny, speed = 0.0;
  for (int k = 0; k < subdomains->threads; k++) {
    rows += more_rows(subdomains, k, stages);
    speed += 1.0 / time_of(subdomains, k);
  }
  return rows / speed;
}

/* Rows in proportion to wanted[k]; each thread keeps a few. */
static void rows_deal(const struct hs_cpu_subdomains *subdomains, const double *wanted, int *first)
{
  const int threads = subdomains->threads, ny = subdomains->ny;
  const int least = ny >= HS_CPU_ROWS_LEAST * threads ? HS_CPU_ROWS_LEAST : 1;
  double all = 0.0, before = 0.0;
  for (int k = 0; k < threads; k++) all += fmax(wanted[k], least);
  first[0] = 0;
  for (int k = 1; k < threads; k++) {
    before += fmax(wanted[k - 1], least);
    first[k] = (int)floor(ny * before / all + 0.5);
    if (first[k] < first[k - 1] + least) first[k] = first[k - 1] + least;
    if (first[k] > ny - (threads - k) * least) first[k] = ny - (threads - k) * least;
  }
  first[threads] = ny;
}

/* Shares by the times that are known, in passes of so many stages and outside of them. */
static void subdomains_set(struct hs_cpu_subdomains *subdomains, double stages)
{
  const double stage_s = balanced_s(subdomains, stages);
  for (int k = 0; k < subdomains->threads; k++) subdomains->wanted[k] = subdomains->ny / time_of(subdomains, k);
  rows_deal(subdomains, subdomains->wanted, subdomains->alone);
  for (int k = 0; k < subdomains->threads; k++)
    subdomains->wanted[k] = stage_s / time_of(subdomains, k) - more_rows(subdomains, k, stages);
  rows_deal(subdomains, subdomains->wanted, subdomains->first_row);
}

hs_status hs_cpu_subdomains_create(struct hs_cpu_subdomains **subdomains, int threads, int ny, int stages,
                                   bool pipelined, struct hs_error *err)
{
  const size_t count = (size_t)threads;
  struct hs_cpu_subdomains *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, "the threads' rows", err);
  if (status) goto out;
  *s = (struct hs_cpu_subdomains){.threads = threads, .ny = ny, .pipelined = pipelined};
  status = hs_array_create((void **)&s->first_row, count + 1, sizeof *s->first_row, "the threads' rows", err);
  if (!status) status = hs_array_create((void **)&s->alone, count + 1, sizeof *s->alone, "the threads' rows", err);
  if (!status) status = hs_array_create((void **)&s->wanted, count, sizeof *s->wanted, "the threads' rows", err);
  if (!status) status = hs_array_create((void **)&s->row_s, count, sizeof *s->row_s, "the threads' times", err);
  if (status) goto out;
  s->pass = aligned_alloc(sizeof *s->pass, count * sizeof *s->pass);
  if (!s->pass) {
    status = hs_error_set(err, HS_ERR_MEMORY, "out of memory for the threads' times");
    goto out;
  }
  hs_cpu_subdomains_reset(s, threads, stages);
out:
  if (status) {
    hs_cpu_subdomains_destroy(s);
    s = NULL;
  }
  *subdomains = s;
  return status;
}

void hs_cpu_subdomains_reset(struct hs_cpu_subdomains *subdomains, int threads, int stages)
{
  subdomains->threads = threads;
  memset(subdomains->row_s, 0, (size_t)threads * sizeof *subdomains->row_s);
  memset(subdomains->pass, 0, (size_t)threads * sizeof *subdomains->pass);
  subdomains_set(subdomains, stages);
}

void hs_cpu_subdomains_destroy(struct hs_cpu_subdomains *subdomains)
{
  if (!subdomains) return;
  free(subdomains->first_row);
  free(subdomains->alone);
  free(subdomains->wanted);
  free(subdomains->row_s);
  free(subdomains->pass);
  free(subdomains);
}

void hs_cpu_subdomains_count(struct hs_cpu_subdomains *subdomains, int k, int stages, double pass_s)
{
  struct hs_cpu_pass_time *pass = &subdomains->pass[k];
  const double stage_s = pass_s / stages;
  if (pass->count == 0 || stage_s < pass->stage_s) pass->stage_s = stage_s;
  pass->s += pass_s;
  pass->stages += stages;
  pass->count++;
}

void hs_cpu_subdomains_renew(struct hs_cpu_subdomains *subdomains, int k, bool pipelined)
{
  const struct hs_cpu_pass_time *mine = &subdomains->pass[k];
  const double stages = mine->stages / mine->count;
  double slowest_s = 0.0;
  subdomains->pipelined = pipelined;
  if (mine->count < FEW_PASSES && mine->s < LONG_S) return;
  for (k = 0; k < subdomains->threads; k++) {
    const double rows =
        fmax(subdomains->first_row[k + 1] - subdomains->first_row[k] + more_rows(subdomains, k, stages), 1.0);
    const double row_s = subdomains->pass[k].stage_s / rows, known_s = subdomains->row_s[k];
    const double taken_s = fmax(fmin(row_s, known_s * MOST_CHANGE), known_s / MOST_CHANGE);
    subdomains->row_s[k] = known_s > 0.0 ? known_s + SMOOTHING * (taken_s - known_s) : row_s;
    slowest_s = fmax(slowest_s, time_of(subdomains, k) * rows);
  }
  memset(subdomains->pass, 0, (size_t)subdomains->threads * sizeof *subdomains->pass);
  if (slowest_s > (1.0 + LEAST_GAIN) * balanced_s(subdomains, stages)) subdomains_set(subdomains, stages);
}
