/* Which set of row functions this processor can run. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <string.h>

#include "backend/cpu/rows/rows.h"

struct isa {
  const struct hs_cpu_rows *rows;
  int (*runs_here)(void);
};

static int always(void)
{
  return 1;
}

#ifdef HS_HAVE_ROWS_AVX2
static int has_avx2(void)
{
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#ifdef HS_HAVE_ROWS_AVX512
static int has_avx512(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#endif

/* Widest first. */
static const struct isa isas[] = {
#ifdef HS_HAVE_ROWS_AVX512
    {hs_cpu_rows_avx512, has_avx512},
#endif
#ifdef HS_HAVE_ROWS_AVX2
    {hs_cpu_rows_avx2, has_avx2},
#endif
    {hs_cpu_rows_baseline, always},
};

hs_status hs_cpu_rows_choose(const char *isa, bool single, const struct hs_cpu_rows **rows, struct hs_error *err)
{
  for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
    if (isa && strcmp(isa, isas[k].rows->isa)) continue;
    if (!isas[k].runs_here()) continue;
    *rows = &isas[k].rows[single];
    return HS_OK;
  }
  return hs_error_set(err, HS_ERR_UNSUPPORTED,
                      "this build or this processor has no instruction set %s; there are baseline, avx2 and avx512",
                      isa);
}
