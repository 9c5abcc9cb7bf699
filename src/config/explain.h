/* What help, the printed configuration and the manual page say alike about configurations and their keys. */
#ifndef HS_CONFIG_EXPLAIN_H
#define HS_CONFIG_EXPLAIN_H

#include "config/table.h"

/* The paragraphs about files, expressions and overrides, k = 0, 1, ...; NULL behind the last. */
const char *hs_config_introduction(int k);

/* Where the keys of a shape belong, and which cells a shape has. */
const char *hs_config_shape_title(void);
const char *hs_config_shape_rule(void);

/* "integer 2..1000000, in nodes; required" into text[size]. */
void hs_config_key_facts(const struct hs_config_key *key, char *text, size_t size);

#endif
