/* How the rows of a grid are shared out among the threads of the cpu backend.
 *
 * Threads meet after each pass, so the slowest one sets the pace. One core may be slower than another: an efficiency
 * core beside a performance core, or one that another program uses as well. And some threads have more to do: with
 * ghost zones (cpu/wavefront.h) the first and the last thread have one only; in a pipelined wavefront the first thread
 * has more of them from stage to stage, and the last one fewer. So passes are timed, and rows move from threads that
 * come last to threads that wait, until all take the same time. With r rows of its own, m more in the mean of all
 * stages and t seconds a row, that is
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
  double stages;  /* of all these passes */
  double stage_s; /* of the pass that was the fastest in it */
  int count;
};

struct hs_cpu_subdomains {
  int threads, ny;
  bool pipelined; /* are the wavefronts of passes pipelined? */
  int *first_row; /* [threads + 1] thread k has the rows first_row[k] <= j < first_row[k + 1] in passes, */
  int *alone;     /* [threads + 1] and these outside of passes: as many as its speed allows */
  double *wanted; /* [threads] for shares that are being reckoned */
  double *row_s;  /* [threads] seconds of a row and stage, of the last passes; 0: not known */
  struct hs_cpu_pass_time *pass; /* [threads] */
};

enum { HS_CPU_ROWS_LEAST = 2 }; /* of a thread, where there are so many */

/* Shares for threads of equal speed and passes of so many stages; at least as many rows as threads.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_cpu_subdomains_create(struct hs_cpu_subdomains **subdomains, int threads, int ny, int stages,
                                   bool pipelined, struct hs_error *err);

/* Shares anew, for another number of threads, at most as many as at first. */
void hs_cpu_subdomains_reset(struct hs_cpu_subdomains *subdomains, int threads, int stages);

void hs_cpu_subdomains_destroy(struct hs_cpu_subdomains *subdomains);

/* After each pass of so many stages, by each thread k for itself. */
void hs_cpu_subdomains_count(struct hs_cpu_subdomains *subdomains, int k, int stages, double pass_s);

/* Then by one thread k, while the others wait: every few passes takes the times in, and moves rows where that is worth
 * it. pipelined: was the wavefront of the pass? */
void hs_cpu_subdomains_renew(struct hs_cpu_subdomains *subdomains, int k, bool pipelined);

#endif
