/* How many equal steps an interval of time takes; see the header. */
#include "time/steps.h"

#include <math.h>

static const double ROUNDING =
    1e-6; /* of the interval: a step that was written with so many digits is meant to divide it */
static const double SLIVER = 1e-3;  /* of a step: a rest that is longer is a step */
static const double LONGER = 1e-12; /* than longest_s, for rounding */

double hs_steps_length(double interval_s, double step_s, double longest_s)
{
  const double steps = interval_s / step_s, whole = floor(steps), rest = steps - whole, even_s = interval_s / whole;
  if (!(whole >= 1.0) || rest <= HS_STEPS_SLACK || rest > SLIVER || rest > ROUNDING * whole) return step_s;
  return even_s <= longest_s * (1.0 + LONGER) ? even_s : step_s;
}

double hs_steps_count(double interval_s, double step_s, double longest_s)
{
  const double length_s = hs_steps_length(interval_s, step_s, longest_s);
  return length_s == step_s ? ceil(interval_s / step_s - HS_STEPS_SLACK) : round(interval_s / length_s);
}
