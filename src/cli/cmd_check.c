/* heatsolve check: reads a configuration and says what a run would do, without running. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "output/output.h"
#include "solve/job.h"

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

static void print_problem(const struct hs_config *config, const struct hs_job *job)
{
  const double nodes = (double)config->grid.nx * config->grid.ny;
  printf("configuration  %s\n", config->path);
  printf("grid           %d x %d nodes, %.6g m x %.6g m, spacing %.6g m x %.6g m\n", config->grid.nx, config->grid.ny,
         config->grid.lx_m, config->grid.ly_m, config->grid.dx_m, config->grid.dy_m);
  printf("nodes          %.0f, of which %lld free; %d distinct stencils, %d source%s\n", nodes,
         (long long)job->system->free_nodes, job->system->palette_size, config->source_count,
         config->source_count == 1 ? "" : "s");
}

static void print_test(const struct hs_config *config, const struct hs_job *job)
{
  const bool exact = hs_solve_stop_is_exact(job->system, job->settings.quantity);
  printf("method         %s, %s precision\n", hs_method_name(config->solver.method),
         hs_precision_name(config->solver.precision));
  printf("stop test      %s <= %g%s, evaluated every %d sweeps; at most %lld sweeps\n",
         hs_criterion_name(config->solver.criterion), config->solver.tolerance,
         config->solver.criterion == HS_CRITERION_RESIDUAL ? "" : " K", config->solver.check_every,
         (long long)config->solver.max_iterations);
  if (exact)
    printf("stop sweep     the first sweep at which the test holds (this norm falls monotonically)\n");
  else
    printf("stop sweep     the first multiple of %d sweeps at which the test holds\n", config->solver.check_every);
}

static void print_forecast(const struct hs_config *config, const struct hs_job *job)
{
  const struct hs_forecast *forecast = &job->forecast;
  const double limit = (double)config->solver.max_iterations;
  const double sweeps = fmin(forecast->sweeps, limit);
  const struct hs_backend_cost cost = job->backend->cost(job->system, &job->options);
  printf("backend        %s (%s)\n", job->backend->name, job->reason);
  printf("memory         %.3g MB on the host",
         1e-6 * hs_job_host_bytes(config, job->backend, job->system, &job->options));
  if (cost.device_bytes > 0.0) printf(", %.3g MB on the device", 1e-6 * cost.device_bytes);
  printf("\n");
  if (forecast->known) {
    const double decade = forecast->spectral_radius > 0.0 ? log(0.1) / log(forecast->spectral_radius) : 1.0;
    printf("convergence    spectral radius %.9f, error falls by a factor 10 every %.4g sweeps\n",
           forecast->spectral_radius, decade);
    printf("sweeps         about %.0f expected%s\n", forecast->sweeps,
           forecast->sweeps > limit ? ": more than max_iterations, the run would end with exit code 3" : "");
  } else {
    printf("sweeps         no forecast for this system; at most %.0f\n", limit);
  }
  printf("time           about ");
  print_duration(cost.setup_s + sweeps * cost.sweep_s);
  printf(" (%.3g us per sweep)\n", 1e6 * cost.sweep_s);
}

static void print_output(const struct hs_config *config)
{
  const struct {
    bool wanted;
    const char *name;
  } files[] = {{config->output.field, "field.h5"},
               {config->output.xdmf, "field.xdmf"},
               {config->output.picture, "temperature.png"},
               {config->output.convergence, "convergence.png"},
               {config->output.report, "report.json"}};
  printf("output         %s:", config->output.directory);
  for (size_t k = 0; k < sizeof files / sizeof *files; k++)
    if (files[k].wanted) printf(" %s", files[k].name);
  printf("\n");
}

hs_status hs_cli_check(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct hs_config *config = NULL;
  struct hs_job job = {0};
  hs_status status =
      hs_config_read(cli->files[0], (const char *const *)cli->overrides, cli->override_count, &config, err);
  if (!status) status = hs_output_config_check(config, err);
  if (!status) status = hs_job_prepare(config, &job, err);
  if (!status && !cli->quiet) {
    print_problem(config, &job);
    print_test(config, &job);
    print_forecast(config, &job);
    print_output(config);
  }
  *exit_code = HS_EXIT_OK;
  hs_job_clear(&job);
  hs_config_destroy(config);
  return status;
}
