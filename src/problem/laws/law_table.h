/* The table of laws under construction: distinct node laws, found again by content. */
#ifndef HS_PROBLEM_LAWS_LAW_TABLE_H
#define HS_PROBLEM_LAWS_LAW_TABLE_H

#include "problem/system.h"

enum { HS_LAW_TABLE_LIMIT = 65536 }; /* an index is a uint16_t */

struct hs_law_table;

hs_status hs_law_table_create(struct hs_law_table **table, struct hs_error *err);
void hs_law_table_destroy(struct hs_law_table *table); /* NULL is accepted */

/* Entry of a law, added when it is new. Laws of different variants get different entries even where they are equal now:
 * they differ at other times. Errors: HS_ERR_UNSUPPORTED when there are HS_LAW_TABLE_LIMIT entries already (the caller
 * goes on with a law for every node), HS_ERR_MEMORY. */
hs_status hs_law_table_intern(struct hs_law_table *table, const struct hs_node_law *law, uint64_t variant,
                              uint16_t *index, struct hs_error *err);

/* The law of an entry; valid until the next hs_law_table_intern. */
const struct hs_node_law *hs_law_table_law(const struct hs_law_table *table, uint16_t index);

/* Moves the laws that system->index uses into system (table_size, law), renumbering the index, and allocates its
 * stencils. new_of_old (HS_LAW_TABLE_LIMIT entries, or NULL) receives the new number of each entry, -1 for unused ones.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_law_table_finish(const struct hs_law_table *table, struct hs_system *system, int32_t *new_of_old,
                              struct hs_error *err);

#endif
