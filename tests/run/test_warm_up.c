/* The warm-up of a backend: for whom it begins, and that its end waits for it. */
#include "support.h"

#include <time.h>

#include "run/warm_up.h"

static int warmed; /* by the thread; read after its end */

static void slowly(void)
{
  const struct timespec pause = {.tv_sec = 0, .tv_nsec = 20 * 1000 * 1000};
  (void)nanosleep(&pause, NULL);
  warmed++;
}

static const struct hs_backend plain = {.name = "plain"}, device = {.name = "device", .warm_up = slowly},
                               device_too = {.name = "device-too", .warm_up = slowly};
static const struct hs_backend *const all[] = {&plain, &device, &device_too, NULL};

static int count_for(const char *name, double nodes)
{
  struct hs_warm_up warm_up;
  warmed = 0;
  hs_warm_up_begin(&warm_up, all, name, nodes);
  hs_warm_up_end(&warm_up);
  hs_warm_up_end(&warm_up);
  return warmed;
}

static void a_backend_that_is_named(void **unused)
{
  (void)unused;
  assert_int_equal(count_for("device", 4.0), 1);
  assert_int_equal(count_for("device-too", 4.0), 1);
  assert_int_equal(count_for("plain", 1e9), 0);
  assert_int_equal(count_for("unknown", 1e9), 0);
}

static void auto_begins_where_a_device_is_likely(void **unused)
{
  (void)unused;
  assert_int_equal(count_for("auto", 256.0 * 256.0), 0);
  assert_int_equal(count_for("auto", 512.0 * 512.0), 1);
}

static void an_end_without_a_beginning(void **unused)
{
  struct hs_warm_up warm_up = {0};
  (void)unused;
  hs_warm_up_end(&warm_up);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_backend_that_is_named),
      cmocka_unit_test(auto_begins_where_a_device_is_likely),
      cmocka_unit_test(an_end_without_a_beginning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
