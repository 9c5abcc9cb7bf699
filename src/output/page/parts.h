/* The parts of a page's numbers, as JSON. Where a function gives NULL, or a number other than 0, memory is short. */
#ifndef HS_OUTPUT_PAGE_PARTS_H
#define HS_OUTPUT_PAGE_PARTS_H

#include "base/text.h"
#include "output/report/json_put.h"

/* Adds to `page`: "report" (as report.json, its lists shortened), "counts" (how long those lists were), "rows" (the
 * lines of the report for people), "doubts", "history", "colormaps", "picture" and "grid". */
int hs_page_put_report(json_t *page, const struct hs_result *result, unsigned files);

/* Ends the lists of objects of a report after HS_PAGE_ROWS, and leaves of lists of numbers as many, evenly, as a curve needs.
 * Removes "quantities". */
enum { HS_PAGE_ROWS = 200, HS_PAGE_POINTS = 400, HS_PAGE_NUMBERS = 40000 };
int hs_page_cut(json_t *report);

/* Adds "drawing": the problem as a picture that a browser shows, unless it is very large. problem NULL: none. Collective over
 * the ranks that hold the problem; rank 0 gets the drawing. Errors: HS_ERR_MEMORY, HS_ERR_IO. */
hs_status hs_page_put_drawing(json_t *page, const struct hs_problem *problem, struct hs_error *err);

/* Adds "configuration": every key of every section with its value and where that comes from, what keys mean, the text of the
 * configuration, and "command": what runs it again. */
int hs_page_put_settings(json_t *page, const struct hs_config *config);

#endif
