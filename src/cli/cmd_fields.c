/* heatsolve compare and heatsolve render: commands on fields written earlier. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/shown.h"
#include "cli/cli.h"
#include "cli/difference.h"
#include "cli/options.h"
#include "config/near.h"
#include "io/file.h"
#include "output/output.h"
#include "output/picture/temperature/picture.h"

/* The file that an operand names: that itself, or field.h5 in a folder, or snapshots.h5 for a snapshot. */
static char *field_name(const char *operand, const char *snapshot, struct hs_error *err)
{
  if (!hs_input_is_folder(operand)) return hs_text_copy(operand, err);
  return hs_file_join(operand, snapshot ? "snapshots.h5" : "field.h5", err);
}

/* Reads the field of an operand, or a snapshot (NULL: none); *path, owned by the caller, is its file. */
static hs_status field_read(const char *operand, const char *snapshot, char **path, struct hs_output_field *field,
                            struct hs_error *err)
{
  char *near;
  hs_status status;
  *path = NULL;
  if (!strcmp(operand, "-"))
    return hs_error_set(
        err, HS_ERR_USAGE,
        "a field cannot be read from standard input (\"-\"), since HDF5 reads here and there in a file; "
        "give the file's name, or ./- for a file of that name");
  *path = field_name(operand, snapshot, err);
  if (!*path) return HS_ERR_MEMORY;
  status = snapshot ? hs_output_h5_read_snapshot(*path, snapshot, field, err) : hs_output_h5_read(*path, field, err);
  near = status && access(*path, F_OK) ? hs_near_file(*path, ".h5") : NULL;
  if (near) hs_error_append(err, " Did you mean %s?", near);
  free(near);
  return status;
}

hs_status hs_cli_compare(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct hs_output_field a = {0}, b = {0};
  struct hs_difference difference;
  char *path_a = NULL, *path_b = NULL;
  hs_status status = field_read(cli->files[0], NULL, &path_a, &a, err);
  if (!status) status = field_read(cli->files[1], NULL, &path_b, &b, err);
  if (status) goto out;
  if (a.nx != b.nx || a.ny != b.ny) {
    status = hs_error_set(err, HS_ERR_USAGE, "%s has %d x %d nodes and %s has %d x %d: only fields of one size compare",
                          path_a, a.nx, a.ny, path_b, b.nx, b.ny);
    goto out;
  }
  difference = hs_difference_of(a.field_k, b.field_k, a.nx, a.ny);
  if (!cli->quiet) hs_difference_print(&difference, a.nx, a.ny);
  *exit_code = difference.different ? HS_EXIT_DIFFERENT : HS_EXIT_OK;
out:
  free(path_b);
  free(path_a);
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
  const char *path;     /* NULL: beside the field */
  const char *snapshot; /* NULL: a field */
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
  case HS_OPTION_SNAPSHOT: render->snapshot = given->value; return HS_OK;
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

/* The picture's name, owned by the caller. */
static hs_status names_choose(const struct render *render, const char *operand, char **path, struct hs_error *err)
{
  char *source = field_name(operand, render->snapshot, err);
  hs_status status = source ? HS_OK : HS_ERR_MEMORY;
  *path = status ? NULL : render->path ? hs_text_copy(render->path, err) : picture_name(source, err);
  if (!status && !*path) status = HS_ERR_MEMORY;
  if (!status && hs_file_is_same(source, *path))
    status = hs_error_set(err, HS_ERR_USAGE,
                          "%s is read, and the picture would replace it; name another file with "
                          "--output",
                          source);
  free(source);
  return status;
}

hs_status hs_cli_render(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct render render = {.picture = {.colormap = "inferno", .range_min_k = NAN, .range_max_k = NAN}};
  struct hs_picture *picture = &render.picture;
  struct hs_output_field field = {0};
  char *source = NULL, *path = NULL, time[64];
  hs_status status = HS_OK;
  *exit_code = HS_EXIT_OK;
  for (int k = 0; !status && k < cli->given_count; k++) status = option_take(&cli->given[k], &render, err);
  if (!status) status = names_choose(&render, cli->files[0], &path, err);
  if (!status) status = field_read(cli->files[0], render.snapshot, &source, &field, err);
  if (status) goto out;
  picture->field_k = field.field_k;
  picture->nx = field.nx;
  picture->ny = field.ny;
  picture->lx_m = (field.cells ? field.nx : field.nx - 1) * field.dx_m;
  picture->ly_m = (field.cells ? field.ny : field.ny - 1) * field.dy_m;
  picture->resolution_k = field.resolution_k;
  picture->unit = field.unit;
  picture->cells = field.cells;
  picture->material = field.material;
  if (!picture->title) picture->title = field.title;
  if (!isnan(field.time_s)) picture->note = hs_picture_time(field.time_s, time, sizeof time);
  status = hs_output_picture_write(path, picture, err);
  if (!status && !cli->quiet) printf("%s\n", hs_shown(path).text);
out:
  free(path);
  free(source);
  hs_output_field_clear(&field);
  return status;
}
