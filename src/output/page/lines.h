/* The report for people, as text in memory. */
#ifndef HS_OUTPUT_PAGE_LINES_H
#define HS_OUTPUT_PAGE_LINES_H

#include <jansson.h>

#include "base/text.h"
#include "output/report/report.h"

/* A part of the report as [[label, text], ...], without its empty lines; NULL: memory is short. */
json_t *hs_page_lines(const struct hs_result *result, enum hs_report_part part);

/* Adds the whole report as it is printed. */
void hs_page_text(const struct hs_result *result, unsigned files, struct hs_text *text);

#endif
