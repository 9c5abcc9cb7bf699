/* What happens at given times: snapshots, the end, an interruption. */
#include "time/square.h"

#include <math.h>
#include <stdlib.h>

#include "base/timer.h"
#include "time/march.h"

static const double PI = 3.14159265358979323846;

struct album {
  int count;
  struct hs_snapshot pages[16];
  double corner_k[16]; /* of node (1, 1) */
  hs_status answer;
};

static hs_status album_take(void *context, const struct hs_snapshot *snapshot, struct hs_error *err)
{
  struct album *album = context;
  (void)err;
  album->corner_k[album->count] = snapshot->field_k[SQUARE_N + 2];
  album->pages[album->count++] = *snapshot;
  return album->answer;
}

/* At 0, at each time to the bit, at the end; a step that an event cuts short has its own length's factor. */
static void snapshots_come_at_their_times(void **state)
{
  static const double times_s[] = {0.00025, 0.001, 0.0010001, 0.00317};
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER, HS_SCHEME_CRANK_NICOLSON};
  (void)state;
  for (int s = 0; s < 6; s++) {
    const double step_s = 0.25 * SQUARE_H * SQUARE_H * 0.9;
    struct hs_transient_settings settings = square_settings(schemes[s % 3], 0.004, step_s);
    struct hs_system *system = square_system(schemes[s % 3], step_s);
    double *field_k = square_mode(system), time_s = 0.0, factor = 1.0;
    struct album album = {0};
    const struct hs_snapshot_taker taker = {album_take, &album};
    struct hs_transient_outcome o;
    settings.snapshots_s = times_s;
    settings.snapshot_count = 4;
    settings.adaptive = s >= 3 && s % 3;
    o = square_run(system, &settings, field_k, &taker);
    assert_int_equal(album.count, 6);
    assert_true(album.pages[0].time_s == 0.0 && album.pages[0].steps == 0);
    for (int k = 1; k <= 4; k++) assert_true(album.pages[k].time_s == times_s[k - 1]);
    assert_true(album.pages[5].time_s == 0.004 && o.time_s == 0.004);
    assert_int_equal(album.pages[5].steps, o.steps);
    for (int k = 1; !settings.adaptive && k < 6; k++) {
      while (album.pages[k].time_s - time_s > 1e-9 * step_s) {
        const double left_s = album.pages[k].time_s - time_s;
        const double z = square_mode_rate() * (left_s < step_s * (1.0 - 1e-9) ? left_s : step_s);
        factor *= s % 3 == 0 ? 1.0 - z : s % 3 == 1 ? 1.0 / (1.0 + z) : (1.0 - 0.5 * z) / (1.0 + 0.5 * z);
        time_s = left_s < step_s * (1.0 - 1e-9) ? album.pages[k].time_s : time_s + step_s;
      }
      time_s = album.pages[k].time_s;
      test_near("factor", album.corner_k[k], factor * sin(PI * SQUARE_H) * sin(PI * SQUARE_H), 1e-9);
    }
    free(field_k);
    hs_system_destroy(system);
  }
}

static void failing_taker_ends_the_run(void **state)
{
  const struct hs_backend_options options = {.threads = 1};
  const struct hs_transient_settings settings = square_settings(HS_SCHEME_EXPLICIT, 0.01, 1e-4);
  struct hs_system *system = square_system(settings.scheme, settings.step_s);
  double *field_k = square_mode(system);
  struct album album = {.answer = HS_ERR_IO};
  const struct hs_snapshot_taker taker = {album_take, &album};
  struct hs_backend_state *backend = NULL;
  struct hs_transient_outcome outcome;
  struct hs_discretisation steps = square_steps(system, &settings);
  struct hs_error err = {0};
  (void)state;
  test_ok(hs_backend_reference.create(steps.now, &options, &backend, &err), &err);
  test_ok(hs_backend_reference.load(backend, field_k, &err), &err);
  assert_int_equal(hs_transient_run(&steps, &settings, &hs_backend_reference, backend, NULL, &taker, &outcome, &err),
                   HS_ERR_IO);
  assert_int_equal(album.count, 1);
  hs_backend_reference.destroy(backend);
  hs_discretisation_clear(&steps);
  free(field_k);
  hs_system_destroy(system);
}

/* A flag that is set: the run ends after the step under way, with the field of that time. */
static void interruption_ends_after_a_step(void **state)
{
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER};
  const struct hs_backend_options options = {.threads = 1};
  volatile sig_atomic_t stop = 1;
  const struct hs_solve_observer observer = {.stop_requested = &stop};
  (void)state;
  for (int s = 0; s < 2; s++) {
    const double step_s = 1e-4;
    struct hs_transient_settings settings = square_settings(schemes[s], 1e6, step_s);
    struct hs_system *system = square_system(settings.scheme, settings.step_s);
    double *field_k = square_mode(system), factor;
    struct hs_backend_state *backend = NULL;
    struct hs_transient_outcome o;
    struct hs_discretisation steps = square_steps(system, &settings);
    struct hs_error err = {0};
    test_ok(hs_backend_reference.create(steps.now, &options, &backend, &err), &err);
    test_ok(hs_backend_reference.load(backend, field_k, &err), &err);
    test_ok(hs_transient_run(&steps, &settings, &hs_backend_reference, backend, &observer, NULL, &o, &err), &err);
    test_ok(hs_backend_reference.fetch(backend, field_k, &err), &err);
    assert_int_equal(o.verdict, HS_VERDICT_INTERRUPTED);
    assert_true(o.steps > 0 && o.time_s < 1e6);
    test_near("time", o.time_s, (double)o.steps * step_s, 1e-9 * o.time_s);
    factor = s ? 1.0 / (1.0 + square_mode_rate() * step_s) : 1.0 - square_mode_rate() * step_s;
    /* as many steps as fit into the time before the interruption is seen, each as wrong as it may be */
    square_assert_mode(system, field_k, pow(factor, (double)o.steps),
                       s ? (double)o.steps * settings.inner_tolerance_k : 1e-13 * (double)o.steps);
    hs_backend_reference.destroy(backend);
    hs_discretisation_clear(&steps);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* Only a step of which there is a copy can be undone: not one that follows a step which was done before it was undone. */
static void undoing_does_not_outlast_a_step(void **state)
{
  const struct hs_backend_options options = {.threads = 1};
  const struct hs_transient_settings settings = square_settings(HS_SCHEME_BACKWARD_EULER, 2.0, 2.0);
  struct hs_system *system = square_system(settings.scheme, settings.step_s);
  struct hs_discretisation steps = square_steps(system, &settings);
  struct hs_transient_outcome o = {.verdict = HS_VERDICT_RUNNING};
  struct hs_march m = {.discretisation = &steps,
                       .settings = &settings,
                       .backend = &hs_backend_reference,
                       .outcome = &o,
                       .step_took_s = 0.5 * HS_MARCH_SHORT_S,
                       .undo = 1,
                       .field_k = test_field(system)};
  double *field_k = square_mode(system);
  struct hs_error err = {0};
  (void)state;
  m.asked_s = m.shown_s = m.started_s = hs_time_s();
  test_ok(hs_backend_reference.create(steps.now, &options, &m.state, &err), &err);
  test_ok(hs_backend_reference.load(m.state, field_k, &err), &err);
  test_ok(hs_march_implicit(&m, settings.step_s, &err), &err);
  assert_int_equal(o.verdict, HS_VERDICT_RUNNING);
  test_ok(hs_backend_reference.fetch(m.state, field_k, &err), &err);
  square_assert_mode(system, field_k, 1.0 / (1.0 + square_mode_rate() * settings.step_s), settings.inner_tolerance_k);
  hs_backend_reference.destroy(m.state);
  hs_discretisation_clear(&steps);
  free(m.field_k);
  free(field_k);
  hs_system_destroy(system);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snapshots_come_at_their_times),
      cmocka_unit_test(failing_taker_ends_the_run),
      cmocka_unit_test(interruption_ends_after_a_step),
      cmocka_unit_test(undoing_does_not_outlast_a_step),
  };
  return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
