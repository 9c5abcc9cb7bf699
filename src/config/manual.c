/* heatsolve.ini(5): the manual page of configurations, from the table of keys. */
#include <stdio.h>

#include "base/roff.h"
#include "base/version.h"
#include "config/config.h"
#include "config/explain.h"
#include "config/table.h"

/* A complete small problem; a run of it converges. */
static const char example[] = "[grid]\n"
                              "nx = 65\n"
                              "ny = 33\n"
                              "lx = 0.2\n"
                              "ly = 0.1\n"
                              "[material]\n"
                              "conductivity = 160\n"
                              "[source heater]\n"
                              "shape = circle\n"
                              "x = 0.05\n"
                              "y = 0.05\n"
                              "radius = 0.02\n"
                              "power = 3000\n"
                              "[boundary]\n"
                              "west = insulated\n"
                              "east = 293.15\n"
                              "south = insulated\n"
                              "north = insulated\n"
                              "[initial]\n"
                              "temperature = 293.15\n"
                              "[solver]\n"
                              "method = chebyshev\n";

static void put_key(FILE *out, const struct hs_config_key *key)
{
  char facts[400];
  hs_config_key_facts(key, facts, sizeof facts);
  hs_roff_macro(out, "TP", "");
  hs_roff_macro(out, "B", key->name);
  hs_roff_text(out, facts);
  hs_roff_macro(out, "br", "");
  hs_roff_text(out, key->help);
}

/* The keys of shapes, once for all sections that have one. */
static void put_shape(FILE *out)
{
  size_t count, k;
  const struct hs_config_key *keys = hs_config_shape_keys(&count);
  hs_roff_macro(out, "SS", hs_config_shape_title());
  hs_roff_text(out, hs_config_shape_rule());
  for (k = 0; k < count; k++) put_key(out, &keys[k]);
}

static void put_sections(FILE *out)
{
  size_t count, s, k;
  const struct hs_config_section *sections = hs_config_sections(&count);
  for (s = 0; s < count; s++) {
    char name[60], title[64];
    snprintf(title, sizeof title, "[%s]", hs_config_section_title(&sections[s], name, sizeof name));
    hs_roff_macro(out, "SS", title);
    hs_roff_text(out, sections[s].help);
    if (s > 0 && sections[s].keys == sections[s - 1].keys) {
      hs_roff_text(out, "The same keys.");
      continue;
    }
    for (k = 0; k < sections[s].key_count; k++) put_key(out, &sections[s].keys[k]);
    if (sections[s].has_shape && !(s + 1 < count && sections[s + 1].has_shape)) put_shape(out);
  }
}

void hs_config_print_manual(FILE *out)
{
  const char *paragraph;
  hs_roff_title(out, "HEATSOLVE.INI", 5, hs_version_program(), hs_version_day(), "File Formats");
  hs_roff_macro(out, "SH", "NAME");
  hs_roff_text(out, "heatsolve.ini - a problem of heat conduction for heatsolve(1)");
  hs_roff_macro(out, "SH", "DESCRIPTION");
  for (int k = 0; (paragraph = hs_config_introduction(k)) != NULL; k++) {
    if (k) hs_roff_macro(out, "PP", "");
    hs_roff_text(out, paragraph);
  }
  hs_roff_macro(out, "PP", "");
  hs_roff_text(out, "`heatsolve --print-config` prints a complete configuration with every key, to start from.");
  hs_roff_macro(out, "SH", "SECTIONS AND KEYS");
  put_sections(out);
  hs_roff_macro(out, "SH", "EXAMPLES");
  hs_roff_text(out, "A plate of aluminium, 0.2 m by 0.1 m, with a round heater, kept at 20 degC on its east side:");
  hs_roff_example(out, example);
  hs_roff_macro(out, "SH", "SEE ALSO");
  hs_roff_text(out, "`heatsolve`(1)");
}
