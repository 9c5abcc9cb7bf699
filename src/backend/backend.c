/* The table of backends, and the choice among them. */
#include "backend/backend.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"

/* Every backend that heatsolve knows; one line each. A backend that was not built has a probe that says why. */
static const struct hs_backend *const backends[] = {
    &hs_backend_reference,     &hs_backend_cpu,          &hs_backend_cuda_global,   &hs_backend_cuda_shared,
    &hs_backend_cuda_resident, &hs_backend_cuda_blocked, &hs_backend_cuda_streamed, NULL,
};

const struct hs_backend *const *hs_backend_list(void)
{
  return backends;
}

static const struct hs_backend *find_in(const struct hs_backend *const *list, const char *name, struct hs_error *err)
{
  char known[256] = "auto";
  for (int k = 0; list[k]; k++) {
    if (!strcmp(list[k]->name, name)) return list[k];
    snprintf(known + strlen(known), sizeof known - strlen(known), ", %s", list[k]->name);
  }
  hs_error_set(err, HS_ERR_CONFIG, "unknown backend \"%s\"; known: %s (`heatsolve backends` says which can run here)",
               name, known);
  return NULL;
}

const struct hs_backend *hs_backend_find(const char *name, struct hs_error *err)
{
  return find_in(backends, name, err);
}

/* A test costs a few sweeps: the larger the grid, the more sweeps are made anyway, and Chebyshev's method makes far
 * fewer. The large intervals are whole passes of 32 sweeps, the longest of cuda-blocked, and two single sweeps, of which
 * the last is the tested one: more single sweeps would cost more than the test. All are even, since an error can only
 * be estimated from tests that lie an even number of sweeps apart (hs_solve_interval). */
int hs_backend_test_interval(double nodes, enum hs_form form)
{
  const double shortest_up_to = form == HS_FORM_CHEBYSHEV ? 512.0 * 512.0 : 128.0 * 128.0;
  if (nodes <= shortest_up_to) return 256;
  if (nodes <= 256.0 * 256.0) return 514;
  return nodes <= 2048.0 * 2048.0 ? 1026 : 2050;
}

double hs_backend_work_s(const struct hs_backend_cost *cost, const struct hs_backend_work *work)
{
  return work->sweeps * cost->sweep_s + work->tests * cost->test_s + work->steps * cost->step_s;
}

/* Why backends refused: neighbours in the list with the same sentence share it. */
struct refusals {
  char text[1200];  /* of all but the last sentence */
  char names[160];  /* with the last one */
  char reason[320]; /* the last one; empty: none so far */
};

static void refusals_finish(struct refusals *r)
{
  const size_t length = strlen(r->text);
  if (r->reason[0]) snprintf(r->text + length, sizeof r->text - length, "; not %s: %s", r->names, r->reason);
  r->reason[0] = '\0';
}

/* A backend that was not built refuses everything, which says nothing about this run. */
static void refusals_add(struct refusals *r, const struct hs_backend *backend, const struct hs_error *why)
{
  char reason[sizeof r->reason];
  const size_t length = strlen(r->names);
  if (!backend->create) return;
  snprintf(reason, sizeof reason, "%.319s", why->text);
  if (r->reason[0] && !strcmp(r->reason, reason)) {
    snprintf(r->names + length, sizeof r->names - length, ", %s", backend->name);
    return;
  }
  refusals_finish(r);
  snprintf(r->names, sizeof r->names, "%s", backend->name);
  memcpy(r->reason, reason, sizeof reason);
}

/* The cheapest backend that takes the system; NULL with the refusals if there is none. cpu always takes it, so there is
 * one among all of them. */
static const struct hs_backend *choose_cheapest(const struct hs_backend *const *list, const struct hs_system *system,
                                                const struct hs_backend_options *options,
                                                const struct hs_backend_work *work, char *reason, size_t size,
                                                struct hs_error *err)
{
  const struct hs_backend *best = NULL;
  double best_s = INFINITY;
  char others[512] = "";
  struct refusals refused = {.text = ""};
  for (int k = 0; list[k]; k++) {
    struct hs_error why = {0};
    struct hs_backend_cost cost;
    double total_s;
    if (best_s <= list[k]->least_s) continue;
    if (list[k]->probe(system, options, &why)) {
      refusals_add(&refused, list[k], &why);
      continue;
    }
    cost = list[k]->cost(system, options);
    total_s = cost.setup_s + hs_backend_work_s(&cost, work);
    snprintf(others + strlen(others), sizeof others - strlen(others), "%s%s %.2g s", *others ? ", " : "", list[k]->name,
             total_s);
    if (total_s < best_s || !best) {
      best_s = total_s;
      best = list[k];
    }
  }
  refusals_finish(&refused);
  if (!best) {
    hs_error_set(err, HS_ERR_UNSUPPORTED, "no backend can take this problem on this machine%s", refused.text);
    return NULL;
  }
  snprintf(reason, size, "lowest forecast for %.3g sweeps (%s)%s", work->sweeps, others, refused.text);
  return best;
}

const struct hs_backend *hs_backend_choose_from(const struct hs_backend *const *list, const char *name,
                                                const struct hs_system *system,
                                                const struct hs_backend_options *options,
                                                const struct hs_backend_work *work, char *reason, size_t size,
                                                struct hs_error *err)
{
  const struct hs_backend *backend;
  struct hs_error why = {0};
  if (!strcmp(name, "auto")) return choose_cheapest(list, system, options, work, reason, size, err);
  snprintf(reason, size, "asked for");
  backend = find_in(list, name, err);
  if (!backend) return NULL;
  if (backend->probe(system, options, &why)) {
    hs_error_set(err, why.status, "backend %s cannot run here: %s; `heatsolve backends` lists what can", name,
                 why.text);
    return NULL;
  }
  return backend;
}

const struct hs_backend *hs_backend_choose(const char *name, const struct hs_system *system,
                                           const struct hs_backend_options *options, double expected_sweeps,
                                           char *reason, size_t size, struct hs_error *err)
{
  const struct hs_backend_work work = {.sweeps = expected_sweeps};
  return hs_backend_choose_from(backends, name, system, options, &work, reason, size, err);
}

int hs_backend_processors(void)
{
  const double processors = fmin(omp_get_num_procs(), omp_get_thread_limit()); /* affinity, OMP_THREAD_LIMIT */
  return (int)fmax(1.0, fmin(processors, ceil(hs_processors_granted())));
}

/* OMP_NUM_THREADS or the affinity mask: what the run-time library says before it is told otherwise. */
static int threads_at_start(void)
{
  static int threads;
  if (!threads) threads = omp_get_max_threads();
  return threads;
}

int hs_backend_threads_available(int most)
{
  const int at_start = threads_at_start(), wanted = most > 0 ? most : at_start;
  const int processors = hs_backend_processors();
  const int threads = wanted < processors ? wanted : processors;
  return threads < 1 ? 1 : threads;
}

void hs_backend_threads_use(int most)
{
  omp_set_dynamic(0); /* as many as are told of */
  omp_set_num_threads(hs_backend_threads_available(most));
}
