/* Costs of sweeps from curves; see cost.h. */
#include "backend/cost/cost.h"

#include <math.h>

/* Stripes of 50 nodes change twice in 50 nodes, which is what the curves of mixed systems were measured with. */
static const double MIXED_VARIETY = 0.04;

/* Eight materials at random cost 2.0 to 3.8 times as much as stripes, on GPU and CPU (doc/measurements.md). */
static const double NOISE = 2.5;

enum { ROWS = 64 };

/* Time of a cycle, in sweeps, where nobody has measured one. */
static const double CYCLE_SWEEPS = 17.0;

double hs_cost_variety(const struct hs_system *system)
{
  const size_t nx = (size_t)system->nx;
  const int every = 1 + (system->ny - 3) / ROWS;
  int64_t along = 0, across = 0, rows = 0;
  if (!system->index) return 1.0;
  if (system->uniform || system->nx < 4 || system->ny < 4) return 0.0;
  for (int j = 1; j < system->ny - 2; j += every, rows++) { /* walls always differ, and count for nothing */
    const uint16_t *row = system->index + (size_t)j * nx, *above = row + nx;
    for (size_t i = 2; i < nx - 1; i++) {
      along += row[i] != row[i - 1];
      across += row[i] != above[i];
    }
  }
  return (double)(along > across ? along : across) / ((double)rows * (double)(nx - 3));
}

struct hs_cost_sweep hs_cost_sweep_of(const struct hs_system *system, const struct hs_backend_options *options)
{
  return (struct hs_cost_sweep){.nodes = (double)system->nx * system->ny,
                                .variety = hs_cost_variety(system),
                                .each_law = !system->index,
                                .constants = hs_system_has_constants(system),
                                .single = options->single,
                                .form = options->form};
}

struct request {
  const struct hs_tuning *tuning;
  const char *backend, *kinds_of;
  bool single;
  double nodes, uniform_s;
};

/* The curve of a kind, or the uniform one times the ratio that the built-in ones have. */
static double kind_s(const struct request *r, enum hs_tuning_kind kind)
{
  const struct hs_tuning *builtin = hs_tuning_builtin();
  const double found = hs_tuning_sweep_s(r->tuning, r->backend, kind, r->single, r->nodes);
  const double other = hs_tuning_sweep_s(builtin, r->kinds_of, kind, r->single, r->nodes);
  const double plain = hs_tuning_sweep_s(builtin, r->kinds_of, HS_TUNING_UNIFORM, r->single, r->nodes);
  if (!isnan(found)) return found;
  return isnan(other) || isnan(plain) ? r->uniform_s : r->uniform_s * (other / plain);
}

/* Plain sweeps of a system whose stencils come from a stencil table. */
static double table_s(const struct request *r, double variety)
{
  const double mixed_s = fmax(r->uniform_s, kind_s(r, HS_TUNING_MIXED));
  if (variety <= MIXED_VARIETY) return r->uniform_s + (mixed_s - r->uniform_s) * (variety / MIXED_VARIETY);
  return mixed_s * (1.0 + (NOISE - 1.0) * (variety - MIXED_VARIETY) / (1.0 - MIXED_VARIETY));
}

static struct request request_of(const struct hs_tuning *tuning, const char *backend, const char *kinds_of, bool single,
                                 double nodes)
{
  const double uniform_s = hs_tuning_sweep_s(tuning, backend, HS_TUNING_UNIFORM, single, nodes);
  return (struct request){tuning, backend, kinds_of, single, nodes, uniform_s};
}

double hs_cost_of_sweep_s(const struct hs_tuning *tuning, const char *backend, const char *kinds_of,
                          const struct hs_cost_sweep *sweep)
{
  const struct request r = request_of(tuning, backend, kinds_of, sweep->single, sweep->nodes);
  double sweep_s;
  if (isnan(r.uniform_s)) return NAN;
  sweep_s = sweep->each_law ? kind_s(&r, HS_TUNING_MAP) : table_s(&r, sweep->variety);
  if (sweep->form == HS_FORM_WEIGHTED) sweep_s = fmax(sweep_s, kind_s(&r, HS_TUNING_WEIGHTED));
  if (sweep->form == HS_FORM_CHEBYSHEV) sweep_s = fmax(sweep_s, kind_s(&r, HS_TUNING_CHEBYSHEV));
  if (sweep->constants) sweep_s = fmax(sweep_s, kind_s(&r, HS_TUNING_RHS));
  return sweep_s;
}

double hs_cost_sweep_s(const struct hs_tuning *tuning, const char *backend, const char *kinds_of,
                       const struct hs_system *system, const struct hs_backend_options *options)
{
  const struct hs_cost_sweep sweep = hs_cost_sweep_of(system, options);
  return hs_cost_of_sweep_s(tuning, backend, kinds_of, &sweep);
}

double hs_cost_of_cycle_s(const struct hs_tuning *tuning, const char *backend, const char *kinds_of, bool single,
                          double nodes)
{
  const struct request r = request_of(tuning, backend, kinds_of, single, nodes);
  const double cycle_s = isnan(r.uniform_s) ? NAN : kind_s(&r, HS_TUNING_CYCLE);
  return cycle_s == r.uniform_s ? CYCLE_SWEEPS * cycle_s : cycle_s;
}

double hs_cost_cycle_s(const struct hs_tuning *tuning, const char *backend, const char *kinds_of,
                       const struct hs_system *system, const struct hs_backend_options *options)
{
  return hs_cost_of_cycle_s(tuning, backend, kinds_of, options->single, (double)system->nx * system->ny);
}

/* Halvings of one direction alone before the couplings along x and y have become alike: each changes their ratio by a factor
 * 4. From the geometric mean of the ratios in up to 64 rows. */
static int halvings_alone(const struct hs_system *system)
{
  const int every = 1 + system->ny / ROWS;
  double logs = 0.0;
  int64_t count = 0;
  for (int j = 0; j < system->ny; j += every)
    for (int i = 0; i < system->nx; i++) {
      const size_t n = (size_t)j * (size_t)system->nx + (size_t)i;
      const struct hs_node_law *law = &system->law[hs_system_index(system, n)];
      const double x = law->west + law->east, y = law->south + law->north;
      if (law->dirichlet || !(x > 0.0) || !(y > 0.0)) continue;
      logs += log(x / y);
      count++;
    }
  return count ? (int)lround(fabs(logs / (double)count) / log(4.0)) : 0;
}

double hs_cost_multigrid_bytes(const struct hs_system *system)
{
  const double nodes = (system->nx + 18.0) * (system->ny + 2.0); /* with ghost nodes */
  const double alone = pow(0.5, halvings_alone(system));
  const double first = alone < 1.0 ? 0.5 : 0.25, coarser = 1.0 - alone + alone / 3.0;
  const double vectors = system->storing ? 5.0 * 8.0 + 4.0 : 3.0 * 8.0; /* of conjugate gradients */
  const double cycle = 3.0 * 4.0, weights = 4.0 * 4.0, couplings = 6.0 * 4.0, exact = 5.0 * 8.0;
  const double making = cycle + weights + exact + first * (cycle + weights + couplings + exact);
  const double cycling = vectors + cycle + weights + coarser * (cycle + weights + couplings);
  return nodes * fmax(making, cycling);
}

void hs_cost_multigrid(double cycle_s, const struct hs_system *system, const struct hs_backend_options *options,
                       struct hs_backend_cost *cost)
{
  if (!options->multigrid) return;
  cost->cycle_s = cycle_s;
  cost->levels_s = HS_COST_LEVELS_CYCLES * cycle_s;
  cost->host_bytes += hs_cost_multigrid_bytes(system);
}
