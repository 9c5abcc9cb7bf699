/* What the chart of a benchmark shows: curves, copy limits, ranges of the axes. */
#ifndef HS_OUTPUT_BENCH_CURVES_H
#define HS_OUTPUT_BENCH_CURVES_H

#include "bench/bench.h"

enum { HS_BENCH_CURVES = 96, HS_BENCH_LIMITS = 4 };

/* A curve: the rows of a benchmark that differ in nothing but the size. */
struct hs_bench_curve {
  const struct hs_bench_row *first;
  int backend, variant; /* numbers: the colour, the marker's shape */
};

/* What one sweep per pass can reach at the speed of copying. */
struct hs_bench_limit {
  double updates_g;
  char label[32];
};

struct hs_bench_curves {
  const struct hs_bench *bench;
  struct hs_bench_curve curve[HS_BENCH_CURVES];
  int count;
  struct hs_bench_limit limit[HS_BENCH_LIMITS]; /* the highest first */
  int limits;
  bool varied[3];                      /* more than one pattern, form, mode */
  double low_x, high_x, low_y, high_y; /* nodes on a side; G updates/s */
};

void hs_bench_curves_find(const struct hs_bench *bench, struct hs_bench_curves *curves);

/* "cpu double, stripes" into text[size]: what distinguishes a curve from the others. */
void hs_bench_curve_name(const struct hs_bench_curves *curves, const struct hs_bench_curve *curve, char *text,
                         size_t size);

/* Is the row one of the curve's? */
bool hs_bench_curve_has(const struct hs_bench_curve *curve, const struct hs_bench_row *row);

/* Nodes on a side, those of the square of as many nodes. */
double hs_bench_side(const struct hs_bench_row *row);

/* Was it measured, and is it a rate of sweeps? */
bool hs_bench_is_drawn(const struct hs_bench_row *row);

double hs_bench_updates_g(const struct hs_bench_row *row);

/* The next lower (or, up, higher) of 1, 2, 5 times a power of ten. */
double hs_bench_round(double value, bool up);

#endif
