/* The report for people: what was computed. Warnings are in warnings.c, tables in tables.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "base/version.h"
#include "output/describe.h"
#include "output/report/answers_csv.h"
#include "output/report/report.h"
#include "problem/walls.h"

static void print_row(FILE *out, const char *label, const char *text)
{
  fprintf(out, "  %-22s %s\n", label, text);
}

static void print_number(FILE *out, const char *label, double value, const char *unit)
{
  if (isfinite(value))
    fprintf(out, "  %-22s %.6g%s%s\n", label, value, unit[0] ? " " : "", unit);
  else
    print_row(out, label, isnan(value) ? "not known" : "infinite");
}

static const char *tolerance_unit(enum hs_criterion criterion)
{
  return criterion == HS_CRITERION_RESIDUAL ? "" : " K";
}

static const char *verdict_text(enum hs_verdict verdict)
{
  switch (verdict) {
  case HS_VERDICT_CONVERGED: return "converged";
  case HS_VERDICT_COMPLETED: return "completed";
  case HS_VERDICT_LIMIT: return "NOT converged: iteration limit reached";
  case HS_VERDICT_STAGNATED: return "NOT converged: stagnated by rounding";
  case HS_VERDICT_DIVERGED: return "DIVERGED";
  default: return "interrupted";
  }
}

static const char *plural(int64_t count)
{
  return count == 1 ? "" : "s";
}

/* "sweep" or "cycle" */
static const char *unit_of(const struct hs_result *result)
{
  return hs_result_makes_cycles(result) ? "cycle" : "sweep";
}

/* How the stop test was looked at: at every cycle, or at some sweeps. */
static void print_looks(FILE *out, const struct hs_result *result)
{
  if (result->outcome.verdict != HS_VERDICT_CONVERGED)
    fprintf(out, "not met\n");
  else if (result->config->solver.criterion == HS_CRITERION_RESIDUAL &&
           result->outcome.residual_relative > result->config->solver.tolerance)
    fprintf(out, "not met, for the start was solved already\n");
  else if (hs_result_makes_cycles(result))
    fprintf(out, "found by a cycle from the field itself\n");
  else if (result->outcome.exact_stop)
    fprintf(out, "first met at this sweep\n");
  else
    fprintf(out, "looked at every %d sweeps\n", result->check_every);
}

static void print_steady_stop(FILE *out, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  const struct hs_config *config = result->config;
  const bool cycles = hs_result_makes_cycles(result);
  fprintf(out, "  %-22s %s after %lld %s%s", "status", verdict_text(outcome->verdict), (long long)outcome->sweeps,
          unit_of(result), plural(outcome->sweeps));
  if (cycles && outcome->work_sweeps > 0.0)
    fprintf(out, ", the work of %.0f sweeps", outcome->work_sweeps);
  else if (!cycles && outcome->sweeps > 0)
    fprintf(out, " (zero-based stop index %lld)", (long long)outcome->sweeps - 1);
  fprintf(out, "\n  %-22s %s <= %g%s, ", "stop test", hs_criterion_name(config->solver.criterion),
          config->solver.tolerance, tolerance_unit(config->solver.criterion));
  print_looks(out, result);
  if (outcome->unbalanced_at > 0)
    fprintf(out, "  %-22s the test alone held at %s %lld, with heat in and out more than %.2g %% apart\n", "",
            unit_of(result), (long long)outcome->unbalanced_at, 100.0 * config->solver.balance_tolerance);
}

static void print_method(FILE *out, const struct hs_result *result)
{
  const struct hs_config *config = result->config;
  const struct hs_solve_outcome *outcome = &result->outcome;
  const bool chebyshev = result->method == HS_METHOD_CHEBYSHEV;
  if (config->time.scheme == HS_SCHEME_EXPLICIT) return;
  fprintf(out, "  %-22s %s", "method", hs_method_name(result->method));
  if (result->method == HS_METHOD_WEIGHTED) fprintf(out, ", weight %g", config->solver.weight);
  if (chebyshev && outcome->spectral_radius > 0.0)
    fprintf(out, ", spectral radius estimated as %.9g (changed %d time%s)", outcome->spectral_radius, outcome->restarts,
            plural(outcome->restarts));
  if (result->levels > 0)
    fprintf(out, ", %d level%s made in %.3g s", result->levels, plural(result->levels), result->time_levels_s);
  fprintf(out, "\n");
  if (config->solver.method == HS_METHOD_AUTO) print_row(out, "", result->method_reason);
}

static void print_step(FILE *out, const struct hs_result *result)
{
  const struct hs_transient_outcome *outcome = &result->transient;
  const struct hs_config *config = result->config;
  const double damped_until_s = hs_config_damped_until_s(config);
  fprintf(out, "  %-22s %s, ", "time steps", hs_scheme_name(config->time.scheme));
  if (config->time.adaptive)
    fprintf(out, "adaptive, %.6g to %.6g s, %lld rejected", outcome->step_smallest_s, outcome->step_largest_s,
            (long long)outcome->rejected_steps);
  else if (isnan(config->time.step_s))
    fprintf(out, "%.6g s, the largest stable step", outcome->step_largest_s);
  else
    fprintf(out, "%.6g s", config->time.step_s);
  if (isfinite(damped_until_s)) fprintf(out, ", damped until t = %.6g s", damped_until_s);
  if (!config->time.adaptive && outcome->step_smallest_s < outcome->step_largest_s * (1.0 - 1e-9))
    fprintf(out, ", shorter ones, of %.6g s at least, before a snapshot or the end", outcome->step_smallest_s);
  fprintf(out, "\n");
}

static void print_transient_stop(FILE *out, const struct hs_result *result)
{
  const struct hs_transient_outcome *outcome = &result->transient;
  const struct hs_config *config = result->config;
  fprintf(out, "  %-22s %s at t = %.9g s of %.9g s, after %lld step%s and %lld %s%s\n", "status",
          outcome->verdict == HS_VERDICT_LIMIT ? "NOT solved: iteration limit reached in a step"
                                               : verdict_text(outcome->verdict),
          outcome->time_s, config->time.end_s, (long long)outcome->steps, plural(outcome->steps),
          (long long)outcome->sweeps, unit_of(result), plural(outcome->sweeps));
  print_step(out, result);
  if (config->time.scheme != HS_SCHEME_EXPLICIT)
    fprintf(out, "  %-22s at most %.2g K in the solution of each step (inner_tolerance %g K)\n", "solver error",
            outcome->inner_error_k, config->time.inner_tolerance_k);
  if (!config->time.adaptive)
    fprintf(out, "  %-22s not known; shorter steps%s show it\n", "time step error",
            config->time.scheme == HS_SCHEME_EXPLICIT ? "" : ", or adaptive = yes,");
  else if (isfinite(outcome->step_error_k))
    fprintf(out, "  %-22s about %.2g K in a step (step_tolerance %g K)\n", "time step error", outcome->step_error_k,
            config->time.step_tolerance_k);
}

static void print_stop(FILE *out, const struct hs_result *result)
{
  const struct hs_config *config = result->config;
  fprintf(out, "%s, %s\n\n", hs_version_program(), hs_shown(config->path ? config->path : "").text);
  if (hs_result_is_transient(result))
    print_transient_stop(out, result);
  else
    print_steady_stop(out, result);
  print_method(out, result);
}

/* What an error estimate rests on, where the method leaves that open. */
static const char *found_by(const struct hs_result *result)
{
  if (hs_result_makes_cycles(result)) return "";
  return result->outcome.found_by_cycles ? " by cycles" : " by the history";
}

static void print_error(FILE *out, const struct hs_result *result)
{
  const struct hs_report_trust trust = hs_report_assess(result);
  const double error_k = result->outcome.error_estimate_k;
  const char *separator = " (";
  char text[32];
  fprintf(out, "  %-22s ", "remaining error");
  if (!isfinite(error_k)) {
    fprintf(out, "cannot be estimated\n");
    return;
  }
  fprintf(out, "%s %.2g K%s", result->outcome.estimate_converged ? "about" : "at least", error_k, found_by(result));
  if (error_k > 0.0 && isfinite(trust.error_of_center) && !strcmp(hs_temperature_unit(result->config), "K")) {
    fprintf(out, "%s%s %% of the temperature at the centre", separator, hs_report_percent(trust.error_of_center, text));
    separator = ", ";
  }
  if (error_k > 0.0 && isfinite(trust.error_of_range)) {
    fprintf(out, "%s%s %% of the temperature range", separator, hs_report_percent(trust.error_of_range, text));
    separator = ", ";
  }
  fprintf(out, "%s\n", separator[0] == ',' ? ")" : "");
}

static void print_norms(FILE *out, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  if (!hs_result_makes_cycles(result)) {
    print_number(out, "update, 2-norm", outcome->norms.update_l2, "K");
    print_number(out, "update, largest", outcome->norms.update_max, "K");
  }
  print_number(out, "residual, relative", outcome->residual_relative, "of the 2-norm at the start");
  print_error(out, result);
  if (outcome->convergence_rate > 0.0)
    fprintf(out, "  %-22s %.9g per %s\n", "convergence factor", exp(-outcome->convergence_rate), unit_of(result));
}

static bool has_loss(const struct hs_result *result)
{
  return result->config->loss_count > 0 || fabs(result->answers.balance.loss_w_m) > 0.0;
}

/* Does heat flow through a side? Sides that are insulated or periodic as a whole do not. */
static bool side_conducts(const struct hs_problem *p, int side)
{
  bool conducts = !p || p->segment_count == 0;
  for (int s = 0; p && s < p->segment_count; s++)
    conducts |= (int)p->segments[s].side == side && p->segments[s].kind != HS_WALL_INSULATED &&
                p->segments[s].kind != HS_WALL_PERIODIC;
  return conducts;
}

/* Heat from a side, and what of it passes a square metre on average. */
static void print_side(FILE *out, const struct hs_result *result, enum hs_side side, const char *unit)
{
  const double heat_w_m = result->answers.balance.side_w_m[side];
  const double mean_w_m2 = hs_result_side_mean(result, side);
  char label[32], mean[80];
  snprintf(label, sizeof label, "heat from %s", hs_side_name(side));
  snprintf(mean, sizeof mean, "%s, %.6g W/m2 on average", unit, mean_w_m2);
  print_number(out, label, heat_w_m, isfinite(mean_w_m2) ? mean : unit);
}

static void print_heat(FILE *out, const struct hs_result *result)
{
  static const char unit[] = "W per metre of depth";
  const struct hs_balance *balance = &result->answers.balance;
  int side;
  fprintf(out, "\n");
  for (side = 0; side < HS_SIDES; side++) {
    if (!side_conducts(result->problem, side)) continue;
    print_side(out, result, (enum hs_side)side, unit);
  }
  if (fabs(balance->held_w_m) > 0.0 || (result->problem && result->problem->held_count > 0))
    print_number(out, "heat from held shapes", balance->held_w_m, unit);
  print_number(out, "heat from sources", balance->source_w_m, unit);
  if (has_loss(result)) print_number(out, "heat from losses", balance->loss_w_m, unit);
  if (!isfinite(balance->in_w_m) || !isfinite(balance->out_w_m))
    print_row(out, "balance", "not known");
  else if (hs_result_is_transient(result))
    fprintf(out, "  %-22s %.6g W/m in, %.6g W/m out, %.6g W/m stored at this time\n", "balance", balance->in_w_m,
            balance->out_w_m, balance->storage_w_m);
  else
    fprintf(out, "  %-22s %.6g W/m in, %.6g W/m out, %.2g %% apart\n", "balance", balance->in_w_m, balance->out_w_m,
            100.0 * balance->imbalance_relative);
}

/* An extreme of the field, and where it is. */
static void print_extreme(FILE *out, const char *label, double value_k, const double at_m[2], const char *unit)
{
  char text[120];
  if (!isfinite(value_k) || !isfinite(at_m[0])) {
    print_number(out, label, value_k, unit);
    return;
  }
  snprintf(text, sizeof text, "%.6g %s at x = %.6g m, y = %.6g m", value_k, unit, at_m[0], at_m[1]);
  print_row(out, label, text);
}

static void print_temperature(FILE *out, const struct hs_result *result)
{
  const struct hs_answers *answers = &result->answers;
  const char *unit = hs_temperature_unit(result->config);
  fprintf(out, "\n");
  print_extreme(out, "lowest temperature", answers->minimum_k, answers->minimum_at_m, unit);
  print_extreme(out, "highest temperature", answers->maximum_k, answers->maximum_at_m, unit);
  print_number(out, "mean temperature", answers->mean_k, unit);
  if (isfinite(answers->center_k))
    fprintf(out, "  %-22s %.17g %s (node %d, %d)\n", "at the centre", answers->center_k, unit,
            result->config->grid.nx / 2, result->config->grid.ny / 2);
  else
    print_number(out, "at the centre", answers->center_k, unit);
  if (hs_report_is_relative(result))
    fprintf(out,
            "  %-22s no wall, shape or loss sets a temperature: only differences follow from the problem.\n"
            "  %-22s The field was moved by %.6g K, so that its mean is that of the initial field.\n",
            "level", "", result->mean_shift_k);
  if (hs_result_is_transient(result) && isfinite(answers->content_j_m))
    fprintf(out, "  %-22s %.9g J per metre of depth, %.9g at the start\n", "heat content", answers->content_j_m,
            result->transient.content_start_j_m);
}

static void print_rate(FILE *out, double updates_per_s)
{
  static const struct {
    double factor;
    const char *name;
  } scales[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1.0, ""}};
  size_t k = 0;
  if (!(updates_per_s > 0.0) || !isfinite(updates_per_s)) return;
  while (k + 1 < sizeof scales / sizeof scales[0] && updates_per_s < scales[k].factor) k++;
  fprintf(out, ", %.4g %s%snode updates/s", updates_per_s / scales[k].factor, scales[k].name,
          scales[k].name[0] ? " " : "");
}

/* Did other programs keep processors from the sweeps? */
static bool fewer_threads(const struct hs_backend_place *place)
{
  return place->threads_mean < 0.95 * place->threads;
}

/* The backend, the device and the threads. */
static void print_place(FILE *out, const struct hs_result *result)
{
  const struct hs_backend_place *place = &result->place;
  fprintf(out, "  %-22s %s on %s", "backend", result->backend, place->device);
  if (place->threads > 0) fprintf(out, ", %d thread%s", place->threads, place->threads == 1 ? "" : "s");
  if (place->threads > 0 && !place->serial && place->threads < result->config->solver.threads)
    fprintf(out, " of the %d allowed", result->config->solver.threads);
  fprintf(out, "\n");
  if (result->backend_reason[0]) print_row(out, "", result->backend_reason);
  if (fewer_threads(place))
    fprintf(out, "  %-22s %.1f threads on average: other programs kept processors busy\n", "", place->threads_mean);
}

static void print_run(FILE *out, const struct hs_result *result)
{
  fprintf(out, "\n  %-22s %d x %d %s, spacing %.6g x %.6g m, %s precision\n", "grid", result->config->grid.nx,
          result->config->grid.ny, result->config->grid.layout == HS_LAYOUT_CELL ? "cells" : "nodes", result->dx_m,
          result->dy_m, hs_precision_name(result->config->solver.precision));
  print_place(out, result);
  fprintf(out, "  %-22s %.3g s in all, %.3g s of it %ss", "time", result->time_total_s, result->time_solve_s,
          unit_of(result));
  print_rate(out, result->node_updates_per_s);
  fprintf(out, "\n");
  if (result->went_on_from > 0)
    fprintf(out, "  %-22s from a checkpoint after %lld %ss\n", "went on", (long long)result->went_on_from,
            unit_of(result));
  if (result->checkpoints > 0)
    fprintf(out, "  %-22s %d in %.3g s\n", "checkpoints", result->checkpoints, result->time_checkpoints_s);
  if (!(result->time_predicted_s > 0.0)) return;
  fprintf(out, "  %-22s %.3g s of %ss by %s; it took %.2f times as long", "predicted", result->time_predicted_s,
          unit_of(result), result->predicted_from, hs_report_over_predicted(result));
  if (fewer_threads(&result->place))
    fprintf(out, ", with %.1f threads for %d", result->place.threads_mean, result->place.threads);
  fprintf(out, "\n");
}

static void print_file(FILE *out, const char *label, const char *directory, const char *name)
{
  fprintf(out, "  %-22s %s%s%s\n", label, directory, directory[strlen(directory) - 1] == '/' ? "" : "/", name);
}

static void print_files(FILE *out, const struct hs_result *result, unsigned files)
{
  const char *directory = result->config->output.directory;
  const char *label = "files";
  const int tables = hs_answers_csv_count(result->config, result->series.count > 0);
  int which;
  if (!directory || !directory[0]) directory = ".";
  for (which = 0; which < HS_FILE_COUNT; which++) {
    if (!(files & 1u << which)) continue;
    if (which != HS_FILE_CSV) print_file(out, label, directory, hs_output_file_name((enum hs_output_file)which));
    for (int k = 0; which == HS_FILE_CSV && k < tables; k++) {
      char *name = hs_answers_csv_name(result->config, k, NULL);
      print_file(out, k == 0 ? label : "", directory, name ? name : "");
      free(name);
    }
    label = "";
  }
}

void hs_report_part_print(FILE *out, const struct hs_result *result, enum hs_report_part part)
{
  switch (part) {
  case HS_REPORT_STOP: print_stop(out, result); break;
  case HS_REPORT_NORMS:
    if (!hs_result_is_transient(result)) print_norms(out, result);
    break;
  case HS_REPORT_TEMPERATURE: print_temperature(out, result); break;
  case HS_REPORT_HEAT: print_heat(out, result); break;
  case HS_REPORT_RUN: print_run(out, result); break;
  case HS_REPORT_PARTS: break;
  }
}

void hs_output_report_print(FILE *out, const struct hs_result *result, unsigned files)
{
  for (int part = 0; part < HS_REPORT_RUN; part++) hs_report_part_print(out, result, (enum hs_report_part)part);
  hs_report_tables_print(out, result);
  hs_report_part_print(out, result, HS_REPORT_RUN);
  print_files(out, result, files);
}
