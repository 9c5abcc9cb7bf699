/* report.html: a run's report as one file to open in a browser.
 *
 * The page needs no network and no other file. It is a frame (page.html) with the style (page.css), the program (the files
 * page_*.js) and the run's numbers as JSON, from which the program makes tables, charts and a picture whose values the
 * pointer reads. Without JavaScript it shows the report as text. Whatever a user writes in titles and names is text in it,
 * never markup.
 *
 * At most HS_PAGE_BYTES whatever the problem: fields are thinned, long tables end early, long curves have fewer points, and
 * the page says so. Extremes, probes and heat flows are those of the whole field.
 */
#ifndef HS_OUTPUT_PAGE_PAGE_H
#define HS_OUTPUT_PAGE_PAGE_H

#include "run/result.h"

enum { HS_PAGE_BYTES = 3000000 };

/* Writes the page; files: those of the run that were completed, as hs_output_write gives them.
 * Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_page_write(const char *path, const struct hs_result *result, unsigned files, struct hs_error *err);

#endif
