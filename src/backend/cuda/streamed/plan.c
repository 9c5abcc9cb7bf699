/* The plan of cuda-streamed; see the header. */
#include "backend/cuda/streamed/plan.h"

#include <math.h>

/* Layout of padded fields (kernels.h, which needs CUDA's headers; streamed/device.c asserts that they agree). */
enum { TILE_W = 128, PAD = 32 };

/* Sweeps a visit beyond which nothing is won. */
enum { LONGEST = 1024 };

/* Norm slots, control blocks and stencil tables are counted generously: a few small allocations take a page each. */
static const double FIXED_BYTES = 4e6;

static int rounded_up(int rows)
{
  return (rows + HS_STREAMED_ALIGN - 1) / HS_STREAMED_ALIGN * HS_STREAMED_ALIGN;
}

/* Bytes of one value, and of one stencil in all the precisions that the device holds. */
static double value_bytes(bool single)
{
  return single ? sizeof(float) : sizeof(double);
}

static double entry_bytes(bool single)
{
  return sizeof(struct hs_stencil_f64) + (single ? sizeof(struct hs_stencil_f32) : 0);
}

/* Device memory of a slot of so many rows: fields with a row on either side, index or stencils, tile codes. */
static double slot_bytes(const struct hs_system *s, bool single, int rows)
{
  const double tiles_x = floor((s->nx + TILE_W - 1) / TILE_W), pitch = tiles_x * TILE_W + 2 * PAD;
  const double fields = hs_system_has_constants(s) ? 3.0 : 2.0, height = rounded_up(rows);
  const double law = s->index ? 2.0 * pitch * height : (double)s->nx * rows * entry_bytes(single);
  const double stencil_table = s->index ? s->table_size * entry_bytes(single) : 0.0;
  return fields * (height + 2) * pitch * value_bytes(single) + law + stencil_table +
         4.0 * tiles_x * height / HS_STREAMED_ALIGN;
}

static double plan_bytes(const struct hs_system *s, bool single, int slots, int rows)
{
  return FIXED_BYTES + slots * slot_bytes(s, single, rows);
}

/* Each row of each of its strips is a word, strips are 256 columns or more and bands with their halos up to three
 * times as high as bands: 0.047 bytes a node. Some more is for constants. */
double hs_streamed_passes_bytes(const struct hs_system *system)
{
  const bool some = system->index && !hs_system_has_constants(system) && system->wrap_x < 0 && system->wrap_y < 0;
  return some ? 16e6 + 0.06 * system->nx * system->ny : 0.0;
}

double hs_streamed_least_bytes(const struct hs_system *system, bool single)
{
  const double bands = plan_bytes(system, single, HS_STREAMED_SLOTS, 3 * HS_STREAMED_ALIGN);
  const double whole = plan_bytes(system, single, 1, system->ny);
  return system->wrap_y < 0 && whole < bands ? whole : bands;
}

/* Both ways of the bus and the sweeps go on at the same time, but not perfectly so: part of the shorter time shows. */
static const double HIDDEN = 0.5;

/* Seconds of a visit. Halos shrink only where sweeps are made one by one. */
static double visit_s(const struct hs_system *s, bool single, const struct hs_streamed_rates *rates, int band,
                      double sweeps)
{
  const double value = value_bytes(single), nx = s->nx;
  const double law = s->index ? 2.0 : entry_bytes(single);
  const double in = (value * (hs_system_has_constants(s) ? 2.0 : 1.0) + law) * nx * (band + 2.0 * sweeps);
  const double bus_s = fmax(in, value * nx * band) / rates->bus_bytes_s;
  const double sweeps_s = sweeps * (band + 2.0 * sweeps) * nx * rates->sweep_s;
  return fmax(bus_s, sweeps_s) + (1.0 - HIDDEN) * fmin(bus_s, sweeps_s);
}

/* The halo with the least time for each sweep, where a slot has `rows` rows. */
static int halo_choose(const struct hs_system *s, bool single, const struct hs_streamed_rates *rates, int rows)
{
  int best = HS_STREAMED_ALIGN;
  double best_s = INFINITY;
  for (int halo = HS_STREAMED_ALIGN; 3 * halo <= rows && halo <= LONGEST; halo += HS_STREAMED_ALIGN) {
    const int band = rows - 2 * halo;
    const double each_s = visit_s(s, single, rates, band, halo) / ((double)halo * band);
    if (each_s < best_s) {
      best = halo;
      best_s = each_s;
    }
  }
  return s->wrap_y == 1 ? HS_STREAMED_ALIGN : best;
}

/* Rows of each of HS_STREAMED_SLOTS slots that a limit has room for, a multiple of the alignment. */
static int rows_fitting(const struct hs_system *s, bool single, double limit_bytes)
{
  const int most = rounded_up(s->ny) + 2 * LONGEST;
  int low = 0, high = most / HS_STREAMED_ALIGN + 1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (plan_bytes(s, single, HS_STREAMED_SLOTS, middle * HS_STREAMED_ALIGN) <= limit_bytes)
      low = middle;
    else
      high = middle;
  }
  return low * HS_STREAMED_ALIGN;
}

/* Bands of equal heights; neither lower than a halo nor higher than planned. */
static void bands_cut(struct hs_streamed_plan *plan, int band)
{
  plan->bands = (plan->ny + band - 1) / band;
  plan->band_rows = rounded_up((plan->ny + plan->bands - 1) / plan->bands);
  plan->bands = (plan->ny + plan->band_rows - 1) / plan->band_rows;
  if (plan->halo_rows > plan->band_rows) plan->halo_rows = plan->band_rows;
  plan->slots = plan->bands < HS_STREAMED_SLOTS ? plan->bands : HS_STREAMED_SLOTS;
  plan->slot_rows = plan->band_rows + 2 * plan->halo_rows;
  plan->longest = plan->wrap_y == 1 ? 1 : plan->halo_rows;
}

static void forecast(const struct hs_system *s, bool single, const struct hs_streamed_rates *rates,
                     struct hs_streamed_plan *plan)
{
  const double most = 256.0; /* runs look at their norms, too */
  const double sweeps = (double)plan->longest < most ? (double)plan->longest : most;
  const double halo = 2.0 * plan->halo_rows;
  const double bus_s = visit_s(s, single, rates, plan->band_rows, 0.0) / sweeps;
  const double node_s = rates->sweep_s * plan->nx * (plan->band_rows + halo);
  plan->sweep_s = plan->bands * (bus_s * (1.0 + halo / plan->band_rows) + node_s + 1e-5);
}

hs_status hs_streamed_plan_make(const struct hs_system *system, bool single, double limit_bytes,
                                const struct hs_streamed_rates *rates, struct hs_streamed_plan *plan,
                                struct hs_error *err)
{
  const double least_bytes = hs_streamed_least_bytes(system, single), passes_bytes = hs_streamed_passes_bytes(system);
  *plan = (struct hs_streamed_plan){.nx = system->nx, .ny = system->ny, .wrap_y = system->wrap_y};
  if (!(limit_bytes >= least_bytes))
    return hs_error_set(err, HS_ERR_DEVICE,
                        "the rows of a %d x %d grid are too long: %.3g MB of device memory may be used and bands of a "
                        "few rows need %.3g MB; use a narrower grid, solver.precision = single, or the cpu backend",
                        system->nx, system->ny, 1e-6 * limit_bytes, 1e-6 * least_bytes);
  if (limit_bytes >= least_bytes + passes_bytes) plan->passes_bytes = passes_bytes;
  limit_bytes = fmax(limit_bytes - plan->passes_bytes, least_bytes); /* a sum and its part: not below by a rounding */
  if (rates->band_rows > 0) {
    plan->halo_rows = rounded_up(rates->band_rows);
    bands_cut(plan, plan->halo_rows);
  } else if (system->wrap_y < 0 && plan_bytes(system, single, 1, system->ny) <= limit_bytes) {
    plan->slots = plan->bands = 1;
    plan->band_rows = plan->slot_rows = system->ny;
    plan->longest = INT64_MAX;
  } else {
    const int rows = rows_fitting(system, single, limit_bytes);
    plan->halo_rows = halo_choose(system, single, rates, rows);
    bands_cut(plan, rows - 2 * plan->halo_rows);
  }
  plan->device_bytes = plan->passes_bytes + plan_bytes(system, single, plan->slots, plan->slot_rows);
  forecast(system, single, rates, plan);
  return HS_OK;
}

struct hs_streamed_band hs_streamed_band(const struct hs_streamed_plan *plan, int number)
{
  struct hs_streamed_band band;
  band.y0 = number * plan->band_rows;
  band.y1 = plan->ny - band.y0 < plan->band_rows ? plan->ny : band.y0 + plan->band_rows;
  band.first = band.y0 - plan->halo_rows;
  band.last = band.y1 + plan->halo_rows;
  if (plan->wrap_y < 0 && band.first < 0) band.first = 0;
  if (plan->wrap_y < 0 && band.last > plan->ny) band.last = plan->ny;
  return band;
}

void hs_streamed_cone(const struct hs_streamed_band *band, int64_t sweeps, int *from, int *to)
{
  *from = band->y0 - sweeps > band->first ? (int)(band->y0 - sweeps) : band->first;
  *to = sweeps < band->last - band->y1 ? (int)(band->y1 + sweeps) : band->last;
}

int hs_streamed_run(const struct hs_streamed_plan *plan, int v, int end, int *row)
{
  const int period = plan->ny - plan->wrap_y; /* read beyond the grid only, where wrap_y is no -1 */
  const int left = end - v;
  int rows;
  if (v < 0) {
    *row = period - 1 - (-1 - v) % period;
    rows = period - *row < -v ? period - *row : -v;
  } else {
    *row = v < plan->ny ? v : plan->wrap_y + (v - plan->ny) % period;
    rows = plan->ny - *row;
  }
  return rows < left ? rows : left;
}

int hs_streamed_reads(const struct hs_streamed_plan *plan, int number, int64_t sweeps)
{
  const struct hs_streamed_band band = hs_streamed_band(plan, number);
  int from, to;
  if (plan->wrap_y >= 0) return plan->bands - 1;
  hs_streamed_cone(&band, sweeps, &from, &to);
  return (to - 1) / plan->band_rows;
}

int64_t hs_streamed_length(int64_t left, int64_t longest, bool alone)
{
  const int64_t sweeps = alone && left > 1 ? left - 1 : left;
  const int64_t visits = sweeps / longest + (sweeps % longest > 0);
  return sweeps / visits + (sweeps % visits > 0);
}
