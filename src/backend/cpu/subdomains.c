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

/* Rows that thread k makes beside its own, in the mean of all levels; with rows that lean fewer than none for the last
 * thread. */
static double more_rows(const struct hs_cpu_shares *shares, int k, double levels)
{
  const int south = k > 0, north = k + 1 < shares->threads;
  return shares->leaning ? 0.5 * (north - south) * (levels + 1.0) : 0.5 * (north + south) * (levels - 1.0);
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
    rows += more_rows(shares, k, levels);
    speed += 1.0 / time_of(shares, k);
  }
  return rows / speed;
}

/* Rows in proportion to wanted[k]; each thread keeps a few. */
static void rows_deal(const struct hs_cpu_shares *shares, const double *wanted, int *first)
{
  const int threads = shares->threads, ny = shares->ny;
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

/* Shares by the times that are known, in passes of so many levels and outside of them. */
static void rows_share(struct hs_cpu_shares *shares, double levels)
{
  const double level_s = balanced_s(shares, levels);
  for (int k = 0; k < shares->threads; k++) shares->wanted[k] = shares->ny / time_of(shares, k);
  rows_deal(shares, shares->wanted, shares->alone);
  for (int k = 0; k < shares->threads; k++)
    shares->wanted[k] = level_s / time_of(shares, k) - more_rows(shares, k, levels);
  rows_deal(shares, shares->wanted, shares->first_row);
}

hs_status hs_cpu_shares_create(struct hs_cpu_shares **shares, int threads, int ny, int levels, bool leaning,
                               struct hs_error *err)
{
  const size_t count = (size_t)threads;
  struct hs_cpu_shares *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, "the threads' rows", err);
  if (status) goto out;
  *s = (struct hs_cpu_shares){.threads = threads, .ny = ny, .leaning = leaning};
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
  memset(s->pass, 0, count * sizeof *s->pass);
  rows_share(s, levels);
out:
  if (status) {
    hs_cpu_shares_destroy(s);
    s = NULL;
  }
  *shares = s;
  return status;
}

void hs_cpu_shares_destroy(struct hs_cpu_shares *shares)
{
  if (!shares) return;
  free(shares->first_row);
  free(shares->alone);
  free(shares->wanted);
  free(shares->row_s);
  free(shares->pass);
  free(shares);
}

void hs_cpu_shares_count(struct hs_cpu_shares *shares, int k, int levels, double pass_s)
{
  struct hs_cpu_pass_time *pass = &shares->pass[k];
  const double level_s = pass_s / levels;
  if (pass->count == 0 || level_s < pass->level_s) pass->level_s = level_s;
  pass->s += pass_s;
  pass->levels += levels;
  pass->count++;
}

void hs_cpu_shares_renew(struct hs_cpu_shares *shares, int k, bool leaning)
{
  const struct hs_cpu_pass_time *mine = &shares->pass[k];
  const double levels = mine->levels / mine->count;
  double slowest_s = 0.0;
  shares->leaning = leaning;
  if (mine->count < FEW_PASSES && mine->s < LONG_S) return;
  for (k = 0; k < shares->threads; k++) {
    const double rows = fmax(shares->first_row[k + 1] - shares->first_row[k] + more_rows(shares, k, levels), 1.0);
    const double row_s = shares->pass[k].level_s / rows, known_s = shares->row_s[k];
    const double taken_s = fmax(fmin(row_s, known_s * MOST_CHANGE), known_s / MOST_CHANGE);
    shares->row_s[k] = known_s > 0.0 ? known_s + SMOOTHING * (taken_s - known_s) : row_s;
    slowest_s = fmax(slowest_s, time_of(shares, k) * rows);
  }
  memset(shares->pass, 0, (size_t)shares->threads * sizeof *shares->pass);
  if (slowest_s > (1.0 + LEAST_GAIN) * balanced_s(shares, levels)) rows_share(shares, levels);
}
