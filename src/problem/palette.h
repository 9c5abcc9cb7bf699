/* The palette under construction: distinct node laws, found again by content. */
#ifndef HS_PROBLEM_PALETTE_H
#define HS_PROBLEM_PALETTE_H

#include "problem/system.h"

enum { HS_PALETTE_LIMIT = 65536 }; /* an index is a uint16_t */

struct hs_palette;

hs_status hs_palette_create(struct hs_palette **palette, struct hs_error *err);
void hs_palette_destroy(struct hs_palette *palette); /* NULL is accepted */

/* Index of law in the palette, added when it is new. Laws of different variants are kept apart even where they are
 * equal (values that differ at other times). Errors: HS_ERR_UNSUPPORTED when HS_PALETTE_LIMIT laws are in use already
 * (the caller goes on with a law for every node), HS_ERR_MEMORY. */
hs_status hs_palette_intern(struct hs_palette *palette, const struct hs_node_law *law, uint64_t variant,
                            uint16_t *index, struct hs_error *err);

/* The law of an entry; valid until the next hs_palette_intern. */
const struct hs_node_law *hs_palette_law(const struct hs_palette *palette, uint16_t index);

/* Moves the laws that system->index uses into system (palette_size, law), renumbering the index, and allocates its
 * stencils. new_of_old (HS_PALETTE_LIMIT entries, or NULL) receives the new number of each entry, -1 for unused ones.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_palette_finish(const struct hs_palette *palette, struct hs_system *system, int32_t *new_of_old,
                            struct hs_error *err);

#endif
