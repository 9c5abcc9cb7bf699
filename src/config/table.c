/* The rows of the table of keys, the names used in files and reports, and what a key allows. */
#include "config/table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(enum hs_criterion) == sizeof(int), "choices are stored as int");

static const char *const side_names[HS_SIDES] = {"west", "east", "south", "north"};

static const char *const shape_names[] = {
    [HS_SOURCE_NODE] = "node", [HS_SOURCE_RECTANGLE] = "rectangle", [HS_SOURCE_EVERYWHERE] = "everywhere", NULL};

static const char *const method_names[] = {[HS_METHOD_JACOBI] = "jacobi", NULL};

static const char *const criterion_names[] = {[HS_CRITERION_UPDATE_L2] = "update_l2",
                                              [HS_CRITERION_UPDATE_MAX] = "update_max",
                                              [HS_CRITERION_RESIDUAL] = "residual",
                                              [HS_CRITERION_ERROR] = "error",
                                              NULL};

static const char *const precision_names[] = {[HS_DOUBLE] = "double", [HS_SINGLE] = "single", NULL};

static const struct hs_config_section sections[] = {
    {"grid", "Nodes and size of the rectangle. Give lx and ly, or dx and dy, not both."},
    {"material", "What the rectangle is made of."},
    {"boundary", "Temperatures at which the walls are held. The problem is linear, so degrees Celsius or differences "
                 "may be used throughout instead of K."},
    {"initial", "Where the iteration starts from."},
    {"source", "A heat source; any number of sections, each with its own name. They add up."},
    {"solver", "How the steady state is found, and when it is good enough."},
    {"output", "What is left behind."},
};

/* Columns of the table, by the name of what they say. */
#define INTEGER(low, high) HS_KEY_INT, NULL, low, high, false
#define LONG(low, high) HS_KEY_INT64, NULL, low, high, false
#define NUMBER HS_KEY_REAL, NULL, -INFINITY, INFINITY, false
#define POSITIVE HS_KEY_REAL, NULL, 0, INFINITY, true
#define CHOICE(names) HS_KEY_CHOICE, names, 0, 0, false
#define YES_NO HS_KEY_YES_NO, NULL, 0, 0, false
#define NAME(bytes) HS_KEY_NAME, NULL, 1, bytes, false
#define TEXT(bytes) HS_KEY_TEXT, NULL, 0, bytes, false
#define REQUIRED(example) HS_NEED_ALWAYS, HS_SOURCE_NODE, NULL, example, true
#define EITHER(example) HS_NEED_NEVER, HS_SOURCE_NODE, NULL, example, true
#define OPTIONAL(example) HS_NEED_NEVER, HS_SOURCE_NODE, NULL, example, false
#define DEFAULT(value) HS_NEED_NEVER, HS_SOURCE_NODE, value, value, true
#define OF_NODE(example) HS_NEED_SHAPE, HS_SOURCE_NODE, NULL, example, true
#define OF_RECTANGLE(example) HS_NEED_SHAPE, HS_SOURCE_RECTANGLE, NULL, example, false
#define AT(member) offsetof(struct hs_config, member)
#define IN(member) offsetof(struct hs_config_source, member)

/* clang-format off */
static const struct hs_config_key keys[] = {
  {"grid", "nx", "nodes", INTEGER(2, 1e6), REQUIRED("101"), AT(grid.nx),
   "nodes from west to east, both walls included"},
  {"grid", "ny", "nodes", INTEGER(2, 1e6), REQUIRED("101"), AT(grid.ny),
   "nodes from south to north, both walls included"},
  {"grid", "lx", "m", POSITIVE, EITHER("1"), AT(grid.lx_m),
   "length from west to east wall"},
  {"grid", "ly", "m", POSITIVE, EITHER("1"), AT(grid.ly_m),
   "length from south to north wall"},
  {"grid", "dx", "m", POSITIVE, OPTIONAL("0.01"), AT(grid.dx_m),
   "instead of lx: distance between columns"},
  {"grid", "dy", "m", POSITIVE, OPTIONAL("0.01"), AT(grid.dy_m),
   "instead of ly: distance between rows"},

  {"material", "conductivity", "W/(m K)", POSITIVE, REQUIRED("1"), AT(material.conductivity_w_mk),
   "thermal conductivity"},

  {"boundary", "west", "K", NUMBER, REQUIRED("300"), AT(boundary.temperature_k[HS_WEST]),
   "temperature of the west wall"},
  {"boundary", "east", "K", NUMBER, REQUIRED("300"), AT(boundary.temperature_k[HS_EAST]),
   "temperature of the east wall"},
  {"boundary", "south", "K", NUMBER, REQUIRED("300"), AT(boundary.temperature_k[HS_SOUTH]),
   "temperature of the south wall"},
  {"boundary", "north", "K", NUMBER, REQUIRED("300"), AT(boundary.temperature_k[HS_NORTH]),
   "temperature of the north wall"},

  {"initial", "temperature", "K", NUMBER, DEFAULT("0"), AT(initial.temperature_k),
   "start temperature of the nodes inside; a guess near the answer saves sweeps"},

  {"source", "shape", "", CHOICE(shape_names), REQUIRED("node"), IN(shape),
   "one node, a rectangle, or the whole domain"},
  {"source", "i", "", INTEGER(0, 999999), OF_NODE("50"), IN(i),
   "node: its column, 0 to nx-1 from the west"},
  {"source", "j", "", INTEGER(0, 999999), OF_NODE("50"), IN(j),
   "node: its row, 0 to ny-1 from the south"},
  {"source", "x0", "m", NUMBER, OF_RECTANGLE("0.4"), IN(x0_m),
   "rectangle: west edge, measured from the west wall"},
  {"source", "x1", "m", NUMBER, OF_RECTANGLE("0.6"), IN(x1_m),
   "rectangle: east edge, x0 < x1"},
  {"source", "y0", "m", NUMBER, OF_RECTANGLE("0.4"), IN(y0_m),
   "rectangle: south edge, measured from the south wall"},
  {"source", "y1", "m", NUMBER, OF_RECTANGLE("0.6"), IN(y1_m),
   "rectangle: north edge, y0 < y1"},
  {"source", "density", "W/m3", NUMBER, REQUIRED("1000"), IN(density_w_m3),
   "heat released per volume; negative for a sink"},

  {"solver", "method", "", CHOICE(method_names), DEFAULT("jacobi"), AT(solver.method),
   "kind of iteration"},
  {"solver", "criterion", "", CHOICE(criterion_names), DEFAULT("error"), AT(solver.criterion),
   "what is tested: update_l2, update_max: 2-norm or largest entry of what a sweep changed, K; residual: its "
   "2-norm relative to the start; error: estimated distance to the steady state, K"},
  {"solver", "tolerance", "", POSITIVE, DEFAULT("1e-3"), AT(solver.tolerance),
   "run until the criterion is below it; K, or a plain ratio for criterion = residual"},
  {"solver", "max_iterations", "sweeps", LONG(1, 9e15), DEFAULT("1000000"), AT(solver.max_iterations),
   "give up after so many"},
  {"solver", "check_every", "sweeps", INTEGER(1, 1e6), DEFAULT("256"), AT(solver.check_every),
   "sweeps between two tests"},
  {"solver", "precision", "", CHOICE(precision_names), DEFAULT("double"), AT(solver.precision),
   "number format of the temperatures: 64 or 32 bits"},
  {"solver", "backend", "", NAME(64), DEFAULT("auto"), AT(solver.backend),
   "what carries out the sweeps: auto, or a name that `heatsolve backends` lists"},
  {"solver", "threads", "", INTEGER(0, 4096), DEFAULT("0"), AT(solver.threads),
   "CPU threads; 0: all that this process may use"},

  {"output", "directory", "", NAME(3000), DEFAULT("heatsolve-output"), AT(output.directory),
   "folder for the files, made when absent"},
  {"output", "field", "", YES_NO, DEFAULT("yes"), AT(output.field),
   "write field.h5, the temperatures"},
  {"output", "xdmf", "", YES_NO, DEFAULT("yes"), AT(output.xdmf),
   "write field.xdmf, which opens field.h5 in ParaView; no when field is no"},
  {"output", "picture", "", YES_NO, DEFAULT("yes"), AT(output.picture),
   "write temperature.png"},
  {"output", "convergence", "", YES_NO, DEFAULT("yes"), AT(output.convergence),
   "write convergence.png"},
  {"output", "report", "", YES_NO, DEFAULT("yes"), AT(output.report),
   "write report.json"},
  {"output", "title", "", TEXT(255), DEFAULT(""), AT(output.title),
   "heading of the picture; may be empty"},
  {"output", "colormap", "", NAME(64), DEFAULT("inferno"), AT(output.colormap),
   "colours of the picture"},
  {"output", "range_min", "K", NUMBER, OPTIONAL("300"), AT(output.range_min_k),
   "where the colours begin; absent: the coldest node"},
  {"output", "range_max", "K", NUMBER, OPTIONAL("400"), AT(output.range_max_k),
   "where the colours end; absent: the hottest node"},
  {"output", "isotherms", "", INTEGER(0, 100), DEFAULT("0"), AT(output.isotherms),
   "lines of equal temperature in the picture"},
};
/* clang-format on */

static_assert(sizeof keys / sizeof keys[0] <= HS_CONFIG_KEY_MAX, "HS_CONFIG_KEY_MAX is too small");

const struct hs_config_key *hs_config_keys(size_t *count)
{
  *count = sizeof keys / sizeof keys[0];
  return keys;
}

const struct hs_config_section *hs_config_sections(size_t *count)
{
  *count = sizeof sections / sizeof sections[0];
  return sections;
}

size_t hs_config_key_names(const char *section, const char **names)
{
  size_t count = 0, k;

  for (k = 0; k < sizeof keys / sizeof keys[0]; k++) {
    if (strcmp(keys[k].section, section) == 0) names[count++] = keys[k].name;
  }
  return count;
}

int hs_config_key_find(const char *section, const char *name)
{
  size_t k;

  for (k = 0; k < sizeof keys / sizeof keys[0]; k++) {
    if (strcmp(keys[k].section, section) == 0 && strcmp(keys[k].name, name) == 0) return (int)k;
  }
  return -1;
}

static void number_allowed(const struct hs_config_key *key, char *text, size_t size)
{
  if (isinf(key->low) && isinf(key->high)) {
    snprintf(text, size, "number");
  } else if (isinf(key->high)) {
    snprintf(text, size, "number %s %g", key->above_low ? ">" : ">=", key->low);
  } else if (isinf(key->low)) {
    snprintf(text, size, "number <= %g", key->high);
  } else {
    snprintf(text, size, "number %s %g and <= %g", key->above_low ? ">" : ">=", key->low, key->high);
  }
}

static void choice_allowed(const struct hs_config_key *key, char *text, size_t size)
{
  size_t k, length = 0;

  text[0] = '\0';
  for (k = 0; key->choices[k] && length < size; k++) {
    length += (size_t)snprintf(text + length, size - length, "%s%s", k ? " | " : "", key->choices[k]);
  }
}

void hs_config_key_allowed(const struct hs_config_key *key, char *text, size_t size)
{
  switch (key->type) {
  case HS_KEY_INT:
  case HS_KEY_INT64: snprintf(text, size, "integer %.0f..%.0f", key->low, key->high); break;
  case HS_KEY_REAL: number_allowed(key, text, size); break;
  case HS_KEY_CHOICE: choice_allowed(key, text, size); break;
  case HS_KEY_YES_NO: snprintf(text, size, "yes | no"); break;
  case HS_KEY_NAME:
  case HS_KEY_TEXT: snprintf(text, size, "text of %.0f..%.0f bytes", key->low, key->high); break;
  }
}

const char *hs_criterion_name(enum hs_criterion criterion)
{
  return criterion_names[criterion];
}

const char *hs_precision_name(enum hs_precision precision)
{
  return precision_names[precision];
}

const char *hs_method_name(enum hs_method method)
{
  return method_names[method];
}

const char *hs_side_name(enum hs_side side)
{
  return side_names[side];
}
