/* heatsolve compare and heatsolve render: commands on fields written earlier. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shown.h"
#include "cli/cli.h"
#include "cli/difference.h"
#include "cli/options.h"
#include "output/output.h"

hs_status hs_cli_compare(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct hs_output_field a = {0}, b = {0};
  struct hs_difference difference;
  hs_status status = hs_output_h5_read(cli->files[0], &a, err);
  if (!status) status = hs_output_h5_read(cli->files[1], &b, err);
  if (status) goto out;
  if (a.nx != b.nx || a.ny != b.ny) {
    status = hs_error_set(err, HS_ERR_USAGE, "%s has %d x %d nodes and %s has %d x %d: only fields of one size compare",
                          cli->files[0], a.nx, a.ny, cli->files[1], b.nx, b.ny);
    goto out;
  }
  difference = hs_difference_of(a.field_k, b.field_k, a.nx, a.ny);
  if (!cli->quiet) hs_difference_print(&difference, a.nx, a.ny);
  *exit_code = difference.different ? HS_EXIT_DIFFERENT : HS_EXIT_OK;
out:
  hs_output_field_clear(&b);
  hs_output_field_clear(&a);
  return status;
}

/* FIELD.h5 becomes FIELD.png in the same folder. */
static char *picture_name(const char *field, struct hs_error *err)
{
  const size_t length = strlen(field);
  const size_t stem = length > 3 && !strcmp(field + length - 3, ".h5") ? length - 3 : length;
  return hs_text_format(err, "%.*s.png", (int)stem, field);
}

/* The options of render, and what of the picture they say. */
struct render {
  const char *path; /* NULL: beside the field */
  struct hs_picture picture;
};

static hs_status range_take(const struct hs_given *given, struct hs_picture *picture, struct hs_error *err)
{
  const char *text = given->value;
  char *end = NULL;
  picture->range_min_k = strtod(text, &end);
  if (end != text && *end == ':') {
    const char *second = end + 1;
    picture->range_max_k = strtod(second, &end);
    if (end != second && !*end && picture->range_min_k < picture->range_max_k &&
        isfinite(picture->range_max_k - picture->range_min_k))
      return HS_OK;
  }
  return hs_option_refuse(given->row, text, "two temperatures MIN:MAX in K with MIN below MAX, like 0:100", err);
}

static hs_status option_take(const struct hs_given *given, struct render *render, struct hs_error *err)
{
  struct hs_picture *picture = &render->picture;
  switch (given->row->option) {
  case HS_OPTION_OUTPUT: render->path = given->value; return HS_OK;
  case HS_OPTION_TITLE: picture->title = given->value; return HS_OK;
  case HS_OPTION_COLORMAP: {
    struct hs_picks ignored;
    picture->colormap = given->value;
    return hs_option_pick(given->row, given->value, &ignored, err);
  }
  case HS_OPTION_RANGE: return range_take(given, picture, err);
  case HS_OPTION_ISOTHERMS: return hs_option_integer(given->row, given->value, 0, 100, &picture->isotherms, err);
  default: return hs_error_set(err, HS_ERR_INTERNAL, "render does not know --%s", given->row->name);
  }
}

hs_status hs_cli_render(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct render render = {.picture = {.colormap = "inferno", .range_min_k = NAN, .range_max_k = NAN}};
  struct hs_picture *picture = &render.picture;
  struct hs_output_field field = {0};
  char *path = NULL;
  hs_status status = HS_OK;
  *exit_code = HS_EXIT_OK;
  for (int k = 0; !status && k < cli->given_count; k++) status = option_take(&cli->given[k], &render, err);
  if (!status) status = hs_output_h5_read(cli->files[0], &field, err);
  if (status) goto out;
  path = render.path ? hs_text_copy(render.path, err) : picture_name(cli->files[0], err);
  if (!path) {
    status = HS_ERR_MEMORY;
    goto out;
  }
  picture->field_k = field.field_k;
  picture->nx = field.nx;
  picture->ny = field.ny;
  picture->lx_m = (field.cells ? field.nx : field.nx - 1) * field.dx_m;
  picture->ly_m = (field.cells ? field.ny : field.ny - 1) * field.dy_m;
  picture->unit = field.unit;
  picture->cells = field.cells;
  if (!picture->title) picture->title = field.title;
  status = hs_output_picture_write(path, picture, err);
  if (!status && !cli->quiet) printf("%s\n", hs_shown(path).text);
out:
  free(path);
  hs_output_field_clear(&field);
  return status;
}
