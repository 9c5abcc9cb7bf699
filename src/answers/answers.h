/* What is asked of a temperature field: extremes, heat flows, probes, materials.
 *
 * Computed on the host from a fetched field, or the part of it that a balance asks for, by many threads and by many ranks, each of which looks at its own nodes and needs
 * right values in the nodes next to them: one layer of ghost nodes, corners included. Functions that take a field are collective
 * and give every rank the answers about the whole plate. Sums depend on no order, so the figures depend neither on the number
 * of threads and ranks nor on the backend. Heat flows are in W per
 * metre of depth. The heat that a Dirichlet node gives off is the imbalance of its own control volume (the
 * consistent or reaction flux): sum G (T - T_neighbour) - source. It is second-order accurate, and all flows of a
 * solved steady field add up to zero.
 */
#ifndef HS_ANSWERS_ANSWERS_H
#define HS_ANSWERS_ANSWERS_H

#include "problem/problem.h"
#include "problem/system.h"

/* Heat flows of the field, W/m, positive into the domain. */
struct hs_balance {
  double side_w_m[HS_SIDES]; /* through each wall */
  double held_w_m;           /* from held shapes */
  double source_w_m;         /* released by sources */
  double loss_w_m;           /* through the plane's faces, [loss] sections; positive into the domain */
  double in_w_m, out_w_m;    /* sums over nodes of the positive and of the negative flows, both >= 0 */
  double storage_w_m;        /* transient: rate at which heat is taken up, in - out */
  double kelvin_w_mk;        /* the most that flows change where temperatures do by one kelvin */
  double imbalance_relative; /* |in - out| / max(in, out, flow floor of the system), 0 when all are 0;
                                 NaN for a transient field */
};

struct hs_material_answer {
  double area_m2; /* 0: the material fills no cell, and the rest is NaN */
  double mean_k, minimum_k, maximum_k;
};

struct hs_probe_answer {
  int count;                                      /* 1 for a point */
  double *x_m, *y_m, *distance_m, *temperature_k; /* [count]; distance from the first end */
};

struct hs_answers {
  double minimum_k, maximum_k;
  double minimum_at_m[2], maximum_at_m[2]; /* x and y; NaN: not known, as without hs_answers_places */
  double mean_k;                           /* weighted by control volume area */
  double given_range_k;                    /* of held, ambient and initial temperatures */
  double center_k;                         /* node (nx/2, ny/2) */
  double content_j_m; /* heat content, sum of capacity times temperature; NaN where a capacity is not given */
  struct hs_balance balance;
  double *surface_w_m;                  /* [problem->surface_count] heat into the domain */
  struct hs_material_answer *materials; /* [problem->material_count] */
  struct hs_probe_answer *probes;       /* [config->probe_count] */
  double *region_out_w_m;               /* [config->region_count] heat out through a shape's outline */
};

/* All answers about field_k, [ny*nx] of the problem's window. transient: the field is not in balance. Errors: HS_ERR_MEMORY. */
hs_status hs_answers_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                          bool transient, struct hs_answers *answers, struct hs_error *err);

/* Where the extremes that answers has are: x and y of the first node of that temperature, row by row from the south; NaN: none is
 * finite. Collective. */
hs_status hs_answers_places(const struct hs_problem *problem, const double *field_k, struct hs_answers *answers,
                            struct hs_error *err);

/* The balance alone, for the stop test. Errors: HS_ERR_MEMORY. */
hs_status hs_balance_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                          bool transient, struct hs_balance *balance, struct hs_error *err);

/* The nodes whose temperatures the balance of a steady field asks for, where these are few. */
struct hs_balance_nodes;

/* *nodes becomes NULL where a balance asks for more values than half of the window's nodes, or for those of nodes
 * without contacts, as with losses through the faces. The caller destroys it; system and problem must outlive it. Not
 * collective. Errors: HS_ERR_MEMORY. */
hs_status hs_balance_nodes_create(const struct hs_problem *problem, const struct hs_system *system,
                                  struct hs_balance_nodes **nodes, struct hs_error *err);
void hs_balance_nodes_destroy(struct hs_balance_nodes *nodes); /* NULL is accepted */

/* Returns how many there are, and lets *list be their places in a field of the window, [count], which stays with `nodes`; some are
 * there more than once. */
int64_t hs_balance_nodes_list(const struct hs_balance_nodes *nodes, const int64_t **list);

/* The balance of hs_balance_take, bit for bit, of a steady field whose Dirichlet nodes have their temperatures, from value_k, [count]
 * K, the temperatures of the nodes in the list. Collective. Errors: those of hs_balance_take. */
hs_status hs_balance_nodes_take(const struct hs_balance_nodes *nodes, const double *value_k, struct hs_balance *balance,
                                struct hs_error *err);

/* Mean of the field, weighted by the nodes' control volumes. Errors: HS_ERR_MEMORY. */
hs_status hs_answers_mean(const struct hs_problem *problem, const double *field_k, double *mean_k,
                          struct hs_error *err);

/* Are all flows no larger than what temperatures that are wrong by error_k can drive? */
bool hs_balance_is_error(const struct hs_balance *balance, double error_k);

/* Refuses a probe that lies outside the domain or names a material that does not touch it; main calls it before
 * a run. Errors: HS_ERR_CONFIG with the section's name. */
hs_status hs_answers_check(const struct hs_problem *problem, struct hs_error *err);

void hs_answers_clear(struct hs_answers *answers); /* frees what it owns */

/* Answers at the times of the snapshots. */
struct hs_series {
  int count, room;
  double *time_s, *minimum_k, *maximum_k, *mean_k, *content_j_m; /* [count] */
  double *probe_k;     /* [count][probe_count]: points, and the middle of lines */
  double *surface_w_m; /* [count][surface_count] */
};

/* Appends a row. Errors: HS_ERR_MEMORY. */
hs_status hs_series_add(struct hs_series *series, const struct hs_problem *problem, double time_s,
                        const struct hs_answers *answers, struct hs_error *err);

/* *to, which must be empty, becomes a copy. Errors: HS_ERR_MEMORY. */
hs_status hs_series_copy(const struct hs_series *from, const struct hs_problem *problem, struct hs_series *to,
                         struct hs_error *err);

/* Room for so many rows in an empty series, which are then to be filled. Errors: HS_ERR_MEMORY. */
hs_status hs_series_create(struct hs_series *series, const struct hs_problem *problem, int rows, struct hs_error *err);
void hs_series_clear(struct hs_series *series);

#endif
