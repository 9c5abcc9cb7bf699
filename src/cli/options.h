/* What commands with option tables of their own share with cli.c. */
#ifndef HS_CLI_OPTIONS_H
#define HS_CLI_OPTIONS_H

#include <getopt.h>

#include "base/status.h"

/* HS_ERR_USAGE: what, then value in quotes (unless it is NULL), then where help is. */
hs_status hs_usage_error(struct hs_error *err, const char *what, const char *value);

/* The refusal of what getopt_long could not take: code is ':' or '?', argument the word it stood in. */
hs_status hs_option_refuse(const struct option *options, int code, const char *argument, struct hs_error *err);

/* Backends named in a list "cpu,cuda-global" into backend[capacity]; a name that comes twice counts once. Errors:
 * HS_ERR_USAGE. */
struct hs_backend;
hs_status hs_option_backends(const char *text, const struct hs_backend **backend, int capacity, int *count,
                             struct hs_error *err);

/* The operands of a command that takes none but its own word, from optind on as well. Errors: HS_ERR_USAGE. */
hs_status hs_option_no_files(const char *word, int operands, struct hs_error *err);

#endif
