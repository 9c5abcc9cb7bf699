/* heatsolve check: reads a configuration and says what a run would do, without running; draws the problem. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/answers.h"
#include "base/memory.h"
#include "base/shown.h"
#include "cli/check_plan.h"
#include "cli/cli.h"
#include "io/file.h"
#include "output/describe.h"
#include "output/names.h"
#include "output/output.h"
#include "output/picture/drawing/drawing.h"
#include "output/report/answers_csv.h"
#include "output/report/report.h"
#include "problem/cells/materials.h"
#include "problem/cells/source.h"
#include "run/job.h"

/* Parts of a list that are printed; the rest is counted. */
enum { LIST_LINES = 40 };

/* The label of line k of a list. */
static const char *label(const char *name, int k)
{
  return k == 0 ? name : "";
}

static void print_rest(int count)
{
  if (count > LIST_LINES) printf("%-14s and %d more\n", "", count - LIST_LINES);
}

/* Seconds as people say them. */
static void print_duration(double seconds)
{
  if (seconds < 1e-3)
    printf("%.0f us", seconds * 1e6);
  else if (seconds < 1.0)
    printf("%.0f ms", seconds * 1e3);
  else if (seconds < 120.0)
    printf("%.1f s", seconds);
  else if (seconds < 7200.0)
    printf("%.0f min", seconds / 60.0);
  else
    printf("%.1f h", seconds / 3600.0);
}

static void print_grid(const struct hs_config *config, const struct hs_job *job)
{
  const double nodes = (double)config->grid.nx * config->grid.ny;
  const bool vertex = config->grid.layout == HS_LAYOUT_VERTEX;
  printf("configuration  %s\n", hs_shown(config->path).text);
  printf("grid           %d x %d nodes, %.6g m x %.6g m, spacing %.6g m x %.6g m\n", config->grid.nx, config->grid.ny,
         config->grid.lx_m, config->grid.ly_m, config->grid.dx_m, config->grid.dy_m);
  printf("layout         %s: nodes %s\n", hs_layout_name(config->grid.layout),
         vertex                                         ? "on the corners of cells, the outermost on the walls"
         : config->grid.face_mean == HS_FACE_ARITHMETIC ? "in the middle of cells, arithmetic mean of conductivities"
                                                        : "in the middle of cells, harmonic mean of conductivities");
  printf("nodes          %.0f, of which %lld free; ", nodes, (long long)job->system->free_nodes);
  if (job->system->index)
    printf("%d distinct stencils, %d source%s\n", job->system->table_size, config->source_count,
           config->source_count == 1 ? "" : "s");
  else
    printf("a stencil for every node, %d source%s\n", config->source_count, config->source_count == 1 ? "" : "s");
}

/* Cells of each material, owned by the caller. */
static hs_status count_cells(const struct hs_problem *problem, int64_t **count, struct hs_error *err)
{
  const size_t cells = (size_t)problem->cells_x * (size_t)problem->cells_y;
  int64_t *of_class = NULL;
  hs_status status = hs_array_create((void **)count, (size_t)problem->material_count, sizeof **count, "a list", err);
  if (!status)
    status = hs_array_create((void **)&of_class, (size_t)problem->class_count, sizeof *of_class, "a list", err);
  if (status) return status;
  for (size_t n = 0; n < cells; n++) of_class[problem->cell[n]]++;
  for (int k = 0; k < problem->class_count; k++) (*count)[problem->classes[k].material] += of_class[k];
  free(of_class);
  return HS_OK;
}

static hs_status print_materials(const struct hs_problem *problem, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  const double cells = (double)problem->cells_x * problem->cells_y;
  int64_t *count = NULL;
  const hs_status status = count_cells(problem, &count, err);
  for (int k = 0; !status && k < problem->material_count && k < LIST_LINES; k++) {
    const struct hs_material *m = &problem->materials[k];
    printf("%-14s %s, %.4g %% of the area: conductivity %.6g", label("materials", k), hs_material_title(problem, k),
           100.0 * (double)count[k] / cells, m->conductivity_x_w_mk);
    if (m->conductivity_y_w_mk != m->conductivity_x_w_mk) printf(" in x, %.6g in y", m->conductivity_y_w_mk);
    printf(" W/(m K)");
    if (isfinite(m->density_kg_m3)) printf(", density %.6g kg/m3", m->density_kg_m3);
    if (isfinite(m->capacity_j_m3k)) printf(", heat capacity %.6g J/(m3 K)", m->capacity_j_m3k);
    printf("\n");
  }
  print_rest(problem->material_count);
  free(count);
  if (problem->conductivity_map)
    printf("conductivity   of each cell from %s, in place of the materials'\n", config->map.conductivity);
  return status;
}

static void print_walls(const struct hs_problem *problem)
{
  for (int k = 0; k < problem->segment_count && k < LIST_LINES; k++) {
    const struct hs_segment *segment = &problem->segments[k];
    const char *side = hs_side_name(segment->side);
    char does[240];
    hs_segment_describe(problem, segment, does, sizeof does);
    printf("%-14s %-5s %.6g to %.6g m: %s", label("walls", k), side, segment->from_m, segment->to_m, does);
    if (strcmp(segment->name, side)) printf(" (%s)", segment->name);
    printf("\n");
  }
  print_rest(problem->segment_count);
}

static void print_held(const struct hs_problem *problem)
{
  char text[240];
  int line = 0;
  for (int k = 0; k < problem->config->region_count; k++) {
    const struct hs_config_region *region = &problem->config->regions[k];
    if (!region->temperature.text) continue;
    if (line < LIST_LINES)
      printf("%-14s %s (%s%s): temperature %s\n", label("held shapes", line), region->name,
             hs_shape_name(region->shape.kind), hs_shape_part_note(&region->shape),
             hs_value_describe(&region->temperature, hs_temperature_unit(problem->config), text, sizeof text));
    line++;
  }
  print_rest(line);
}

static double source_map_power(const struct hs_problem *problem)
{
  const size_t cells = (size_t)problem->cells_x * (size_t)problem->cells_y;
  double sum_w_m3 = 0.0;
  for (size_t n = 0; n < cells; n++) sum_w_m3 += problem->source_map[n];
  return sum_w_m3 * (problem->dx_m * problem->dy_m);
}

static hs_status print_sources(const struct hs_problem *problem, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  double power_w_m = 0.0;
  hs_status status = HS_OK;
  for (int k = 0; !status && k < config->source_count && k < LIST_LINES; k++) {
    const struct hs_config_source *source = &config->sources[k];
    status = hs_source_power(problem, k, &power_w_m, err);
    if (status) break;
    printf("%-14s %s (%s%s): %.6g W/m in all", label("sources", k), source->name, hs_shape_name(source->shape.kind),
           hs_shape_part_note(&source->shape), power_w_m);
    if (isfinite(source->density_w_m3)) printf(", %.6g W/m3", source->density_w_m3);
    printf("%s\n", source->replaces ? ", in place of earlier sources" : "");
  }
  print_rest(config->source_count);
  if (!status && problem->source_map)
    printf("source map     %s: %.6g W/m in all\n", config->map.source, source_map_power(problem));
  return status;
}

static void print_losses(const struct hs_problem *problem)
{
  const struct hs_config *config = problem->config;
  for (int k = 0; k < config->loss_count && k < LIST_LINES; k++) {
    const struct hs_config_loss *loss = &config->losses[k];
    printf("%-14s %s (%s%s): h %.6g W/(m2 K) to %.6g %s, plate %.6g m thick\n", label("losses", k), loss->name,
           hs_shape_name(loss->shape.kind), hs_shape_part_note(&loss->shape), loss->h_w_m2k, loss->ambient_k,
           hs_temperature_unit(config), loss->thickness_m);
  }
  print_rest(config->loss_count);
}

/* Steps to the end; snapshots cut some of them. */
static void print_transient(const struct hs_config *config, const struct hs_job *job)
{
  const struct hs_system *system = job->system;
  const bool explicit_scheme = config->time.scheme == HS_SCHEME_EXPLICIT, given = isfinite(config->time.step_s);
  const double step_s = given ? config->time.step_s : system->stable_step_s;
  int snapshots = config->time.snapshot_count;
  printf("time scheme    %s, ", hs_scheme_name(config->time.scheme));
  if (config->time.start_s > 0.0) printf("from %.6g s ", config->time.start_s);
  printf("to %.6g s", config->time.end_s);
  if (config->time.adaptive)
    printf(", first step %.6g s, then chosen for an error of %g K a step", step_s, config->time.step_tolerance_k);
  else
    printf(", about %.0f step%s of %.6g s%s", hs_job_steps(job), hs_job_steps(job) < 1.5 ? "" : "s", step_s,
           given ? "" : ", the largest stable one");
  if (hs_config_damped(config)) printf(", damped until t = %.6g s", hs_config_damped_until_s(config));
  printf("\n");
  if (explicit_scheme)
    printf("stable step    %.6g s at most\n", system->stable_step_s);
  else if (job->options.multigrid)
    printf("inner cycles   each step is solved to %g K\n", config->time.inner_tolerance_k);
  else
    printf("inner sweeps   each step is solved to %g K; a sweep shrinks its error to %.6g of it or less\n",
           config->time.inner_tolerance_k, system->contraction);
  if (!hs_output_snapshots_wanted(config)) {
    printf("snapshots      none\n");
    return;
  }
  printf("snapshots      at the start, ");
  if (snapshots > 0) printf("at %d times, ", snapshots);
  if (isfinite(config->time.snapshot_every_s)) printf("every %.6g s, ", config->time.snapshot_every_s);
  printf("and at the end\n");
}

static void print_method(const struct hs_config *config, const struct hs_job *job)
{
  const enum hs_method method = job->settings.method;
  if (config->time.scheme == HS_SCHEME_EXPLICIT) {
    if (config->solver.method != HS_METHOD_JACOBI && config->solver.method != HS_METHOD_AUTO)
      printf("method         %s is not used: explicit steps have no system to solve\n", hs_method_name(method));
    return;
  }
  printf("method         %s", hs_method_name(method));
  if (method == HS_METHOD_WEIGHTED) printf(" with weight %g", config->solver.weight);
  printf(", %s precision", hs_precision_name(config->solver.precision));
  if (config->solver.method == HS_METHOD_AUTO) printf(" (%s)", job->method_reason);
  printf("\n");
}

/* When the test is looked at, and where a run stops then. */
static void print_looks(const struct hs_config *config, const struct hs_job *job)
{
  const bool exact =
      job->settings.method != HS_METHOD_CHEBYSHEV && hs_solve_stop_is_exact(job->system, job->settings.quantity);
  const long long most = (long long)config->solver.max_iterations;
  if (job->options.multigrid) {
    printf(", evaluated after every cycle; at most %lld cycles\n", most);
    return;
  }
  printf(", evaluated every %d sweeps; at most %lld sweeps\n", job->settings.check_every, most);
  if (exact)
    printf("stop sweep     the first sweep at which the test holds (this norm falls monotonically)\n");
  else
    printf("stop sweep     the first multiple of %d sweeps at which the test holds\n", job->settings.check_every);
}

static void print_test(const struct hs_config *config, const struct hs_job *job)
{
  printf("stop test      %s <= %g%s", hs_criterion_name(config->solver.criterion), config->solver.tolerance,
         config->solver.criterion == HS_CRITERION_RESIDUAL ? "" : " K");
  print_looks(config, job);
  if (config->solver.balance_tolerance < 1.0)
    printf("balance        the heat that enters and leaves must agree to %g of it, too\n",
           config->solver.balance_tolerance);
  if (job->system->singular)
    printf("mean           no wall, shape or loss fixes a temperature: the mean of the initial field is kept\n");
}

static void print_sweeps(const struct hs_config *config, const struct hs_job *job)
{
  const struct hs_forecast *forecast = &job->forecast;
  const bool steady = config->time.scheme == HS_SCHEME_STEADY;
  const double limit = (double)config->solver.max_iterations;
  if (job->options.multigrid) {
    printf("cycles         roughly %.0f, a guess%s", forecast->sweeps, steady ? "" : " for all steps");
    if (forecast->rough) printf(", since conductivities jump from cell to cell, which takes more of them");
    if (steady && forecast->sweeps > limit) printf(": more than max_iterations");
    printf("\n");
    return;
  }
  if (forecast->known && forecast->spectral_radius > 0.0 && forecast->spectral_radius < 1.0)
    printf("convergence    spectral radius %.9f, error falls by a factor 10 every %.4g sweeps\n",
           forecast->spectral_radius, log(0.1) / log(forecast->spectral_radius));
  if (!forecast->known)
    printf("sweeps         roughly %.0f, a guess: this system has no forecast%s", forecast->sweeps,
           steady && config->material_count > 1 ? ", and materials of very different conductivity take far longer"
                                                : "");
  else
    printf("sweeps         about %.0f expected%s", forecast->sweeps, steady ? "" : " in all steps");
  if (steady && forecast->sweeps > limit) printf(": more than max_iterations, the run would end with exit code 3");
  printf("\n");
}

static void print_memory(const struct hs_config *config, const struct hs_job *job)
{
  const double device = job->backend->cost(job->system, &job->options).device_bytes;
  double more_host, more_device;
  hs_job_estimate_bytes(job, &more_host, &more_device);
  printf("memory         %.3g MB on the host",
         1e-6 * hs_job_host_bytes(config, job->backend, job->system, &job->options));
  if (device > 0.0) printf(", %.3g MB on the device", 1e-6 * device);
  if (more_host + more_device > 0.0)
    printf("; %.3g MB more, if free, to find the error by cycles", 1e-6 * (more_host + more_device));
  printf("\n");
}

static void print_forecast(const struct hs_config *config, const struct hs_job *job)
{
  const struct hs_backend_cost cost = job->backend->cost(job->system, &job->options);
  const bool cycles = job->options.multigrid;
  printf("backend        %s (%s)\n", job->backend->name, job->reason);
  print_memory(config, job);
  print_sweeps(config, job);
  printf("time           %s ", job->forecast.known ? "about" : "roughly");
  print_duration(hs_job_expected_s(job));
  printf(" (%.3g us per %s; %s)\n", 1e6 * (cycles ? cost.cycle_s : cost.sweep_s), cycles ? "cycle" : "sweep",
         hs_job_costs_from(job, job->backend).text);
}

static void print_output(const struct hs_config *config)
{
  const unsigned wanted = hs_output_files_wanted(config);
  const int tables = hs_answers_csv_count(config, config->time.scheme != HS_SCHEME_STEADY);
  printf("output         %s:", config->output.directory);
  for (int which = 0; which < HS_FILE_COUNT; which++) {
    if (!(wanted & 1u << which)) continue;
    if (which != HS_FILE_CSV) printf(" %s", hs_output_file_name((enum hs_output_file)which));
    for (int k = 0; which == HS_FILE_CSV && k < tables; k++) {
      char *name = hs_answers_csv_name(config, k, NULL);
      printf(" %s", name ? name : "");
      free(name);
    }
  }
  printf("\n");
}

/* What the grid makes of the shapes: warnings, and for information the rest. */
static hs_status print_remarks(const struct hs_problem *problem, bool quiet, struct hs_error *err)
{
  struct hs_remarks remarks = {0};
  const hs_status status = hs_problem_remarks(problem, &remarks, err);
  int line = 0;
  if (status) return status;
  for (int k = 0; k < remarks.count && !quiet; k++) {
    if (remarks.warning[k]) continue;
    if (line < LIST_LINES) printf("%-14s %s\n", label("remarks", line), remarks.text[k]);
    line++;
  }
  print_rest(line);
  for (int k = 0; k < remarks.count; k++)
    if (remarks.warning[k]) hs_cli_warn(remarks.text[k]);
  hs_remarks_clear(&remarks);
  return HS_OK;
}

static hs_status print_problem(const struct hs_config *config, const struct hs_job *job, struct hs_error *err)
{
  hs_status status;
  print_grid(config, job);
  status = print_materials(job->problem, err);
  if (status) return status;
  print_walls(job->problem);
  print_held(job->problem);
  status = print_sources(job->problem, err);
  if (status) return status;
  print_losses(job->problem);
  if (config->time.scheme != HS_SCHEME_STEADY) print_transient(config, job);
  print_method(config, job);
  if (config->time.scheme == HS_SCHEME_STEADY) print_test(config, job);
  print_forecast(config, job);
  print_output(config);
  return HS_OK;
}

static hs_status draw(const struct hs_config *config, const struct hs_job *job, bool quiet, struct hs_error *err)
{
  hs_status status = hs_output_prepare(config->output.directory, err);
  for (int format = 0; !status && format < HS_PICTURE_FORMATS; format++) {
    char *path;
    if (!(config->output.pictures & 1 << format)) continue;
    path = hs_file_join(config->output.directory, hs_output_drawing_name((enum hs_picture_format)format), err);
    status = path ? hs_drawing_write(job->problem, path, err) : HS_ERR_MEMORY;
    if (!status && !quiet) printf("%-14s %s\n", "drawing", path);
    free(path);
  }
  return status;
}

hs_status hs_cli_check(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct hs_config *config = NULL;
  struct hs_job job = {0};
  hs_status status =
      hs_config_read(cli->files[0], (const char *const *)cli->overrides, cli->override_count, &config, err);
  if (!status) status = hs_output_config_check(config, err);
  *exit_code = HS_EXIT_OK;
  if (!status && hs_check_plan_wanted(cli)) {
    status = hs_check_plan(cli, config, err);
    hs_config_destroy(config);
    return status;
  }
  if (!status) status = hs_job_prepare(config, NULL, &job, err);
  if (!status) hs_output_config_remarks(config, &job.warnings);
  hs_cli_warn_from(&job.warnings, 0);
  if (!status) status = hs_answers_check(job.problem, err);
  if (!status && !cli->quiet) status = print_problem(config, &job, err);
  if (!status) status = print_remarks(job.problem, cli->quiet, err);
  if (!status) status = draw(config, &job, cli->quiet, err);
  hs_job_clear(&job);
  hs_config_destroy(config);
  return status;
}
