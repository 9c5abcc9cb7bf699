/* The palette under construction: distinct stencils, found again by content. */
#ifndef HS_PROBLEM_PALETTE_H
#define HS_PROBLEM_PALETTE_H

#include "problem/system.h"

enum { HS_PALETTE_LIMIT = 65536 }; /* an index is a uint16_t */

/* What makes a node: the balance of a free node, or the temperature of a held one. */
struct hs_node_law {
  struct hs_conductances conductances;
  double held_k;
  bool held;
};

struct hs_palette;

hs_status hs_palette_create(struct hs_palette **palette, struct hs_error *err);
void hs_palette_destroy(struct hs_palette *palette); /* NULL is accepted */

/* Index of law in the palette, added when it is new. Errors: HS_ERR_CONFIG when HS_PALETTE_LIMIT
 * laws are in use already, HS_ERR_MEMORY. */
hs_status hs_palette_intern(struct hs_palette *palette, const struct hs_node_law *law, uint16_t *index,
                            struct hs_error *err);

/* The law of an entry; valid until the next hs_palette_intern. */
const struct hs_node_law *hs_palette_law(const struct hs_palette *palette, uint16_t index);

/* Fills the stencil tables of system (palette_size, stencil, stencil_single, conductances) and its
 * properties that follow from them and from system->index (free_nodes, uniform, symmetric), dropping
 * entries that no node uses. Errors: HS_ERR_MEMORY. */
hs_status hs_palette_finish(const struct hs_palette *palette, struct hs_system *system, struct hs_error *err);

#endif
