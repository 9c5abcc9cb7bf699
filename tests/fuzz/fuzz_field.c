/* Fields and snapshots in HDF5 files, as render, compare and animations read them. */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "output/field/snapshots.h"
#include "output/output.h"

enum { NX = 6, NY = 5 }; /* as of the problem that fuzz_problem(1) describes */

static hs_status snapshots_read(const char *path, struct hs_error *err)
{
  struct hs_snapshot_reader *reader = NULL;
  struct hs_snapshot_facts facts;
  double field_k[NX * NY];
  hs_status status = hs_snapshot_reader_open(path, NX, NY, &reader, err);
  for (int k = 0; !status && k < hs_snapshot_reader_count(reader) && k < 3; k++)
    status = hs_snapshot_reader_get(reader, k, &facts, field_k, err);
  hs_snapshot_reader_close(reader);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *path = fuzz_file("input.h5", data, size);
  struct hs_output_field field;
  struct hs_error err = {0};
  volatile double sum = 0.0; /* every number is looked at */
  hs_status status = snapshots_read(path, &err);
  fuzz_outcome(status, &err);
  if (status) {
    status = hs_output_h5_read(path, &field, &err);
    for (size_t n = 0; !status && n < (size_t)field.nx * (size_t)field.ny; n++) sum += field.field_k[n];
    (void)sum;
    hs_output_field_clear(&field);
    fuzz_outcome(status, &err);
  }
  return 0;
}
