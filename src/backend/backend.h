/* Backends: one set of operations over a system and a field, many implementations.
 *
 * A backend holds two fields, the present one t_k and its predecessor t_(k-1), and advances
 * them by sweeps: plain Jacobi or relaxed (relaxation.h). Every backend gives bit for bit the field and the norms of
 * cpu-reference. Adding one is a folder with a `const struct hs_backend` and a line in
 * backend.c's table.
 */
#ifndef HS_BACKEND_BACKEND_H
#define HS_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "comm/subdomain.h"
#include "numerics/relaxation.h"
#include "numerics/stoptest.h"
#include "problem/system.h"

struct hs_linear;          /* backend/linear.h */
struct hs_part_operations; /* backend/part.h */
struct hs_tuning;          /* backend/cost/tuning.h */

/* What tests ask for, so that small grids meet all cases of a backend. 0 and NULL: the backend chooses, as in every
 * run. No result depends on it. */
struct hs_backend_testing {
  const char *isa;   /* cpu: "baseline", "avx2" or "avx512"; probe refuses what the build or the processor lacks */
  int tile_columns;  /* cpu: columns of a tile, made whole lines of 16 nodes; full-width tiles where that is the grid */
  int stages;        /* cpu: sweeps of a pass, 1 to 64, given with tile_columns; 1: no passes, even where they pay */
  int team_changes;  /* cpu: another number of threads after so many meetings of them */
  bool every_thread; /* cpu: operators of few nodes have all threads, too */
  int band_rows;     /* cuda-streamed: rows of bands and ghost zones, whatever they cost */
  struct hs_partition parts; /* cut in this process, whatever it costs; count_x 0: as devices and ranks ask for */
  int overlap;               /* exchanges between ranks: 1 overlapped with the interior, -1 never, 0 as a trial shows */
  int whole_nodes;           /* multigrid in parts: levels of at most so many nodes are made whole */
};

enum { HS_DEVICES_MOST = 16 };

/* What several devices, or ranks, share (backend/distributed). */
struct hs_spread {
  int devices[HS_DEVICES_MOST];         /* numbers of the devices that hold a part each, */
  int device_count;                     /* so many; 0: the present one */
  const struct hs_subdomain *subdomain; /* of this rank, not owned; NULL: there is one rank */
};

/* What a run asks of any backend. */
struct hs_backend_options {
  bool single;         /* single precision fields; double otherwise */
  int threads;         /* exactly so many CPU threads; 0: as many as pay, threads_most at most */
  int threads_most;    /* 0: as many as this process may use, as for hs_backend_threads_available */
  bool threads_stay;   /* none leaves where other programs keep processors busy: rates of so many are wanted */
  double device_bytes; /* device memory that may be used; 0: all that is free */
  const struct hs_tuning *tuning; /* measured costs of this machine, not owned; NULL: built-in ones */
  enum hs_form form;              /* of the sweeps to come, for forecast and memory; relax decides what is done */
  bool multigrid; /* cycles are to come: for forecast and memory, and a backend without `linear` is refused */
  struct hs_spread spread;
  struct hs_backend_testing testing;
};

/* A backend's own forecast, from which `auto` chooses. */
struct hs_backend_cost {
  double setup_s;    /* once per run: context, transfers, allocation */
  double sweep_s;    /* per sweep */
  double test_s;     /* per evaluation of the stop test, its norms included, on top of the sweeps */
  double step_s;     /* per implicit time step, on top of its sweeps and tests */
  double cycle_s;    /* options->multigrid: per cycle, and its step of conjugate gradients */
  double levels_s;   /* options->multigrid: to make the levels once */
  double host_bytes; /* memory beside the caller's */
  double device_bytes;
};

/* Where a created backend runs. */
struct hs_backend_place {
  char device[192];    /* "NVIDIA H200, compute capability 9.0", "AMD EPYC, AVX2 + FMA" */
  int threads;         /* CPU threads that sweep, at most; 0 on a device */
  double threads_mean; /* over the time of the sweeps so far: fewer where other programs kept processors busy */
  bool serial;         /* one thread, however many are allowed */
};

/* Whole intervals with a stop test at the end of each, for hs_backend.advance. */
struct hs_intervals {
  const struct hs_stop_test *test;
  bool keep;                  /* the field is saved before each interval */
  int64_t until;              /* sweeps of the run at which the caller wants to be asked again */
  struct hs_stop_state *stop; /* where the run stands, before and after */
  struct hs_check *history;   /* [capacity] the evaluations made, */
  int capacity, count;        /* of which there are `count` afterwards */
};

/* The fields of a backend. */
enum hs_field_role {
  HS_FIELD_NOW,
  HS_FIELD_BEFORE, /* the predecessor; not after restore, before a sweep has been made */
  HS_FIELD_SAVED   /* what save has remembered */
};

/* A handle: each backend converts it to its own state (hs_cpu_state, for one). */
struct hs_backend_state;

struct hs_backend {
  const char *name;
  const char *summary; /* half a sentence for `heatsolve backends` */
  double least_s;      /* no run takes less, its set-up included; `auto` does not even probe for shorter ones */

  /* Optional: begins what the first probe would wait for, whatever the system, such as a device's context. Other
   * threads may call other operations meanwhile. NULL: nothing. */
  void (*warm_up)(void);

  /* Can this machine, and this system unless it is NULL, be taken? HS_OK, or a status with a
   * sentence in why (HS_ERR_DEVICE, HS_ERR_UNSUPPORTED). */
  hs_status (*probe)(const struct hs_system *system, const struct hs_backend_options *options, struct hs_error *why);

  /* Forecast for a system that probe accepted. */
  struct hs_backend_cost (*cost)(const struct hs_system *system, const struct hs_backend_options *options);

  /* Acquires memory and copies what is needed of system, which must outlive the state.
   * Errors: HS_ERR_MEMORY, HS_ERR_DEVICE. */
  hs_status (*create)(const struct hs_system *system, const struct hs_backend_options *options,
                      struct hs_backend_state **state, struct hs_error *err);

  void (*place)(const struct hs_backend_state *state, struct hs_backend_place *place);

  /* Optional: so many sweeps of the present form that fewer in a call of `sweep` would waste much; a call of so many
   * takes a few seconds at most, if it can be helped. NULL: 1. */
  int (*sweeps_per_call)(const struct hs_backend_state *state);

  /* Both fields become field_k, [ny*nx] K, rounded to the state's precision. The field of constants r, where the
   * system has one, becomes source_w_m / diagonal (0 at Dirichlet nodes), computed in double and rounded. */
  hs_status (*load)(struct hs_backend_state *state, const double *field_k, struct hs_error *err);

  /* How the sweeps to come are relaxed; plain Jacobi after create. Chebyshev's recursion stands where relaxation->omega
   * says. */
  hs_status (*relax)(struct hs_backend_state *state, const struct hs_relaxation *relaxation, struct hs_error *err);

  /* Takes over another discretisation of the same nodes (hs_system_derive), which must outlive the state, and renews
   * source_w_m / diagonal; weights_changed: not only constants differ from the one before. Fields stay as they are. */
  hs_status (*update)(struct hs_backend_state *state, const struct hs_system *system, bool weights_changed,
                      struct hs_error *err);

  /* Begins an implicit time step (system->storing) from the present field: r = hs_node_step of each free node,
   * 0 at Dirichlet ones. trapezoid: Crank-Nicolson; else backward Euler. The predecessor stays as it is. */
  hs_status (*step)(struct hs_backend_state *state, bool trapezoid, struct hs_error *err);

  /* n >= 0 sweeps. */
  hs_status (*sweep)(struct hs_backend_state *state, int64_t n, struct hs_error *err);

  /* n sweeps; norms[i] has the update's norms of sweep i (scaled for bounds->update_max),
   * the others are NaN. */
  hs_status (*sweep_normed)(struct hs_backend_state *state, int64_t n, const struct hs_bounds *bounds,
                            struct hs_norms *norms, struct hs_error *err);

  /* All norms of the present field and its predecessor; sums are scaled for bounds. */
  hs_status (*norms)(struct hs_backend_state *state, const struct hs_bounds *bounds, struct hs_norms *norms,
                     struct hs_error *err);

  /* Remembers the present field; back to it. After restore the predecessor is undefined until a sweep. */
  hs_status (*save)(struct hs_backend_state *state, struct hs_error *err);
  hs_status (*restore)(struct hs_backend_state *state, struct hs_error *err);

  /* max |t_k - saved field|, K. */
  hs_status (*distance)(struct hs_backend_state *state, double *distance_k, struct hs_error *err);

  /* max |t_k|, K. */
  hs_status (*largest)(struct hs_backend_state *state, double *largest_k, struct hs_error *err);

  /* Optional: takes the stop test where the fields are. Repeats { save if keep; test->check_every
   * sweeps; norms; hs_stop_evaluate } until a verdict, or until stop->sweeps >= until, or until fewer
   * than check_every sweeps are left before test->max_sweeps (the caller makes those), or until
   * the history is full. Plain and weighted sweeps only.
   * An update of the stencils that follows leaves the predecessor undefined until a sweep.
   * NULL: hs_solve does the same through the operations above. */
  hs_status (*advance)(struct hs_backend_state *state, struct hs_intervals *intervals, struct hs_error *err);

  /* The present field into field_k, [ny*nx] K (exact conversion from single precision). */
  hs_status (*fetch)(struct hs_backend_state *state, double *field_k, struct hs_error *err);

  /* Optional: the same of `count` nodes alone, values_k[k] at node[k]; some may be there more than once. NULL: fetch has to do. */
  hs_status (*pick)(struct hs_backend_state *state, const int64_t *node, int64_t count, double *values_k,
                    struct hs_error *err);

  /* As fetch, of another field; none of them changes. */
  hs_status (*fetch_role)(struct hs_backend_state *state, enum hs_field_role role, double *field_k,
                          struct hs_error *err);

  /* After `load`: the predecessor becomes field_k, [ny*nx] K. With it, `relax` and `save` a state is what another one was,
   * on this backend or another. */
  hs_status (*load_before)(struct hs_backend_state *state, const double *field_k, struct hs_error *err);

  void (*destroy)(struct hs_backend_state *state); /* NULL is accepted */

  const struct hs_linear *linear;        /* operators and vectors, for multigrid; NULL: none */
  const struct hs_part_operations *part; /* for grids in several parts; NULL: none */
};

/* All backends that heatsolve knows, built or not, NULL-terminated; cpu-reference first. */
const struct hs_backend *const *hs_backend_list(void);

/* The backend of that name, or NULL with an error that names the known ones. */
const struct hs_backend *hs_backend_find(const char *name, struct hs_error *err);

/* The same among the backends of a list, which ends with NULL. */
const struct hs_backend *hs_backend_find_in(const struct hs_backend *const *list, const char *name,
                                            struct hs_error *err);

/* Devices of this machine that backends of the table run on; and lets the calls of this thread be for one of them, 0 being the
 * first. Errors: HS_ERR_DEVICE. */
int hs_backend_devices(void);
hs_status hs_backend_device_use(int device, struct hs_error *err);

/* Sweeps between two evaluations of the stop test that suit a grid of so many nodes and that form. A run must stop at
 * the same sweep everywhere, so this is one number for all backends, and no operation of each. */
int hs_backend_test_interval(double nodes, enum hs_form form);

/* Sets the threads of all parallel work to come: hs_backend_threads_available(most), or as many as can be created. */
void hs_backend_threads_use(int most);

/* How many of `wanted` threads can be created; to be asked before OpenMP is asked for them. */
int hs_backend_threads_create(int wanted);

/* Were there fewer than wanted at some time? */
bool hs_backend_threads_short(int *wanted, int *created);

/* CPU threads that this process may use: `most` of them, or OMP_NUM_THREADS if `most` is 0, and never more than
 * hs_backend_processors, since more only wait for each other. */
int hs_backend_threads_available(int most);

/* Processors that this process may use: affinity, control groups and OMP_THREAD_LIMIT considered. */
int hs_backend_processors(void);

extern const struct hs_backend hs_backend_reference;
extern const struct hs_backend hs_backend_cpu;
extern const struct hs_backend hs_backend_cuda_global;
extern const struct hs_backend hs_backend_cuda_shared;
extern const struct hs_backend hs_backend_cuda_resident;
extern const struct hs_backend hs_backend_cuda_blocked;
extern const struct hs_backend hs_backend_cuda_streamed;

#endif
