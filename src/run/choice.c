/* The choice among backends: the cheapest by forecast, and why others refused. */
#include "run/choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Why backends refused; neighbours in the list that say the same share a sentence. */
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

/* Leaves out backends that were not built: their refusal says nothing about this run. */
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

/* The ranks that run the backend together. */
static struct hs_comm *ranks_of(const struct hs_backend_options *options)
{
  return options->spread.subdomain ? options->spread.subdomain->comm : hs_comm_alone();
}

/* Can a backend take the system, and the method, on every rank? */
static hs_status probe(const struct hs_backend *backend, const struct hs_system *system,
                       const struct hs_backend_options *options, struct hs_error *why)
{
  const hs_status status = hs_comm_agree(ranks_of(options), backend->probe(system, options, why), why);
  if (status || !options->multigrid || backend->linear) return status;
  return hs_error_set(why, HS_ERR_UNSUPPORTED, "it has no multigrid");
}

/* The cheapest backend that takes the system; NULL with the refusals if there is none. cpu always takes it, so there is
 * one among all of them. */
static const struct hs_backend *choose_cheapest(const struct hs_backend *const *list, const struct hs_system *system,
                                                const struct hs_backend_options *options, const struct hs_work *work,
                                                char *reason, size_t size, struct hs_error *err)
{
  const struct hs_backend *best = NULL;
  double best_s = INFINITY;
  char others[512] = "";
  struct refusals refused = {.text = ""};
  for (int k = 0; list[k]; k++) {
    struct hs_error why = {0};
    struct hs_backend_cost cost;
    double total_s; /* of the slowest rank */
    if (best_s <= list[k]->least_s) continue;
    if (probe(list[k], system, options, &why)) {
      refusals_add(&refused, list[k], &why);
      continue;
    }
    cost = list[k]->cost(system, options);
    total_s = cost.setup_s + hs_work_s(&cost, work);
    if (hs_comm_largest(ranks_of(options), &total_s, 1, err)) return NULL;
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
  snprintf(reason, size, "lowest forecast for %.3g %s (%s)%s", work->sweeps > 0.0 ? work->sweeps : work->cycles,
           work->sweeps > 0.0 ? "sweeps" : "cycles", others, refused.text);
  return best;
}

const struct hs_backend *hs_backend_choose(const struct hs_backend *const *list, const char *name,
                                           const struct hs_system *system, const struct hs_backend_options *options,
                                           const struct hs_work *work, char *reason, size_t size, struct hs_error *err)
{
  const struct hs_backend *backend;
  struct hs_error why = {0};
  if (!strcmp(name, "auto")) return choose_cheapest(list, system, options, work, reason, size, err);
  snprintf(reason, size, "asked for");
  backend = hs_backend_find_in(list, name, err);
  if (!backend) return NULL;
  if (!probe(backend, system, options, &why)) return backend;
  if (options->multigrid && !backend->linear && why.status == HS_ERR_UNSUPPORTED)
    hs_error_set(err, why.status, "backend %s has no multigrid; take another backend, or solver.method = chebyshev",
                 name);
  else
    hs_error_set(err, why.status, "backend %s cannot run here: %s; `heatsolve backends` lists what can", name,
                 why.text);
  return NULL;
}
