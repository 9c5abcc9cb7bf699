/* Checkpoints in HDF5: groups, attributes and datasets. */
#include "output/checkpoint/contents.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5_put.h"
#include "output/checkpoint/members.h"
#include "output/field/field_fill.h"
#include "output/field/h5_grid.h"

enum { ROW = 9, IDENTITY_BYTES_MOST = 1 << 26 }; /* numbers of an evaluation */

static const char *const field_names[] = {
    [HS_FIELD_NOW] = "now", [HS_FIELD_BEFORE] = "before", [HS_FIELD_SAVED] = "saved"};

/* The other field of a transient run is a change. */
static const char *field_name(const struct hs_job *job, enum hs_field_role role)
{
  const bool steady = job->config->time.scheme == HS_SCHEME_STEADY;
  return !steady && role == HS_FIELD_BEFORE ? "change" : field_names[role];
}

/* --- out ------------------------------------------------------------------------------------- */

static herr_t column_put(hid_t group, const char *name, size_t count, const double *values, const char *units)
{
  hid_t dataset;
  if (count == 0) return 0;
  dataset = hs_h5_put_column(group, name, count, values, units);
  return dataset < 0 ? -1 : H5Dclose(dataset);
}

static herr_t identity_put(hid_t file, const char *identity)
{
  const hsize_t length[1] = {strlen(identity)};
  const hid_t dataset = hs_h5_put_dataset(file, "identity", 1, length, H5T_STD_U8LE, H5T_NATIVE_UCHAR, identity, "1");
  return dataset < 0 ? -1 : H5Dclose(dataset);
}

/* Evaluations as one long column. */
static herr_t history_put(hid_t group, const struct hs_solve_point *point)
{
  const size_t rows = (size_t)point->history_count;
  double *values = malloc((rows * ROW + 1) * sizeof *values);
  herr_t result = -1;
  if (!values) return -1;
  for (size_t k = 0; k < rows; k++) {
    const struct hs_check *c = &point->history[k];
    const double row[ROW] = {(double)c->sweeps,       c->norms.update_l2,    c->norms.update_max,
                             c->norms.residual_l2,    c->norms.residual_max, c->norms.two_sweep_max,
                             c->norms.correction_max, c->residual_relative,  c->error_estimate_k};
    memcpy(values + k * ROW, row, sizeof row);
  }
  result = column_put(group, "history", rows * ROW, values, "1");
  free(values);
  return result;
}

static herr_t steady_put(hid_t file, const struct hs_solve_point *point)
{
  const hid_t group = H5Gcreate2(file, "steady", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  herr_t result = group < 0 ? -1 : hs_members_put(group, hs_members_steady, point);
  if (result >= 0) result = history_put(group, point);
  if (group >= 0 && H5Gclose(group) < 0) result = -1;
  return result;
}

/* The columns of a series, and their numbers a row. */
struct columns {
  const char *name[7], *units[7];
  double **values[7];
  size_t width[7];
};

static struct columns columns_of(struct hs_series *series, const struct hs_problem *problem)
{
  const size_t probes = (size_t)problem->config->probe_count, surfaces = (size_t)problem->surface_count;
  return (struct columns){{"time_s", "minimum_k", "maximum_k", "mean_k", "content_j_m", "probe_k", "surface_w_m"},
                          {"s", "K", "K", "K", "J/m", "K", "W/m"},
                          {&series->time_s, &series->minimum_k, &series->maximum_k, &series->mean_k,
                           &series->content_j_m, &series->probe_k, &series->surface_w_m},
                          {1, 1, 1, 1, 1, probes, surfaces}};
}

static herr_t transient_put(hid_t file, const struct hs_problem *problem, const struct hs_checkpoint *checkpoint)
{
  struct hs_series series = checkpoint->series;
  const struct columns columns = columns_of(&series, problem);
  const hid_t group = H5Gcreate2(file, "transient", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t rows = group < 0 ? -1 : H5Gcreate2(group, "series", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  herr_t result = rows < 0 ? -1 : hs_members_put(group, hs_members_transient, &checkpoint->transient);
  if (result >= 0) result = hs_h5_put_integer(rows, "count", series.count);
  for (int k = 0; result >= 0 && k < 7; k++)
    result = column_put(rows, columns.name[k], columns.width[k] * (size_t)series.count, *columns.values[k],
                        columns.units[k]);
  if (rows >= 0 && H5Gclose(rows) < 0) result = -1;
  if (group >= 0 && H5Gclose(group) < 0) result = -1;
  return result;
}

/* With its values, or, where room is not NULL, with room for them. */
static herr_t field_put(hid_t group, const struct hs_job *job, const struct hs_checkpoint *checkpoint,
                        enum hs_field_role role, const double *field_k, struct hs_h5_room *room)
{
  const struct hs_share share = hs_share_of(job->problem);
  const hsize_t dims[2] = {(hsize_t)share.nodes_y, (hsize_t)share.nodes_x};
  const bool cycles = checkpoint->steady.cycles.begun; /* whose fields are in double precision */
  const hid_t type = cycles ? H5T_IEEE_F64LE : hs_h5_grid_type(job->config);
  const char *name = field_name(job, role);
  const hid_t dataset = room ? hs_h5_room_create(group, name, dims, type, "K")
                             : hs_h5_put_dataset(group, name, 2, dims, type, H5T_NATIVE_DOUBLE, field_k, "K");
  const herr_t result = dataset < 0 ? -1 : room ? hs_h5_room_find(dataset, room) : 0;
  return dataset < 0 || H5Dclose(dataset) < 0 ? -1 : result;
}

static bool has_field(const struct hs_checkpoint *checkpoint, enum hs_field_role role)
{
  return role == HS_FIELD_NOW || (role == HS_FIELD_BEFORE ? checkpoint->has_before : checkpoint->has_saved);
}

/* One field after the other, so that memory for one is enough. */
static herr_t fields_put(hid_t file, const struct hs_job *job, const struct hs_checkpoint *checkpoint,
                         struct hs_checkpoint_rooms *rooms, hs_status *status, struct hs_error *err)
{
  const hid_t group = H5Gcreate2(file, "fields", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  herr_t result = group < 0 ? -1 : 0;
  for (int role = HS_FIELD_NOW; result >= 0 && role <= HS_FIELD_SAVED; role++) {
    const double *field_k = NULL;
    if (!has_field(checkpoint, (enum hs_field_role)role)) continue;
    if (!rooms) *status = checkpoint->fields.get(checkpoint->fields.context, (enum hs_field_role)role, &field_k, err);
    if (*status) break;
    result = field_put(group, job, checkpoint, (enum hs_field_role)role, field_k, rooms ? &rooms->of[role] : NULL);
  }
  if (group >= 0 && H5Gclose(group) < 0) result = -1;
  return result;
}

herr_t hs_checkpoint_put(hid_t file, const struct hs_job *job, const char *identity,
                         const struct hs_checkpoint *checkpoint, struct hs_checkpoint_rooms *rooms, hs_status *status,
                         struct hs_error *err)
{
  const bool steady = job->config->time.scheme == HS_SCHEME_STEADY;
  herr_t result = hs_h5_grid_attributes(file, job->config);
  if (result >= 0) result = identity_put(file, identity);
  if (result >= 0)
    result = steady ? steady_put(file, &checkpoint->steady) : transient_put(file, job->problem, checkpoint);
  return result < 0 ? result : fields_put(file, job, checkpoint, rooms, status, err);
}

hs_status hs_checkpoint_fill(int fd, const struct hs_job *job, const struct hs_checkpoint *checkpoint,
                             const struct hs_checkpoint_rooms *rooms, int *failure, struct hs_error *err)
{
  const struct hs_share share = hs_share_of(job->problem);
  hs_status status = HS_OK;
  *failure = 0;
  for (int role = HS_FIELD_NOW; !status && role <= HS_FIELD_SAVED; role++) {
    const double *field_k;
    if (!has_field(checkpoint, (enum hs_field_role)role)) continue;
    status = checkpoint->fields.get(checkpoint->fields.context, (enum hs_field_role)role, &field_k, err);
    status = hs_comm_agree(share.comm, status, err);
    if (!status && !*failure) *failure = hs_fill_field(fd, &rooms->of[role], &share, field_k);
  }
  return status;
}

/* --- in -------------------------------------------------------------------------------------- */

/* A dataset of exactly `count` numbers. */
static bool column_get(const struct hs_h5_file *file, const char *name, size_t count, double *values)
{
  struct hs_h5_dataset dataset;
  bool read;
  if (count == 0) return true;
  if (!hs_h5_dataset_open(file, name, &dataset)) return false;
  read = dataset.numbers == HS_H5_FLOATS && dataset.count == (int64_t)count && hs_h5_dataset_read(&dataset, values);
  hs_h5_dataset_close(&dataset);
  return read;
}

char *hs_checkpoint_get_identity(const struct hs_h5_file *file)
{
  struct hs_h5_dataset dataset;
  char *text = NULL;
  if (!hs_h5_dataset_open(file, "/identity", &dataset)) return NULL;
  if (dataset.numbers == HS_H5_INTEGERS && dataset.rank == 1 && dataset.count > 0 &&
      dataset.count <= IDENTITY_BYTES_MOST)
    text = calloc((size_t)dataset.count + 1, 1);
  if (text && H5Dread(dataset.id, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
    free(text);
    text = NULL;
  }
  hs_h5_dataset_close(&dataset);
  return text;
}

/* Sweeps and steps that a run can count. */
static bool is_count(double number)
{
  return number >= 0.0 && number <= 1e15;
}

static bool history_get(const struct hs_h5_file *file, struct hs_solve_point *point)
{
  const size_t rows = (size_t)point->history_count;
  double *values = malloc((rows * ROW + 1) * sizeof *values);
  struct hs_check *history = calloc(rows + 1, sizeof *history);
  bool read = values && history && column_get(file, "/steady/history", rows * ROW, values);
  for (size_t k = 0; read && k < rows; k++) {
    const double *v = values + k * ROW;
    read = is_count(v[0]);
    if (read) history[k] = (struct hs_check){(int64_t)v[0], {v[1], v[2], v[3], v[4], v[5], v[6]}, v[7], v[8]};
  }
  free(values);
  point->history = history;
  return read;
}

/* An estimate rho below 1, and the rate that follows from it: sweeps to the next look are counted by it. */
static bool chebyshev_is_sound(const struct hs_chebyshev *c)
{
  return c->look_stride >= 1 && c->rho >= 0.0 && c->rho < 1.0 && c->rho_bound >= 0.0 && c->rho_bound <= 1.0 &&
         (c->rho == 0.0 || (c->rate > 1e-10 && c->rate < 1e3));
}

static bool richardson_is_sound(const struct hs_cycles_point *c, const struct hs_job *job)
{
  return c->told >= 0 && c->told < INT_MAX && c->corrections_richardson >= 0 &&
         c->corrections_richardson <= c->corrections &&
         (!c->richardson || (isfinite(c->length) && isfinite(c->length_before) && !c->has_direction &&
                             c->lanczos == 0 && !job->system->singular));
}

/* Of a run that makes cycles, or of none. */
static bool cycles_are_sound(const struct hs_cycles_point *c, const struct hs_job *job)
{
  return c->begun == job->options.multigrid && c->lanczos >= 0 && c->lanczos <= HS_CYCLES_LANCZOS &&
         c->ratio_count >= 0 && c->flat >= 0 && c->astray >= 0 && c->steps >= 0 && c->corrections >= 0 &&
         richardson_is_sound(c, job) && (!c->begun || (c->scale > 0.0 && isfinite(c->scale)));
}

/* Counts that index arrays are looked at, although the checksum fits. */
static bool steady_is_sound(const struct hs_solve_point *p)
{
  const struct hs_chebyshev *c = &p->chebyshev;
  return p->stop.sweeps >= 0 && p->stride >= 1 && p->history_count >= 0 && p->history_count <= 1 << 20 &&
         c->look_count >= 0 && c->look_count <= HS_CHEBYSHEV_LOOKS && c->window_count >= 0 &&
         c->window_count <= HS_CHEBYSHEV_WINDOWS && (!c->begun || chebyshev_is_sound(c)) &&
         (p->stop.verdict == HS_VERDICT_RUNNING || p->stop.verdict == HS_VERDICT_CONVERGED);
}

static bool steady_get(const struct hs_h5_file *file, const struct hs_job *job, struct hs_checkpoint *checkpoint)
{
  struct hs_solve_point *point = &checkpoint->steady;
  const hid_t group = hs_h5_group_open(file, "steady");
  bool read = group >= 0 && hs_members_get(group, hs_members_steady, point);
  if (group >= 0) (void)H5Gclose(group);
  read = read && steady_is_sound(point) && cycles_are_sound(&point->cycles, job) &&
         (!point->cycles.begun || point->has_saved);
  checkpoint->has_before = point->has_before;
  checkpoint->has_saved = point->has_saved;
  return read && history_get(file, point);
}

static bool series_get(const struct hs_h5_file *file, int count, const struct hs_problem *problem,
                       struct hs_series *series)
{
  const struct columns columns = columns_of(series, problem);
  struct hs_error err;
  struct hs_h5_dataset times;
  bool read = count == 0;
  if (hs_h5_dataset_open(file, "/transient/series/time_s", &times)) read = times.count == count;
  hs_h5_dataset_close(&times);
  read = read && hs_series_create(series, problem, count, &err) == HS_OK;
  for (int k = 0; read && k < 7; k++) {
    char name[64];
    snprintf(name, sizeof name, "/transient/series/%s", columns.name[k]);
    read = column_get(file, name, columns.width[k] * (size_t)count, *columns.values[k]);
  }
  return read;
}

/* Times lie within the run, and what steps are counted and planned from them can be. */
static bool transient_is_sound(const struct hs_transient_point *p, const struct hs_config *config)
{
  const double start_s = config->time.start_s, end_s = config->time.end_s * (1.0 + 1e-9);
  return p->time_s >= start_s && p->time_s <= end_s && p->event_s >= start_s && p->event_s <= end_s &&
         p->planned_s > 0.0 && isfinite(p->planned_s) && p->event_steps >= 0 && p->so_far.steps >= 0 &&
         p->so_far.sweeps >= 0;
}

static bool transient_get(const struct hs_h5_file *file, const struct hs_problem *problem,
                          struct hs_checkpoint *checkpoint)
{
  const hid_t group = hs_h5_group_open(file, "transient");
  const hid_t rows = group < 0 ? -1 : hs_h5_group_open(file, "transient/series");
  const bool read = rows >= 0 && hs_members_get(group, hs_members_transient, &checkpoint->transient);
  const double count = rows < 0 ? NAN : hs_h5_number(rows, "count");
  checkpoint->has_before = checkpoint->transient.has_change;
  if (rows >= 0) (void)H5Gclose(rows);
  if (group >= 0) (void)H5Gclose(group);
  return read && transient_is_sound(&checkpoint->transient, problem->config) && count >= 0.0 &&
         count <= 2.0 * HS_SNAPSHOTS_MOST && series_get(file, (int)count, problem, &checkpoint->series);
}

bool hs_checkpoint_get(const struct hs_h5_file *file, const struct hs_job *job, struct hs_checkpoint *checkpoint)
{
  const bool steady = job->config->time.scheme == HS_SCHEME_STEADY;
  memset(checkpoint, 0, sizeof *checkpoint);
  return steady ? steady_get(file, job, checkpoint) : transient_get(file, job->problem, checkpoint);
}

bool hs_checkpoint_get_field(const struct hs_h5_file *file, const struct hs_job *job, enum hs_field_role role,
                             double *field_k)
{
  const struct hs_share share = hs_share_of(job->problem);
  struct hs_h5_dataset dataset;
  char name[32];
  bool read;
  snprintf(name, sizeof name, "/fields/%s", field_name(job, role));
  if (!hs_h5_dataset_open(file, name, &dataset)) return false;
  read = dataset.numbers == HS_H5_FLOATS && dataset.rank == 2 && dataset.extent[0] == (uint64_t)share.nodes_y &&
         dataset.extent[1] == (uint64_t)share.nodes_x && hs_part_read(&dataset, job->problem, field_k);
  hs_h5_dataset_close(&dataset);
  return read;
}
