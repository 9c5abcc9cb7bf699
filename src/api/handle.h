/* What the public handles hold, and the frame of a public call. */
#ifndef HS_API_HANDLE_H
#define HS_API_HANDLE_H

#include <locale.h>
#include <signal.h>
#include <stdbool.h>

#include "api/heatsolve.h"
#include "config/config.h"
#include "run/job.h"

#define HS_PUBLIC __attribute__((visibility("default")))

struct heatsolve_problem {
  char *path; /* in messages; files that the text names are looked for in its folder */
  char *text;
  char **overrides; /* [override_count] "section.key=value", owned */
  int override_count;
  double *values[HS_MAPS]; /* owned; NULL: the configuration's file, if it names one */
  int rows[HS_MAPS], columns[HS_MAPS];
  struct hs_comm *comm; /* the ranks that run it together, not owned; NULL: this process alone */
  volatile sig_atomic_t stop, save;
};

/* Lets the ranks of comm, which must outlive the problem, run it together: each of them makes the same calls. */
void hs_problem_ranks(heatsolve_problem *problem, struct hs_comm *comm);

/* A snapshot that is kept in memory. */
struct hs_kept {
  double time_s;
  double *field_k; /* [ny*nx] */
};

struct heatsolve_result {
  struct hs_config *config;
  struct hs_job job;
  struct hs_result result;
  struct hs_warnings doubts; /* beside the result's warnings */
  unsigned files;            /* that were written; see output/report/report.h */
  struct hs_kept *kept;
  int kept_count, kept_room;
  double *node_x_m, *node_y_m, *cell_x_m, *cell_y_m, *material, *flux[2]; /* made when they are first asked for */
  char *json, *text;
  char **names; /* [name_count] of the numbers */
  int name_count;
};

/* What a public call changes of its thread, and puts back: the locale, since numbers are written with a point, and OpenMP's
 * number of threads. */
struct hs_frame {
  locale_t plain, before;
  int threads, dynamic;
};

/* Errors: HS_ERR_MEMORY; hs_frame_leave also then. */
hs_status hs_frame_enter(struct hs_frame *frame, struct hs_error *err);
void hs_frame_leave(struct hs_frame *frame);

/* Hands a failure to the caller; returns its code. */
int hs_answer(hs_status status, const struct hs_error *err, heatsolve_error *error);

/* Reads the problem's configuration with its overrides and arrays. */
hs_status hs_problem_configure(const heatsolve_problem *problem, struct hs_config **config, struct hs_error *err);

#endif
