/* Which set of row functions this processor can run: as for sweeps. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <string.h>

#include "backend/cpu/linear/linear.h"
#include "backend/cpu/rows/rows.h"

hs_status hs_linear_rows_choose(const char *isa, const struct hs_linear_rows **rows, struct hs_error *err)
{
  static const struct hs_linear_rows *const all[] = {
#ifdef HS_HAVE_ROWS_AVX512
      &hs_linear_rows_avx512,
#endif
#ifdef HS_HAVE_ROWS_AVX2
      &hs_linear_rows_avx2,
#endif
      &hs_linear_rows_baseline,
  };
  const struct hs_cpu_rows *sweeps;
  size_t k = 0;
  const hs_status status = hs_cpu_rows_choose(isa, false, &sweeps, err);
  if (status) return status;
  while (strcmp(all[k]->isa, sweeps->isa)) k++;
  *rows = all[k];
  return HS_OK;
}
