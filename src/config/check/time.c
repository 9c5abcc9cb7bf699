/* Rules of [time] and [output]. */
#include <math.h>
#include <stdio.h>

#include "config/check/check.h"
#include "config/check/common.h"
#include "config/names.h"

/* Smallest adaptive step as a share of the whole time, where none is given. */
#define STEP_MIN_PART 1e-9

static hs_status snapshots_check(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const struct hs_config *config = draft->config;
  const struct hs_where where = hs_draft_where(section, "snapshots");
  const double *times_s = config->time.snapshots_s;
  int k;

  if (config->time.snapshot_every_s > 0.0 &&
      !(config->time.end_s / config->time.snapshot_every_s <= HS_SNAPSHOTS_MOST)) {
    return hs_draft_fail(draft, hs_draft_where(section, "snapshot_every"),
                         "[time] snapshot_every = %.10g s gives %.3g snapshots until end = %.10g s, and %d at most can "
                         "be kept; take %.3g s or more.",
                         config->time.snapshot_every_s, config->time.end_s / config->time.snapshot_every_s,
                         config->time.end_s, HS_SNAPSHOTS_MOST, 1.01 * config->time.end_s / HS_SNAPSHOTS_MOST);
  }
  for (k = 0; k < config->time.snapshot_count; k++) {
    if (times_s[k] > config->time.end_s) {
      return hs_draft_fail(draft, where, "[time] snapshots: %.10g lies behind the end of the run, end = %.10g s.",
                           times_s[k], config->time.end_s);
    }
    if (k > 0 && !(times_s[k] > times_s[k - 1])) {
      return hs_draft_fail(draft, where, "[time] snapshots: %.10g stands behind %.10g; the times must ascend.",
                           times_s[k], times_s[k - 1]);
    }
  }
  return HS_OK;
}

/* The bounds of the adaptive step are in order, and the first step lies between them. */
static hs_status adaptive_check(struct hs_draft *draft, const struct hs_draft_section *section)
{
  struct hs_config *config = draft->config;
  const double step_s = config->time.step_s, end_s = config->time.end_s;

  if (isnan(config->time.step_min_s)) config->time.step_min_s = fmin(STEP_MIN_PART * end_s, step_s);
  if (isnan(config->time.step_max_s)) config->time.step_max_s = fmax(end_s, step_s);
  if (config->time.step_min_s > config->time.step_max_s) {
    return hs_draft_fail(draft,
                         hs_where_later(hs_draft_where(section, "step_min"), hs_draft_where(section, "step_max")),
                         "[time] step_min = %.10g s is greater than step_max = %.10g s.", config->time.step_min_s,
                         config->time.step_max_s);
  }
  if (step_s >= config->time.step_min_s && step_s <= config->time.step_max_s) return HS_OK;
  return hs_draft_fail(draft, hs_draft_where(section, "step"),
                       "[time] step = %.10g s, the first one, lies outside step_min = %.10g s and step_max = %.10g s.",
                       step_s, config->time.step_min_s, config->time.step_max_s);
}

/* `steps` makes equal steps, whose length it sets. */
static hs_status steps_check(struct hs_draft *draft, const struct hs_draft_section *section)
{
  struct hs_config *config = draft->config;
  const struct hs_where step = hs_draft_where(section, "step"), steps = hs_draft_where(section, "steps");

  if (!hs_where_given(steps)) return HS_OK;
  if (hs_where_given(step)) {
    return hs_draft_fail(draft, hs_where_later(step, steps),
                         "[time] has both step and steps, and each follows from the other; remove one of the two.");
  }
  if (config->time.adaptive) {
    return hs_draft_fail(
        draft, hs_where_later(hs_draft_where(section, "adaptive"), steps),
        "[time] has both steps, for equal steps, and adaptive = yes, which chooses each; give step, the "
        "first one, instead of steps, or remove adaptive.");
  }
  config->time.step_s = (config->time.end_s - config->time.start_s) / (double)config->time.steps;
  return HS_OK;
}

/* A key of a course in time without a scheme would be without effect; scheme = steady, written out, is meant so. */
static hs_status steady_check(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const size_t count = hs_config_key_count(section->kind);

  draft->config->time.start_s = 0.0;
  if (hs_where_given(hs_draft_where(section, "scheme"))) return HS_OK;
  for (size_t k = 0; k < count; k++) {
    if (!hs_where_given(section->keys[k])) continue;
    return hs_draft_fail(draft, section->keys[k],
                         "time.%s is given, but time.scheme is steady, its default: add scheme = backward_euler (or "
                         "crank_nicolson, explicit) to [time] for a course in time, or scheme = steady to do without.",
                         hs_config_key_at(section->kind, k)->name);
  }
  return HS_OK;
}

hs_status hs_check_time(struct hs_draft *draft, const struct hs_draft_section *section)
{
  struct hs_config *config = draft->config;
  const bool is_explicit = config->time.scheme == HS_SCHEME_EXPLICIT;
  char because[100];
  hs_status status = HS_OK;

  if (config->time.scheme == HS_SCHEME_STEADY) return steady_check(draft, section);
  snprintf(because, sizeof because, "which scheme = %s needs", hs_scheme_name(config->time.scheme));
  if (isnan(config->time.end_s)) return hs_check_missing(draft, section, "end", because);
  if (!(config->time.end_s > config->time.start_s)) {
    return hs_draft_fail(draft, hs_where_later(hs_draft_where(section, "start"), hs_draft_where(section, "end")),
                         "[time] end = %.10g s does not lie after start = %.10g s.", config->time.end_s,
                         config->time.start_s);
  }
  status = steps_check(draft, section);
  if (status != HS_OK) return status;
  if (isnan(config->time.step_s) && !is_explicit) return hs_check_missing(draft, section, "step", because);
  if (is_explicit && config->time.adaptive) {
    return hs_draft_fail(draft, hs_draft_where(section, "adaptive"),
                         "[time] adaptive = yes needs an implicit scheme, backward_euler or crank_nicolson; the "
                         "explicit scheme's step is bounded by stability.");
  }
  if (config->time.end_s / config->time.step_s > HS_STEPS_MOST && !config->time.adaptive) {
    return hs_draft_fail(draft, hs_draft_where(section, config->time.steps ? "steps" : "step"),
                         "[time] step = %.10g s is so short that end = %.10g s is %.3g steps away; take a longer step.",
                         config->time.step_s, config->time.end_s, config->time.end_s / config->time.step_s);
  }
  if (!is_explicit) status = adaptive_check(draft, section);
  return status == HS_OK ? snapshots_check(draft, section) : status;
}

/* field.xdmf only points to field.h5, so without a field there is none either. */
static hs_status files_check(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const struct hs_where xdmf = hs_draft_where(section, "xdmf");
  struct hs_config *config = draft->config;

  if (config->output.field || !config->output.xdmf) return HS_OK;
  if (hs_where_given(xdmf)) {
    return hs_draft_fail(draft, xdmf, "[output] xdmf = %s needs field = yes, since field.xdmf points to field.h5.",
                         hs_names_xdmf[config->output.xdmf]);
  }
  config->output.xdmf = HS_XDMF_NO;
  return HS_OK;
}

hs_status hs_check_output(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const double low_k = draft->config->output.range_min_k, high_k = draft->config->output.range_max_k;
  const struct hs_where low = hs_draft_where(section, "range_min"), high = hs_draft_where(section, "range_max");
  const hs_status status = files_check(draft, section);

  if (status != HS_OK || !(low_k >= high_k)) return status;
  return hs_draft_fail(draft, low.override > high.override ? low : high,
                       "[output] range_max = %.10g must be greater than range_min = %.10g.", high_k, low_k);
}
