/* Texts about configurations; see explain.h. */
#include "config/explain.h"

#include <stdio.h>

const char *hs_config_introduction(int k)
{
  static const char *const paragraphs[] = {
      "A line of a configuration file is [section], key = value, or a comment that begins with ; or #. A comment "
      "behind "
      "a value begins with a blank and a semicolon. Indentation and the order of sections and keys have no meaning, "
      "but "
      "that later shapes lie over earlier ones. Numbers are decimal (12, 0.5, 1e-3); integers are digits alone.",
      "An expression is a formula in x and y (m) and t (s) with + - * / ^, comparisons, c ? a : b, sin, exp, sqrt and "
      "so "
      "on, and pi, such as 300 + 20 * sin(2 * pi * t / 86400). A table is a file of two columns, x, y or t and the "
      "value, between whose lines values change linearly.",
      "On the command line --set section.key=value (or --set \"source NAME.key=value\") replaces or adds a value. "
      "Setting lx there removes the file's dx and the reverse, likewise ly and dy, density and power, h and "
      "resistance, step and steps, "
      "conductivity and conductivity_x with _y; setting a shape, a kind or the layout removes the file's keys that "
      "belong to others only.",
      NULL};
  return paragraphs[k];
}

const char *hs_config_shape_title(void)
{
  return "Keys of a shape, in [shape NAME], [source NAME] and [loss NAME]";
}

const char *hs_config_shape_rule(void)
{
  return "A cell belongs to a shape when its centre does. Rectangles and polygons lie inside the domain; circles, "
         "ellipses and lines may be cut by a wall. With inside = no a shape is all that lies outside of what its other "
         "keys describe.";
}

void hs_config_key_facts(const struct hs_config_key *key, char *text, size_t size)
{
  const char *needed = key->fallback || !key->required ? "" : key->kinds ? "; required by its kind" : "; required";
  const char *fallback = !key->fallback ? "" : key->fallback[0] ? key->fallback : "empty";
  char allowed[200];

  hs_config_key_allowed(key, allowed, sizeof allowed);
  snprintf(text, size, "%s%s%s%s%s%s", allowed, key->unit[0] ? ", in " : "", key->unit, needed,
           key->fallback ? "; default: " : "", fallback);
}
