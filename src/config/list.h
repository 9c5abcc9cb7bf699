/* Lists of numbers and of points: an array of numbers behind a pointer, with the count of their items (numbers, or points of
 * two numbers) in the int behind that pointer. */
#ifndef HS_CONFIG_LIST_H
#define HS_CONFIG_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "config/table.h"

/* Items between commas; a comma may end the list. more: they come behind those that are there. false with a reason, empty where
 * memory is short. */
bool hs_config_list_store(const struct hs_config_key *key, void *list, const char *text, bool more, char *reason,
                          size_t size);

void hs_config_list_free(void *list);

#endif
