/* The palette of stencils: an array of node laws and an open-addressing hash table over it.
 *
 * Laws are compared bit by bit after -0 has been turned into +0, so the palette does not depend on
 * rounding elsewhere. The table holds twice as many slots as there can be entries and never grows.
 */
#include "problem/palette.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SLOTS = 2 * HS_PALETTE_LIMIT };

struct hs_palette {
  struct hs_node_law *laws; /* [capacity] */
  int32_t *slots;           /* [SLOTS] entry + 1, 0 when empty */
  int size, capacity;
};

hs_status hs_palette_create(struct hs_palette **palette, struct hs_error *err)
{
  struct hs_palette *p = NULL;
  hs_status status = hs_array_create((void **)&p, 1, sizeof *p, "the stencil palette", err);
  if (!status) status = hs_array_create((void **)&p->slots, SLOTS, sizeof *p->slots, "the stencil palette", err);
  if (status) {
    hs_palette_destroy(p);
    p = NULL;
  }
  *palette = p;
  return status;
}

void hs_palette_destroy(struct hs_palette *palette)
{
  if (!palette) return;
  free(palette->slots);
  free(palette->laws);
  free(palette);
}

/* The same law with one representation: no padding noise, no negative zero, nothing unused. */
static void law_normalise(const struct hs_node_law *law, struct hs_node_law *out)
{
  memset(out, 0, sizeof *out);
  out->held = law->held;
  if (law->held) {
    out->held_k = law->held_k + 0.0;
  } else {
    out->conductances.west = law->conductances.west + 0.0;
    out->conductances.east = law->conductances.east + 0.0;
    out->conductances.south = law->conductances.south + 0.0;
    out->conductances.north = law->conductances.north + 0.0;
    out->conductances.source = law->conductances.source + 0.0;
  }
}

/* FNV-1a over the bytes of a law (Fowler, Noll, Vo; 64 bits). */
static uint64_t law_hash(const struct hs_node_law *law)
{
  const unsigned char *bytes = (const unsigned char *)law;
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (size_t k = 0; k < sizeof *law; k++) hash = (hash ^ bytes[k]) * 0x100000001b3ULL;
  return hash ^ (hash >> 32);
}

static hs_status palette_append(struct hs_palette *palette, const struct hs_node_law *law, struct hs_error *err)
{
  if (palette->size == HS_PALETTE_LIMIT)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "the problem has more than %d distinct nodes (combinations of material, wall and source); "
                        "use fewer different sources",
                        HS_PALETTE_LIMIT);
  if (palette->size == palette->capacity) {
    const int capacity = palette->capacity ? 2 * palette->capacity : 64;
    struct hs_node_law *laws = realloc(palette->laws, (size_t)capacity * sizeof *laws);
    if (!laws) return hs_error_set(err, HS_ERR_MEMORY, "out of memory for %d stencils", capacity);
    palette->laws = laws;
    palette->capacity = capacity;
  }
  memcpy(&palette->laws[palette->size++], law, sizeof *law);
  return HS_OK;
}

hs_status hs_palette_intern(struct hs_palette *palette, const struct hs_node_law *law, uint16_t *index,
                            struct hs_error *err)
{
  struct hs_node_law key;
  uint64_t slot;
  hs_status status;

  law_normalise(law, &key);
  slot = law_hash(&key) % SLOTS;
  while (palette->slots[slot]) {
    const int32_t entry = palette->slots[slot] - 1;
    if (!memcmp(&palette->laws[entry], &key, sizeof key)) {
      *index = (uint16_t)entry;
      return HS_OK;
    }
    slot = (slot + 1) % SLOTS;
  }
  status = palette_append(palette, &key, err);
  if (status) return status;
  palette->slots[slot] = palette->size;
  *index = (uint16_t)(palette->size - 1);
  return HS_OK;
}

const struct hs_node_law *hs_palette_law(const struct hs_palette *palette, uint16_t index)
{
  return &palette->laws[index];
}

/* The stencil of a law: weights times four, in the pair order that keeps equal weights exact. */
static struct hs_stencil_f64 law_stencil(const struct hs_node_law *law)
{
  struct hs_stencil_f64 s = {0};
  const struct hs_conductances *g = &law->conductances;
  if (law->held) {
    s.c = law->held_k;
    return s;
  }
  s.diagonal = (g->west + g->east) + (g->south + g->north);
  s.west = 4.0 * (g->west / s.diagonal);
  s.east = 4.0 * (g->east / s.diagonal);
  s.south = 4.0 * (g->south / s.diagonal);
  s.north = 4.0 * (g->north / s.diagonal);
  s.c = g->source / s.diagonal;
  return s;
}

static struct hs_stencil_f32 stencil_round(const struct hs_stencil_f64 *s)
{
  const struct hs_stencil_f32 r = {(float)s->west,  (float)s->east, (float)s->south,
                                   (float)s->north, (float)s->c,    (float)s->diagonal};
  return r;
}

/* Renumbers the entries that nodes use from 0 on; *used is their number. */
static void index_compact(uint16_t *index, size_t nodes, int32_t *new_of_old, int size, int *used)
{
  *used = 0;
  for (int k = 0; k < size; k++) new_of_old[k] = -1;
  for (size_t n = 0; n < nodes; n++) new_of_old[index[n]] = 0;
  for (int k = 0; k < size; k++)
    if (!new_of_old[k]) new_of_old[k] = (*used)++;
  for (size_t n = 0; n < nodes; n++) index[n] = (uint16_t)new_of_old[index[n]];
}

static int64_t count_free(const struct hs_system *system, const bool *held)
{
  const int64_t nodes = (int64_t)system->nx * system->ny;
  int64_t count = 0;
  for (int64_t n = 0; n < nodes; n++) count += !held[system->index[n]];
  return count;
}

/* Do all free entries share weights and diagonal? Then the iteration matrix is symmetric too. */
static bool stencils_uniform(const struct hs_system *system, const bool *held)
{
  const struct hs_stencil_f64 *first = NULL;
  for (int k = 0; k < system->palette_size; k++) {
    const struct hs_stencil_f64 *s = &system->stencil[k];
    if (held[k]) continue;
    if (!first) first = s;
    if (s->west != first->west || s->east != first->east || s->south != first->south || s->north != first->north ||
        s->diagonal != first->diagonal)
      return false;
  }
  return true;
}

hs_status hs_palette_finish(const struct hs_palette *palette, struct hs_system *system, struct hs_error *err)
{
  static const char what[] = "the stencil palette";
  int32_t *new_of_old = NULL;
  bool *held = NULL;
  int used = 0;
  hs_status status = hs_array_create((void **)&new_of_old, (size_t)palette->size, sizeof *new_of_old, what, err);
  if (status) goto out;
  index_compact(system->index, (size_t)system->nx * (size_t)system->ny, new_of_old, palette->size, &used);

  status = hs_array_create((void **)&held, (size_t)used, sizeof *held, what, err);
  if (!status) status = hs_array_create((void **)&system->stencil, (size_t)used, sizeof *system->stencil, what, err);
  if (!status)
    status = hs_array_create((void **)&system->stencil_single, (size_t)used, sizeof *system->stencil_single, what, err);
  if (!status)
    status = hs_array_create((void **)&system->conductances, (size_t)used, sizeof *system->conductances, what, err);
  if (status) goto out;

  for (int k = 0; k < palette->size; k++) {
    const int32_t entry = new_of_old[k];
    if (entry < 0) continue;
    held[entry] = palette->laws[k].held;
    system->stencil[entry] = law_stencil(&palette->laws[k]);
    system->stencil_single[entry] = stencil_round(&system->stencil[entry]);
    system->conductances[entry] = palette->laws[k].conductances;
  }
  system->palette_size = used;
  system->free_nodes = count_free(system, held);
  system->uniform = stencils_uniform(system, held);
  system->symmetric = system->uniform;
out:
  free(held);
  free(new_of_old);
  return status;
}
