/* The fields of a page as JSON text. */
#ifndef HS_OUTPUT_PAGE_FIELDS_H
#define HS_OUTPUT_PAGE_FIELDS_H

#include "output/page/thin.h"
#include "run/result.h"

/* Adds "fields" (snapshots, then the answer) and "materials", thinned so that they take `bytes` at most, which are
 * HS_PAGE_FIELD_LEAST or more. snapshots: are those of the run in its folder? Collective over the ranks of the run, of which
 * rank 0 gets the snapshots. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
enum { HS_PAGE_FIELD_LEAST = 200000 };
hs_status hs_page_fields(const struct hs_result *result, bool snapshots, size_t bytes, struct hs_text *text,
                         struct hs_error *err);

/* Adds the snapshots, each with a comma behind it, but the one at the time of the answer. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_page_snapshots(const struct hs_result *result, double bytes, struct hs_text *text, struct hs_error *err);

#endif
