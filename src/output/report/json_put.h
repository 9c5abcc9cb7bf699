/* What the files of report.json share: setting a key of an object. A value other than 0 means that memory is short. */
#ifndef HS_OUTPUT_REPORT_JSON_PUT_H
#define HS_OUTPUT_REPORT_JSON_PUT_H

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "run/result.h"

static inline int hs_put_real(json_t *object, const char *key, double value)
{
  return json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static inline int hs_put_integer(json_t *object, const char *key, int64_t value)
{
  return json_object_set_new(object, key, json_integer(value));
}

/* A text; bytes that are not UTF-8 (a path may hold any) are written as '?'. */
static inline int hs_put_text(json_t *object, const char *key, const char *text)
{
  json_t *value;
  char *plain;
  if (!text || hs_json_holds(text)) return json_object_set_new(object, key, json_string(text ? text : ""));
  plain = strdup(text);
  if (!plain) return -1;
  for (char *c = plain; *c; c++)
    if ((unsigned char)*c >= 0x80) *c = '?';
  value = json_string(plain);
  free(plain);
  return json_object_set_new(object, key, value);
}

static inline int hs_put_boolean(json_t *object, const char *key, bool value)
{
  return json_object_set_new(object, key, json_boolean(value));
}

/* An integer, or null where it means nothing. */
static inline int hs_put_count(json_t *object, const char *key, int64_t value, bool known)
{
  return known ? hs_put_integer(object, key, value) : json_object_set_new(object, key, json_null());
}

/* The whole of report.json, of which `files` were completed; NULL: memory is short. */
json_t *hs_report_object(const struct hs_result *result, unsigned files);

/* Surfaces, probes, materials, shapes, the course in time, all quantities. */
int hs_put_lists(json_t *report, const struct hs_result *result);

#endif
