/* Maps and snapshots in HDF5 files, by several names; an input is taken where one of them is. */
#include <stdlib.h>

#include "config/config.h"
#include "fuzz/fuzz.h"
#include "problem/cells/maps.h"

static const char text[] = "[grid]\nnx = 5\nny = 4\nlx = 1\nly = 1\n[material]\nconductivity = 1\n"
                           "[boundary]\nwest = 300\neast = 310\nsouth = insulated\nnorth = insulated\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const struct {
    enum hs_map which;
    const char *place;
    int rows, columns;
    double above;
  } maps[] = {{HS_MAP_CONDUCTIVITY, "input.h5:k", 3, 4, 0.0},
              {HS_MAP_SOURCE, "input.h5:/maps/q", 3, 4, -1e300},
              {HS_MAP_INITIAL, "input.h5:/temperature", 4, 5, -1e300},
              {HS_MAP_INITIAL, "input.h5:last", 4, 5, -1e300},
              {HS_MAP_INITIAL, "input.h5:t=1", 4, 5, -1e300}};
  static struct hs_config *config;
  struct hs_error first = {0}, err = {0};
  hs_status status = HS_OK;
  int taken = 0;
  if (!config) config = fuzz_config(text);
  (void)fuzz_file("input.h5", data, size);
  for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
    double *values = NULL;
    const struct hs_map_part part = hs_map_whole(maps[k].rows, maps[k].columns);
    status = hs_map_values_read(config, maps[k].which, maps[k].place, &part, maps[k].above, &values, &err);
    fuzz_outcome(status, &err);
    if (!status) taken++;
    if (status && !first.status) first = err;
    free(values);
  }
  fuzz_outcome(taken ? HS_OK : first.status, &first);
  return 0;
}
