/* How passes are tiled: sweeps, tiles of columns, and the memory of a thread.
 *
 * Where rows are not too long, one full-width tile has all columns of the grid. Else tiles are skewed (cpu/transposed.c),
 * and where vectors have 64 bytes they are so narrow that the ten rows that a block reads lie in the L1 cache: that makes
 * sweeps up to 1.8 times as fast. Narrower vectors gain nothing from it (doc/lab) and have wide tiles.
 */
#include <unistd.h>

#include "backend/cpu/state.h"
#include "backend/cpu/wavefront.h"

enum {
  STAGES = 52,            /* sweeps of a pass; the transpose, memory and the inverse cost as much as two or three */
  VARIOUS_STAGES = 16,    /* the same where groups are packed on the way, so that they lie in the L2 cache */
  LEAST_STAGES = 8,       /* fewer gain less than they cost */
  WIDE_BYTES = 16384,     /* of a tile's row */
  VARIOUS_BYTES = 4096,   /* the same where groups are packed on the way */
  CACHED_ROWS = 12,       /* of narrow tiles that lie in the L1 cache: those of a block, and room for other things */
  CACHE_BYTES = 32 << 10, /* of the L1 cache, where the system does not tell */
  LINE_BYTES = 64,
  STREAMED_BYTES = 24 << 20 /* of both fields: beyond, they are written past the caches */
};

/* Bytes of a tile's row. */
static int row_bytes(const struct hs_cpu_state *state)
{
  long cache = -1;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  cache = sysconf(_SC_LEVEL1_DCACHE_SIZE);
#endif
  if (state->various) return VARIOUS_BYTES;
  if (hs_cpu_vector_bytes(state) < 64) return WIDE_BYTES;
  return (int)(cache > CACHE_BYTES && cache < 1 << 20 ? cache : CACHE_BYTES) / CACHED_ROWS;
}

static size_t round_up(size_t n, size_t unit)
{
  return (n + unit - 1) / unit * unit;
}

static int power_of_two(int least)
{
  int n = 1;
  while (n < least) n *= 2;
  return n;
}

static int stages_of(const struct hs_cpu_state *state, const struct hs_backend_testing *testing)
{
  const struct hs_system *s = state->system;
  const int rows = s->ny / state->threads, most = state->various ? VARIOUS_STAGES : STAGES;
  const int stages = state->threads == 1 ? most : hs_cpu_smaller(most, rows);
  if (s->wrap_x >= 0 || s->wrap_y >= 0 || rows < HS_CPU_ROWS_LEAST) return 1;
  if (testing->stages) return testing->stages;
  return s->nx < HS_CPU_LEAST_COLUMNS || stages < LEAST_STAGES ? 1 : stages;
}

/* Columns of a tile and the number of tiles. All is made of whole lines, so that the last stage of a tile begins at one. */
static void columns_choose(const struct hs_cpu_state *state, int wanted, struct hs_cpu_tiling *t)
{
  const int64_t nx = state->system->nx;
  const int64_t most = wanted ? wanted : row_bytes(state) / (int64_t)hs_cpu_element_size(state);
  const bool full_width = wanted ? wanted >= nx : 2 * nx <= 3 * most;
  const int64_t all = full_width ? nx : nx + t->stages;
  const int64_t count = full_width ? 1 : (all + most / 2) / most;
  t->skew = full_width ? 0 : 1;
  t->columns = (int)round_up((size_t)all, (size_t)count * HS_CPU_LINE) / (int)count;
  t->count = (int)((all + t->columns - 1) / t->columns);
}

size_t hs_cpu_edges_before(const struct hs_cpu_tiling *t, int thread, int row)
{
  const int more = hs_cpu_wavefront_places(0, t->stages);
  return ((size_t)row + (size_t)thread * (size_t)more) * (size_t)t->stages * HS_CPU_EDGE_COLUMNS;
}

/* A thread's circular buffers, and what threads and tiles leave for others. */
static void memory_choose(const struct hs_cpu_state *state, struct hs_cpu_tiling *t)
{
  const size_t vector = hs_cpu_vector_bytes(state), size = hs_cpu_element_size(state);
  const size_t rows = (size_t)t->count * (size_t)t->stages;
  const size_t coefficients = (size_t)(t->columns / state->width + t->skew * t->stages) * vector;
  t->row_bytes = (size_t)t->columns * size + HS_CPU_GHOSTS * vector;
  t->slots = power_of_two(2 * (t->stages + HS_CPU_BLOCK_ROWS + 3));
  /* an odd number of cache lines, so that the rows of a block do not meet in one set */
  t->pitch = ((t->row_bytes + (t->skew ? 0 : (size_t)(t->stages + 2) * vector)) / LINE_BYTES | 1) * LINE_BYTES;
  t->spare_bytes = round_up((size_t)(t->columns + t->stages + HS_CPU_LINE) * size, LINE_BYTES);
  t->coefficient_slots = power_of_two(t->stages + HS_CPU_BLOCK_ROWS);
  if (hs_cpu_has_constants(state->system)) t->constant_pitch = coefficients;
  if (state->various) t->group_pitch = HS_GROUP_COEFFICIENTS * coefficients;
  t->ring_bytes = (size_t)(1 + t->slots + HS_CPU_BLOCK_ROWS) * t->pitch + t->spare_bytes +
                  (size_t)t->coefficient_slots * (t->constant_pitch + t->group_pitch);
  if (state->threads > 1) t->halo_bytes = rows * HS_CPU_HALO_ROWS * t->row_bytes;
  if (t->skew) t->edge_bytes = hs_cpu_edges_before(t, state->threads, state->system->ny) * size;
}

hs_status hs_cpu_tiling_choose(struct hs_cpu_state *state, const struct hs_backend_options *options,
                               struct hs_error *err)
{
  const struct hs_backend_testing *testing = &options->testing;
  const double fields_bytes = 2.0 * (double)state->elements * (double)hs_cpu_element_size(state);
  const bool given = testing->tile_columns || testing->stages;
  struct hs_cpu_tiling *t = &state->tiling;
  *t = (struct hs_cpu_tiling){.stages = 1, .field_count = HS_CPU_FIELDS};
  if (given && (testing->tile_columns < 1 || testing->stages < 1 || testing->stages > HS_CPU_STAGES_MOST))
    return hs_error_set(
        err, HS_ERR_CONFIG,
        "tiles of %d columns and passes of %d sweeps: wanted are the columns of a tile and 1 to %d sweeps",
        testing->tile_columns, testing->stages, HS_CPU_STAGES_MOST);
  t->stages = stages_of(state, testing);
  t->least_blocked = given ? 2 : 4;
  t->streamed = fields_bytes > STREAMED_BYTES;
  if (t->stages == 1) return HS_OK;
  if (options->form == HS_FORM_CHEBYSHEV) t->field_count = HS_CPU_FIELDS_CHEBYSHEV;
  columns_choose(state, testing->tile_columns, t);
  memory_choose(state, t);
  if (options->form == HS_FORM_JACOBI && !t->skew && !t->streamed)
    t->transposed_bytes = (size_t)state->system->ny * t->row_bytes;
  return HS_OK;
}
