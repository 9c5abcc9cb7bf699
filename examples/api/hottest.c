/* The hottest place of a plate, on finer and finer grids.
 *
 * cc hottest.c -o hottest $(pkg-config --cflags --libs heatsolve)
 * ./hottest wall.ini
 */
#include <heatsolve.h>
#include <stdio.h>

/* Any answer but 0 would end the run. */
static int watch(void *context, const heatsolve_progress *progress)
{
  (void)context;
  fprintf(stderr, "%s\n", progress->text);
  return 0;
}

static int solve(heatsolve_problem *problem, const char *nodes, heatsolve_error *error)
{
  const heatsolve_run_options options = {sizeof options, 0, watch, NULL, NULL};
  heatsolve_result *result = NULL;
  heatsolve_field field = {.size = sizeof field};
  double mean_k;
  int code = heatsolve_set(problem, "grid.nx", nodes, error);
  if (!code) code = heatsolve_run(problem, &options, &result, error);
  if (!code) code = heatsolve_get_field(result, "temperature", &field, error);
  if (!code) code = heatsolve_get_value(result, "mean", &mean_k, error);
  if (!code) {
    size_t hottest = 0;
    for (size_t n = 0; n < (size_t)field.nx * (size_t)field.ny; n++)
      if (field.values[n] > field.values[hottest]) hottest = n;
    printf("%s nodes: %s, mean %.3f %s, hottest %.3f at x = %.4f m, y = %.4f m\n", nodes, heatsolve_status(result), mean_k,
           field.unit, field.values[hottest], field.x_m[hottest % (size_t)field.nx], field.y_m[hottest / (size_t)field.nx]);
  }
  heatsolve_free(result);
  return code;
}

int main(int argc, char **argv)
{
  static const char *const nodes[] = {"51", "101", "201"};
  heatsolve_problem *problem = NULL;
  heatsolve_error error;
  int code = heatsolve_open(argc > 1 ? argv[1] : "wall.ini", &problem, &error);
  for (int k = 0; !code && k < 3; k++) code = solve(problem, nodes[k], &error);
  if (code) fprintf(stderr, "hottest: %s\n", error.text);
  heatsolve_close(problem);
  return code;
}
