/* A plan: what a run would take on machines that are not there.
 *
 * Nothing of the size of the grid is made. Sweeps, cycles and steps are forecast for the same plate on a coarse grid, of a few
 * hundred nodes along its longer side, and scaled: Jacobi's sweeps grow like the square of the nodes along a side, Chebyshev's
 * like their number, multigrid's cycles hardly, the explicit scheme's steps like the square. Costs are the built-in ones of an
 * H200, or of so many threads; exchanges follow from backend/cost/spread.h.
 */
#ifndef HS_RUN_PLAN_H
#define HS_RUN_PLAN_H

#include "backend/cost/spread.h"
#include "run/job.h"

enum {
  HS_PLAN_COARSE = 300,        /* nodes along the longer side of the coarse grid */
  HS_PLAN_PARTS_MOST = 1 << 16 /* GPUs, or ranks without */
};

struct hs_plan_machine {
  int nodes, gpus, ranks, threads; /* gpus, ranks: of all nodes, multiples of nodes; gpus 0: CPUs; threads: of a rank */
  struct hs_links links;
  double gpu_bytes;    /* memory of a GPU that a run may use */
  double node_bytes;   /* the same of a node; 0: not known */
  double file_bytes_s; /* at which all nodes together write files */
};

/* GPUs of 141 GB and links as measured; a network of 400 Gb/s a node. */
struct hs_plan_machine hs_plan_machine_usual(int nodes, int gpus, int ranks, int threads);

enum hs_plan_limit {
  HS_PLAN_MEMORY,  /* the grid does not fit */
  HS_PLAN_SETUP,   /* that, */
  HS_PLAN_FILES,   /* or the files, takes longer than the solution */
  HS_PLAN_SWEEPS,  /* sweeps themselves: nothing worth a word is lost */
  HS_PLAN_GHOSTS,  /* ghost nodes that are swept, and kernels on small or thin parts */
  HS_PLAN_LATENCY, /* of exchanges */
  HS_PLAN_LINKS,   /* bytes between the parts of a node */
  HS_PLAN_NETWORK  /* bytes between nodes */
};

struct hs_plan {
  struct hs_plan_machine machine;
  int coarse_nx, coarse_ny; /* of the grid that forecasts are from; the grid itself where that is small */
  bool maps_left_out;
  enum hs_method method;
  char method_reason[HS_METHOD_REASON];
  bool known;      /* the forecast of sweeps; else a guess */
  bool cycles;     /* what is counted is cycles; else sweeps, */
  double forecast; /* until the test holds, or in all steps, */
  double sweeps;   /* of which the run makes so many: at most max_iterations where it is steady */
  double steps;    /* 0: steady */
  double step_s;   /* of time */
  struct hs_partition partition;
  struct hs_rectangle window; /* the largest */
  struct hs_exchange exchange;
  struct hs_traffic traffic; /* for a sweep, or a cycle */
  double gpu_bytes;          /* on each GPU; 0: CPUs */
  double rank_bytes;         /* on the host, for each rank */
  bool fits;
  int parts_needed; /* where it does not: GPUs or ranks, whole nodes, that would hold it; 0: not so many */
  double setup_s, solve_s, files_s;
  double sweep_s; /* of a sweep, or cycle, exchange included */
  double file_bytes;
  double efficiency;                   /* of the solution: against one GPU, or one rank, that held all */
  double ghosts_s, latency_s, bytes_s; /* of sweep_s: what goes beside the share of one GPU's sweep */
  enum hs_plan_limit limit;
};

/* Errors: HS_ERR_CONFIG (what the coarse grid cannot tell: maps, or shapes that it does not show; a step that is not stable),
 * HS_ERR_MEMORY. */
hs_status hs_plan_make(const struct hs_config *config, const struct hs_plan_machine *machine, struct hs_plan *plan,
                       struct hs_error *err);

#endif
