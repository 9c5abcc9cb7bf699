/* The folder of a run and the files in it: which are written, under which names, in which order.
 *
 * A failure of one file does not cost the others: a run may have taken hours. What holds numbers is written before any
 * picture, since drawing takes most of the memory. The report names the files that were completed, so it is written again
 * after the pictures.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"
#include "output/output.h"
#include "output/page/page.h"
#include "output/picture/temperature/animation.h"
#include "output/picture/temperature/picture.h"
#include "output/report/answers_csv.h"
#include "output/report/report.h"

static hs_status make_folders(const char *path, struct hs_error *err)
{
  const hs_status status = hs_file_make_folders(path, err);
  if (status == HS_ERR_IO) hs_error_append(err, "; choose another output folder with output.directory or --output");
  return status;
}

static hs_status check_folder(const char *path, struct hs_error *err)
{
  struct stat information;
  if (stat(path, &information) != 0) {
    const char *reason = strerror(errno);
    const bool broken = lstat(path, &information) == 0 && S_ISLNK(information.st_mode);
    return hs_error_set(err, HS_ERR_IO,
                        "cannot use the output folder %s: %s%s; choose another one with output.directory or --output.",
                        path, reason, broken ? ", it is a broken link" : "");
  }
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

/* The ranks of a run. */
static struct hs_comm *ranks_of(const struct hs_result *result)
{
  struct hs_comm *comm = result->problem ? result->problem->subdomain.comm : NULL;
  return comm ? comm : hs_comm_alone();
}

static hs_status write_picture(const char *path, const struct hs_result *result, struct hs_error *err)
{
  struct hs_picture picture = hs_picture_of_config(result->config, result->field_k);
  char time[64];
  picture.problem = result->problem;
  picture.resolution_k = hs_result_resolution_k(result);
  if (hs_result_is_transient(result)) picture.note = hs_picture_time(result->transient.time_s, time, sizeof time);
  return hs_output_picture_write(path, &picture, err);
}

/* The snapshots were written during the run; checks that they are there. */
static hs_status check_snapshots(const char *path, struct hs_error *err)
{
  if (access(path, R_OK) == 0) return HS_OK;
  return hs_error_set(err, HS_ERR_IO, "%s was not written: %s.", path, strerror(errno));
}

static hs_status write_animation(enum hs_output_file which, const char *path, unsigned done,
                                 const struct hs_result *result, struct hs_error *err)
{
  const struct hs_config *config = result->config;
  const struct hs_problem *problem = result->problem;
  const double resolution_k = hs_result_resolution_k(result);
  hs_status status;
  char *snapshots;
  if (!(done & 1u << HS_FILE_SNAPSHOTS))
    return hs_error_set(err, HS_ERR_IO, "%s was not written: it shows %s, which was not written either.", path,
                        hs_output_file_name(HS_FILE_SNAPSHOTS));
  snapshots = hs_file_join(config->output.directory, hs_output_file_name(HS_FILE_SNAPSHOTS), err);
  status = hs_comm_agree(ranks_of(result), snapshots ? HS_OK : HS_ERR_MEMORY, err);
  if (!status && which == HS_FILE_ANIMATION)
    status = hs_animation_write(path, snapshots, config, problem, resolution_k, err);
  if (!status && which == HS_FILE_SERIES)
    status = hs_animation_series_write(config->output.directory, snapshots, config, problem, resolution_k, err);
  free(snapshots);
  return status;
}

/* What is written of numbers that all ranks know: rank 0 does it. */
static hs_status write_alone(enum hs_output_file which, const char *path, unsigned done, const struct hs_result *result,
                             struct hs_error *err)
{
  switch (which) {
  case HS_FILE_XDMF:
    if (!(done & 1u << HS_FILE_FIELD))
      return hs_error_set(err, HS_ERR_IO, "%s was not written: it describes %s, which was not written either.", path,
                          hs_output_file_name(HS_FILE_FIELD));
    return hs_output_xdmf_write(path, hs_output_file_name(HS_FILE_FIELD), result, err);
  case HS_FILE_CONVERGENCE:
  case HS_FILE_CONVERGENCE_SVG:
  case HS_FILE_CONVERGENCE_PDF: return hs_output_convergence_write(path, result, err);
  case HS_FILE_SNAPSHOTS:
  case HS_FILE_SNAPSHOTS_XDMF: return check_snapshots(path, err);
  case HS_FILE_CSV: return hs_answers_csv_write(result, result->config->output.directory, err);
  case HS_FILE_REPORT: return hs_output_report_write_files(path, result, done | 1u << HS_FILE_REPORT, err);
  default: return hs_error_set(err, HS_ERR_INTERNAL, "there is no output file number %d.", (int)which);
  }
}

/* What is written of a field is written by all ranks together; the same status on all. */
static hs_status write_one(enum hs_output_file which, const char *path, unsigned done, const struct hs_result *result,
                           struct hs_error *err)
{
  struct hs_comm *comm = ranks_of(result);
  hs_status status = HS_OK;
  switch (which) {
  case HS_FILE_FIELD: return hs_output_h5_write(path, result, err);
  case HS_FILE_VTI: return hs_output_vti_write(path, result, err);
  case HS_FILE_PICTURE:
  case HS_FILE_PICTURE_SVG:
  case HS_FILE_PICTURE_PDF: return write_picture(path, result, err);
  case HS_FILE_ANIMATION:
  case HS_FILE_SERIES: return write_animation(which, path, done, result, err);
  case HS_FILE_PAGE: return hs_page_write(path, result, done | 1u << HS_FILE_PAGE, err);
  default: break;
  }
  if (hs_comm_rank(comm) == 0) status = write_alone(which, path, done, result, err);
  return hs_comm_agree(comm, status, err);
}

/* Pictures last. */
static const enum hs_output_file order[] = {
    HS_FILE_FIELD,           HS_FILE_XDMF,        HS_FILE_VTI,         HS_FILE_SNAPSHOTS,
    HS_FILE_SNAPSHOTS_XDMF,  HS_FILE_CSV,         HS_FILE_REPORT,      HS_FILE_PICTURE,
    HS_FILE_PICTURE_SVG,     HS_FILE_PICTURE_PDF, HS_FILE_CONVERGENCE, HS_FILE_CONVERGENCE_SVG,
    HS_FILE_CONVERGENCE_PDF, HS_FILE_ANIMATION,   HS_FILE_SERIES,      HS_FILE_PAGE};

enum { ORDERED = sizeof order / sizeof *order, FIRST_PICTURE = 7 };

_Static_assert((int)ORDERED == (int)HS_FILE_COUNT, "a file is never written");

/* A picture that memory does not suffice for is a file that could not be written. */
static hs_status file_failed(hs_status status, const char *name, bool picture, const struct hs_error *failure,
                             struct hs_error *err)
{
  if (!picture || status != HS_ERR_MEMORY) return hs_error_set(err, status, "%s", failure->text);
  return hs_error_set(err, HS_ERR_IO, "%s was not drawn: %s", name, failure->text);
}

static hs_status write_named(enum hs_output_file which, bool picture, unsigned *done, const struct hs_result *result,
                             struct hs_error *err)
{
  struct hs_error failure = {HS_OK, ""};
  hs_status status;
  const char *name = hs_output_file_name(which);
  char *path = hs_file_join(result->config->output.directory, name, &failure);
  status = hs_comm_agree(ranks_of(result), path ? HS_OK : HS_ERR_MEMORY, &failure);
  if (!status) status = write_one(which, path, *done, result, &failure);
  free(path);
  if (status) return file_failed(status, name, picture, &failure, err);
  *done |= 1u << which;
  return HS_OK;
}

static hs_status write_all(const struct hs_result *result, unsigned wanted, unsigned *files, struct hs_error *err)
{
  unsigned done = 0, reported = 0;
  hs_status first = HS_OK;
  if (hs_comm_rank(ranks_of(result)) == 0) /* it may be gone; else each file tells why */
    (void)hs_file_make_folders(result->config->output.directory, NULL);
  for (int k = 0; k < ORDERED; k++) {
    hs_status status = HS_OK;
    if (wanted & 1u << order[k]) status = write_named(order[k], k >= FIRST_PICTURE, &done, result, first ? NULL : err);
    if (!first) first = status;
    if (k < FIRST_PICTURE) reported = done;
  }
  if (reported & 1u << HS_FILE_REPORT && done != reported) {
    const hs_status status = write_named(HS_FILE_REPORT, false, &done, result, first ? NULL : err);
    if (!first) first = status;
  }
  if (files) *files = done;
  return first;
}

hs_status hs_output_write(const struct hs_result *result, unsigned *files, struct hs_error *err)
{
  return write_all(result, hs_output_files_wanted(result->config), files, err);
}

hs_status hs_output_write_later(const struct hs_result *result, unsigned *files, struct hs_error *err)
{
  const unsigned with_snapshots =
      1u << HS_FILE_SNAPSHOTS | 1u << HS_FILE_SNAPSHOTS_XDMF | 1u << HS_FILE_ANIMATION | 1u << HS_FILE_SERIES;
  return write_all(result, hs_output_files_wanted(result->config) & ~with_snapshots, files, err);
}

void hs_output_rescue(const struct hs_result *result, struct hs_error *err)
{
  const struct hs_config *config = result->config;
  const char *snapshots = "", *series = "";
  struct hs_error ignored = {HS_OK, ""};
  if (!config || result->series.count == 0) return;
  if (hs_comm_rank(ranks_of(result)) != 0) return;
  (void)hs_file_make_folders(config->output.directory, NULL);
  if (hs_output_snapshots_wanted(config)) snapshots = hs_output_file_name(HS_FILE_SNAPSHOTS);
  if (config->output.csv && !hs_answers_csv_series(result, config->output.directory, &ignored)) series = "series.csv";
  if (!snapshots[0] && !series[0]) return;
  if (err && err->text[0] && err->text[strlen(err->text) - 1] == '.') err->text[strlen(err->text) - 1] = '\0';
  hs_error_append(err, "; kept in %s, up to t = %.9g s: %s%s%s", config->output.directory,
                  result->series.time_s[result->series.count - 1], snapshots, snapshots[0] && series[0] ? ", " : "",
                  series);
}
