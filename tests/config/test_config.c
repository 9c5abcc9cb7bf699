/* The config room: files that must be accepted or refused, overrides, printed help and default.
 *
 * config/bad-*.ini begin with "; expect: TEXT", a part of the refusal. config/good-*.ini have such a
 * line too, and TEXT is a part of the values as config_describe writes them. config/refused.cases and
 * config/accepted.cases hold many short cases in one file each; their first lines say how.
 */
#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/config.h"

static const char *const small_file = "[grid]\nnx = 11\nny = 21\ndx = 0.1\ndy = 0.1\n"
                                      "[material]\nconductivity = 50\n"
                                      "[boundary]\nwest = 1\neast = 2\nsouth = 3\nnorth = 4\n"
                                      "[source spot]\nshape = node\ni = 3\nj = 4\ndensity = 9";

static const char *tests_folder(void)
{
  const char *folder = getenv("HS_TEST_SRCDIR");
  return folder ? folder : "tests";
}

/* Writes text into a new file; the name is owned by the caller, who removes the file. */
static char *file_create(const char *text)
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
  fprintf(out, " time %s end %.12g step %.12g adaptive %s %.12g %.12g %.12g inner %.12g snapshots %d",
          hs_scheme_name(config->time.scheme), config->time.end_s, config->time.step_s, yes_no(config->time.adaptive),
          config->time.step_tolerance_k, config->time.step_min_s, config->time.step_max_s,
          config->time.inner_tolerance_k, config->time.snapshot_count);
  for (k = 0; k < config->time.snapshot_count; k++) fprintf(out, " %.12g", config->time.snapshots_s[k]);
  fprintf(out, " every %.12g end", config->time.snapshot_every_s);
}

/* All values of a configuration as text, owned by the caller. */
static char *config_describe(const struct hs_config *config)
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

/* The text behind "; expect: " in the first lines of a file. */
static void expectation_read(const char *path, char *text, size_t size)
{
  static const char mark[] = "; expect: ";
  char line[600];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[0] = '\0';
  while (text[0] == '\0' && fgets(line, sizeof line, file)) {
    if (strncmp(line, mark, sizeof mark - 1) == 0) snprintf(text, size, "%s", line + sizeof mark - 1);
  }
  fclose(file);
  text[strcspn(text, "\r\n")] = '\0';
}

/* Is one file accepted or refused as it says? Prints what differs. */
static bool file_behaves(const char *path, bool good)
{
  char expected[600], *found = NULL;
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  const hs_status status = hs_config_read(path, NULL, 0, &config, &err);
  bool as_expected;

  expectation_read(path, expected, sizeof expected);
  if (status == HS_OK) {
    found = config_describe(config);
    as_expected = good && expected[0] && strstr(found, expected);
  } else {
    as_expected = !good && expected[0] && status == HS_ERR_CONFIG && err.status == status && !config &&
                  strncmp(err.text, path, strlen(path)) == 0 && strstr(err.text, expected);
  }
  if (!as_expected) {
    print_error("%s\n  expected %s: %s\n  found %s: %s\n", path, good ? "values" : "refusal", expected,
                status == HS_OK ? "values" : "refusal", found ? found : err.text);
  }
  free(found);
  hs_config_destroy(config);
  return as_expected;
}

/* Goes over the files whose names begin with prefix; at least least of them. */
static void folder_behaves(const char *prefix, int least, bool good)
{
  char folder[2000], path[2400];
  const struct dirent *entry;
  int count = 0, wrong = 0;
  DIR *listing;
  snprintf(folder, sizeof folder, "%s/config", tests_folder());
  listing = opendir(folder);
  if (!listing) fail_msg("%s cannot be listed; set HS_TEST_SRCDIR to the folder of the tests", folder);
  while ((entry = readdir(listing))) {
    if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    wrong += !file_behaves(path, good);
    count++;
  }
  closedir(listing);
  assert_int_equal(wrong, 0);
  assert_true(count >= least);
}

static void good_files_are_accepted(void **state)
{
  (void)state;
  folder_behaves("good-", 15, true);
}

static void bad_files_are_refused(void **state)
{
  (void)state;
  folder_behaves("bad-", 90, false);
}

/* --- many cases in one file ---------------------------------------------------------------------- */

enum { CASE_LINES = 16, CASE_LINE_BYTES = 1400, CASE_TEXT_BYTES = 8000 };

static const char plate_file[] = "[grid]\nnx = 11\nny = 21\nlx = 1\nly = 2\n[material]\nconductivity = 50\n"
                                 "[boundary]\nwest = 1\neast = 2\nsouth = 3\nnorth = 4\n";

struct config_case {
  char expected[CASE_LINES][CASE_LINE_BYTES];
  char overrides[CASE_LINES][CASE_LINE_BYTES];
  int expected_count, override_count;
  char text[CASE_TEXT_BYTES];
  bool begun; /* something stands behind the expectations */
};

/* Does one case come out as it says? Prints what differs. */
static bool case_behaves(const struct config_case *c, bool good)
{
  const bool whole = strncmp(c->text, "[grid]", 6) == 0;
  const char *overrides[CASE_LINES];
  char *name = strdup("test_config_XXXXXX.ini"), *found;
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  FILE *file = fdopen(mkstemps(name, 4), "w");
  bool as_expected;
  int k;
  assert_non_null(file);
  fprintf(file, "%s%s", whole ? "" : plate_file, c->text);
  assert_int_equal(fclose(file), 0);
  for (k = 0; k < c->override_count; k++) overrides[k] = c->overrides[k];
  as_expected = (hs_config_read(name, overrides, c->override_count, &config, &err) == HS_OK) == good;
  found = config ? config_describe(config) : strdup(err.text);
  as_expected = as_expected && (good || (err.status == HS_ERR_CONFIG && !config));
  for (k = 0; k < c->expected_count; k++) as_expected = as_expected && strstr(found, c->expected[k]);
  for (k = 0; k < c->expected_count && !as_expected; k++) print_error("expected %s\n", c->expected[k]);
  if (!as_expected) print_error("found %s\n\n", found);
  hs_config_destroy(config);
  free(found);
  remove(name);
  free(name);
  return as_expected;
}

/* Takes one line into the case; false when the line begins the next case. */
static bool case_take_line(struct config_case *c, const char *line)
{
  const bool expectation = strncmp(line, "=== ", 4) == 0, override = strncmp(line, "--set ", 6) == 0;
  const size_t length = strlen(c->text);
  if (expectation && c->begun) return false;
  if (expectation) {
    assert_true(c->expected_count < CASE_LINES);
    snprintf(c->expected[c->expected_count++], CASE_LINE_BYTES, "%s", line + 4);
  } else if (override) {
    assert_true(c->override_count < CASE_LINES);
    snprintf(c->overrides[c->override_count++], CASE_LINE_BYTES, "%s", line + 6);
  } else if (line[0] != '#' && c->expected_count > 0) {
    assert_true(length + strlen(line) + 2 < CASE_TEXT_BYTES);
    sprintf(c->text + length, "%s\n", line);
  }
  c->begun = c->begun || (!expectation && line[0] != '#' && line[0] != '\0');
  return true;
}

/* Goes over the cases of a file; at least least of them. */
static void cases_behave(const char *name, int least, bool good)
{
  struct config_case *c = calloc(1, sizeof *c);
  char path[2400], line[CASE_LINE_BYTES];
  int count = 0, wrong = 0;
  FILE *file;
  snprintf(path, sizeof path, "%s/config/%s", tests_folder(), name);
  file = fopen(path, "r");
  if (!file || !c) fail_msg("%s cannot be opened", path);
  while (fgets(line, sizeof line, file)) {
    assert_true(strlen(line) < sizeof line - 1);
    line[strcspn(line, "\n")] = '\0';
    if (case_take_line(c, line)) continue;
    count++;
    wrong += !case_behaves(c, good);
    memset(c, 0, sizeof *c);
    assert_true(case_take_line(c, line));
  }
  count++;
  wrong += !case_behaves(c, good);
  fclose(file);
  free(c);
  assert_int_equal(wrong, 0);
  assert_true(count >= least);
}

static void accepted_cases_are_accepted(void **state)
{
  (void)state;
  cases_behave("accepted.cases", 25, true);
}

static void refused_cases_are_refused(void **state)
{
  (void)state;
  cases_behave("refused.cases", 150, false);
}

static void examples_are_accepted(void **state)
{
  static const struct {
    const char *name, *values;
  } examples[] = {
      {"workshop", "256x256 dx 0.00390625 dy 0.00390625 lx 0.99609375 ly 0.99609375 k 1 walls 0 0 0 0 start 0 "
                   "sources 1 (spot node 128 128 0 0 0 0 10000) solver jacobi update_l2 0.0001 1000000 0 double auto "
                   "0 output workshop-output yes yes yes yes yes"},
      {"laplace2d", "4096x4096 dx 1 dy 1 lx 4095 ly 4095 k 1 walls 1 0 0 0 start 0 sources 0 solver jacobi update_max "
                    "1e-06 1000 100 double auto 0"},
      {"plate", "81x41 dx 0.0025 dy 0.0025 lx 0.2 ly 0.1 k 237 walls 293.15 300.15 283.15 323.15 start 300 sources 1 "
                "(heater rectangle 0 0 0.06 0.1 0.03 0.05 20000000) solver jacobi error 0.001"},
  };
  size_t k;
  (void)state;
  for (k = 0; k < sizeof examples / sizeof examples[0]; k++) {
    char path[2400], *found;
    struct hs_config *config = NULL;
    struct hs_error err = {HS_OK, ""};
    snprintf(path, sizeof path, "%s/../configs/%s.ini", tests_folder(), examples[k].name);
    if (hs_config_read(path, NULL, 0, &config, &err) != HS_OK) fail_msg("%s", err.text);
    found = config_describe(config);
    if (!strstr(found, examples[k].values)) fail_msg("%s: %s", path, found);
    free(found);
    hs_config_destroy(config);
  }
}

static void unreadable_files_are_io_errors(void **state)
{
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  assert_int_equal(hs_config_read("no such file.ini", NULL, 0, &config, &err), HS_ERR_IO);
  assert_string_equal(err.text, "no such file.ini: the configuration cannot be opened: No such file or directory.");
  assert_null(config);
  assert_int_equal(hs_config_read(".", NULL, 0, &config, &err), HS_ERR_IO);
  assert_string_equal(err.text, ".: the configuration cannot be read: Is a directory.");
  assert_int_equal(hs_config_read("no such file.ini", NULL, 0, &config, NULL), HS_ERR_IO);
  assert_int_equal(hs_config_read("/dev/zero", NULL, 0, &config, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "/dev/zero: the file has more than 16 MiB"));
}

/* Overrides of small_file, and a part of the values or (first character '!') of the refusal. */
struct override_case {
  const char *overrides[4];
  const char *expected;
};

static const struct override_case override_cases[] = {
    {{"grid.nx=15"}, "15x21 dx 0.1 dy 0.1 lx 1.4 ly 2 "},
    {{" grid . nx = 15 "}, "15x21 "},
    {{"grid.nx=15", "grid.nx=17"}, "17x21 "},
    {{"solver.backend=cpu"}, " double cpu 0 "},
    {{"output.title=a = b ; c.d # e"}, "\"a = b ; c.d # e\""},
    {{"output.title="}, "\"\""},
    {{"output.field=no"}, "output heatsolve-output no no yes yes yes"},
    {{"grid.lx=5"}, "11x21 dx 0.5 dy 0.1 lx 5 ly 2 "},
    {{"grid.lx=5", "grid.ly=40"}, "dx 0.5 dy 2 lx 5 ly 40 "},
    {{"source spot.i=7"}, "sources 1 (spot node 7 4 0 0 0 0 9)"},
    {{"source  spot.i=7"}, "sources 1 (spot node 7 4 "},
    {{"source spot.shape=everywhere"}, "(spot everywhere 0 0 0 0 0 0 9)"},
    {{"source a.b.shape=everywhere", "source a.b.density=-2"},
     "sources 2 (spot node 3 4 0 0 0 0 9) "
     "(a.b everywhere 0 0 0 0 0 0 -2)"},
    {{"grid.nx=abc"},
     "!--set grid.nx=abc: [grid] nx: \"abc\" is not an integer. Allowed: integer 2..1000000, in nodes."},
    {{"grid.nx=1"}, "!--set grid.nx=1: [grid] nx: \"1\" is out of range"},
    {{"grid.nz=1"}, "!--set grid.nz=1: unknown key \"nz\" in [grid]"},
    {{"gird.nx=5"}, "!--set gird.nx=5: unknown section [gird]; did you mean [grid]?"},
    {{"grid.nx"}, "!--set grid.nx: write it as section.key=value"},
    {{"nx=5"}, "!--set nx=5: write it as section.key=value"},
    {{""}, "!--set : write it as section.key=value"},
    {{".=5"}, "!write it as section.key=value"},
    {{"output.title=a\nb"}, "!not one line of UTF-8"},
    {{"output.title=\xff"}, "!not one line of UTF-8"},
    {{"grid.lx=5", "grid.dx=1"}, "!--set grid.dx=1: [grid] has both lx"},
    {{"grid.nx=3"}, "!:15: [source spot] i = 3 lies outside the grid, which has nx = 3 nodes"},
    {{"source spot.i=11"}, "!--set source spot.i=11: [source spot] i = 11 lies outside"},
    {{"source spot.x0=0"},
     "!--set source spot.x0=0: [source spot] has the key \"x0\", which a source of shape \"node\""},
    {{"source new.shape=everywhere"},
     "!--set source new.shape=everywhere: [source new] has neither density (heat released per volume; negative for a "
     "sink; number, in W/m3) nor power ("},
    {{"source.shape=node"}, "!--set source.shape=node: a source needs a name"},
    {{"output.range_max=1", "output.range_min=2"}, "!--set output.range_min=2: [output] range_max = 1 must be greater"},
};

static void overrides_replace_and_add(void **state)
{
  char *name = file_create(small_file);
  size_t k;
  int wrong = 0;
  (void)state;
  for (k = 0; k < sizeof override_cases / sizeof override_cases[0]; k++) {
    const struct override_case *c = &override_cases[k];
    const bool refused = c->expected[0] == '!';
    struct hs_config *config = NULL;
    struct hs_error err = {HS_OK, ""};
    char *found;
    int count = 0;
    while (count < 4 && c->overrides[count]) count++;
    found =
        hs_config_read(name, c->overrides, count, &config, &err) == HS_OK ? config_describe(config) : strdup(err.text);
    if (refused == (config != NULL) || !strstr(found, c->expected + refused)) {
      print_error("override %s\n  expected %s\n  found %s\n", c->overrides[0], c->expected, found);
      wrong++;
    }
    free(found);
    hs_config_destroy(config);
  }
  remove(name);
  free(name);
  assert_int_equal(wrong, 0);
}

static void overrides_supply_missing_keys(void **state)
{
  static const char *const overrides[] = {
      "material.conductivity=50", "grid.nx=5",       "grid.ny=5",        "grid.lx=1",       "grid.ly=1",
      "boundary.west=1",          "boundary.east=1", "boundary.north=1", "boundary.south=1"};
  char *name = file_create("");
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  if (hs_config_read(name, overrides, 9, &config, &err) != HS_OK) fail_msg("%s", err.text);
  assert_true(config->grid.dx_m == 0.25);
  hs_config_destroy(config);
  remove(name);
  free(name);
}

static void text_is_kept_verbatim(void **state)
{
  static const char *const overrides[] = {"grid.nx=15", "source spot.i = 7"};
  char *name = file_create(small_file), expected[1000];
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  assert_int_equal(hs_config_read(name, NULL, 0, &config, &err), HS_OK);
  assert_string_equal(config->text, small_file);
  assert_string_equal(config->path, name);
  assert_string_equal(config->sources[0].name, "spot");
  assert_int_equal(config->sources[0].line, 13);
  assert_int_equal(config->materials[0].line, 6);
  assert_int_equal(config->boundaries[HS_NORTH].line, 12);
  assert_int_equal(config->boundaries[HS_NORTH].temperature.line, 12);
  hs_config_destroy(config);
  assert_int_equal(hs_config_read(name, overrides, 2, &config, &err), HS_OK);
  snprintf(expected, sizeof expected, "%s\n; --set grid.nx=15\n; --set source spot.i = 7\n", small_file);
  assert_string_equal(config->text, expected);
  hs_config_destroy(config);
  hs_config_destroy(NULL);
  remove(name);
  free(name);
}

/* A rectangle may reach past a wall by rounding, and ends on the wall. */
static void rectangle_ends_are_clamped(void **state)
{
  static const char *const overrides[] = {"source spot.shape=rectangle", "source spot.x0=-1e-10",
                                          "source spot.x1=1.0000000005", "source spot.y0=0", "source spot.y1=2"};
  char *name = file_create(small_file);
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  if (hs_config_read(name, overrides, 5, &config, &err) != HS_OK) fail_msg("%s", err.text);
  assert_true(config->sources[0].shape.x0_m == 0.0);
  assert_true(config->sources[0].shape.x1_m == config->grid.lx_m);
  assert_true(config->sources[0].shape.i == 0 && config->sources[0].shape.j == 0);
  hs_config_destroy(config);
  remove(name);
  free(name);
}

static void many_sources_are_read(void **state)
{
  enum { SOURCES = 20000 };
  char *name = file_create(small_file);
  FILE *file = fopen(name, "a");
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  int k;
  (void)state;
  assert_non_null(file);
  for (k = 0; k < SOURCES; k++) fprintf(file, "\n[source %d]\nshape = everywhere\ndensity = %d\n", k, k);
  fclose(file);
  if (hs_config_read(name, NULL, 0, &config, &err) != HS_OK) fail_msg("%s", err.text);
  assert_int_equal(config->source_count, SOURCES + 1);
  assert_string_equal(config->sources[SOURCES].name, "19999");
  assert_true(config->sources[SOURCES].density_w_m3 == 19999);
  hs_config_destroy(config);
  remove(name);
  free(name);
}

/* A configuration with a line of the given length; the longest is cut by nothing. */
static hs_status line_of_length_read(size_t length, struct hs_error *err, size_t *title_length)
{
  char text[1000];
  struct hs_config *config = NULL;
  hs_status status;
  char *name;
  const int start = snprintf(text, sizeof text, "%s\n[output]\n", small_file);
  memset(text + start, ' ', length);
  memcpy(text + start, "title =", 7);
  memset(text + start + length - 20, 'x', 20);
  text[start + (int)length] = '\0';
  name = file_create(text);
  status = hs_config_read(name, NULL, 0, &config, err);
  *title_length = config ? strlen(config->output.title) : 0;
  hs_config_destroy(config);
  remove(name);
  free(name);
  return status;
}

/* The limit depends on how libinih was built, so it is taken from the first refusal. */
static void line_limit_is_exact(void **state)
{
  struct hs_error err = {HS_OK, ""};
  size_t length = 50, title_length = 0;
  (void)state;
  while (length < 700 && line_of_length_read(length, &err, &title_length) == HS_OK) {
    assert_int_equal(title_length, 20);
    length++;
  }
  if (length < 700) {
    const char *allowed = strstr(err.text, "may have ");
    if (!allowed) fail_msg("%s", err.text);
    assert_int_equal(strtol(allowed + strlen("may have "), NULL, 10), length - 1);
  }
}

/* A decimal comma in the caller's locale changes nothing. Without such a locale the test says little. */
static void locale_does_not_matter(void **state)
{
  char *name = file_create(small_file);
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) setlocale(LC_ALL, "");
  if (hs_config_read(name, NULL, 0, &config, &err) != HS_OK) fail_msg("%s", err.text);
  assert_true(config->grid.dx_m == 0.1);
  hs_config_destroy(config);
  setlocale(LC_ALL, "C");
  remove(name);
  free(name);
}

static char *printed(void (*print)(FILE *))
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  print(out);
  assert_int_equal(fclose(out), 0);
  return text;
}

/* Calls check for every line of text. */
static void lines_check(const char *text, size_t width)
{
  while (*text) {
    const size_t length = strcspn(text, "\n");
    if (length > width) fail_msg("%zu bytes in the line %.*s", length, (int)length, text);
    if (length > 0 && text[length - 1] == ' ') fail_msg("the line ends in a blank: %.*s", (int)length, text);
    text += length;
    assert_int_equal(*text, '\n');
    text++;
  }
}

static void help_lists_every_key(void **state)
{
  static const char *const words[] = {"[grid]",
                                      "[material]",
                                      "[material NAME]",
                                      "[boundary]",
                                      "[boundary NAME]",
                                      "[shape NAME]",
                                      "[source NAME]",
                                      "[loss NAME]",
                                      "[map]",
                                      "[initial]",
                                      "[probe NAME]",
                                      "[expect NAME]",
                                      "[time]",
                                      "[solver]",
                                      "[output]",
                                      "\n  nx ",
                                      "\n  dy ",
                                      "\n  layout ",
                                      "\n  conductivity ",
                                      "\n  heat_capacity ",
                                      "\n  north ",
                                      "\n  resistance ",
                                      "\n  density ",
                                      "\n  power ",
                                      "\n  radius ",
                                      "\n  points ",
                                      "\n  width ",
                                      "\n  thickness ",
                                      "\n  x1 ",
                                      "\n  allowed ",
                                      "\n  snapshots ",
                                      "\n  threads ",
                                      "\n  isotherms ",
                                      "\n  animation ",
                                      "W/(m K)",
                                      "m2 K/W",
                                      "required",
                                      "by kind",
                                      "heatsolve-output",
                                      "1..9000000000000000",
                                      "node | rectangle |"};
  char *text = printed(hs_config_print_help);
  size_t k;
  (void)state;
  lines_check(text, 100);
  for (k = 0; k < sizeof words / sizeof words[0]; k++) {
    if (!strstr(text, words[k])) fail_msg("the help lacks %s", words[k]);
  }
  free(text);
}

/* Reads text as a configuration; its values as config_describe writes them. */
static char *text_describe(const char *text)
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

static void default_is_accepted(void **state)
{
  char *text = printed(hs_config_print_default), *found = text_describe(text), *least;
  (void)state;
  lines_check(text, 100);
  least = text_describe("[grid]\nnx = 101\nny = 101\nlx = 1\nly = 1\n[material]\nconductivity = 1\n"
                        "[boundary]\nwest = 300\neast = 300\nsouth = 300\nnorth = 300\n");
  assert_string_equal(found, least);
  assert_non_null(strstr(found, " solver jacobi error 0.001 1000000 0 double auto 0 output heatsolve-output "
                                "yes yes yes yes yes \"\" inferno nan nan 0"));
  free(least);
  free(found);
  free(text);
}

/* Copies the printed default with its examples of named sections switched on, that is, without the "; ". */
static char *examples_switch_on(char *text)
{
  char *copy = malloc(strlen(text) + 1), *to = copy, *line, *rest = NULL, key[40];
  bool named = false;
  int end;
  assert_non_null(copy);
  for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    end = 0;
    if (line[0] == '[') named = false;
    named = named || strncmp(line, "; [", 3) == 0;
    if (named &&
        (strncmp(line, "; [", 3) == 0 || (sscanf(line, "; %39[a-z_0-9] =%n", key, &end) == 1 && end && line[2] != ' ')))
      line += 2;
    to += sprintf(to, "%s\n", line);
  }
  return copy;
}

static void default_examples_are_accepted(void **state)
{
  char *text = printed(hs_config_print_default), *copy = examples_switch_on(text), *found = text_describe(copy);
  (void)state;
  assert_non_null(strstr(found, " sources 1 (heater rectangle 0 0 0.4 0.6 0.4 0.6 1000)"));
  assert_non_null(strstr(found, " materials 2 ( 1 1 nan nan ) (steel 1 1 nan nan )"));
  assert_non_null(strstr(found, " shapes 1 (bar rectangle 0 0 0.4 0.6 0.4 0.6 material \"steel\" initial nan"));
  assert_non_null(strstr(found, " losses 1 (faces everywhere 0 0 0 0 0 0 10 300 0.01)"));
  assert_non_null(strstr(found, " boundaries 5 "));
  assert_non_null(strstr(found, " (top north convection 0.2..0.8 #300 - #10)"));
  assert_non_null(strstr(found, " probes 1 (centre point 0.5 0.5"));
  assert_non_null(strstr(found, " expects 1 (centre probe.centre 321.5 0.1 absolute"));
  free(found);
  free(copy);
  free(text);
}

/* Every key that the help lists stands in the printed default, active or as an example. */
static void default_has_every_key(void **state)
{
  static const char *const marks[] = {"\n%s =", "\n; %s =", "\n;; %s ="};
  char *help = printed(hs_config_print_help), *text = printed(hs_config_print_default), *line, *rest = NULL;
  bool in_table = false, found;
  int count = 0;
  size_t k;
  (void)state;
  for (line = strtok_r(help, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char key[40], wanted[60];
    in_table = in_table || line[0] == '[';
    if (!in_table || strncmp(line, "  ", 2) != 0 || strlen(line) < 30 || line[2] == ' ') continue;
    if (sscanf(line, " %39[a-z_0-9] ", key) != 1 || line[2 + strlen(key)] != ' ') continue;
    if (line[18] != ' ' && line[19] != ' ') continue;
    if (line[20] != ' ' || line[21] == ' ') continue;
    for (k = 0, found = false; k < 3; k++) {
      snprintf(wanted, sizeof wanted, marks[k], key);
      found = found || strstr(text, wanted);
    }
    if (!found) fail_msg("the printed default lacks %s", key);
    count++;
  }
  assert_true(count >= 100);
  free(text);
  free(help);
}

static void names_are_those_of_the_file(void **state)
{
  (void)state;
  assert_string_equal(hs_criterion_name(HS_CRITERION_UPDATE_L2), "update_l2");
  assert_string_equal(hs_criterion_name(HS_CRITERION_UPDATE_MAX), "update_max");
  assert_string_equal(hs_criterion_name(HS_CRITERION_RESIDUAL), "residual");
  assert_string_equal(hs_criterion_name(HS_CRITERION_ERROR), "error");
  assert_string_equal(hs_precision_name(HS_SINGLE), "single");
  assert_string_equal(hs_method_name(HS_METHOD_JACOBI), "jacobi");
  assert_string_equal(hs_side_name(HS_WEST), "west");
  assert_string_equal(hs_side_name(HS_NORTH), "north");
  assert_string_equal(hs_method_name(HS_METHOD_CHEBYSHEV), "chebyshev");
  assert_string_equal(hs_scheme_name(HS_SCHEME_CRANK_NICOLSON), "crank_nicolson");
  assert_string_equal(hs_wall_name(HS_WALL_CONVECTION), "convection");
  assert_string_equal(hs_shape_name(HS_SHAPE_LINE), "line");
  assert_string_equal(hs_layout_name(HS_LAYOUT_CELL), "cell");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_files_are_accepted),       cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(accepted_cases_are_accepted),   cmocka_unit_test(refused_cases_are_refused),
      cmocka_unit_test(examples_are_accepted),         cmocka_unit_test(unreadable_files_are_io_errors),
      cmocka_unit_test(overrides_replace_and_add),     cmocka_unit_test(overrides_supply_missing_keys),
      cmocka_unit_test(text_is_kept_verbatim),         cmocka_unit_test(rectangle_ends_are_clamped),
      cmocka_unit_test(many_sources_are_read),         cmocka_unit_test(line_limit_is_exact),
      cmocka_unit_test(locale_does_not_matter),        cmocka_unit_test(help_lists_every_key),
      cmocka_unit_test(default_is_accepted),           cmocka_unit_test(default_has_every_key),
      cmocka_unit_test(default_examples_are_accepted), cmocka_unit_test(names_are_those_of_the_file),
  };
  return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
