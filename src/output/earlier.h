/* What an earlier run has left in an output folder. */
#ifndef HS_OUTPUT_EARLIER_H
#define HS_OUTPUT_EARLIER_H

#include "run/result.h"

/* Looks through the folder of a run that is about to begin for files of an earlier one. clear: removes them (names.h says
 * which; a file that only has the name of a line's table stays), but refuses when one is an input of this run. Otherwise
 * notes get a warning that names those which this run will not replace. A run that goes_on keeps the files that it writes.
 * Checkpoints stay in any case: the first one of the run replaces them. Errors: HS_ERR_CONFIG, HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_output_earlier(const struct hs_config *config, bool goes_on, bool clear, struct hs_warnings *notes,
                            struct hs_error *err);

#endif
