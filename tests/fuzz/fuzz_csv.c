/* Tables: two columns of numbers in text. */
#include "fuzz/fuzz.h"
#include "problem/curve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *path = fuzz_file("input.csv", data, size);
  struct hs_curve curve = {0};
  struct hs_error err = {0};
  const hs_status status = hs_curve_read(path, "input.ini:7: [boundary] west", &curve, &err);
  if (!status)
    for (double x = -1.0; x < 10.0; x += 0.7) (void)hs_curve_at(&curve, x);
  hs_curve_clear(&curve);
  fuzz_outcome(status, &err);
  return 0;
}
