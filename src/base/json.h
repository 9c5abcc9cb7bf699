/* JSON texts that are whole, or none. jansson leaves out what memory is short for, and goes on. */
#ifndef HS_BASE_JSON_H
#define HS_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Can this text stand in JSON, that is, is it UTF-8? Then a NULL of json_string means that memory is short. */
bool hs_json_holds(const char *text);

/* The text of `json` (flags: those of json_dumps) with a newline at its end, to be freed; NULL: memory is short, or json
 * is NULL. */
char *hs_json_text(const json_t *json, size_t flags);

#endif
