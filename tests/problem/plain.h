/* Problems laid out by hand, so that nothing but their cells is tested. Texts must outlive the configuration. */
#ifndef HS_TESTS_PROBLEM_PLAIN_H
#define HS_TESTS_PROBLEM_PLAIN_H

#include "problem/shapes.h"

/* Four materials (the background, steel, foam, copper) in a domain of lx by ly; they are reused by the next call. */
struct hs_config plain_config(int nx, int ny, double lx_m, double ly_m, enum hs_layout layout);

struct hs_config_material plain_material(const char *name, double conductivity_w_mk, const char *color);
struct hs_config_region plain_region(const char *name, struct hs_config_shape shape, const char *material);
struct hs_config_source plain_source(const char *name, struct hs_config_shape shape, double density_w_m3,
                                     double power_w_m);

/* The problem of a configuration with unpainted cells, or with painted ones; plain_clear frees what it owns. */
struct hs_problem plain_problem(const struct hs_config *config);
struct hs_problem plain_painted(const struct hs_config *config);
void plain_clear(struct hs_problem *problem);

/* Painting must fail with this status and every one of the words, which a NULL ends. */
void plain_refused(const struct hs_config *config, hs_status status, const char *const *words);

#define REFUSED(config, status, ...) plain_refused(config, status, (const char *const[]){__VA_ARGS__, NULL})

const struct hs_cell_class *plain_class_at(const struct hs_problem *problem, int i, int j);

#endif
