/* The report for people: what was computed and how far it can be trusted.
 *
 * A small update says that the sweeps have become slow, not that the answer is near: on a fine grid plain Jacobi
 * moves the field by a ten-thousandth of the remaining error per sweep. So the estimate of the remaining error
 * stands beside the norms, and a warning follows where it, or the balance of heat, is worse than one percent.
 */
#include <math.h>
#include <string.h>

#include "output/report.h"
#include "output/version.h"

#define WARN_SHARE 0.01 /* of the temperature range, and of the heat that enters */

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
  case HS_VERDICT_LIMIT: return "NOT converged: iteration limit reached";
  case HS_VERDICT_STAGNATED: return "NOT converged: stagnated by rounding";
  case HS_VERDICT_DIVERGED: return "DIVERGED";
  default: return "interrupted";
  }
}

static void print_stop(FILE *out, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  const struct hs_config *config = result->config;
  fprintf(out, "%s, %s\n\n", hs_output_software(), config->path ? config->path : "");
  fprintf(out, "  %-22s %s after %lld sweep%s", "status", verdict_text(outcome->verdict), (long long)outcome->sweeps,
          outcome->sweeps == 1 ? "" : "s");
  if (outcome->sweeps > 0) fprintf(out, " (zero-based stop index %lld)", (long long)outcome->sweeps - 1);
  fprintf(out, "\n  %-22s %s <= %g%s, ", "stop test", hs_criterion_name(config->solver.criterion),
          config->solver.tolerance, tolerance_unit(config->solver.criterion));
  if (outcome->verdict != HS_VERDICT_CONVERGED)
    fprintf(out, "not met\n");
  else if (outcome->exact_stop)
    fprintf(out, "first met at this sweep\n");
  else
    fprintf(out, "looked at every %d sweeps\n", config->solver.check_every);
}

/* A share in percent with two digits, or more where those are before the point. */
static const char *percent(double share, char text[32])
{
  snprintf(text, 32, 100.0 * share < 99.5 ? "%.2g" : "%.0f", 100.0 * share);
  return text;
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
  fprintf(out, "%s %.2g K", result->outcome.error_settled ? "about" : "at least", error_k);
  if (error_k > 0.0 && isfinite(trust.error_of_center)) {
    fprintf(out, "%s%s %% of the temperature at the centre", separator, percent(trust.error_of_center, text));
    separator = ", ";
  }
  if (error_k > 0.0 && isfinite(trust.error_of_range)) {
    fprintf(out, "%s%s %% of the temperature range", separator, percent(trust.error_of_range, text));
    separator = ", ";
  }
  fprintf(out, "%s\n", separator[0] == ',' ? ")" : "");
}

static void print_norms(FILE *out, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  print_number(out, "update, 2-norm", outcome->norms.update_l2, "K");
  print_number(out, "update, largest", outcome->norms.update_max, "K");
  print_number(out, "residual, relative", outcome->residual_relative, "of the 2-norm at the start");
  print_error(out, result);
  if (outcome->decay > 0.0) fprintf(out, "  %-22s %.9g per sweep\n", "convergence factor", exp(-outcome->decay));
}

static void print_heat(FILE *out, const struct hs_balance *balance)
{
  int side;
  fprintf(out, "\n");
  for (side = 0; side < HS_SIDES; side++) {
    char label[32];
    snprintf(label, sizeof label, "heat from %s", hs_side_name((enum hs_side)side));
    print_number(out, label, balance->side_w_m[side], "W per metre of depth");
  }
  print_number(out, "heat from sources", balance->source_w_m, "W per metre of depth");
  fprintf(out, "  %-22s %.6g W/m in, %.6g W/m out, %.2g %% apart\n", "balance", balance->in_w_m, balance->out_w_m,
          100.0 * balance->imbalance_relative);
}

static void print_temperature(FILE *out, const struct hs_result *result)
{
  fprintf(out, "\n");
  print_number(out, "lowest temperature", result->temperature_min_k, "K");
  print_number(out, "highest temperature", result->temperature_max_k, "K");
  print_number(out, "mean temperature", result->temperature_mean_k, "K");
  fprintf(out, "  %-22s %.17g K (node %d, %d)\n", "at the centre", result->center_temperature_k, result->nx / 2,
          result->ny / 2);
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

static void print_run(FILE *out, const struct hs_result *result)
{
  fprintf(out, "\n  %-22s %d x %d nodes, spacing %.6g x %.6g m, %s precision\n", "grid", result->nx, result->ny,
          result->dx_m, result->dy_m, hs_precision_name(result->config->solver.precision));
  fprintf(out, "  %-22s %s on %s", "backend", result->backend, result->place.device);
  if (result->place.threads > 0)
    fprintf(out, ", %d thread%s", result->place.threads, result->place.threads == 1 ? "" : "s");
  fprintf(out, "\n");
  if (result->backend_reason[0]) print_row(out, "", result->backend_reason);
  fprintf(out, "  %-22s %.3g s in all, %.3g s of it sweeps", "time", result->time_total_s, result->time_solve_s);
  print_rate(out, result->node_updates_per_s);
  fprintf(out, "\n");
}

static void print_files(FILE *out, const struct hs_result *result, unsigned files)
{
  const char *directory = result->config->output.directory;
  const char *label = "files";
  int which;
  if (!directory || !directory[0]) directory = ".";
  for (which = 0; which < HS_FILE_COUNT; which++) {
    if (!(files & 1u << which)) continue;
    fprintf(out, "  %-22s %s%s%s\n", label, directory, directory[strlen(directory) - 1] == '/' ? "" : "/",
            hs_output_file_name((enum hs_output_file)which));
    label = "";
  }
}

static void warn_verdict(FILE *out, const struct hs_result *result)
{
  switch (result->outcome.verdict) {
  case HS_VERDICT_LIMIT:
    fprintf(out,
            "\nWarning: the limit of %lld sweeps was reached before the stop test held. The field is not the steady\n"
            "state; raise solver.max_iterations.\n",
            (long long)result->config->solver.max_iterations);
    break;
  case HS_VERDICT_STAGNATED:
    fprintf(out,
            "\nWarning: rounding in %s precision keeps the field from coming nearer to the steady state: the update\n"
            "no longer falls. %s\n",
            hs_precision_name(result->config->solver.precision),
            result->config->solver.precision == HS_SINGLE
                ? "Use solver.precision = double, or accept a larger solver.tolerance."
                : "Accept a larger solver.tolerance.");
    break;
  case HS_VERDICT_DIVERGED:
    fprintf(
        out,
        "\nWarning: the iteration diverged: the field grew without bound or is not finite. Its values mean nothing.\n");
    break;
  case HS_VERDICT_INTERRUPTED:
    fprintf(out, "\nWarning: the run was interrupted before the stop test held. The field is not the steady state.\n");
    break;
  default: break;
  }
}

static void warn_error(FILE *out, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  char text[32];
  const double share = hs_report_assess(result).error_of_range;
  if (outcome->verdict == HS_VERDICT_DIVERGED) return;
  if (isnan(outcome->error_estimate_k)) {
    fprintf(out,
            "\nWarning: the remaining error cannot be estimated, because the updates do not fall steadily (or were\n"
            "checked only once). A small update alone does not tell how good the answer is.\n");
    return;
  }
  if (share > WARN_SHARE && result->config->solver.criterion != HS_CRITERION_ERROR)
    fprintf(out,
            "\nWarning: The update is small, the error is not: the last sweep moved no node by more than %.2g K, but\n"
            "about %.2g K (%s %% of the temperature range) are still missing to the steady state. Use\n"
            "solver.criterion = error with the error that you accept, in kelvin, as solver.tolerance.\n",
            outcome->norms.update_max, outcome->error_estimate_k, percent(share, text));
  if (!outcome->error_settled && outcome->error_estimate_k > 0.0)
    fprintf(out, "\nWarning: the estimate of the remaining error has not settled; the true error may be several times "
                 "larger.\n");
}

static void warn_balance(FILE *out, const struct hs_result *result)
{
  if (result->outcome.verdict == HS_VERDICT_DIVERGED || !(result->balance.imbalance_relative > WARN_SHARE)) return;
  fprintf(
      out,
      "\nWarning: heat in and heat out differ by %.2g %%; at the steady state they are equal. Heat flows taken from\n"
      "this field are wrong by about as much.\n",
      100.0 * result->balance.imbalance_relative);
}

void hs_output_report_print(FILE *out, const struct hs_result *result, unsigned files)
{
  print_stop(out, result);
  print_norms(out, result);
  print_temperature(out, result);
  print_heat(out, &result->balance);
  print_run(out, result);
  print_files(out, result, files);
  warn_verdict(out, result);
  warn_error(out, result);
  warn_balance(out, result);
}
