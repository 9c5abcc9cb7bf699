/* The folder of a run and the files in it: which are written, under which names, in which order.
 *
 * A failure of one file does not cost the others: a run may have taken hours. The report is written last and
 * names the files that were completed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "output/file.h"
#include "output/output.h"
#include "output/report.h"

/* Creates every missing folder on the way to path. */
static hs_status make_folders(const char *path, struct hs_error *err)
{
  hs_status status = HS_OK;
  char *end, *partial = hs_text_copy(path, err);
  if (!partial) return HS_ERR_MEMORY;
  for (end = partial + 1; !status; end++) {
    const char here = *end;
    if (here != '/' && here != '\0') continue;
    *end = '\0';
    if (mkdir(partial, 0777) != 0 && errno != EEXIST)
      status =
          hs_error_set(err, HS_ERR_IO,
                       "cannot create the output folder %s: %s; choose another one with output.directory or --output",
                       partial, strerror(errno));
    *end = here;
    if (here == '\0') break;
  }
  free(partial);
  return status;
}

static hs_status check_folder(const char *path, struct hs_error *err)
{
  struct stat information;
  if (stat(path, &information) != 0)
    return hs_error_set(err, HS_ERR_IO, "cannot use the output folder %s: %s.", path, strerror(errno));
  if (!S_ISDIR(information.st_mode))
    return hs_error_set(err, HS_ERR_IO, "cannot use %s as the output folder: it is a file; choose another name.", path);
  return HS_OK;
}

hs_status hs_output_prepare(const char *directory, struct hs_error *err)
{
  struct hs_file probe = HS_FILE_NONE;
  const char *path = directory && directory[0] ? directory : ".";
  char *name = NULL;
  hs_status status = make_folders(path, err);
  if (!status) status = check_folder(path, err);
  if (status) return status;
  name = hs_file_join(path, "heatsolve-probe", err);
  if (!name) return HS_ERR_MEMORY;
  status = hs_file_create(&probe, name, err);
  if (status == HS_ERR_IO) hs_error_append(err, " Choose another output folder with output.directory or --output.");
  hs_file_discard(&probe);
  free(name);
  return status;
}

static hs_status write_picture(const char *path, const struct hs_result *result, struct hs_error *err)
{
  const struct hs_config *config = result->config;
  const struct hs_picture picture = {.field_k = result->field_k,
                                     .nx = result->nx,
                                     .ny = result->ny,
                                     .lx_m = (result->nx - 1) * result->dx_m,
                                     .ly_m = (result->ny - 1) * result->dy_m,
                                     .title = config->output.title,
                                     .colormap = config->output.colormap,
                                     .range_min_k = config->output.range_min_k,
                                     .range_max_k = config->output.range_max_k,
                                     .isotherms = config->output.isotherms};
  return hs_output_picture_write(path, &picture, err);
}

static hs_status write_one(enum hs_output_file which, const char *path, unsigned done, const struct hs_result *result,
                           struct hs_error *err)
{
  switch (which) {
  case HS_FILE_FIELD: return hs_output_h5_write(path, result, err);
  case HS_FILE_XDMF:
    if (!(done & 1u << HS_FILE_FIELD))
      return hs_error_set(err, HS_ERR_IO, "%s was not written: it describes %s, which was not written either.", path,
                          hs_output_file_name(HS_FILE_FIELD));
    return hs_output_xdmf_write(path, hs_output_file_name(HS_FILE_FIELD), result, err);
  case HS_FILE_PICTURE: return write_picture(path, result, err);
  case HS_FILE_CONVERGENCE: return hs_output_convergence_write(path, result, err);
  case HS_FILE_REPORT: return hs_output_report_write_files(path, result, done | 1u << HS_FILE_REPORT, err);
  case HS_FILE_COUNT: break;
  }
  return hs_error_set(err, HS_ERR_INTERNAL, "there is no output file number %d.", (int)which);
}

hs_status hs_output_write(const struct hs_result *result, unsigned *files, struct hs_error *err)
{
  const unsigned wanted = hs_output_files_wanted(result->config);
  unsigned done = 0;
  hs_status first = HS_OK;
  int which;
  for (which = 0; which < HS_FILE_COUNT; which++) {
    struct hs_error failure = {HS_OK, ""};
    hs_status status = HS_ERR_MEMORY;
    char *path;
    if (!(wanted & 1u << which)) continue;
    path = hs_file_join(result->config->output.directory, hs_output_file_name((enum hs_output_file)which), &failure);
    if (path) status = write_one((enum hs_output_file)which, path, done, result, &failure);
    if (!status) done |= 1u << which;
    if (status && !first) first = hs_error_set(err, status, "%s", failure.text);
    free(path);
  }
  if (files) *files = done;
  return first;
}
