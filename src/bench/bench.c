/* The loop over the cases of a benchmark; rate.c measures one. */
#include "bench/bench.h"
#include "backend/distributed/distributed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cost/tuning.h"
#include "base/shown.h"
#include "base/timer.h"

hs_status hs_bench_place(const struct hs_backend *backend, const struct hs_backend_options *options, bool *on_device,
                         struct hs_error *why)
{
  const struct hs_rate_problem smallest = {.nx = 3, .ny = 3};
  struct hs_backend_state *state = NULL;
  struct hs_backend_place place = {.threads = 1};
  struct hs_system *system = NULL;
  hs_status status = backend->probe(NULL, options, why);
  *on_device = false;
  if (!status) status = hs_rate_system(&smallest, &system, why);
  if (!status) status = backend->create(system, options, &state, why);
  if (!status) {
    backend->place(state, &place);
    backend->destroy(state);
  }
  *on_device = place.threads == 0;
  hs_system_destroy(system);
  return status;
}

void hs_bench_begin(struct hs_bench *bench, const struct hs_bench_cases *cases)
{
  const struct hs_backend_options options = {.threads_most = cases->threads, .threads_stay = true};
  bool wanted[2] = {false, false};
  memset(bench, 0, sizeof *bench);
  bench->cases = cases;
  bench->threads = hs_backend_threads_available(cases->threads);
  hs_tuning_machine(bench->machine, sizeof bench->machine);
  hs_time_utc(bench->date_utc, sizeof bench->date_utc);
  for (int k = 0; k < cases->backend_count; k++) {
    struct hs_error ignored = {0};
    if (!hs_bench_place(cases->backend[k], &options, &bench->on_device[k], &ignored))
      wanted[bench->on_device[k]] = true;
  }
  for (int device = 0; device < 2; device++) {
    struct hs_error ignored = {0};
    bench->copy_bytes_per_s[device] = NAN;
    if (wanted[device] &&
        hs_rate_copy(device, &options, cases->settings.seconds, &bench->copy_bytes_per_s[device], &ignored))
      bench->copy_bytes_per_s[device] = NAN;
  }
}

static hs_status row_add(struct hs_bench *bench, const struct hs_bench_row *row, struct hs_error *err)
{
  if (bench->count == bench->capacity) {
    const int capacity = bench->capacity ? 2 * bench->capacity : 64;
    struct hs_bench_row *grown = realloc(bench->row, (size_t)capacity * sizeof *grown);
    if (!grown) return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for a table of %d rows", capacity);
    bench->row = grown;
    bench->capacity = capacity;
  }
  bench->row[bench->count++] = *row;
  bench->measured += row->status == HS_OK;
  return HS_OK;
}

/* The backend of a row, distributed over the first GPUs where several are asked for. */
static const struct hs_backend *backend_of(const struct hs_bench *bench, const struct hs_bench_row *row,
                                           struct hs_backend_options *options)
{
  const struct hs_backend *several = hs_distributed_of(row->backend);
  if (bench->cases->gpus < 2 || !row->on_device || !several) return row->backend;
  options->spread.device_count = bench->cases->gpus;
  for (int k = 0; k < bench->cases->gpus; k++) options->spread.devices[k] = k;
  return several;
}

/* Measures one case, unless the problem itself could not be made (unmade), and tells the observer. */
static hs_status case_run(struct hs_bench *bench, const struct hs_system *system, struct hs_bench_row *row,
                          const struct hs_error *unmade, const struct hs_bench_observer *observer, struct hs_error *err)
{
  struct hs_backend_options options = {
      .single = row->single, .threads_most = bench->cases->threads, .threads_stay = true};
  const struct hs_backend *backend = backend_of(bench, row, &options);
  struct hs_rate_settings settings = bench->cases->settings;
  struct hs_error why = {0};
  hs_status status;
  settings.mode = row->mode;
  row->status =
      system ? hs_rate_measure(&row->problem, system, backend, &options, &settings, &row->rate, &why) : unmade->status;
  hs_text_show(row->status == HS_OK ? "" : system ? why.text : unmade->text, row->why, sizeof row->why);
  row->bytes_per_s = row->copy_share = NAN;
  if (row->status == HS_OK) {
    row->bytes_per_s = row->rate.nodes_per_s * hs_rate_bytes_per_node(row->problem.form, row->single);
    row->copy_share = row->bytes_per_s / bench->copy_bytes_per_s[row->on_device];
  }
  row->problem.drawn = NULL;
  status = row_add(bench, row, err);
  if (!status && observer->row) observer->row(observer->context, bench, row);
  return status;
}

static bool is_stopped(const struct hs_bench_observer *observer)
{
  return observer->stop && *observer->stop;
}

/* All precisions, backends and modes of one problem. */
static hs_status problem_run(struct hs_bench *bench, const struct hs_rate_problem *problem,
                             const struct hs_system *system, const struct hs_error *unmade,
                             const struct hs_bench_observer *observer, struct hs_error *err)
{
  const struct hs_bench_cases *cases = bench->cases;
  hs_status status = HS_OK;
  for (int single = 0; single < 2; single++)
    for (int b = 0; b < cases->backend_count; b++)
      for (int mode = 0; mode < HS_RATE_MODES; mode++) {
        struct hs_bench_row row = {.problem = *problem,
                                   .backend = cases->backend[b],
                                   .mode = (enum hs_rate_mode)mode,
                                   .single = single,
                                   .on_device = bench->on_device[b]};
        if (!cases->precision[single] || !cases->mode[mode]) continue;
        if (status || is_stopped(observer)) return status;
        status = case_run(bench, system, &row, unmade, observer, err);
      }
  return status;
}

/* All forms of one size and pattern; the system is made once. */
static hs_status pattern_run(struct hs_bench *bench, struct hs_rate_problem *problem,
                             const struct hs_bench_observer *observer, struct hs_error *err)
{
  const bool of_file = problem->pattern == HS_RATE_FILE;
  struct hs_config *config = NULL;
  struct hs_problem *drawn = NULL;
  struct hs_system *system = NULL;
  struct hs_error unmade = {0};
  hs_status status = HS_OK;
  if (of_file)
    (void)hs_bench_draw(&bench->cases->file, (struct hs_bench_size){problem->nx, problem->ny}, &config, &drawn,
                        &unmade);
  problem->drawn = drawn;
  if (drawn || !of_file) (void)hs_rate_system(problem, &system, &unmade);
  for (int form = 0; !status && form < HS_RATE_FORMS && !is_stopped(observer); form++) {
    if (!bench->cases->form[form]) continue;
    problem->form = (enum hs_rate_form)form;
    if (system && !drawn) hs_rate_system_form(problem->form, system);
    status = problem_run(bench, problem, system, &unmade, observer, err);
  }
  hs_system_destroy(system);
  hs_problem_destroy(drawn);
  hs_config_destroy(config);
  return status;
}

hs_status hs_bench_run(struct hs_bench *bench, const struct hs_bench_observer *observer, struct hs_error *err)
{
  const struct hs_bench_cases *cases = bench->cases;
  hs_status status = HS_OK;
  hs_backend_threads_use(cases->threads);
  for (int s = 0; s < cases->size_count; s++)
    for (int pattern = 0; pattern <= HS_RATE_PATTERNS; pattern++) {
      const bool wanted =
          cases->file.config ? pattern == HS_RATE_FILE : pattern < HS_RATE_PATTERNS && cases->pattern[pattern];
      struct hs_rate_problem problem = {.nx = cases->size[s].nx,
                                        .ny = cases->size[s].ny,
                                        .pattern = (enum hs_rate_pattern)pattern,
                                        .source = cases->source,
                                        .convection = cases->convection};
      if (!wanted) continue;
      if (status || is_stopped(observer)) return status;
      status = pattern_run(bench, &problem, observer, err);
    }
  return status;
}

void hs_bench_clear(struct hs_bench *bench)
{
  free(bench->row);
  bench->row = NULL;
  bench->count = bench->measured = bench->capacity = 0;
}
