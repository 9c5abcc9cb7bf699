/* The plan of cuda-streamed: how a grid that is larger than device memory is cut into bands of rows.
 *
 * A visit brings a band and `halo` rows beside it to the device, makes up to `longest` sweeps there, and brings the
 * band back. Rows outside the band that lie in the grid go stale from the outside, one row a sweep, and never reach the
 * band. More sweeps a visit are fewer bytes on the bus for each of them, and a wider halo that is swept in vain:
 *
 *     seconds for each row and sweep = (max(bus, sweeps) + half the other) / (longest * band)
 *
 * of which the plan takes the least that fits into memory, with three bands on the device: one arrives, one is swept,
 * one leaves. Bands and halos are multiples of HS_STREAMED_ALIGN rows, so that a band's tiles are those of the grid. A
 * band is at least as high as a halo, so a band's rows are read by its two neighbours only. What fits as one band is
 * one, without a halo.
 *
 * Periodic walls in y: rows beyond the first and the last are those of the other side. In the cell layout the rows form
 * a cycle, and the halo is cut from it. In the vertex layout the first and the last row are stored apart, each
 * with its own stencils, so copies of them differ from the originals after one sweep: one sweep a visit.
 *
 * Arithmetic only, no calls of CUDA.
 */
#ifndef HS_BACKEND_CUDA_STREAMED_PLAN_H
#define HS_BACKEND_CUDA_STREAMED_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "problem/system.h"

enum {
  HS_STREAMED_SLOTS = 3,      /* bands on the device at a time */
  HS_STREAMED_ALIGN = 32,     /* rows; a tile's height */
  HS_STREAMED_CHEBYSHEV = 128 /* sweeps of a visit at most in Chebyshev's form: its steps are computed in batches */
};

/* What a plan weighs. */
struct hs_streamed_rates {
  double bus_bytes_s; /* each way */
  double sweep_s;     /* per node, on the device */
  int band_rows; /* 0; or the height of all bands and halos, whatever they cost: how tests get bands of small grids */
};

struct hs_streamed_plan {
  int nx, ny, wrap_y;
  int slots;           /* bands on the device: HS_STREAMED_SLOTS, or fewer where there are fewer bands */
  int bands;           /* of the grid */
  int band_rows;       /* the last band may have fewer */
  int halo_rows;       /* beside a band; 0: one band that is the grid */
  int slot_rows;       /* rows that a slot has room for */
  int64_t longest;     /* sweeps of a visit at most */
  double device_bytes; /* of everything on the device */
  double passes_bytes; /* of that, set aside for the plans of passes of several sweeps; 0: nothing */
  double sweep_s;      /* forecast of a sweep of the whole grid, in visits of `longest`, or of 256 if that is more */
};

/* Rows of one band. Virtual rows are negative or beyond ny where they come from the other side of periodic walls. */
struct hs_streamed_band {
  int y0, y1;      /* the band's own */
  int first, last; /* virtual rows that it has in a slot: first .. last-1, y0 - first being a multiple of ALIGN */
};

/* Device memory that cannot be gone without, bytes: the least limit for which a plan exists. */
double hs_streamed_least_bytes(const struct hs_system *system, bool single);

/* What is set aside for the plans of passes, bytes, where there is room for it and the system has passes: enough
 * for grids whose rows are mostly like their neighbours. */
double hs_streamed_passes_bytes(const struct hs_system *system);

/* The plan for a limit of device memory. Errors: HS_ERR_DEVICE with what is needed. */
hs_status hs_streamed_plan_make(const struct hs_system *system, bool single, double limit_bytes,
                                const struct hs_streamed_rates *rates, struct hs_streamed_plan *plan,
                                struct hs_error *err);

struct hs_streamed_band hs_streamed_band(const struct hs_streamed_plan *plan, int number);

/* Virtual rows from .. to-1 that have to arrive for `sweeps` sweeps of a band, within what a slot has. */
void hs_streamed_cone(const struct hs_streamed_band *band, int64_t sweeps, int *from, int *to);

/* The grid's row that virtual row `v` is, and how many virtual rows from there to `end` follow it in the grid. */
int hs_streamed_run(const struct hs_streamed_plan *plan, int v, int end, int *row);

/* The last band, in the order of the plan, that a visit to band `number` of so many sweeps reads rows of. */
int hs_streamed_reads(const struct hs_streamed_plan *plan, int number, int64_t sweeps);

/* Sweeps of the next visits while `left` are to be made: visits of equal lengths. alone: the last sweep has to be a
 * visit of its own. */
int64_t hs_streamed_length(int64_t left, int64_t longest, bool alone);

#endif
