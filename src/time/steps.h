/* How many equal steps an interval of time takes. */
#ifndef HS_TIME_STEPS_H
#define HS_TIME_STEPS_H

#define HS_STEPS_SLACK 1e-9 /* of a step: what is left of an interval and shorter is not worth a step */

/* The length of an interval's whole steps: step_s. Where rounding of step_s would leave a sliver (the interval is a whole
 * number of steps to a millionth, and the rest is below a thousandth of a step), the length that divides it evenly, if it
 * is no longer than longest_s. */
double hs_steps_length(double interval_s, double step_s, double longest_s);

/* The number of steps of step_s that an interval takes, the last one being shorter where they do not divide it. */
double hs_steps_count(double interval_s, double step_s, double longest_s);

#endif
