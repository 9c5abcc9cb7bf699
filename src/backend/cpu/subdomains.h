/* How the rows of a grid are shared out among the threads of the cpu backend.
 *
 * Threads meet after each pass, so the slowest one sets the pace. One core may be slower than another: an efficiency
 * core beside a performance core, or one that another program uses as well. And some threads have more to do: with
 * margins (cpu/wavefront.h) the first and the last thread have one only; where rows lean, the first thread has more of
 * them from level to level, and the last one fewer. So passes are timed, and rows move from threads that come last to
 * threads that wait, until all take the same time. With r rows of its own, m more in the mean of all levels and t
 * seconds a row, that is
 *
 *      t_k (r_k + m_k) = T for each thread k,      T = (sum of r and m) / (sum of 1 / t).
 *
 * No result depends on it: every backend gives the same bits with any number of threads.
 */
#ifndef HS_BACKEND_CPU_SUBDOMAINS_H
#define HS_BACKEND_CPU_SUBDOMAINS_H

#include <stdbool.h>

#include "base/status.h"

/* What a thread has taken for its passes since rows were shared out, on a line of the cache of its own. */
struct hs_cpu_pass_time {
  _Alignas(64) double s;
  double levels;  /* of all these passes */
  double level_s; /* of the pass that was the fastest in it */
  int count;
};

struct hs_cpu_shares {
  int threads, ny;
  bool leaning;   /* do the rows of passes lean? */
  int *first_row; /* [threads + 1] thread k has the rows first_row[k] <= j < first_row[k + 1] in passes, */
  int *alone;     /* [threads + 1] and these outside of passes: as many as its speed allows */
  double *wanted; /* [threads] for shares that are being reckoned */
  double *row_s;  /* [threads] seconds of a row and level, of the last passes; 0: not known */
  struct hs_cpu_pass_time *pass; /* [threads] */
};

enum { HS_CPU_ROWS_LEAST = 2 }; /* of a thread, where there are so many */

/* Shares for threads of equal speed and passes of so many levels; at least as many rows as threads.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_cpu_shares_create(struct hs_cpu_shares **shares, int threads, int ny, int levels, bool leaning,
                               struct hs_error *err);

void hs_cpu_shares_destroy(struct hs_cpu_shares *shares);

/* After each pass of so many levels, by each thread k for itself. */
void hs_cpu_shares_count(struct hs_cpu_shares *shares, int k, int levels, double pass_s);

/* Then by one thread k, while the others wait: every few passes takes the times in, and moves rows where that is worth
 * it. leaning: did the rows of the pass lean? */
void hs_cpu_shares_renew(struct hs_cpu_shares *shares, int k, bool leaning);

#endif
