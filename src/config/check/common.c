/* Checks that the rules of several sections share; see common.h. */
#include "config/check/common.h"

#include <math.h>
#include <stdio.h>

/* Coordinates may be outside the domain by this share of its length, for numbers like 0.1 + 0.2. */
#define LENGTH_SLACK 1e-9

hs_status hs_check_missing(struct hs_draft *draft, const struct hs_draft_section *section, const char *name,
                           const char *because)
{
  const struct hs_config_key *key = hs_config_key_at(section->kind, (size_t)hs_config_key_find(section->kind, name));
  const char *absent = hs_where_given(section->where) ? "" : "The section itself is missing too. ";
  char allowed[200];

  hs_config_key_allowed(key, allowed, sizeof allowed);
  return hs_draft_fail(draft, section->where,
                       "[%s] lacks the key \"%s\"%s%s (%s; %s%s%s). %sAdd a line such as \"%s = %s\" to it, or print a "
                       "complete example by `heatsolve --print-config`.",
                       section->title, key->name, because[0] ? ", " : "", because, key->help, allowed,
                       key->unit[0] ? ", in " : "", key->unit, absent, key->name, key->example);
}

/* "density (heat released per volume; negative for a sink; number, in W/m3)" */
static void key_describe(const struct hs_draft_section *section, const char *name, char *text, size_t size)
{
  const struct hs_config_key *key = hs_config_key_at(section->kind, (size_t)hs_config_key_find(section->kind, name));
  char allowed[200];

  hs_config_key_allowed(key, allowed, sizeof allowed);
  snprintf(text, size, "%s (%s; %s%s%s)", name, key->help, allowed, key->unit[0] ? ", in " : "", key->unit);
}

hs_status hs_check_either(struct hs_draft *draft, const struct hs_draft_section *section, const char *a, const char *b)
{
  const struct hs_where where_a = hs_draft_where(section, a), where_b = hs_draft_where(section, b);
  char text_a[300], text_b[300];

  if (hs_where_given(where_a) != hs_where_given(where_b)) return HS_OK;
  if (hs_where_given(where_a)) {
    return hs_draft_fail(draft, hs_where_later(where_a, where_b),
                         "[%s] has both %s and %s, which say the same thing in two ways; remove one of the two.",
                         section->title, a, b);
  }
  key_describe(section, a, text_a, sizeof text_a);
  key_describe(section, b, text_b, sizeof text_b);
  return hs_draft_fail(draft, section->where, "[%s] has neither %s nor %s; give one of the two.", section->title,
                       text_a, text_b);
}

bool hs_check_coordinate_in(double coordinate_m, double length_m)
{
  return coordinate_m >= -LENGTH_SLACK * length_m && coordinate_m <= (1 + LENGTH_SLACK) * length_m;
}

double hs_check_coordinate_clamp(double coordinate_m, double length_m)
{
  return fmin(fmax(coordinate_m, 0.0), length_m);
}

hs_status hs_check_inside(struct hs_draft *draft, const struct hs_draft_section *section, const char *name,
                          double *coordinate_m, double length_m)
{
  if (!hs_check_coordinate_in(*coordinate_m, length_m)) {
    return hs_draft_fail(draft, hs_draft_where(section, name),
                         "[%s] %s = %.10g lies outside the domain. Allowed: number >= 0 and <= %.10g, in m.",
                         section->title, name, *coordinate_m, length_m);
  }
  *coordinate_m = hs_check_coordinate_clamp(*coordinate_m, length_m);
  return HS_OK;
}
