/* The options of heatsolve bench. */
#ifndef HS_CLI_BENCH_OPTIONS_H
#define HS_CLI_BENCH_OPTIONS_H

#include "bench/bench.h"
#include "cli/cli.h"

struct hs_bench_options {
  struct hs_bench_cases cases;
  bool backends_named; /* with --backend; else the caller chooses */
  bool sizes_named;    /* with --size */
  char *text;          /* of the configuration in cases.file, which is owned, too; or NULL */
  struct hs_config *config;
  const char *csv, *json, *chart; /* files, or NULL; not owned */
  const char *folder;             /* for those of the three that are not named, or NULL; not owned */
};

/* The options given, and defaults for the others; the configuration is read. Errors: HS_ERR_USAGE; HS_ERR_CONFIG and HS_ERR_IO
 * of the configuration. hs_bench_options_clear frees what is owned. */
hs_status hs_bench_options_take(const struct hs_cli *cli, struct hs_bench_options *options, struct hs_error *err);
void hs_bench_options_clear(struct hs_bench_options *options);

#endif
