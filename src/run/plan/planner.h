/* A plan that is being made; private to plan.c and planner.c. */
#ifndef HS_RUN_PLANNER_H
#define HS_RUN_PLANNER_H

#include "run/coarse.h"
#include "run/plan/plan.h"
#include "run/predict.h"

/* What the coarse grid's forecasts are multiplied by. */
struct hs_plan_scale {
  double square, length; /* of the nodes along a side, fine over coarse */
  double area;           /* nodes, fine over coarse */
  double l2, largest;    /* norms of the first update, fine over coarse */
};

struct hs_planner {
  const struct hs_config *config;
  struct hs_coarse coarse;
  struct hs_plan_scale scale;
  struct hs_plan *plan;
};

/* Forecasts on the coarse grid and on one half as fine give the scale. Errors: HS_ERR_MEMORY, and those of building a problem. */
hs_status hs_planner_scale(struct hs_planner *p, struct hs_error *err);

/* Method, count of sweeps or cycles, and the work of the whole run, for a partition and a scale that are known. Errors:
 * HS_ERR_CONFIG. */
hs_status hs_planner_forecast(struct hs_planner *p, struct hs_work *work, struct hs_error *err);

#endif
