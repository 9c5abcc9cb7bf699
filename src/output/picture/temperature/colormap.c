/* Colour maps as tables of 33 equidistant knots in sRGB bytes, interpolated linearly.
 *
 * viridis, inferno, magma and plasma are by Nathaniel Smith, Stefan van der Walt and Eric Firing, cividis is
 * by Jamie Nunez, Christopher Anderton and Ryan Renslow (PLoS ONE 13(7), 2018). Their knots are samples of the
 * tables that matplotlib publishes (lib/matplotlib/_cm_listed.py, version 3.11; dedicated to the public domain
 * under CC0) at positions k/32. cool-warm is the diverging map of Kenneth Moreland, "Diverging Color Maps for
 * Scientific Visualization" (ISVC 2009), computed from the paper's formulas (ends 59,76,192 and 180,4,38
 * interpolated in Msh space through a white point of M = 88).
 *
 * The interpolation differs from the full tables by a few units of a byte, which is not visible.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "output/output.h"

#define KNOTS 33

static const unsigned char viridis[KNOTS][3] = {
    {68, 1, 84},    {71, 13, 96},   {72, 24, 106},  {72, 35, 116},  {71, 45, 123},  {69, 54, 129},  {66, 64, 134},
    {63, 73, 137},  {59, 82, 139},  {55, 90, 141},  {51, 99, 141},  {47, 106, 142}, {44, 114, 142}, {41, 122, 142},
    {38, 129, 142}, {35, 137, 142}, {33, 144, 140}, {31, 152, 139}, {31, 159, 136}, {33, 166, 133}, {40, 174, 128},
    {49, 181, 123}, {62, 188, 116}, {76, 194, 108}, {93, 201, 99},  {110, 206, 88}, {130, 211, 76}, {150, 216, 63},
    {171, 220, 50}, {192, 223, 36}, {213, 226, 26}, {234, 229, 26}, {253, 231, 37}};

static const unsigned char inferno[KNOTS][3] = {
    {0, 0, 4},      {4, 3, 18},     {11, 7, 36},     {21, 11, 55},    {33, 12, 74},   {46, 10, 90},   {60, 9, 101},
    {74, 12, 107},  {87, 16, 109},  {99, 20, 110},   {112, 25, 110},  {125, 30, 109}, {137, 34, 106}, {150, 39, 102},
    {163, 43, 97},  {175, 49, 92},  {187, 55, 85},   {198, 62, 77},   {209, 70, 68},  {219, 79, 59},  {227, 89, 50},
    {235, 101, 40}, {241, 113, 30}, {246, 127, 20},  {249, 141, 10},  {251, 156, 6},  {252, 171, 15}, {251, 186, 31},
    {249, 202, 50}, {245, 217, 73}, {242, 232, 101}, {243, 245, 134}, {252, 255, 164}};

static const unsigned char magma[KNOTS][3] = {
    {0, 0, 4},       {3, 3, 17},      {10, 8, 34},     {19, 13, 51},    {29, 17, 70},    {40, 17, 90},
    {54, 16, 106},   {67, 15, 118},   {80, 18, 124},   {93, 23, 127},   {105, 28, 129},  {118, 33, 129},
    {130, 38, 129},  {143, 42, 129},  {156, 46, 127},  {169, 50, 125},  {182, 55, 121},  {195, 59, 117},
    {207, 65, 112},  {219, 72, 106},  {230, 81, 99},   {238, 92, 94},   {245, 105, 92},  {249, 120, 93},
    {251, 135, 97},  {253, 150, 104}, {254, 165, 113}, {254, 180, 123}, {254, 195, 135}, {254, 209, 148},
    {253, 224, 162}, {252, 238, 176}, {252, 253, 191}};

static const unsigned char plasma[KNOTS][3] = {
    {13, 8, 135},   {34, 6, 144},   {49, 5, 150},   {63, 4, 156},   {76, 2, 161},   {89, 1, 165},   {102, 0, 167},
    {114, 1, 168},  {126, 3, 168},  {137, 9, 166},  {149, 17, 162}, {159, 26, 156}, {169, 35, 150}, {178, 44, 142},
    {187, 53, 135}, {195, 62, 128}, {203, 71, 120}, {210, 80, 113}, {217, 89, 106}, {224, 98, 99},  {230, 108, 92},
    {235, 117, 85}, {240, 127, 79}, {244, 138, 72}, {248, 148, 65}, {251, 159, 58}, {253, 171, 51}, {254, 183, 45},
    {253, 195, 40}, {252, 208, 37}, {249, 221, 37}, {245, 235, 39}, {240, 249, 33}};

static const unsigned char cividis[KNOTS][3] = {
    {0, 34, 78},     {0, 40, 91},     {0, 46, 106},    {4, 51, 113},    {26, 56, 111},   {39, 62, 110},
    {50, 67, 109},   {59, 73, 108},   {67, 78, 108},   {75, 84, 108},   {82, 89, 109},   {90, 95, 110},
    {97, 101, 111},  {104, 106, 113}, {111, 112, 115}, {117, 118, 118}, {124, 123, 120}, {132, 129, 121},
    {139, 135, 120}, {147, 141, 120}, {155, 147, 118}, {163, 154, 117}, {171, 160, 114}, {179, 166, 112},
    {187, 173, 108}, {195, 180, 105}, {204, 186, 100}, {212, 193, 95},  {221, 201, 88},  {230, 208, 81},
    {239, 215, 72},  {248, 223, 60},  {254, 232, 56}};

static const unsigned char cool_warm[KNOTS][3] = {
    {59, 76, 192},   {80, 88, 202},   {98, 100, 211},  {115, 111, 220}, {130, 123, 227}, {144, 134, 233},
    {157, 145, 238}, {169, 156, 242}, {180, 166, 245}, {190, 176, 246}, {198, 185, 247}, {205, 193, 246},
    {211, 201, 243}, {216, 207, 239}, {219, 213, 234}, {221, 217, 228}, {221, 221, 221}, {229, 216, 210},
    {236, 211, 198}, {242, 204, 186}, {246, 196, 174}, {248, 187, 162}, {249, 176, 149}, {248, 165, 137},
    {245, 153, 125}, {242, 140, 112}, {237, 126, 101}, {230, 112, 89},  {222, 96, 78},   {213, 79, 67},
    {203, 61, 57},   {192, 40, 47},   {180, 4, 38}};

struct hs_colormap {
  const char *name;
  const unsigned char (*knot)[3]; /* [KNOTS], or NULL for the gray ramp */
};

static const struct hs_colormap colormaps[] = {
    {"viridis", viridis}, {"inferno", inferno},     {"magma", magma}, {"plasma", plasma},
    {"cividis", cividis}, {"cool-warm", cool_warm}, {"gray", NULL},
};

const struct hs_colormap *hs_colormap_find(const char *name)
{
  size_t k;
  for (k = 0; k < sizeof colormaps / sizeof colormaps[0]; k++)
    if (name && strcmp(name, colormaps[k].name) == 0) return &colormaps[k];
  return NULL;
}

const char *hs_colormap_name(int k)
{
  return (size_t)k < sizeof colormaps / sizeof *colormaps ? colormaps[k].name : NULL;
}

const char *hs_colormap_names(void)
{
  return "viridis, inferno, magma, plasma, cividis, cool-warm, gray";
}

/* The knot below a position, and how far that is on the way to the next one. */
static inline int knot_below(double position, double *fraction)
{
  const double low = position > 0.0 ? position : 0.0, scaled = (low < 1.0 ? low : 1.0) * (KNOTS - 1);
  const int knot = scaled < KNOTS - 1 ? (int)scaled : KNOTS - 2;
  *fraction = scaled - knot;
  return knot;
}

static inline uint32_t between(double low, double high, double fraction)
{
  return (uint32_t)(int)((1.0 - fraction) * low + fraction * high + 0.5);
}

static inline double knot_value(const struct hs_colormap *map, int knot, int channel)
{
  return map->knot ? map->knot[knot][channel] : 255.0 * knot / (KNOTS - 1);
}

void hs_colormap_rgb(const struct hs_colormap *map, double position, unsigned char rgb[3])
{
  double fraction;
  const int knot = knot_below(position, &fraction);
  for (int c = 0; c < 3; c++)
    rgb[c] = (unsigned char)between(knot_value(map, knot, c), knot_value(map, knot + 1, c), fraction);
}

void hs_colormap_pixels(const struct hs_colormap *map, const double *position, int count, uint32_t not_a_number,
                        uint32_t *pixels)
{
  double value[KNOTS][3];
  for (int k = 0; k < KNOTS; k++)
    for (int c = 0; c < 3; c++) value[k][c] = knot_value(map, k, c);
  for (int k = 0; k < count; k++) {
    double fraction;
    const int knot = knot_below(position[k], &fraction);
    const double *low = value[knot], *high = value[knot + 1];
    const uint32_t color = between(low[0], high[0], fraction) << 16 | between(low[1], high[1], fraction) << 8 |
                           between(low[2], high[2], fraction);
    pixels[k] = isnan(position[k]) ? not_a_number : color;
  }
}
