/* The files that a run reads, by what they are and not by their names: links and relative paths are seen through. */
#ifndef HS_OUTPUT_INPUTS_H
#define HS_OUTPUT_INPUTS_H

#include <sys/stat.h>

#include "config/config.h"

struct hs_inputs;

/* The configuration itself, standard input where it came from there, tables of values, maps. Those that cannot be found
 * are left out; the run will tell. Errors: HS_ERR_MEMORY. */
hs_status hs_inputs_create(const struct hs_config *config, struct hs_inputs **inputs, struct hs_error *err);

/* The path of the input that is this file, or NULL. */
const char *hs_inputs_find(const struct hs_inputs *inputs, const struct stat *file);

void hs_inputs_destroy(struct hs_inputs *inputs); /* NULL is accepted */

/* Refuses when `output`, which `option` names, is an input of config. Errors: HS_ERR_USAGE, HS_ERR_MEMORY. */
hs_status hs_inputs_spare(const struct hs_config *config, const char *output, const char *option, struct hs_error *err);

#endif
