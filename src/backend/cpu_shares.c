/* See cpu_shares.h. */
#include "backend/cpu_shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FEW_PASSES = 8 };             /* whose times are taken in together, */
static const double LONG_S = 0.005;  /* or so many seconds of them */
static const double SMOOTHING = 0.5; /* weight of the last passes in the mean of all */
static const double MOST_CHANGE =
    2.0; /* of a time that is taken in: a thread that lost its core for once counts little */
static const double LEAST_GAIN = 0.05; /* of a pass, below which no rows are moved: they are in their thread's caches */

/* Rows that thread k makes beside its own, in the mean of all levels. */
static double margin(const struct hs_cpu_shares *shares, int k, double levels)
{
  const int sides = (k > 0) + (k + 1 < shares->threads);
  return 0.5 * sides * (levels - 1.0);
}

static double time_of(const struct hs_cpu_shares *shares, int k)
{
  return shares->row_s[k] > 0.0 ? shares->row_s[k] : 1.0;
}

/* Seconds a level takes when all threads take the same. */
static double balanced_s(const struct hs_cpu_shares *shares, double levels)
{
  double rows = shares->ny, speed = 0.0;
  for (int k = 0; k < shares->threads; k++) {
    rows += margin(shares, k, levels);
    speed += 1.0 / time_of(shares, k);
  }
  return rows / speed;
}

/* Shares by the times that are known; each thread keeps a row. */
static void rows_share(struct hs_cpu_shares *shares, double levels)
{
  const double level_s = balanced_s(shares, levels);
  const int threads = shares->threads, ny = shares->ny;
  double all = 0.0, before = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < threads; k++) {
      const double rows = fmax(level_s / time_of(shares, k) - margin(shares, k, levels), 1.0);
      if (pass == 0) {
        all += rows;
        continue;
      }
      shares->first_row[k] = (int)fmin(fmax(floor(ny * before / all + 0.5), k), ny - threads + k);
      if (k > 0 && shares->first_row[k] <= shares->first_row[k - 1])
        shares->first_row[k] = shares->first_row[k - 1] + 1;
      before += rows;
    }
  }
  shares->first_row[0] = 0;
  shares->first_row[threads] = ny;
}

hs_status hs_cpu_shares_create(struct hs_cpu_shares *shares, int threads, int ny, int levels, struct hs_error *err)
{
  const size_t count = (size_t)threads;
  hs_status status;
  *shares = (struct hs_cpu_shares){.threads = threads, .ny = ny};
  status = hs_array_create((void **)&shares->first_row, count + 1, sizeof *shares->first_row, "the threads' rows", err);
  if (!status)
    status = hs_array_create((void **)&shares->row_s, count, sizeof *shares->row_s, "the threads' times", err);
  if (!status) {
    shares->pass = aligned_alloc(sizeof *shares->pass, count * sizeof *shares->pass);
    if (!shares->pass) status = hs_error_set(err, HS_ERR_MEMORY, "out of memory for the threads' times");
  }
  if (status) return status;
  memset(shares->pass, 0, count * sizeof *shares->pass);
  rows_share(shares, levels);
  return HS_OK;
}

void hs_cpu_shares_destroy(struct hs_cpu_shares *shares)
{
  free(shares->first_row);
  free(shares->row_s);
  free(shares->pass);
  memset(shares, 0, sizeof *shares);
}

void hs_cpu_shares_count(struct hs_cpu_shares *shares, int k, int levels, double pass_s)
{
  struct hs_cpu_pass_time *pass = &shares->pass[k];
  pass->s += pass_s;
  pass->levels += levels;
  pass->count++;
}

void hs_cpu_shares_renew(struct hs_cpu_shares *shares, int k)
{
  const struct hs_cpu_pass_time *mine = &shares->pass[k];
  const double levels = mine->levels / mine->count;
  double slowest_s = 0.0;
  if (mine->count < FEW_PASSES && mine->s < LONG_S) return;
  for (k = 0; k < shares->threads; k++) {
    const double rows = shares->first_row[k + 1] - shares->first_row[k] + margin(shares, k, levels);
    const double row_s = shares->pass[k].s / (shares->pass[k].levels * rows), known_s = shares->row_s[k];
    const double taken_s = fmax(fmin(row_s, known_s * MOST_CHANGE), known_s / MOST_CHANGE);
    shares->row_s[k] = known_s > 0.0 ? known_s + SMOOTHING * (taken_s - known_s) : row_s;
    slowest_s = fmax(slowest_s, time_of(shares, k) * rows);
  }
  memset(shares->pass, 0, (size_t)shares->threads * sizeof *shares->pass);
  if (slowest_s > (1.0 + LEAST_GAIN) * balanced_s(shares, levels)) rows_share(shares, levels);
}
