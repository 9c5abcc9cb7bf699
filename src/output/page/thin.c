#include "output/page/thin.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { BLOCK = 3 * 512 }; /* bytes that become base64 at a time; a multiple of 3 and of 2 */

/* Shown of n when every step-th is, and the last. */
static int shown(int n, int step)
{
  return (n - 2) / step + 2;
}

/* The step of a direction with n nodes: the same as that of the other one, unless fewer than HS_THIN_LEAST would be left. */
static int step_of(int n, int step)
{
  const int largest = n > HS_THIN_LEAST ? (n + HS_THIN_LEAST - 3) / (HS_THIN_LEAST - 1) : 1;
  return step < largest ? step : largest;
}

struct hs_thin hs_thin_find(int nx, int ny, size_t most)
{
  struct hs_thin thin = {.nx = nx, .ny = ny};
  for (int step = 1;; step++) {
    thin.step_x = step_of(nx, step);
    thin.step_y = step_of(ny, step);
    thin.columns = shown(nx, thin.step_x);
    thin.rows = shown(ny, thin.step_y);
    if ((size_t)thin.columns * (size_t)thin.rows <= most || (thin.step_x < step && thin.step_y < step)) return thin;
  }
}

static int place(int k, int step, int n)
{
  return k * step < n - 1 ? k * step : n - 1;
}

int hs_thin_column(const struct hs_thin *thin, int k)
{
  return place(k, thin->step_x, thin->nx);
}

int hs_thin_row(const struct hs_thin *thin, int k)
{
  return place(k, thin->step_y, thin->ny);
}

unsigned hs_packed_top(int bytes)
{
  return (1u << 8 * bytes) - 2u;
}

void hs_base64(const unsigned char *bytes, size_t count, struct hs_text *text)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char coded[BLOCK / 3 * 4 + 1];
  for (size_t start = 0; start < count; start += BLOCK) {
    const size_t end = start + BLOCK < count ? start + BLOCK : count;
    size_t length = 0;
    for (size_t k = start; k < end; k += 3) {
      const size_t left = end - k;
      const unsigned group =
          (unsigned)bytes[k] << 16 | (left > 1 ? (unsigned)bytes[k + 1] << 8 : 0u) | (left > 2 ? bytes[k + 2] : 0u);
      coded[length++] = digits[group >> 18];
      coded[length++] = digits[group >> 12 & 63];
      coded[length++] = left > 1 ? digits[group >> 6 & 63] : '=';
      coded[length++] = left > 2 ? digits[group & 63] : '=';
    }
    hs_text_add_bytes(text, coded, length);
  }
}

static void find_extremes(const double *values, size_t count, struct hs_packed *packed)
{
  packed->low = INFINITY;
  packed->high = -INFINITY;
  for (size_t k = 0; k < count; k++) {
    if (!isfinite(values[k])) continue;
    packed->low = fmin(packed->low, values[k]);
    packed->high = fmax(packed->high, values[k]);
  }
  if (packed->low > packed->high) packed->low = packed->high = NAN;
}

/* Halves are taken so that the largest numbers do not overflow. */
static unsigned integer_of(double value, const struct hs_packed *packed)
{
  const unsigned top = hs_packed_top(packed->bytes);
  const double range = 0.5 * packed->high - 0.5 * packed->low;
  if (!isfinite(value)) return top + 1u;
  if (!(range > 0.0)) return 0u;
  return (unsigned)floor((0.5 * value - 0.5 * packed->low) / range * top + 0.5);
}

void hs_pack(const double *values, size_t count, struct hs_packed *packed, struct hs_text *text)
{
  unsigned char block[BLOCK];
  size_t filled = 0;
  find_extremes(values, count, packed);
  for (size_t k = 0; k < count; k++) {
    const unsigned integer = integer_of(values[k], packed);
    for (int b = packed->bytes - 1; b >= 0; b--) block[filled++] = (unsigned char)(integer >> 8 * b & 255u);
    if (filled < BLOCK) continue;
    hs_base64(block, filled, text);
    filled = 0;
  }
  hs_base64(block, filled, text);
}

/* --- as JSON ------------------------------------------------------------------------------------- */

void hs_thin_add_grid(struct hs_text *text, const struct hs_thin *thin)
{
  hs_text_add(text, "\"columns\": %d, \"rows\": %d, \"step_x\": %d, \"step_y\": %d", thin->columns, thin->rows,
              thin->step_x, thin->step_y);
}

static void add_number(struct hs_text *text, const char *key, double value)
{
  if (isfinite(value))
    hs_text_add(text, ", \"%s\": %.17g", key, value);
  else
    hs_text_add(text, ", \"%s\": null", key);
}

void hs_thin_add(struct hs_text *text, const double *values, const struct hs_thin *thin, int bytes, double time_s)
{
  struct hs_packed packed = {.bytes = bytes};
  struct hs_text numbers = {0};
  hs_pack(values, (size_t)thin->columns * (size_t)thin->rows, &packed, &numbers);
  hs_text_add(text, "{");
  hs_thin_add_grid(text, thin);
  hs_text_add(text, ", \"bytes\": %d", bytes);
  add_number(text, "time_s", time_s);
  add_number(text, "low", packed.low);
  add_number(text, "high", packed.high);
  hs_text_add(text, ", \"numbers\": \"%s\"}", numbers.text ? numbers.text : "");
  text->failed |= numbers.failed;
  free(numbers.text);
}
