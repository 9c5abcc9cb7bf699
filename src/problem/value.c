/* Boundary values: numbers, tables and expressions.
 *
 * Expressions are evaluated by muParser through its C interface. A parser keeps pointers to its variables and compiles at
 * its first evaluation, so a value is evaluated by one thread at a time; this costs little, since only boundaries have
 * such values. muParser knows assignments; they are refused, since a value is one formula.
 */
#include "problem/value.h"

#include <ctype.h>
#include <math.h>
#include <muParserDLL.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "problem/cells/maps.h"
#include "problem/curve.h"

enum kind { NUMBER, TABLE, EXPRESSION };

enum { AXIS_X, AXIS_Y, AXIS_T, AXES };

static const char AXIS_NAMES[AXES + 1] = "xyt";

static const double RANGE_SLACK = 1e-9; /* of a table's range */

struct hs_value {
  enum kind kind;
  double number;
  int axis;              /* of a table */
  struct hs_curve curve; /* of a table */
  char *path;            /* of a table */
  muParserHandle_t parser;
  double *variables; /* [AXES] x, y, t that the parser reads */
  bool uses[AXES];
  char *text, *where; /* as written; "wall.ini:7: [boundary top] temperature" */
};

static const double PI = 3.14159265358979323846;

static hs_status range_check(const struct hs_value *value, double from, double to, const char *unit, const char *what,
                             struct hs_error *err)
{
  const struct hs_curve *curve = &value->curve;
  const double first = curve->x[0], last = curve->x[curve->count - 1];
  const double slack = RANGE_SLACK * fmax(last - first, fmax(fabs(from), fabs(to)));
  if (from >= first - slack && to <= last + slack) return HS_OK;
  return hs_error_set(err, HS_ERR_CONFIG,
                      "%s: the table %s runs from %c = %.10g %s to %.10g %s, and %s from %.10g %s to %.10g %s; %s",
                      value->where, value->path, AXIS_NAMES[value->axis], first, unit, last, unit, what, from, unit, to,
                      unit, to > last + slack ? "it ends too early: add lines" : "it begins too late: add lines");
}

/* --- tables -------------------------------------------------------------------------------------- */

/* Splits "table FILE t" after its first word. */
static hs_status table_words(struct hs_value *value, const char *rest, const struct hs_config *config,
                             struct hs_error *err)
{
  size_t end = strlen(rest), start;
  char *name;
  const char *axis;
  while (end && isspace((unsigned char)rest[end - 1])) end--;
  start = end;
  while (start && !isspace((unsigned char)rest[start - 1])) start--;
  axis = end == start + 1 ? strchr(AXIS_NAMES, rest[start]) : NULL;
  while (start && isspace((unsigned char)rest[start - 1])) start--;
  if (!axis || !*axis || start == 0)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s = %s is not understood; write table FILE x, table FILE y or table FILE t, such as "
                        "table warming.csv t",
                        value->where, value->text);
  value->axis = (int)(axis - AXIS_NAMES);
  value->uses[value->axis] = true;
  name = hs_text_format(err, "%.*s", (int)start, rest);
  if (!name) return HS_ERR_MEMORY;
  value->path = hs_map_path(config, name, err);
  free(name);
  return value->path ? HS_OK : HS_ERR_MEMORY;
}

static hs_status table_create(struct hs_value *value, const char *rest, const struct hs_config *config,
                              struct hs_error *err)
{
  hs_status status;
  value->kind = TABLE;
  status = table_words(value, rest, config, err);
  if (!status) status = hs_curve_read(value->path, value->where, &value->curve, err);
  if (!status && value->axis == AXIS_T && config->time.scheme != HS_SCHEME_STEADY)
    status = range_check(value, config->time.start_s, config->time.end_s, "s", "the run goes", err);
  return status;
}

hs_status hs_value_check_range(const struct hs_value *value, double x0_m, double x1_m, double y0_m, double y1_m,
                               struct hs_error *err)
{
  if (!value || value->kind != TABLE || value->axis == AXIS_T) return HS_OK;
  if (value->axis == AXIS_X) return range_check(value, x0_m, x1_m, "m", "it is needed", err);
  return range_check(value, y0_m, y1_m, "m", "it is needed", err);
}

/* --- expressions --------------------------------------------------------------------------------- */

static hs_status fail_memory(const struct hs_value *value, struct hs_error *err)
{
  return hs_error_set(err, HS_ERR_MEMORY, "%s: out of memory for the formula %s", value->where, value->text);
}

/* What muParser says, without its full stop. */
static hs_status expression_fail(const struct hs_value *value, struct hs_error *err)
{
  const char *message = mupGetErrorMsg(value->parser);
  const int position = mupGetErrorPos(value->parser);
  size_t length = strlen(message);
  if (!strncmp(message, "Internal error", 14)) /* its name for all exceptions but its own */
    return fail_memory(value, err);
  while (length && (message[length - 1] == '.' || isspace((unsigned char)message[length - 1]))) length--;
  hs_error_set(err, HS_ERR_CONFIG, "%s = %s is neither a number nor a formula: %.*s", value->where, value->text,
               (int)length, message);
  if (position >= 0) hs_error_append(err, "(character %d)", position + 1);
  hs_error_append(err,
                  "; write a number, table FILE x|y|t, or a formula in x, y (m) and t (s) such as 20 + 5*sin(2*pi*t)");
  return HS_ERR_CONFIG;
}

/* Is there an assignment, an = that belongs to no comparison? */
static bool assigns(const char *text)
{
  for (const char *c = strchr(text, '='); c; c = strchr(c, '=')) {
    if (c > text && strchr("<>!", c[-1])) {
      c++;
    } else if (c[1] == '=') {
      c += 2;
    } else {
      return true;
    }
  }
  return false;
}

/* Compiles the expression and notes its variables. It is evaluated first, since a list of variables would include unknown
 * names without an error. */
static hs_status expression_inspect(struct hs_value *value, struct hs_error *err)
{
  int results = 0, count, known = 0;
  (void)mupEvalMulti(value->parser, &results);
  if (mupError(value->parser)) return expression_fail(value, err);
  if (results != 1)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s = %s gives %d numbers where one is needed; decimal fractions are written with a point",
                        value->where, value->text, results);
  count = mupGetExprVarNum(value->parser);
  if (mupError(value->parser)) return expression_fail(value, err);
  for (int k = 0; k < count; k++) {
    const muChar_t *name = NULL;
    muFloat_t *address = NULL;
    mupGetExprVar(value->parser, (unsigned)k, &name, &address);
    if (mupError(value->parser)) return expression_fail(value, err);
    for (int axis = 0; axis < AXES; axis++)
      if (name && name[0] == AXIS_NAMES[axis] && !name[1] && !value->uses[axis]) {
        value->uses[axis] = true;
        known++;
      }
  }
  /* The list is made anew each time, and where its streams are short of memory, numbers are variables in it. */
  if (known != count) return fail_memory(value, err);
  return HS_OK;
}

static _Thread_local sigjmp_buf creation_failed;
static _Thread_local volatile sig_atomic_t creating;
static pthread_mutex_t creation = PTHREAD_MUTEX_INITIALIZER; /* the handler is the process's */

static void on_abort(int number)
{
  if (creating) siglongjmp(creation_failed, 1);
  (void)signal(number, SIG_DFL); /* another thread's: abort() goes on to end the process */
}

/* A new parser, or NULL when memory is short: then mupCreate lets a C++ exception out, which no C function can catch, and
 * which ends in abort(). */
static muParserHandle_t parser_create(void)
{
  struct sigaction action = {.sa_handler = on_abort}, before;
  volatile muParserHandle_t parser = NULL;
  (void)pthread_mutex_lock(&creation);
  (void)sigaction(SIGABRT, &action, &before);
  creating = 1;
  if (!sigsetjmp(creation_failed, 1)) parser = mupCreate(muBASETYPE_FLOAT);
  creating = 0;
  (void)sigaction(SIGABRT, &before, NULL);
  (void)pthread_mutex_unlock(&creation);
  return parser;
}

static hs_status expression_create(struct hs_value *value, struct hs_error *err)
{
  static const char *const names[AXES] = {"x", "y", "t"};
  hs_status status = hs_array_create((void **)&value->variables, AXES, sizeof *value->variables, "a formula", err);
  value->kind = EXPRESSION;
  if (status) return status;
  if (assigns(value->text))
    return hs_error_set(err, HS_ERR_CONFIG, "%s = %s contains an assignment; write one formula in x, y (m) and t (s)",
                        value->where, value->text);
  value->parser = parser_create();
  if (!value->parser) return hs_error_set(err, HS_ERR_MEMORY, "out of memory for a formula");
  for (int axis = 0; axis < AXES; axis++) mupDefineVar(value->parser, names[axis], &value->variables[axis]);
  mupDefineConst(value->parser, "pi", PI);
  mupSetExpr(value->parser, value->text);
  if (mupError(value->parser)) return expression_fail(value, err);
  return expression_inspect(value, err);
}

/* --- all kinds ----------------------------------------------------------------------------------- */

/* The text behind the word "table", or NULL. */
static const char *after_table(const char *text)
{
  while (isspace((unsigned char)*text)) text++;
  if (strncmp(text, "table", 5) != 0) return NULL;
  text += 5;
  if (*text && !isspace((unsigned char)*text)) return NULL;
  while (isspace((unsigned char)*text)) text++;
  return text;
}

static hs_status value_fill(struct hs_value *value, const struct hs_config *config, const struct hs_config_value *text,
                            const char *section, struct hs_error *err)
{
  const char *rest;
  value->text = hs_text_copy(text->text ? text->text : "", err);
  value->where = text->line > 0 ? hs_text_format(err, "%s:%d: %s", config->path, text->line, section)
                                : hs_text_format(err, "%s: %s", config->path, section);
  if (!value->text || !value->where) return HS_ERR_MEMORY;
  value->number = text->number;
  if (text->is_number) return HS_OK;
  rest = after_table(value->text);
  return rest ? table_create(value, rest, config, err) : expression_create(value, err);
}

hs_status hs_value_create(const struct hs_config *config, const struct hs_config_value *text, const char *section,
                          struct hs_value **value, struct hs_error *err)
{
  struct hs_value *v = NULL;
  hs_status status = hs_array_create((void **)&v, 1, sizeof *v, "a boundary value", err);
  if (!status) status = value_fill(v, config, text, section, err);
  if (status) {
    hs_value_destroy(v);
    v = NULL;
  }
  *value = v;
  return status;
}

void hs_value_destroy(struct hs_value *value)
{
  if (!value) return;
  if (value->parser) mupRelease(value->parser);
  free(value->variables);
  hs_curve_clear(&value->curve);
  free(value->path);
  free(value->where);
  free(value->text);
  free(value);
}

bool hs_value_timed(const struct hs_value *value)
{
  return value && value->uses[AXIS_T];
}

bool hs_value_placed(const struct hs_value *value)
{
  return value && (value->uses[AXIS_X] || value->uses[AXIS_Y]);
}

uint64_t hs_value_digest(const struct hs_value *value, uint64_t digest)
{
  const struct hs_curve *curve = value ? &value->curve : NULL;
  if (!curve || curve->count == 0) return digest;
  digest = hs_digest_add(digest, curve->x, (size_t)curve->count * sizeof *curve->x);
  return hs_digest_add(digest, curve->y, (size_t)curve->count * sizeof *curve->y);
}

const char *hs_value_text(const struct hs_value *value)
{
  return value->text;
}

static hs_status table_at(const struct hs_value *value, double at, double *result, struct hs_error *err)
{
  const char *unit = value->axis == AXIS_T ? "s" : "m";
  const hs_status status = range_check(value, at, at, unit, "it is asked", err);
  if (!status) *result = hs_curve_at(&value->curve, at);
  return status;
}

static hs_status expression_at(const struct hs_value *value, const double place[AXES], double *result,
                               struct hs_error *err)
{
  hs_status status = HS_OK;
#pragma omp critical(hs_value_expression)
  {
    memcpy(value->variables, place, AXES * sizeof *place);
    *result = mupEval(value->parser);
    if (mupError(value->parser)) status = expression_fail(value, err);
  }
  return status;
}

hs_status hs_value_at(const struct hs_value *value, double x_m, double y_m, double t_s, double *result,
                      struct hs_error *err)
{
  const double place[AXES] = {x_m, y_m, t_s};
  hs_status status = HS_OK;
  switch (value->kind) {
  case NUMBER: *result = value->number; break;
  case TABLE: status = table_at(value, place[value->axis], result, err); break;
  case EXPRESSION: status = expression_at(value, place, result, err); break;
  }
  if (status || isfinite(*result)) return status;
  return hs_error_set(err, HS_ERR_CONFIG,
                      "%s = %s gives %s at x = %.10g m, y = %.10g m, t = %.10g s; it must be finite", value->where,
                      value->text, isnan(*result) ? "no number" : "infinity", x_m, y_m, t_s);
}
