/* The table of backends. */
#include "backend/backend.h"

#include <stdio.h>
#include <string.h>

#include "backend/part.h"

/* Every backend that heatsolve knows; one line each. A backend that was not built has a probe that says why. */
static const struct hs_backend *const backends[] = {
    &hs_backend_reference,     &hs_backend_cpu,          &hs_backend_cuda_global,   &hs_backend_cuda_shared,
    &hs_backend_cuda_resident, &hs_backend_cuda_blocked, &hs_backend_cuda_streamed, NULL,
};

const struct hs_backend *const *hs_backend_list(void)
{
  return backends;
}

const struct hs_backend *hs_backend_find_in(const struct hs_backend *const *list, const char *name,
                                            struct hs_error *err)
{
  char known[256] = "auto";
  for (int k = 0; list[k]; k++) {
    if (!strcmp(list[k]->name, name)) return list[k];
    snprintf(known + strlen(known), sizeof known - strlen(known), ", %s", list[k]->name);
  }
  hs_error_set(err, HS_ERR_CONFIG, "unknown backend \"%s\"; known: %s (`heatsolve backends` says which can run here)",
               name, known);
  return NULL;
}

const struct hs_backend *hs_backend_find(const char *name, struct hs_error *err)
{
  return hs_backend_find_in(backends, name, err);
}

/* All backends with devices have the same ones. */
static const struct hs_part_operations *devices_find(void)
{
  for (int k = 0; backends[k]; k++)
    if (backends[k]->part && backends[k]->part->devices) return backends[k]->part;
  return NULL;
}

int hs_backend_devices(void)
{
  const struct hs_part_operations *part = devices_find();
  return part ? part->devices() : 0;
}

hs_status hs_backend_device_use(int device, struct hs_error *err)
{
  const struct hs_part_operations *part = devices_find();
  if (!part) return hs_error_set(err, HS_ERR_DEVICE, "this build knows no devices");
  return part->device_use(device, err);
}

/* A test costs a few sweeps: the larger the grid, the more sweeps are made anyway, and Chebyshev's method makes far
 * fewer. The large intervals are whole passes of 32 sweeps, the longest of cuda-blocked, and two single sweeps, of which
 * the last is the tested one: more single sweeps would cost more than the test. All are even, since an error can only
 * be estimated from tests that lie an even number of sweeps apart (hs_solve_interval). */
int hs_backend_test_interval(double nodes, enum hs_form form)
{
  const double shortest_up_to = form == HS_FORM_CHEBYSHEV ? 512.0 * 512.0 : 128.0 * 128.0;
  if (nodes <= shortest_up_to) return 256;
  if (nodes <= 256.0 * 256.0) return 514;
  return nodes <= 2048.0 * 2048.0 ? 1026 : 2050;
}
