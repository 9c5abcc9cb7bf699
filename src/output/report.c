/* What both forms of the report need: the names of the files and the trust in the answer.
 *
 * The error estimate has no sign, but Jacobi's iteration from a uniform start approaches its limit from the side
 * of the start. So the centre's converged temperature is taken as its present one moved on by the estimate, and the
 * share of the error is given of that.
 */
#include <math.h>

#include "output/report.h"

const char *hs_output_file_name(enum hs_output_file which)
{
  static const char *const names[HS_FILE_COUNT] = {"field.h5", "field.xdmf", "temperature.png", "convergence.png",
                                                   "report.json"};
  return names[which];
}

unsigned hs_output_files_wanted(const struct hs_config *config)
{
  return (unsigned)config->output.field << HS_FILE_FIELD | (unsigned)config->output.xdmf << HS_FILE_XDMF |
         (unsigned)config->output.picture << HS_FILE_PICTURE |
         (unsigned)config->output.convergence << HS_FILE_CONVERGENCE |
         (unsigned)config->output.report << HS_FILE_REPORT;
}

static double share(double part, double whole)
{
  if (part == 0.0) return 0.0;
  return whole > 0.0 ? part / whole : NAN;
}

struct hs_report_trust hs_report_assess(const struct hs_result *result)
{
  const double error_k = result->outcome.error_estimate_k;
  const double center_k = result->center_temperature_k;
  const double start_k = result->config->initial.temperature_k;
  const double moved_k = center_k > start_k ? error_k : center_k < start_k ? -error_k : 0.0;
  struct hs_report_trust trust;
  trust.error_of_range = share(error_k, result->temperature_max_k - result->temperature_min_k);
  trust.error_of_center = share(error_k, fabs(center_k + moved_k));
  return trust;
}
