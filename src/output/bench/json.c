/* A benchmark as JSON, for programs. Keys include their units; what is not known is null. */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/version.h"
#include "io/file.h"
#include "output/bench/bench.h"

/* In this file a negative value means that memory is short, as in jansson. */

static json_t *real(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

/* A text that is not UTF-8 becomes null. */
static json_t *plain(const char *text)
{
  return hs_json_holds(text) ? json_string(text) : json_null();
}

static json_t *row_make(const struct hs_bench *bench, const struct hs_bench_row *row)
{
  const bool measured = row->status == HS_OK, cycles = measured && row->problem.form == HS_RATE_MULTIGRID,
             swept = measured && !cycles;
  json_t *object = json_object();
  int failed = json_object_set_new(object, "nx", json_integer(row->problem.nx));
  failed |= json_object_set_new(object, "ny", json_integer(row->problem.ny));
  failed |= json_object_set_new(object, "material", json_string(hs_rate_pattern_name(row->problem.pattern)));
  failed |= json_object_set_new(object, "form", json_string(hs_rate_form_name(row->problem.form)));
  failed |= json_object_set_new(object, "mode", json_string(hs_rate_mode_name(row->mode)));
  failed |= json_object_set_new(object, "precision", json_string(row->single ? "single" : "double"));
  failed |= json_object_set_new(object, "backend", json_string(row->backend->name));
  failed |= json_object_set_new(object, "measured", json_boolean(measured));
  failed |= json_object_set_new(object, "not_measured_because", measured ? json_null() : plain(row->why));
  failed |= json_object_set_new(object, "sweeps_per_repeat", swept ? json_integer(row->rate.sweeps) : json_null());
  failed |= json_object_set_new(object, "threads", measured ? json_integer(row->rate.threads) : json_null());
  failed |= json_object_set_new(object, "sweep_time_s", real(swept ? row->rate.sweep_s : NAN));
  failed |= json_object_set_new(object, "spread_relative", real(measured ? row->rate.spread : NAN));
  failed |= json_object_set_new(object, "updates_per_s", real(swept ? row->rate.nodes_per_s : NAN));
  failed |= json_object_set_new(object, "bandwidth_bytes_per_s", real(row->bytes_per_s));
  failed |= json_object_set_new(object, "copy_limit_bytes_per_s", real(bench->copy_bytes_per_s[row->on_device]));
  failed |= json_object_set_new(object, "copy_share", real(row->copy_share));
  failed |= json_object_set_new(object, "cycles", cycles ? json_integer(row->rate.cycles) : json_null());
  failed |= json_object_set_new(object, "solve_time_s", real(cycles ? row->rate.solve_s : NAN));
  failed |= json_object_set_new(object, "setup_time_s", real(cycles ? row->rate.setup_s : NAN));
  if (!failed) return object;
  json_decref(object);
  return NULL;
}

static json_t *settings_make(const struct hs_bench_cases *cases)
{
  const char *path = cases->file.config ? cases->file.config->path : NULL;
  return json_pack("{s:o, s:s?, s:o, s:f, s:i, s:i, s:i}", "file", path ? plain(path) : json_null(), "walls",
                   path                ? NULL
                   : cases->convection ? "mixed"
                                       : "held",
                   "source", path ? json_null() : json_boolean(cases->source), "least_repeat_time_s",
                   cases->settings.seconds, "repeats", cases->settings.repeats, "check_every",
                   cases->settings.check_every, "threads_asked_for", cases->threads);
}

static json_t *bench_make(const struct hs_bench *bench, const char *command)
{
  json_t *root = json_object(), *rows = json_array();
  int failed = 0;
  for (int k = 0; k < bench->count; k++) failed |= json_array_append_new(rows, row_make(bench, &bench->row[k]));
  failed |= json_object_set_new(root, "program", json_string("heatsolve"));
  failed |= json_object_set_new(root, "version", json_string(hs_version_number()));
  failed |= json_object_set_new(root, "date_utc", json_string(bench->date_utc));
  failed |= json_object_set_new(root, "command", plain(command));
  failed |= json_object_set_new(root, "machine", plain(bench->machine));
  failed |= json_object_set_new(root, "threads", json_integer(bench->threads));
  failed |= json_object_set_new(root, "copy_limit_cpu_bytes_per_s", real(bench->copy_bytes_per_s[0]));
  failed |= json_object_set_new(root, "copy_limit_gpu_bytes_per_s", real(bench->copy_bytes_per_s[1]));
  failed |= json_object_set_new(root, "settings", settings_make(bench->cases));
  failed |= json_object_set_new(root, "rows", rows);
  if (!failed) return root;
  json_decref(root);
  return NULL;
}

hs_status hs_output_bench_json(const char *path, const struct hs_bench *bench, const char *command,
                               struct hs_error *err)
{
  json_t *root = bench_make(bench, command);
  char *text = hs_json_text(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
  const hs_status status = text ? hs_file_put_text(path, text, err)
                                : hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s", path);
  free(text);
  json_decref(root);
  return status;
}
