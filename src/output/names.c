/* The names follow from the tables of the writers; frames and lines have patterns. */
#include "output/names.h"

#include <stdlib.h>
#include <string.h>

#include "output/checkpoint/checkpoint.h"
#include "output/report/answers_csv.h"
#include "output/report/report.h"

/* "frame-000000.png" */
static bool is_frame(const char *name)
{
  static const char begin[] = "frame-", end[] = ".png";
  const size_t digits = strspn(name + strnlen(name, sizeof begin - 1), "0123456789");
  return !strncmp(name, begin, sizeof begin - 1) && digits == 6 && !strcmp(name + sizeof begin - 1 + digits, end);
}

/* "line-NAME.csv" */
static bool is_line(const char *name)
{
  const size_t length = strlen(name);
  return length > strlen("line-.csv") && !strncmp(name, "line-", 5) && !strcmp(name + length - 4, ".csv");
}

bool hs_output_name_is_of_runs(const char *name)
{
  static const char *const tables[] = {"materials.csv", "probes.csv", "series.csv"};
  for (int which = 0; which < HS_FILE_COUNT; which++)
    if (!strcmp(name, hs_output_file_name((enum hs_output_file)which))) return true;
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
    if (!strcmp(name, tables[k])) return true;
  return is_frame(name) || is_line(name);
}

/* Is it a table of the answers? */
static bool is_table(const struct hs_config *config, const char *name)
{
  const int tables = hs_answers_csv_count(config, config->time.scheme != HS_SCHEME_STEADY);
  bool found = false;
  for (int k = 0; !found && k < tables; k++) {
    char *table = hs_answers_csv_name(config, k, NULL);
    found = table && !strcmp(name, table);
    free(table);
  }
  return found;
}

const char *hs_output_drawing_name(enum hs_picture_format format)
{
  static const char *const names[] = {[HS_PNG] = "problem.png", [HS_SVG] = "problem.svg", [HS_PDF] = "problem.pdf"};
  return names[format];
}

bool hs_output_name_is_drawing(const char *name)
{
  for (int format = 0; format < HS_PICTURE_FORMATS; format++)
    if (!strcmp(name, hs_output_drawing_name((enum hs_picture_format)format))) return true;
  return false;
}

bool hs_output_name_is_written(const struct hs_config *config, const char *name)
{
  const unsigned wanted = hs_output_files_wanted(config);
  for (int format = 0; format < HS_PICTURE_FORMATS; format++)
    if (config->output.pictures & 1 << format && !strcmp(name, hs_output_drawing_name((enum hs_picture_format)format)))
      return true;
  for (int which = 0; which < 2; which++)
    if (!strcmp(name, hs_checkpoint_name(which))) return true;
  for (int which = 0; which < HS_FILE_COUNT; which++)
    if (wanted & 1u << which && !strcmp(name, hs_output_file_name((enum hs_output_file)which))) return true;
  return (wanted & 1u << HS_FILE_SERIES && is_frame(name)) || (wanted & 1u << HS_FILE_CSV && is_table(config, name));
}
