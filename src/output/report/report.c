/* What both forms of the report need: names, and the share of the remaining error.
 *
 * The error estimate has no sign, but Jacobi's iteration from a uniform start approaches its limit from the side of the
 * start. So the converged temperature of the centre is taken as the present one changed by the estimate in that direction,
 * and the error is given as a share of it.
 */
#include <math.h>
#include <stdio.h>

#include "output/report/report.h"

const char *hs_output_file_name(enum hs_output_file which)
{
  static const char *const names[] = {[HS_FILE_FIELD] = "field.h5",
                                      [HS_FILE_XDMF] = "field.xdmf",
                                      [HS_FILE_VTI] = "field.vti",
                                      [HS_FILE_PICTURE] = "temperature.png",
                                      [HS_FILE_PICTURE_SVG] = "temperature.svg",
                                      [HS_FILE_PICTURE_PDF] = "temperature.pdf",
                                      [HS_FILE_CONVERGENCE] = "convergence.png",
                                      [HS_FILE_CONVERGENCE_SVG] = "convergence.svg",
                                      [HS_FILE_CONVERGENCE_PDF] = "convergence.pdf",
                                      [HS_FILE_SNAPSHOTS] = "snapshots.h5",
                                      [HS_FILE_SNAPSHOTS_XDMF] = "snapshots.xdmf",
                                      [HS_FILE_ANIMATION] = "animation.png",
                                      [HS_FILE_SERIES] = "frame-000000.png",
                                      [HS_FILE_CSV] = "heat.csv",
                                      [HS_FILE_REPORT] = "report.json",
                                      [HS_FILE_PAGE] = "report.html"};
  _Static_assert(sizeof names / sizeof *names == HS_FILE_COUNT, "a file has no name");
  return names[which];
}

bool hs_output_wanted(enum hs_wish wish, const struct hs_config *config)
{
  const double nodes = (double)config->grid.nx * (double)config->grid.ny;
  return wish == HS_WISH_YES || (wish == HS_WISH_AUTO && nodes <= HS_NODES_SMALL);
}

bool hs_output_snapshots_wanted(const struct hs_config *config)
{
  if (config->time.scheme == HS_SCHEME_STEADY) return false;
  if (config->output.animation != HS_ANIMATION_NONE) return true;
  return config->output.field && (config->time.snapshot_count > 0 || isfinite(config->time.snapshot_every_s));
}

unsigned hs_output_files_wanted(const struct hs_config *config)
{
  const bool steady = config->time.scheme == HS_SCHEME_STEADY, snapshots = hs_output_snapshots_wanted(config);
  const enum hs_wish vti_wish =
      config->output.field || config->output.vti == HS_WISH_YES ? config->output.vti : HS_WISH_NO;
  const bool vti = hs_output_wanted(vti_wish, config);
  const enum hs_animation animation = config->output.animation;
  const unsigned formats = (unsigned)config->output.pictures;
  return (unsigned)config->output.field << HS_FILE_FIELD |
         (unsigned)(config->output.xdmf != HS_XDMF_NO) << HS_FILE_XDMF | (unsigned)vti << HS_FILE_VTI |
         (config->output.picture ? formats << HS_FILE_PICTURE : 0u) |
         (config->output.convergence && steady ? formats << HS_FILE_CONVERGENCE : 0u) |
         (unsigned)snapshots << HS_FILE_SNAPSHOTS | (unsigned)snapshots << HS_FILE_SNAPSHOTS_XDMF |
         (unsigned)(snapshots && animation == HS_ANIMATION_APNG) << HS_FILE_ANIMATION |
         (unsigned)(snapshots && animation == HS_ANIMATION_SERIES) << HS_FILE_SERIES |
         (unsigned)config->output.csv << HS_FILE_CSV | (unsigned)config->output.report << HS_FILE_REPORT |
         (unsigned)config->output.page << HS_FILE_PAGE;
}

bool hs_report_is_relative(const struct hs_result *result)
{
  const struct hs_problem *p = result->problem;
  if (!p || hs_result_is_transient(result) || p->held_count > 0) return false;
  for (int s = 0; s < p->segment_count; s++)
    if (p->segments[s].kind == HS_WALL_TEMPERATURE || p->segments[s].kind == HS_WALL_CONVECTION) return false;
  for (int c = 0; c < p->class_count; c++)
    if (p->classes[c].loss_w_m3k > 0.0) return false;
  return true;
}

double hs_report_over_predicted(const struct hs_result *result)
{
  return result->time_predicted_s > 0.0 ? result->time_solve_s / result->time_predicted_s : NAN;
}

const char *hs_report_surface_side(const struct hs_problem *problem, int surface)
{
  const int side = problem->surfaces[surface].side;
  return side < HS_SIDES ? hs_side_name((enum hs_side)side) : "";
}

const char *hs_report_surface_kind(const struct hs_problem *problem, int surface)
{
  const int segment = problem->surfaces[surface].segment;
  return segment >= 0 ? hs_wall_name(problem->segments[segment].kind) : "held";
}

static double share(double part, double whole)
{
  if (part == 0.0) return 0.0;
  return whole > 0.0 ? part / whole : NAN;
}

struct hs_report_trust hs_report_assess(const struct hs_result *result)
{
  const double error_k = result->outcome.error_estimate_k;
  const double center_k = result->answers.center_k;
  const double start_k = result->config->initial.temperature_k;
  const double moved_k = center_k > start_k ? error_k : center_k < start_k ? -error_k : 0.0;
  const struct hs_balance *balance = &result->answers.balance;
  const double allowed = result->config->solver.balance_tolerance;
  struct hs_report_trust trust;
  trust.error_of_range = share(error_k, result->answers.maximum_k - result->answers.minimum_k);
  trust.balance_met =
      balance->imbalance_relative <= allowed ||
      (result->outcome.verdict == HS_VERDICT_CONVERGED && allowed < 1.0 && hs_balance_is_error(balance, error_k));
  trust.error_of_center = share(error_k, fabs(center_k + moved_k));
  return trust;
}

const char *hs_report_percent(double share, char text[32])
{
  snprintf(text, 32, 100.0 * share < 99.5 ? "%.2g" : "%.0f", 100.0 * share);
  return text;
}
