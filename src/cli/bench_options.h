/* The command line of heatsolve bench. */
#ifndef HS_CLI_BENCH_OPTIONS_H
#define HS_CLI_BENCH_OPTIONS_H

#include "bench/bench.h"
#include "cli/cli.h"

struct hs_bench_options {
  enum hs_command command; /* HS_COMMAND_BENCH, or what takes its place: HS_COMMAND_HELP, HS_COMMAND_VERSION */
  struct hs_bench_plan plan;
  bool backends_named;            /* with --backend; else the caller chooses */
  const char *csv, *json, *chart; /* files, or NULL; not owned */
  const char *folder;             /* for those of the three that are not named, or NULL; not owned */
  bool quiet;
};

/* Reads the command line, the word `bench` in it. Errors: HS_ERR_USAGE. */
hs_status hs_bench_options_parse(int argc, char **argv, struct hs_bench_options *options, struct hs_error *err);

#endif
