/* Prints the words of configuration files from the table of keys, and those of checkpoints and tuning files, as a dictionary
 * for libFuzzer and AFL++. So it cannot go stale: scripts/fuzz.sh makes it anew each time. */
#include <stdio.h>

#include "backend/cost/tuning.h"
#include "config/table.h"
#include "output/checkpoint/members.h"

/* A word with the bytes that the format wants escaped; none of ours has others. */
static void word(const char *before, const char *text, const char *behind)
{
  printf("\"%s", before);
  for (; *text; text++) printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  printf("%s\"\n", behind);
}

static void key_print(const struct hs_config_key *key)
{
  word("\\x0a", key->name, " = ");
  if (key->example && key->example[0]) word("", key->example, "\\x0a");
  if (key->fallback && key->fallback[0]) word("", key->fallback, "\\x0a");
  for (int k = 0; key->choices && key->choices[k]; k++) word("", key->choices[k], "\\x0a");
}

static void keys_print(void)
{
  size_t sections, shape_keys;
  const struct hs_config_section *section = hs_config_sections(&sections);
  const struct hs_config_key *shape = hs_config_shape_keys(&shape_keys);
  for (size_t s = 0; s < sections; s++) {
    word("\\x0a[", section[s].name, section[s].noun ? " a]\\x0a" : "]\\x0a");
    for (size_t k = 0; k < section[s].key_count; k++) key_print(&section[s].keys[k]);
  }
  for (size_t k = 0; k < shape_keys; k++) key_print(&shape[k]);
}

int main(void)
{
  static const char *const others[] = {"sin(",   "exp(", "sqrt(",           "min(",    "pi",    "table ",
                                       ".csv x", "t=",   ":last",           "inf",     "nan",   "1e308",
                                       "-0",     "yes",  "\\xef\\xbb\\xbf", "#a0B1c2", "1e-320"};
  keys_print();
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) printf("\"%s\"\n", others[k]);
  for (int kind = 0; kind < HS_TUNING_KINDS; kind++) word("", hs_tuning_kind_name((enum hs_tuning_kind)kind), "");
  for (const struct hs_member *m = hs_members_steady; m->name; m++) word("", m->name, "");
  for (const struct hs_member *m = hs_members_transient; m->name; m++) word("", m->name, "");
  return 0;
}
