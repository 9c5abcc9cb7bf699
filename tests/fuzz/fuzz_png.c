/* Pictures of materials: as they are, and with the checksums of their chunks made right, which no change survives. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "config/config.h"
#include "fuzz/fuzz.h"
#include "problem/problem.h"

static const char text[] = "[grid]\nnx = 9\nny = 7\nlx = 1\nly = 1\n[material]\nconductivity = 1\ncolor = #ffffff\n"
                           "[material iron]\nconductivity = 80\ncolor = #000000\n"
                           "[material air]\nconductivity = 0.02\ncolor = #ff0000\n"
                           "[boundary]\nwest = 300\neast = 310\nsouth = insulated\nnorth = insulated\n"
                           "[map]\nmaterials = input.png\n";

static uint32_t number_at(const uint8_t *at)
{
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void checksums_repair(uint8_t *data, size_t size)
{
  size_t at = 8;
  while (size >= 12 && at <= size - 12) {
    const size_t length = number_at(data + at);
    uint32_t crc;
    if (length > size - 12 - at) return;
    crc = (uint32_t)crc32(0, data + at + 4, (uInt)length + 4);
    for (int k = 0; k < 4; k++) data[at + 8 + length + (size_t)k] = (uint8_t)(crc >> (24 - 8 * k));
    at += 12 + length;
  }
}

static hs_status picture_read(const struct hs_config *config, const void *data, size_t size, struct hs_error *err)
{
  struct hs_problem *problem = NULL;
  hs_status status;
  (void)fuzz_file("input.png", data, size);
  status = hs_problem_create(config, NULL, &problem, err);
  hs_problem_destroy(problem);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct hs_config *config;
  struct hs_error err = {0};
  uint8_t *copy = malloc(size + 1);
  if (!config) config = fuzz_config(text);
  if (!copy) return 0;
  fuzz_outcome(picture_read(config, data, size, &err), &err);
  memcpy(copy, data, size);
  checksums_repair(copy, size);
  fuzz_outcome(picture_read(config, copy, size, &err), &err);
  free(copy);
  return 0;
}
