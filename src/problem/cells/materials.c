/* The materials of the configuration, each with a colour for drawings. */
#include "problem/cells/materials.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Soft colours that differ in hue and in lightness; the background is a light grey. */
static const unsigned char COLORS[][3] = {
    {232, 230, 224}, {158, 190, 222}, {244, 193, 132}, {165, 211, 160}, {214, 166, 196},
    {240, 220, 130}, {178, 152, 128}, {138, 200, 196}, {232, 152, 140}, {176, 172, 220},
    {200, 208, 120}, {150, 160, 172}, {250, 214, 206}, {120, 168, 140},
};

static bool color_taken(const struct hs_problem *problem, int count, const unsigned char *rgb)
{
  for (int k = 0; k < count; k++)
    if (!memcmp(problem->materials[k].rgb, rgb, 3)) return true;
  return false;
}

/* Round and round, but for the background's. */
static int color_after(int color)
{
  return color + 1 < (int)(sizeof COLORS / sizeof *COLORS) ? color + 1 : 1;
}

/* Colours that the configuration gives come first, so that the list can avoid them. */
static void materials_color(struct hs_problem *problem)
{
  const struct hs_config *config = problem->config;
  const int colors = (int)(sizeof COLORS / sizeof *COLORS);
  for (int k = 0; k < problem->material_count; k++) {
    unsigned rgb;
    const char *text = config->materials[k].color;
    if (!text || !text[0] || sscanf(text, "#%6x", &rgb) != 1) continue;
    problem->materials[k].rgb[0] = (unsigned char)(rgb >> 16);
    problem->materials[k].rgb[1] = (unsigned char)(rgb >> 8);
    problem->materials[k].rgb[2] = (unsigned char)rgb;
  }
  for (int k = 0, next = 0; k < problem->material_count; k++) {
    const char *text = config->materials[k].color;
    if (text && text[0]) continue;
    for (int tries = 0; tries < colors && color_taken(problem, problem->material_count, COLORS[next]); tries++)
      next = color_after(next);
    memcpy(problem->materials[k].rgb, COLORS[next], 3);
    next = color_after(next);
  }
}

hs_status hs_materials_create(struct hs_problem *problem, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  const hs_status status = hs_array_create((void **)&problem->materials, (size_t)config->material_count,
                                           sizeof *problem->materials, "the materials", err);
  if (status) return status;
  problem->material_count = config->material_count;
  for (int k = 0; k < config->material_count; k++) {
    const struct hs_config_material *from = &config->materials[k];
    struct hs_material *to = &problem->materials[k];
    to->name = from->name;
    to->conductivity_x_w_mk = from->conductivity_x_w_mk;
    to->conductivity_y_w_mk = from->conductivity_y_w_mk;
    to->density_kg_m3 = from->density_kg_m3;
    to->capacity_j_m3k = from->density_kg_m3 * from->heat_capacity_j_kgk;
  }
  materials_color(problem);
  return HS_OK;
}

int hs_material_find(const struct hs_problem *problem, const char *name)
{
  for (int k = 0; k < problem->material_count; k++)
    if (!strcmp(problem->materials[k].name, name)) return k;
  return strcmp(name, "background") ? -1 : 0;
}

const char *hs_material_title(const struct hs_problem *problem, int m)
{
  const char *name = problem->materials[m].name;
  return name && name[0] ? name : "background";
}
