/* Measured costs. "MACHINE" in an input stands for the name of this machine, as whose the file is read. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/cost/tuning.h"
#include "fuzz/fuzz.h"

/* Writes the input where the file of this machine belongs, under the folder that XDG_CACHE_HOME names. */
static void file_put(const uint8_t *data, size_t size)
{
  static const char mark[] = "MACHINE";
  const char *folder = fuzz_path("heatsolve"), *at = memmem(data, size, mark, sizeof mark - 1);
  const size_t before = at ? (size_t)((const uint8_t *)at - data) : size, skipped = at ? sizeof mark - 1 : 0;
  char machine[256], *text = malloc(size + sizeof machine), *path = hs_tuning_path(NULL);
  size_t length;
  if (!text || !path) abort();
  (void)mkdir(folder, 0755);
  hs_tuning_machine(machine, sizeof machine);
  length = at ? strlen(machine) : 0;
  memcpy(text, data, before);
  memcpy(text + before, machine, length);
  memcpy(text + before + length, data + before + skipped, size - before - skipped);
  (void)fuzz_file(strstr(path, "heatsolve/tuning"), text, size - skipped + length);
  free(path);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct hs_tuning *tuning = NULL;
  struct hs_error err = {0};
  hs_status status;
  file_put(data, size);
  status = hs_tuning_load(&tuning, &err);
  for (int kind = 0; tuning && kind < HS_TUNING_KINDS; kind++)
    for (double nodes = 1.0; nodes < 1e12; nodes *= 7.0)
      (void)hs_tuning_sweep_s(tuning, "cpu", (enum hs_tuning_kind)kind, kind % 2 == 1, nodes);
  hs_tuning_destroy(tuning);
  fuzz_outcome(status, &err);
  return 0;
}
