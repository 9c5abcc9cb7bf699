/* Files that became part of the program (scripts/embed.sh); without a zero at their ends. */
#ifndef HS_OUTPUT_PAGE_EMBEDDED_H
#define HS_OUTPUT_PAGE_EMBEDDED_H

#include <stddef.h>

extern const unsigned char hs_page_html[], hs_page_css[], hs_page_js[];
extern const size_t hs_page_html_size, hs_page_css_size, hs_page_js_size;

#endif
