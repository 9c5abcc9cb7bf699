/* The points of a run as attributes: every member has a name, so that a checkpoint can be read by other tools and does not
 * depend on how a compiler lays out a struct. Reals are kept bit by bit. */
#include "output/checkpoint/members.h"

#include <stdint.h>
#include <string.h>

#include "io/h5_read.h"
#include "run/checkpoint.h"

#define ONE(type, name, member)                                                                                        \
  {                                                                                                                    \
    name, type, offsetof(POINT, member), 1, 0                                                                          \
  }
#define REAL(name, member) ONE(HS_MEMBER_REAL, name, member)
#define INT64(name, member) ONE(HS_MEMBER_INT64, name, member)
#define INT32(name, member) ONE(HS_MEMBER_INT32, name, member)
#define FLAG(name, member) ONE(HS_MEMBER_FLAG, name, member)
#define LOOKS(type, name, member)                                                                                      \
  {                                                                                                                    \
    name, type, offsetof(POINT, chebyshev.looks[0].member), HS_CHEBYSHEV_LOOKS, sizeof(struct hs_chebyshev_look)       \
  }
#define WINDOWS(type, name, member)                                                                                    \
  {                                                                                                                    \
    name, type, offsetof(POINT, chebyshev.member), HS_CHEBYSHEV_WINDOWS, 8                                             \
  }
#define CYCLES(name, member, count)                                                                                    \
  {                                                                                                                    \
    name, HS_MEMBER_REAL, offsetof(POINT, cycles.member), count, sizeof(double)                                        \
  }
#define END                                                                                                            \
  {                                                                                                                    \
    NULL, HS_MEMBER_REAL, 0, 0, 0                                                                                      \
  }

_Static_assert((int)HS_CHEBYSHEV_LOOKS <= (int)HS_MEMBER_MOST && (int)HS_CHEBYSHEV_WINDOWS <= (int)HS_MEMBER_MOST &&
                   (int)HS_CYCLES_LANCZOS <= (int)HS_MEMBER_MOST,
               "HS_MEMBER_MOST is too small");
_Static_assert(sizeof(int) == sizeof(int32_t), "int is stored as 32 bits");

#define POINT struct hs_solve_point
const struct hs_member hs_members_steady[] = {
    INT64("sweeps", stop.sweeps),
    INT32("verdict", stop.verdict),
    INT32("estimate_converged", stop.estimate_converged),
    REAL("bound_update_max_k", stop.bounds.update_max),
    REAL("bound_residual_max_w_m", stop.bounds.residual_max),
    INT64("tested_at", stop.last_sweeps),
    REAL("tested_update_l2_k", stop.last_update_l2),
    REAL("convergence_rate", stop.convergence_rate),
    REAL("convergence_rate_converged", stop.rate_converged),
    INT64("check_sweeps", stop.check.sweeps),
    REAL("check_update_l2_k", stop.check.norms.update_l2),
    REAL("check_update_max_k", stop.check.norms.update_max),
    REAL("check_residual_l2_w_m", stop.check.norms.residual_l2),
    REAL("check_residual_max_w_m", stop.check.norms.residual_max),
    REAL("check_two_sweep_max_k", stop.check.norms.two_sweep_max),
    REAL("check_correction_max_k", stop.check.norms.correction_max),
    REAL("check_residual_relative", stop.check.residual_relative),
    REAL("check_error_estimate_k", stop.check.error_estimate_k),
    REAL("residual_initial_l2_w_m", residual_initial_l2),
    REAL("update_first_max_k", update_first_max),
    REAL("interval_bound_update_max_k", bounds_at_save.update_max),
    REAL("interval_bound_residual_max_w_m", bounds_at_save.residual_max),
    REAL("interval_value", value_at_save),
    REAL("convergence_rate_before", convergence_rate_before),
    INT64("ask_from", ask_from),
    INT64("look_from", look_from),
    INT64("unbalanced_at", unbalanced_at),
    INT64("found_at", found.sweeps),
    REAL("found_error_k", found.error_k),
    FLAG("found_settled", found.settled),
    REAL("found_least", found.least),
    REAL("found_gap", found.gap),
    REAL("found_stagnated_k", found.stagnated_k),
    FLAG("chebyshev_begun", chebyshev.begun),
    REAL("chebyshev_rho", chebyshev.rho),
    REAL("chebyshev_rate", chebyshev.rate),
    REAL("chebyshev_rho_bound", chebyshev.rho_bound),
    INT64("chebyshev_start", chebyshev.start),
    REAL("chebyshev_residual_start", chebyshev.residual_start),
    REAL("chebyshev_correction_start", chebyshev.correction_start),
    LOOKS(HS_MEMBER_INT64, "chebyshev_look_sweeps", sweeps),
    LOOKS(HS_MEMBER_REAL, "chebyshev_look_residual", residual),
    LOOKS(HS_MEMBER_REAL, "chebyshev_look_correction", correction),
    INT32("chebyshev_look_count", chebyshev.look_count),
    INT64("chebyshev_look_stride", chebyshev.look_stride),
    INT64("chebyshev_looks_seen", chebyshev.looks_seen),
    INT32("chebyshev_restarts", chebyshev.restarts),
    REAL("chebyshev_growth", chebyshev.growth),
    REAL("chebyshev_efolds_kept", chebyshev.efolds_kept),
    INT64("chebyshev_saved_at", chebyshev.saved_at),
    WINDOWS(HS_MEMBER_REAL, "chebyshev_distances_k", distances_k),
    WINDOWS(HS_MEMBER_INT64, "chebyshev_windows", windows),
    INT32("chebyshev_window_count", chebyshev.window_count),
    REAL("chebyshev_error_k", chebyshev.error_k),
    REAL("chebyshev_error_rate", chebyshev.error_rate),
    FLAG("chebyshev_estimate_converged", chebyshev.estimate_converged),
    FLAG("cycles_begun", cycles.begun),
    FLAG("cycles_richardson", cycles.richardson),
    FLAG("cycles_nested", cycles.nested),
    FLAG("cycles_has_direction", cycles.has_direction),
    INT32("cycles_told", cycles.told),
    INT32("cycles_lanczos", cycles.lanczos),
    INT32("cycles_ratio_count", cycles.ratio_count),
    INT32("cycles_flat", cycles.flat),
    INT32("cycles_astray", cycles.astray),
    INT64("cycles_steps", cycles.steps),
    INT64("cycles_corrections", cycles.corrections),
    INT64("cycles_corrections_richardson", cycles.corrections_richardson),
    REAL("cycles_length", cycles.length),
    REAL("cycles_length_before", cycles.length_before),
    REAL("cycles_contraction", cycles.contraction),
    REAL("cycles_zr_wk_m", cycles.zr),
    REAL("cycles_zr_before_wk_m", cycles.zr_before),
    REAL("cycles_pap_wk_m", cycles.pq),
    REAL("cycles_mean_w_m", cycles.mean),
    REAL("cycles_correction_max_k", cycles.z_max),
    REAL("cycles_scale", cycles.scale),
    REAL("cycles_residual_max_w_m", cycles.residual_max),
    REAL("cycles_residual_l2_w_m", cycles.residual_l2),
    REAL("cycles_eigenvalue", cycles.least),
    REAL("cycles_floor_k", cycles.floor_k),
    REAL("cycles_estimate_k", cycles.estimate_k),
    CYCLES("cycles_alphas", alphas, HS_CYCLES_LANCZOS),
    CYCLES("cycles_betas", betas, HS_CYCLES_LANCZOS),
    CYCLES("cycles_ratios", ratios, HS_CYCLES_RATIOS),
    REAL("cycles_residual_first_w_m", cycles.first_l2),
    REAL("cycles_start_k", cycles.start_k),
    REAL("cycles_zr_least_wk_m", cycles.least_zr),
    REAL("cycles_tolerance", cycles.tolerance),
    INT64("checks_seen", checks_seen),
    INT64("stride", stride),
    INT32("history_count", history_count),
    FLAG("has_before", has_before),
    FLAG("has_saved", has_saved),
    REAL("solve_s", solve_s),
    END,
};
#undef POINT

#define POINT struct hs_transient_point
const struct hs_member hs_members_transient[] = {
    REAL("time_s", time_s),
    REAL("event_s", event_s),
    INT64("event_steps", event_steps),
    REAL("planned_s", planned_s),
    REAL("ulp_k", ulp_k),
    INT64("ulp_steps", ulp_steps),
    INT64("inner_sweeps", inner_sweeps),
    FLAG("has_change", has_change),
    INT64("steps", so_far.steps),
    INT64("rejected_steps", so_far.rejected_steps),
    INT64("sweeps", so_far.sweeps),
    REAL("step_smallest_s", so_far.step_smallest_s),
    REAL("step_largest_s", so_far.step_largest_s),
    REAL("inner_error_k", so_far.inner_error_k),
    REAL("step_error_k", so_far.step_error_k),
    INT64("steps_at_minimum", so_far.steps_at_minimum),
    REAL("content_start_j_m", so_far.content_start_j_m),
    REAL("solve_s", so_far.solve_s),
    END,
};
#undef POINT

/* Numbers on their way: each as a real or as an integer. */
union number {
  double real;
  int64_t integer;
};

static void numbers_gather(const struct hs_member *m, const char *base, union number *numbers)
{
  for (int k = 0; k < m->count; k++) {
    const char *at = base + m->offset + (size_t)k * m->stride;
    int32_t small;
    bool flag;
    switch (m->type) {
    case HS_MEMBER_REAL:
    case HS_MEMBER_INT64: memcpy(&numbers[k], at, sizeof numbers[k]); break;
    case HS_MEMBER_INT32:
      memcpy(&small, at, sizeof small);
      numbers[k].integer = small;
      break;
    case HS_MEMBER_FLAG:
      memcpy(&flag, at, sizeof flag);
      numbers[k].integer = flag;
      break;
    }
  }
}

static void numbers_spread(const struct hs_member *m, const union number *numbers, char *base)
{
  for (int k = 0; k < m->count; k++) {
    char *at = base + m->offset + (size_t)k * m->stride;
    const int32_t small = (int32_t)numbers[k].integer;
    const bool flag = numbers[k].integer != 0;
    switch (m->type) {
    case HS_MEMBER_REAL:
    case HS_MEMBER_INT64: memcpy(at, &numbers[k], sizeof numbers[k]); break;
    case HS_MEMBER_INT32: memcpy(at, &small, sizeof small); break;
    case HS_MEMBER_FLAG: memcpy(at, &flag, sizeof flag); break;
    }
  }
}

herr_t hs_members_put(hid_t object, const struct hs_member *members, const void *base)
{
  for (const struct hs_member *m = members; m->name; m++) {
    const bool real = m->type == HS_MEMBER_REAL;
    const hsize_t count[1] = {(hsize_t)m->count};
    const hid_t space = H5Screate_simple(1, count, NULL);
    const hid_t attribute =
        H5Acreate2(object, m->name, real ? H5T_IEEE_F64LE : H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    union number numbers[HS_MEMBER_MOST];
    herr_t result = -1;
    numbers_gather(m, base, numbers);
    if (attribute >= 0) result = H5Awrite(attribute, real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, numbers);
    if (attribute >= 0 && H5Aclose(attribute) < 0) result = -1;
    if (space >= 0) (void)H5Sclose(space);
    if (result < 0) return -1;
  }
  return 0;
}

/* Integers count sweeps, steps and the like. No run counts further, and sums of such numbers do not overflow. */
static bool integers_are_sound(const struct hs_member *m, const union number *numbers)
{
  const int64_t most = m->type == HS_MEMBER_INT64 ? (int64_t)1e15 : INT32_MAX;
  for (int k = 0; k < m->count; k++)
    if (numbers[k].integer > most || numbers[k].integer < -most) return false;
  return true;
}

bool hs_members_get(hid_t object, const struct hs_member *members, void *base)
{
  for (const struct hs_member *m = members; m->name; m++) {
    union number numbers[HS_MEMBER_MOST];
    const bool read = m->type == HS_MEMBER_REAL ? hs_h5_reals(object, m->name, m->count, &numbers->real)
                                                : hs_h5_integers(object, m->name, m->count, &numbers->integer);
    if (!read || (m->type != HS_MEMBER_REAL && !integers_are_sound(m, numbers))) return false;
    numbers_spread(m, numbers, base);
  }
  return true;
}
