/* Decimal numbers in the texts that users write. */
#ifndef HS_CONFIG_NUMBER_H
#define HS_CONFIG_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "config/table.h"

/* Bytes of text that form a decimal number, 0 when it does not begin with one. */
size_t hs_number_length(const char *text);

/* The whole text as a number in the range of key; false with the reason otherwise. */
bool hs_number_read(const struct hs_config_key *key, const char *text, double *number, char *reason, size_t size);

/* Writes the reason of a refusal; returns false. */
bool hs_number_refuse(char *reason, size_t size, const char *what);

/* Writes into reason what follows the number in a text, with a guess at why; returns false. */
bool hs_number_refuse_rest(char *reason, size_t size, const char *rest);

#endif
