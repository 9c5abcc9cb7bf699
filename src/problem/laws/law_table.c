/* An array of node laws and an open-addressing hash table over it.
 *
 * Laws are compared bit by bit, after -0 has become +0. The hash table has twice as many slots as there can be entries and
 * never grows.
 */
#include "problem/laws/law_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SLOTS = 2 * HS_LAW_TABLE_LIMIT, PARALLEL_SIZE = 1 << 20 }; /* nodes from which threads pay */

/* Nodes with equal keys share an entry. */
struct key {
  struct hs_node_law law;
  uint64_t variant;
};

struct hs_law_table {
  struct key *keys; /* [capacity] */
  int32_t *slots;   /* [SLOTS] entry + 1, 0 when empty */
  int size, capacity;
};

hs_status hs_law_table_create(struct hs_law_table **table, struct hs_error *err)
{
  struct hs_law_table *p = NULL;
  hs_status status = hs_array_create((void **)&p, 1, sizeof *p, "the stencil table", err);
  if (!status) status = hs_array_create((void **)&p->slots, SLOTS, sizeof *p->slots, "the stencil table", err);
  if (status) {
    hs_law_table_destroy(p);
    p = NULL;
  }
  *table = p;
  return status;
}

void hs_law_table_destroy(struct hs_law_table *table)
{
  if (!table) return;
  free(table->slots);
  free(table->keys);
  free(table);
}

/* Equal laws get the same bytes: padding is 0, and so are negative zeros. */
static void key_make(const struct hs_node_law *law, uint64_t variant, struct key *key)
{
  memset(key, 0, sizeof *key);
  key->variant = variant;
  key->law.west = law->west + 0.0;
  key->law.east = law->east + 0.0;
  key->law.south = law->south + 0.0;
  key->law.north = law->north + 0.0;
  key->law.source_w_m = law->source_w_m + 0.0;
  key->law.ambient_w_mk = law->ambient_w_mk + 0.0;
  key->law.ambient_w_m = law->ambient_w_m + 0.0;
  key->law.capacity_j_mk = law->capacity_j_mk + 0.0;
  key->law.dirichlet = law->dirichlet;
  key->law.dirichlet_k = law->dirichlet ? law->dirichlet_k + 0.0 : 0.0;
}

/* FNV-1a over the bytes of a key (Fowler, Noll, Vo; 64 bits). */
static uint64_t key_hash(const struct key *key)
{
  const unsigned char *bytes = (const unsigned char *)key;
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (size_t k = 0; k < sizeof *key; k++) hash = (hash ^ bytes[k]) * 0x100000001b3ULL;
  return hash ^ (hash >> 32);
}

static hs_status table_append(struct hs_law_table *table, const struct key *key, struct hs_error *err)
{
  if (table->size == HS_LAW_TABLE_LIMIT)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "the problem has more than %d distinct nodes", HS_LAW_TABLE_LIMIT);
  if (table->size == table->capacity) {
    const int capacity = table->capacity ? 2 * table->capacity : 64;
    struct key *keys = realloc(table->keys, (size_t)capacity * sizeof *keys);
    if (!keys) return hs_error_set(err, HS_ERR_MEMORY, "out of memory for %d stencils", capacity);
    table->keys = keys;
    table->capacity = capacity;
  }
  memcpy(&table->keys[table->size++], key, sizeof *key);
  return HS_OK;
}

hs_status hs_law_table_intern(struct hs_law_table *table, const struct hs_node_law *law, uint64_t variant,
                              uint16_t *index, struct hs_error *err)
{
  struct key key;
  uint64_t slot;
  hs_status status;

  key_make(law, variant, &key);
  slot = key_hash(&key) % SLOTS;
  while (table->slots[slot]) {
    const int32_t entry = table->slots[slot] - 1;
    if (!memcmp(&table->keys[entry], &key, sizeof key)) {
      *index = (uint16_t)entry;
      return HS_OK;
    }
    slot = (slot + 1) % SLOTS;
  }
  status = table_append(table, &key, err);
  if (status) return status;
  table->slots[slot] = table->size;
  *index = (uint16_t)(table->size - 1);
  return HS_OK;
}

const struct hs_node_law *hs_law_table_law(const struct hs_law_table *table, uint16_t index)
{
  return &table->keys[index].law;
}

/* Renumbers the entries that nodes use, from 0 on; *used is their number. */
static void index_compact(uint16_t *index, size_t nodes, int32_t *new_of_old, int size, int *used)
{
  *used = 0;
  for (int k = 0; k < size; k++) new_of_old[k] = -1;
#pragma omp parallel if (nodes > PARALLEL_SIZE)
  {
    bool is_used[HS_LAW_TABLE_LIMIT] = {false};
#pragma omp for schedule(static)
    for (size_t n = 0; n < nodes; n++) is_used[index[n]] = true;
#pragma omp critical(hs_law_table_used)
    for (int k = 0; k < size; k++)
      if (is_used[k]) new_of_old[k] = 0;
  }
  for (int k = 0; k < size; k++)
    if (!new_of_old[k]) new_of_old[k] = (*used)++;
#pragma omp parallel for schedule(static) if (nodes > PARALLEL_SIZE)
  for (size_t n = 0; n < nodes; n++) index[n] = (uint16_t)new_of_old[index[n]];
}

static void count_free(struct hs_system *system)
{
  const struct hs_rectangle own = hs_system_own(system);
  int64_t free_nodes = 0;
#pragma omp parallel for schedule(static) reduction(+ : free_nodes) if ((size_t)own.nx * (size_t)own.ny > PARALLEL_SIZE)
  for (int j = own.y0; j < own.y0 + own.ny; j++) {
    const uint16_t *index = system->index + (size_t)j * (size_t)system->nx;
    for (int i = own.x0; i < own.x0 + own.nx; i++) free_nodes += !system->law[index[i]].dirichlet;
  }
  system->free_nodes = free_nodes;
}

hs_status hs_law_table_finish(const struct hs_law_table *table, struct hs_system *system, int32_t *new_of_old,
                              struct hs_error *err)
{
  static const char what[] = "the stencil table";
  int32_t *own = NULL;
  int used = 0;
  hs_status status = HS_OK;
  if (!new_of_old) {
    status = hs_array_create((void **)&own, HS_LAW_TABLE_LIMIT, sizeof *own, what, err);
    if (status) goto out;
    new_of_old = own;
  }
  index_compact(system->index, (size_t)system->nx * (size_t)system->ny, new_of_old, table->size, &used);

  status = hs_array_create((void **)&system->law, (size_t)used, sizeof *system->law, what, err);
  if (!status) status = hs_array_create((void **)&system->stencil, (size_t)used, sizeof *system->stencil, what, err);
  if (!status)
    status = hs_array_create((void **)&system->stencil_single, (size_t)used, sizeof *system->stencil_single, what, err);
  if (status) goto out;
  for (int k = 0; k < table->size; k++)
    if (new_of_old[k] >= 0) system->law[new_of_old[k]] = table->keys[k].law;
  system->table_size = used;
  count_free(system);
out:
  free(own);
  return status;
}
