#include "problem/windows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 3 };

/* The whole problem, at the start and at other times. */
struct whole {
  const struct hs_config *config;
  const struct hs_partition *partition;
  struct hs_error err;
  hs_status status;
  struct hs_problem *problem;
  struct hs_system *system;
  double *initial_k;
  double time_s[TIMES];
  struct hs_system *later[TIMES];
  bool changed[TIMES];
};

struct window {
  struct hs_comm *comm;
  const struct whole *whole;
  struct hs_problem *problem;
  struct hs_system *system;
  double *initial_k;
};

/* --- one problem --------------------------------------------------------------------------------- */

hs_status windows_make(const struct hs_config *config, const struct hs_subdomain *subdomain,
                       struct hs_problem **problem, struct hs_system **system, double **initial_k, struct hs_error *err)
{
  hs_status status = hs_problem_create(config, subdomain, problem, err);
  *system = NULL;
  *initial_k = NULL;
  if (!status) status = hs_problem_build_system(*problem, system, err);
  if (!status) status = hs_problem_initial_field(*problem, *system, initial_k, err);
  return status;
}

/* The system at another time, as steps make it. */
static struct hs_system *later_make(const struct hs_problem *problem, const struct hs_system *system, double time_s,
                                    bool *changed)
{
  struct hs_system *later = NULL;
  struct hs_error err = {0};
  hs_status status = hs_system_derive(system, true, &later, &err);
  if (!status) status = hs_problem_time_set(problem, later, time_s, &err);
  if (!status) status = hs_system_discretise(later, system->scheme, system->step_s, system, changed, &err);
  if (status) {
    fprintf(stderr, "%s\n", err.text);
    abort();
  }
  return later;
}

static void whole_make(struct whole *whole)
{
  const double start_s = whole->config->time.start_s, end_s = whole->config->time.end_s;
  whole->status = windows_make(whole->config, NULL, &whole->problem, &whole->system, &whole->initial_k, &whole->err);
  for (int k = 0; !whole->status && whole->problem->timed && k < TIMES; k++) {
    whole->time_s[k] = start_s + (end_s - start_s) * (k + 0.37) / TIMES;
    whole->later[k] = later_make(whole->problem, whole->system, whole->time_s[k], &whole->changed[k]);
  }
}

static void whole_clear(struct whole *whole)
{
  for (int k = 0; k < TIMES; k++) hs_system_destroy(whole->later[k]);
  free(whole->initial_k);
  hs_system_destroy(whole->system);
  hs_problem_destroy(whole->problem);
}

/* --- nodes --------------------------------------------------------------------------------------- */

static bool same(double a, double b)
{
  return memcmp(&a, &b, sizeof a) == 0;
}

static bool laws_same(const struct hs_node_law *a, const struct hs_node_law *b)
{
  return same(a->west, b->west) && same(a->east, b->east) && same(a->south, b->south) && same(a->north, b->north) &&
         same(a->source_w_m, b->source_w_m) && same(a->ambient_w_mk, b->ambient_w_mk) &&
         same(a->ambient_w_m, b->ambient_w_m) && same(a->capacity_j_mk, b->capacity_j_mk) &&
         same(a->dirichlet_k, b->dirichlet_k) && a->dirichlet == b->dirichlet;
}

/* Is the node a ghost at an edge of the window that is no wall? */
static bool outermost(const struct hs_problem *p, int i, int j)
{
  const struct hs_rectangle *own = &p->own;
  return (i == 0 && own->x0 > 0) || (i == p->nx - 1 && own->x0 + own->nx < p->nx) || (j == 0 && own->y0 > 0) ||
         (j == p->ny - 1 && own->y0 + own->ny < p->ny);
}

static size_t node_of_whole(const struct hs_problem *p, int i, int j)
{
  return (size_t)hs_problem_row(p, j) * (size_t)p->grid_nx + (size_t)hs_problem_column(p, i);
}

static void require_nodes(const struct window *w, const struct hs_system *part, const struct hs_system *whole)
{
  const struct hs_problem *p = w->problem;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const size_t n = (size_t)j * (size_t)p->nx + (size_t)i, m = node_of_whole(p, i, j);
      const size_t here = hs_system_index(part, n), there = hs_system_index(whole, m);
      if (outermost(p, i, j)) continue;
      if (!laws_same(&part->law[here], &whole->law[there])) fprintf(stderr, "node %d, %d of the window:\n", i, j);
      test_rank_require(w->comm, laws_same(&part->law[here], &whole->law[there]));
      test_rank_require(w->comm, !memcmp(&part->stencil[here], &whole->stencil[there], sizeof *part->stencil));
      test_rank_require(
          w->comm, !memcmp(&part->stencil_single[here], &whole->stencil_single[there], sizeof *part->stencil_single));
      test_rank_require(w->comm, !part->source_w_m == !whole->source_w_m);
      if (part->source_w_m) test_rank_require(w->comm, same(part->source_w_m[n], whole->source_w_m[m]));
    }
}

static void require_places(const struct window *w)
{
  const struct hs_problem *p = w->problem, *whole = w->whole->problem;
  for (int i = 0; i < p->nx; i++)
    test_rank_require(w->comm, same(hs_problem_x(p, i), hs_problem_x(whole, hs_problem_column(p, i))));
  for (int j = 0; j < p->ny; j++)
    test_rank_require(w->comm, same(hs_problem_y(p, j), hs_problem_y(whole, hs_problem_row(p, j))));
}

static void require_start(const struct window *w)
{
  const struct hs_problem *p = w->problem;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      if (!outermost(p, i, j))
        test_rank_require(w->comm, same(w->initial_k[(size_t)j * (size_t)p->nx + (size_t)i],
                                        w->whole->initial_k[node_of_whole(p, i, j)]));
}

/* --- contacts ------------------------------------------------------------------------------------ */

static bool contacts_same(const struct hs_contact *a, const struct hs_contact *b)
{
  return a->surface == b->surface && a->share_x == b->share_x && a->share_y == b->share_y &&
         same(a->conductance_w_mk, b->conductance_w_mk) && same(a->ambient_k, b->ambient_k) &&
         same(a->flux_w_m, b->flux_w_m);
}

/* The first contact of the system at node n or behind it. */
static int64_t contact_find(const struct hs_system *s, int64_t n)
{
  int64_t low = 0, high = s->contact_count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (s->contacts[middle].node < n)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Contacts of own nodes are those of the whole in their order, none is of a ghost node, and together they are all. */
static void require_contacts(const struct window *w, const struct hs_system *part, const struct hs_system *whole)
{
  const struct hs_problem *p = w->problem;
  int64_t count = 0, seen = 0;
  for (int j = p->own.y0; j < p->own.y0 + p->own.ny; j++)
    for (int i = p->own.x0; i < p->own.x0 + p->own.nx; i++) {
      const int64_t n = (int64_t)j * p->nx + i, m = (int64_t)node_of_whole(p, i, j);
      int64_t here = contact_find(part, n), there = contact_find(whole, m);
      for (; there < whole->contact_count && whole->contacts[there].node == m; here++, there++, seen++) {
        test_rank_require(w->comm, here < part->contact_count && part->contacts[here].node == n);
        test_rank_require(w->comm, contacts_same(&part->contacts[here], &whole->contacts[there]));
      }
    }
  test_rank_require(w->comm, seen == part->contact_count);
  count = part->contact_count;
  test_rank_require(w->comm, hs_comm_count(w->comm, &count, 1, NULL) == HS_OK && count == whole->contact_count);
}

/* --- properties ---------------------------------------------------------------------------------- */

/* Without those that are others once more, the own nodes of all ranks are the different nodes of the plate. */
static void require_count(const struct window *w, const struct hs_system *part, const struct hs_system *whole)
{
  const struct hs_rectangle own = hs_system_own(part);
  int64_t nodes = (int64_t)(own.nx - part->again_x) * (own.ny - part->again_y);
  test_rank_require(w->comm, hs_comm_count(w->comm, &nodes, 1, NULL) == HS_OK);
  test_rank_require(w->comm, nodes == (int64_t)(whole->nx - (whole->wrap_x == 1)) * (whole->ny - (whole->wrap_y == 1)));
}

static void require_properties(const struct window *w, const struct hs_system *part, const struct hs_system *whole)
{
  const struct hs_problem *p = w->problem, *q = w->whole->problem;
  test_rank_require(w->comm, hs_system_grid_nodes(part) == hs_system_grid_nodes(whole));
  test_rank_require(w->comm, part->wrap_x == (w->whole->partition->count_x > 1 ? -1 : whole->wrap_x));
  test_rank_require(w->comm, part->wrap_y == (w->whole->partition->count_y > 1 ? -1 : whole->wrap_y));
  test_rank_require(w->comm, part->free_nodes == whole->free_nodes);
  test_rank_require(w->comm, part->scheme == whole->scheme && same(part->step_s, whole->step_s));
  test_rank_require(w->comm, part->uniform == whole->uniform);
  test_rank_require(w->comm, part->symmetric == whole->symmetric);
  test_rank_require(w->comm, part->singular == whole->singular && part->storing == whole->storing);
  test_rank_require(w->comm, same(part->contraction, whole->contraction));
  test_rank_require(w->comm, same(part->given_range_k, whole->given_range_k));
  test_rank_require(w->comm, same(part->flow_floor_w_m, whole->flow_floor_w_m));
  test_rank_require(w->comm, same(part->flow_kelvin_w_mk, whole->flow_kelvin_w_mk));
  test_rank_require(w->comm, same(part->stable_step_s, whole->stable_step_s));
  test_rank_require(w->comm, p->timed == q->timed);
  for (int k = 0; k < p->material_count; k++) test_rank_require(w->comm, p->materials[k].used == q->materials[k].used);
}

static void require_later(const struct window *w)
{
  for (int k = 0; w->problem->timed && k < TIMES; k++) {
    bool changed;
    struct hs_system *later = later_make(w->problem, w->system, w->whole->time_s[k], &changed);
    test_rank_require(w->comm, changed == w->whole->changed[k]);
    require_nodes(w, later, w->whole->later[k]);
    require_contacts(w, later, w->whole->later[k]);
    test_rank_require(w->comm, later->uniform == w->whole->later[k]->uniform);
    test_rank_require(w->comm, same(later->contraction, w->whole->later[k]->contraction));
    hs_system_destroy(later);
  }
}

static void window_body(struct hs_comm *comm, void *context)
{
  const struct whole *whole = context;
  const struct hs_subdomain subdomain = {comm, *whole->partition, hs_comm_rank(comm)};
  struct window w = {.comm = comm, .whole = whole};
  struct hs_error err = {0};
  const hs_status status = windows_make(whole->config, &subdomain, &w.problem, &w.system, &w.initial_k, &err);
  if (status != whole->status || (status && strcmp(err.text, whole->err.text) != 0))
    fprintf(stderr, "window: %s\nwhole: %s\n", err.text, whole->err.text);
  test_rank_require(comm, status == whole->status);
  test_rank_require(comm, !status || !strcmp(err.text, whole->err.text));
  if (!status) {
    require_places(&w);
    require_nodes(&w, w.system, whole->system);
    require_start(&w);
    require_contacts(&w, w.system, whole->system);
    require_count(&w, w.system, whole->system);
    require_properties(&w, w.system, whole->system);
    require_later(&w);
  }
  free(w.initial_k);
  hs_system_destroy(w.system);
  hs_problem_destroy(w.problem);
}

bool windows_compare(const struct hs_config *config, const struct hs_partition *partition)
{
  struct whole whole = {.config = config, .partition = partition};
  whole_make(&whole);
  test_ranks_run(hs_partition_parts(partition), window_body, &whole);
  whole_clear(&whole);
  return whole.status == HS_OK;
}

bool windows_cut(const struct hs_config *config, int count_x, int count_y, int ghost, struct hs_partition *partition)
{
  *partition = hs_problem_whole(config).partition;
  partition->count_x = count_x;
  partition->count_y = count_y;
  partition->ghost = ghost;
  return count_x <= partition->grid_nx && count_y <= partition->grid_ny && hs_partition_deepest(partition) >= ghost;
}
