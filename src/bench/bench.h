/* A benchmark: cases measured one after the other, and the speed of copying for comparison.
 *
 * Cases are the product of sizes, patterns, forms, precisions, backends and modes, in this order, the last one fastest.
 * A case that cannot be measured leaves a row that says why, and the next one follows.
 */
#ifndef HS_BENCH_BENCH_H
#define HS_BENCH_BENCH_H

#include <signal.h>

#include "bench/rate.h"

enum { HS_BENCH_SIZES = 64, HS_BENCH_BACKENDS = 16 };

struct hs_bench_size {
  int nx, ny;
};

/* A configuration whose problem is measured in place of plates filled by patterns. */
struct hs_bench_file {
  const struct hs_config *config; /* at its own size; NULL: there is none */
  const char *path, *text;        /* as for hs_config_parse */
  const char *const *overrides;   /* [override_count] */
  int override_count;
};

/* The problem of a file at a size; its plate keeps the size in metres. Both are owned by the caller (hs_problem_destroy before
 * hs_config_destroy), NULL after a failure. Errors: HS_ERR_CONFIG; HS_ERR_MEMORY, before any is filled; those of
 * hs_problem_create. */
hs_status hs_bench_draw(const struct hs_bench_file *file, struct hs_bench_size size, struct hs_config **config,
                        struct hs_problem **problem, struct hs_error *err);

/* The cases of a benchmark: every combination of these. */
struct hs_bench_cases {
  struct hs_bench_file file; /* then pattern, source and convection do not count */
  struct hs_bench_size size[HS_BENCH_SIZES];
  int size_count;
  const struct hs_backend *backend[HS_BENCH_BACKENDS];
  int backend_count;
  bool precision[2]; /* double, single */
  bool pattern[HS_RATE_PATTERNS], form[HS_RATE_FORMS], mode[HS_RATE_MODES];
  bool source, convection;          /* of every problem */
  int threads;                      /* at most; 0: as many as this process may use */
  int gpus;                         /* that share each grid, for backends on GPUs */
  struct hs_rate_settings settings; /* but for the mode */
};

struct hs_bench_row {
  struct hs_rate_problem problem;
  const struct hs_backend *backend;
  enum hs_rate_mode mode;
  bool single, on_device;
  hs_status status; /* HS_OK: measured */
  char why[512];    /* it was not */
  struct hs_rate rate;
  double bytes_per_s; /* hs_rate_bytes_per_node at this rate */
  double copy_share;  /* the same beside the copy limit; NaN where that is not known */
};

struct hs_bench {
  const struct hs_bench_cases *cases; /* not owned */
  char machine[256];
  char date_utc[32];
  int threads;                       /* of the CPU backends; small grids are swept by fewer */
  double copy_bytes_per_s[2];        /* on the host, on the device; NaN: not measured */
  bool on_device[HS_BENCH_BACKENDS]; /* of cases->backend */
  struct hs_bench_row *row;          /* [count], owned */
  int count, measured, capacity;
};

/* Who wants to know of rows as they appear. */
struct hs_bench_observer {
  void (*row)(void *context, const struct hs_bench *bench, const struct hs_bench_row *row);
  void *context;
  const volatile sig_atomic_t *stop; /* set: no further row; NULL: never */
};

/* Fills in machine and date, and measures the copy limits where the backends of the cases run. */
void hs_bench_begin(struct hs_bench *bench, const struct hs_bench_cases *cases);

/* Measures all cases. Errors: HS_ERR_MEMORY for the table itself; what keeps a case from being measured is no error. */
hs_status hs_bench_run(struct hs_bench *bench, const struct hs_bench_observer *observer, struct hs_error *err);

void hs_bench_clear(struct hs_bench *bench);

/* Can a backend run on this machine, and does it use a device? HS_OK, or its reason in why. */
hs_status hs_bench_place(const struct hs_backend *backend, const struct hs_backend_options *options, bool *on_device,
                         struct hs_error *why);

#endif
