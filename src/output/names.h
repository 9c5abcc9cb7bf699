/* Whose file is it? Names of files in an output folder. */
#ifndef HS_OUTPUT_NAMES_H
#define HS_OUTPUT_NAMES_H

#include <stdbool.h>

#include "config/config.h"

/* Is it the name of a file that runs write, whatever their configuration? Checkpoints are none of these, since they have
 * rules of their own, nor is what other commands write. */
bool hs_output_name_is_of_runs(const char *name);

/* The name of the drawing of the problem in a format. */
const char *hs_output_drawing_name(enum hs_picture_format format);

/* Is it the name of such a drawing? */
bool hs_output_name_is_drawing(const char *name);

/* Does a run of this configuration, or `heatsolve check` of it, write a file of that name? Checkpoints included. */
bool hs_output_name_is_written(const struct hs_config *config, const char *name);

#endif
