/* Words for what a configuration says: units, values, walls. */
#ifndef HS_OUTPUT_DESCRIBE_H
#define HS_OUTPUT_DESCRIBE_H

#include "problem/problem.h"

/* The unit of temperatures, "K" where none is configured. */
const char *hs_temperature_unit(const struct hs_config *config);

/* A value as it was written, in text[size], which is returned: a number with its unit, a formula or table as it is. */
const char *hs_value_describe(const struct hs_config_value *value, const char *unit, char *text, size_t size);

/* "temperature 293.15 K", "h 9.1 W/(m2 K), ambient 20 degC", "flux 100 W/m2", "insulated", "periodic" into text[size]:
 * what a segment of a wall does, with its values as they were written. */
void hs_segment_describe(const struct hs_problem *problem, const struct hs_segment *segment, char *text, size_t size);

#endif
