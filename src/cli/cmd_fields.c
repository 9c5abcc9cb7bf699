/* heatsolve compare and heatsolve render: commands on fields written earlier. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/difference.h"
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

hs_status hs_cli_render(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct hs_output_field field = {0};
  char *path = NULL;
  hs_status status;
  *exit_code = HS_EXIT_OK;
  if (cli->colormap && !hs_colormap_find(cli->colormap))
    return hs_error_set(err, HS_ERR_USAGE, "unknown colour map \"%s\"; known: %s", cli->colormap, hs_colormap_names());
  status = hs_output_h5_read(cli->files[0], &field, err);
  if (status) goto out;
  path = cli->picture ? hs_text_copy(cli->picture, err) : picture_name(cli->files[0], err);
  if (!path) {
    status = HS_ERR_MEMORY;
    goto out;
  }
  {
    const struct hs_picture picture = {
        .field_k = field.field_k,
        .nx = field.nx,
        .ny = field.ny,
        .lx_m = (field.cells ? field.nx : field.nx - 1) * field.dx_m,
        .ly_m = (field.cells ? field.ny : field.ny - 1) * field.dy_m,
        .title = cli->title ? cli->title : field.title,
        .colormap = cli->colormap ? cli->colormap : "inferno",
        .range_min_k = cli->range_min_k,
        .range_max_k = cli->range_max_k,
        .isotherms = cli->isotherms > 0 ? cli->isotherms : 0,
        .unit = field.unit,
        .cells = field.cells,
    };
    status = hs_output_picture_write(path, &picture, err);
  }
  if (!status && !cli->quiet) printf("%s\n", path);
out:
  free(path);
  hs_output_field_clear(&field);
  return status;
}
