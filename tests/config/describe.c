/* Configurations as texts; see describe.h. */
#include "config/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char SMALL_FILE[] = "[grid]\nnx = 11\nny = 21\ndx = 0.1\ndy = 0.1\n"
                          "[material]\nconductivity = 50\n"
                          "[boundary]\nwest = 1\neast = 2\nsouth = 3\nnorth = 4\n"
                          "[source spot]\nshape = node\ni = 3\nj = 4\ndensity = 9";

const char *config_folder(void)
{
  const char *folder = getenv("HS_TEST_SRCDIR");
  return folder ? folder : "tests";
}

char *file_create(const char *text)
{
  char *name = strdup("test_config_XXXXXX");
  const int descriptor = mkstemp(name);
  FILE *file;
  assert_true(descriptor >= 0);
  file = fdopen(descriptor, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  return name;
}

static const char *yes_no(bool value)
{
  return value ? "yes" : "no";
}

/* A value as written, "#" and its number where it is one, "-" where it was not given. */
static void value_describe(FILE *out, const char *before, const struct hs_config_value *value)
{
  if (!value->text) {
    fprintf(out, "%s-", before);
  } else if (value->is_number) {
    fprintf(out, "%s#%.12g", before, value->number);
  } else {
    fprintf(out, "%s\"%s\"", before, value->text);
  }
}

static void shape_describe(FILE *out, const struct hs_config_shape *shape)
{
  int k;
  fprintf(out, "%s ", hs_shape_name(shape->kind));
  switch (shape->kind) {
  case HS_SHAPE_CIRCLE: fprintf(out, "%.12g %.12g %.12g", shape->x_m, shape->y_m, shape->radius_m); break;
  case HS_SHAPE_ELLIPSE:
    fprintf(out, "%.12g %.12g %.12g %.12g %.12g", shape->x_m, shape->y_m, shape->rx_m, shape->ry_m, shape->angle_deg);
    break;
  case HS_SHAPE_POLYGON:
    for (k = 0; k < shape->point_count; k++) {
      fprintf(out, "%s%.12g %.12g", k ? ", " : "", shape->points[k].x_m, shape->points[k].y_m);
    }
    break;
  case HS_SHAPE_LINE:
    fprintf(out, "%.12g %.12g %.12g %.12g %.12g", shape->x0_m, shape->y0_m, shape->x1_m, shape->y1_m, shape->width_m);
    break;
  default:
    fprintf(out, "%d %d %.12g %.12g %.12g %.12g", shape->i, shape->j, shape->x0_m, shape->x1_m, shape->y0_m,
            shape->y1_m);
    assert_true(shape->x_m == 0 && shape->y_m == 0 && shape->radius_m == 0 && shape->rx_m == 0 && shape->ry_m == 0);
    assert_true(shape->angle_deg == 0 && shape->width_m == 0 && !shape->points && shape->point_count == 0);
    break;
  }
  if (shape->part == HS_PART_OUTSIDE) fprintf(out, " outside");
}

static void domain_describe(FILE *out, const struct hs_config *config)
{
  const struct hs_config_material *material = &config->materials[0];
  int k;
  fprintf(out, "%dx%d dx %.12g dy %.12g lx %.12g ly %.12g k %.12g walls", config->grid.nx, config->grid.ny,
          config->grid.dx_m, config->grid.dy_m, config->grid.lx_m, config->grid.ly_m, material->conductivity_x_w_mk);
  for (k = 0; k < config->boundary_count && k < HS_SIDES; k++) {
    const struct hs_config_boundary *b = &config->boundaries[k];
    if (strcmp(b->name, hs_side_name(b->side)) != 0) break;
    if (b->kind != HS_WALL_TEMPERATURE) {
      fprintf(out, " %s", hs_wall_name(b->kind));
    } else if (b->temperature.is_number) {
      fprintf(out, " %.12g", b->temperature.number);
    } else {
      fprintf(out, " \"%s\"", b->temperature.text);
    }
  }
  fprintf(out, " start %.12g", config->initial.temperature_k);
}

static void solver_and_output_describe(FILE *out, const struct hs_config *config)
{
  fprintf(out, " solver %s %s %.12g %lld %d %s %s %d", hs_method_name(config->solver.method),
          hs_criterion_name(config->solver.criterion), config->solver.tolerance,
          (long long)config->solver.max_iterations, config->solver.check_every,
          hs_precision_name(config->solver.precision), config->solver.backend, config->solver.threads);
  fprintf(out, " output %s %s %s %s %s %s \"%s\" %s %.12g %.12g %d", config->output.directory,
          yes_no(config->output.field), yes_no(config->output.xdmf), yes_no(config->output.picture),
          yes_no(config->output.convergence), yes_no(config->output.report), config->output.title,
          config->output.colormap, config->output.range_min_k, config->output.range_max_k, config->output.isotherms);
  fprintf(out, " weight %.12g balance %.12g csv %s animation %d unit %s", config->solver.weight,
          config->solver.balance_tolerance, yes_no(config->output.csv), config->output.animation, config->output.unit);
  fprintf(out, " device memory %.12g", config->solver.device_memory_bytes);
}

static void sources_describe(FILE *out, const struct hs_config *config)
{
  int k;
  fprintf(out, " sources %d", config->source_count);
  for (k = 0; k < config->source_count; k++) {
    const struct hs_config_source *s = &config->sources[k];
    fprintf(out, " (%s ", s->name);
    shape_describe(out, &s->shape);
    fprintf(out, " %.12g", s->density_w_m3);
    if (!isnan(s->power_w_m)) fprintf(out, " power %.12g", s->power_w_m);
    fprintf(out, "%s)", s->replaces ? " replaces" : "");
  }
}

static void parts_describe(FILE *out, const struct hs_config *config)
{
  int k;
  fprintf(out, " layout %s mean %d materials %d", hs_layout_name(config->grid.layout), config->grid.face_mean,
          config->material_count);
  for (k = 0; k < config->material_count; k++) {
    const struct hs_config_material *m = &config->materials[k];
    fprintf(out, " (%s %.12g %.12g %.12g %.12g %s)", m->name, m->conductivity_x_w_mk, m->conductivity_y_w_mk,
            m->density_kg_m3, m->heat_capacity_j_kgk, m->color);
  }
  fprintf(out, " shapes %d", config->region_count);
  for (k = 0; k < config->region_count; k++) {
    const struct hs_config_region *r = &config->regions[k];
    fprintf(out, " (%s ", r->name);
    shape_describe(out, &r->shape);
    fprintf(out, " material \"%s\" initial %.12g", r->material, r->initial_k);
    value_describe(out, " temperature ", &r->temperature);
    fprintf(out, ")");
  }
  fprintf(out, " losses %d", config->loss_count);
  for (k = 0; k < config->loss_count; k++) {
    const struct hs_config_loss *l = &config->losses[k];
    fprintf(out, " (%s ", l->name);
    shape_describe(out, &l->shape);
    fprintf(out, " %.12g %.12g %.12g)", l->h_w_m2k, l->ambient_k, l->thickness_m);
  }
}

static void walls_describe(FILE *out, const struct hs_config *config)
{
  int k;
  fprintf(out, " boundaries %d", config->boundary_count);
  for (k = 0; k < config->boundary_count; k++) {
    const struct hs_config_boundary *b = &config->boundaries[k];
    fprintf(out, " (%s %s %s %.12g..%.12g", b->name, hs_side_name(b->side), hs_wall_name(b->kind), b->from_m, b->to_m);
    value_describe(out, " ", &b->temperature);
    value_describe(out, " ", &b->flux);
    value_describe(out, " ", &b->h);
    fprintf(out, ")");
  }
}

static void course_describe(FILE *out, const struct hs_config *config)
{
  int k;
  fprintf(out, " map \"%s\" \"%s\" \"%s\" \"%s\" probes %d", config->map.materials, config->map.conductivity,
          config->map.source, config->map.initial, config->probe_count);
  for (k = 0; k < config->probe_count; k++) {
    const struct hs_config_probe *p = &config->probes[k];
    fprintf(out, " (%s %s %.12g %.12g %.12g %.12g %d \"%s\")", p->name, p->is_line ? "line" : "point", p->x_m, p->y_m,
            p->x1_m, p->y1_m, p->points, p->material);
  }
  fprintf(out, " expects %d", config->expect_count);
  for (k = 0; k < config->expect_count; k++) {
    const struct hs_config_expect *e = &config->expects[k];
    fprintf(out, " (%s %s %.12g %.12g %s \"%s\")", e->name, e->quantity, e->value, e->allowed,
            e->relative ? "relative" : "absolute", e->source);
  }
  fprintf(out, " time %s end %.12g step %.12g damped %d adaptive %s %.12g %.12g %.12g inner %.12g snapshots %d",
          hs_scheme_name(config->time.scheme), config->time.end_s, config->time.step_s, config->time.damped_steps,
          yes_no(config->time.adaptive),
          config->time.step_tolerance_k, config->time.step_min_s, config->time.step_max_s,
          config->time.inner_tolerance_k, config->time.snapshot_count);
  for (k = 0; k < config->time.snapshot_count; k++) fprintf(out, " %.12g", config->time.snapshots_s[k]);
  fprintf(out, " every %.12g end", config->time.snapshot_every_s);
}

char *config_describe(const struct hs_config *config)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  domain_describe(out, config);
  sources_describe(out, config);
  solver_and_output_describe(out, config);
  parts_describe(out, config);
  walls_describe(out, config);
  course_describe(out, config);
  assert_int_equal(fclose(out), 0);
  return text;
}

char *text_describe(const char *text)
{
  char *name = file_create(text), *found;
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  if (hs_config_read(name, NULL, 0, &config, &err) != HS_OK) fail_msg("%s", err.text);
  found = config_describe(config);
  hs_config_destroy(config);
  remove(name);
  free(name);
  return found;
}
