/* The problem in metres, kelvin and watts, and its translation into the discrete system.
 *
 *     configuration --hs_problem_create--> problem --hs_problem_build_system--> system
 *
 * The problem is what a user would draw: cells with their materials, shapes, wall segments, probes. It is const to
 * everything after it.
 */
#ifndef HS_PROBLEM_PROBLEM_H
#define HS_PROBLEM_PROBLEM_H

#include "comm/subdomain.h"
#include "config/config.h"
#include "problem/system.h"

struct hs_material {
  const char *name; /* "" for the background */
  double conductivity_x_w_mk, conductivity_y_w_mk;
  double density_kg_m3;  /* NaN when not given */
  double capacity_j_m3k; /* density times heat capacity; NaN when not given */
  unsigned char rgb[3];  /* of the material picture: the configured colour or one of a fixed list */
  bool used;             /* some cell of the plate is made of it */
};

/* The content of a cell; cells of equal content share a class. */
struct hs_cell_class {
  int material;
  double source_w_m3;
  double loss_w_m3k; /* out-of-plane conductance per volume */
  double loss_w_m3;  /* the same times the ambient temperature */
};

struct hs_value; /* a constant, table or expression; problem/value.h */

/* A segment of a wall. Side keys and named segments are merged, so that every wall is covered once. */
struct hs_segment {
  const char *name;
  int line;
  enum hs_side side;
  double from_m, to_m;
  enum hs_wall kind;
  struct hs_value *temperature, *flux, *h; /* NULL where the kind has none */
};

/* A shape whose nodes are held at a temperature. */
struct hs_held {
  const char *name;
  const struct hs_config_shape *shape; /* of the configuration */
  struct hs_value *temperature;
};

/* Where heat enters or leaves: the segments first, then the held shapes. */
struct hs_surface {
  const char *name;
  int side;    /* enum hs_side of a segment, HS_SIDES for a held shape */
  int segment; /* index into segments, or -1 */
};

/* Of one rank among several it is the rank's window alone: nx, ny, cells and maps are those of the window, and so are all
 * indices of nodes and cells unless said otherwise. What a node or cell is follows from its place in the whole grid, bit for
 * bit, but at edges of the window that are no walls of the plate: these are treated as insulated, so that the outermost ghost
 * nodes are never right, and need not be. */
struct hs_problem {
  const struct hs_config *config; /* not owned */
  struct hs_subdomain subdomain;
  int first_x, first_y;    /* place of node (0, 0) in the whole grid; may be negative around periodic walls */
  struct hs_rectangle own; /* nodes of this rank, among those of the window; the others are ghosts. Empty: all are */
  enum hs_layout layout;
  int nx, ny;
  int grid_nx, grid_ny; /* of the whole grid */
  double dx_m, dy_m;
  double x0_m, y0_m;              /* place of the whole grid's node (0, 0): 0, or half a spacing in the cell layout */
  double lx_m, ly_m;              /* size of the plate */
  int cells_x, cells_y;           /* (nx-1, ny-1) vertex, (nx, ny) cell */
  int grid_cells_x, grid_cells_y; /* of the whole grid */
  struct hs_material *materials;  /* [material_count] as in the configuration */
  int material_count;
  uint16_t *cell;                /* [cells_y*cells_x] class of each cell */
  struct hs_cell_class *classes; /* [class_count] */
  int class_count;
  double *conductivity_map; /* [cells_y*cells_x] W/(m K) in place of the materials', or NULL */
  double *source_map;       /* [cells_y*cells_x] W/m3, or NULL */
  double *initial_map;      /* [ny*nx] K, or NULL */
  struct hs_segment *segments;
  int segment_count;
  struct hs_held *held;
  int held_count;
  struct hs_surface *surfaces;
  int surface_count;
  bool timed; /* some boundary value depends on time */
};

/* A remark about a problem, one sentence: what overlaps, what the grid does not resolve. */
struct hs_remarks {
  char **text; /* [count], owned */
  int count;
  bool *warning; /* [count] worth acting on; otherwise for information */
};

/* Is the wall on this side periodic, by the configuration? */
bool hs_problem_is_periodic(const struct hs_config *config, enum hs_side side);

/* The whole plate in one rank. */
struct hs_subdomain hs_problem_whole(const struct hs_config *config);

/* Reads maps and tables, places shapes, merges walls; of the subdomain alone (NULL: the whole plate, in one rank). *problem is
 * owned by the caller. Collective over the subdomain's ranks. Errors: HS_ERR_CONFIG (with
 * file, line and the section's name), HS_ERR_IO (a map or table that cannot be read), HS_ERR_MEMORY. */
hs_status hs_problem_create(const struct hs_config *config, const struct hs_subdomain *subdomain,
                            struct hs_problem **problem, struct hs_error *err);

void hs_problem_destroy(struct hs_problem *problem); /* NULL is accepted */

/* Overlaps, how well each shape meets the grid, what is thinner than a cell. *remarks is cleared by the caller.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_problem_remarks(const struct hs_problem *problem, struct hs_remarks *remarks, struct hs_error *err);
void hs_remarks_clear(struct hs_remarks *remarks);

/* Builds the discrete system of the window at time 0, discretised for the configured scheme and step (the explicit scheme's
 * largest stable step where none is given). *system is owned by the caller. Errors: HS_ERR_CONFIG (a source that
 * cannot act; an insulated steady problem with net heat; a material without density in a transient problem; an
 * unstable explicit step, with the largest stable one), HS_ERR_MEMORY. Collective over the subdomain's ranks. */
hs_status hs_problem_build_system(const struct hs_problem *problem, struct hs_system **system, struct hs_error *err);

/* Sets the laws and contacts that depend on time to time_s; hs_system_discretise must follow. Collective over the subdomain's
 * ranks. Errors: HS_ERR_CONFIG (an expression or table without a finite value there, with its section's name). */
hs_status hs_problem_time_set(const struct hs_problem *problem, struct hs_system *system, double time_s,
                              struct hs_error *err);

/* The initial temperature field: Dirichlet nodes at their temperature, free nodes as configured. *field_k is [ny*nx], K,
 * owned by the caller. Collective over the subdomain's ranks.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_problem_initial_field(const struct hs_problem *problem, const struct hs_system *system, double **field_k,
                                   struct hs_error *err);

/* Is the point in the shape, its edge included? The edge of a figure belongs to its inside and to its outside (enum
 * hs_part). NODE shapes have no inside: false. */
bool hs_shape_contains(const struct hs_config_shape *shape, double x_m, double y_m);

/* Smallest rectangle around the shape, x0, x1, y0, y1 in m; the whole plane for EVERYWHERE and for an outside. */
void hs_shape_bounds(const struct hs_config_shape *shape, double bounds_m[4]);

/* Does cell (ci, cj) of the whole grid belong to the shape, that is, does its centre lie in it? A centre on the edge
 * belongs to the inside, so that inside and outside share no cell. */
bool hs_problem_cell_in(const struct hs_problem *problem, const struct hs_config_shape *shape, int ci, int cj);

/* Conductivity of a cell in x and y, the map considered. */
void hs_problem_cell_conductivity(const struct hs_problem *problem, int ci, int cj, double *kx_w_mk, double *ky_w_mk);

/* Column or row of the whole grid of window column i or row j: around periodic walls, where a window goes on, the one that is
 * there. */
static inline int hs_problem_column(const struct hs_problem *problem, int i)
{
  const int column = problem->first_x + i;
  if (column < 0) return column + problem->subdomain.partition.period_x;
  return column < problem->grid_nx ? column : column - problem->subdomain.partition.period_x;
}

static inline int hs_problem_row(const struct hs_problem *problem, int j)
{
  const int row = problem->first_y + j;
  if (row < 0) return row + problem->subdomain.partition.period_y;
  return row < problem->grid_ny ? row : row - problem->subdomain.partition.period_y;
}

/* Place of window column i or row j, m: the same bits in every window. */
static inline double hs_problem_x(const struct hs_problem *problem, int i)
{
  return problem->x0_m + hs_problem_column(problem, i) * problem->dx_m;
}

static inline double hs_problem_y(const struct hs_problem *problem, int j)
{
  return problem->y0_m + hs_problem_row(problem, j) * problem->dy_m;
}

/* Is a direction cut between ranks? */
static inline bool hs_problem_cut(const struct hs_problem *problem, bool along_x)
{
  return (along_x ? problem->subdomain.partition.count_x : problem->subdomain.partition.count_y) > 1;
}

/* A stretch of a window's columns or rows that lies without a gap in the whole grid: those from `from` on are the grid's from
 * `grid` on. A window has several around periodic walls. */
struct hs_stretch {
  int from, count, grid;
};
enum { HS_STRETCHES = 4 };

/* The stretches of the columns (along_x) or rows of cells; returns how many. */
int hs_problem_cell_stretches(const struct hs_problem *problem, bool along_x,
                              struct hs_stretch stretches[HS_STRETCHES]);

/* The same for nodes. join: where periodic walls make the last node of the grid the first one once more, it is that one. */
int hs_problem_node_stretches(const struct hs_problem *problem, bool along_x, bool join,
                              struct hs_stretch stretches[HS_STRETCHES]);

/* Area of the control volume of node (i, j), m2. */
double hs_problem_node_area(const struct hs_problem *problem, int i, int j);

/* Columns or rows of n whose places, from that of the first on, may lie between low and high, m, and a few more. */
void hs_index_range(double low_m, double high_m, double spacing_m, int n, int *first, int *last);

/* Material of a cell. */
static inline int hs_problem_cell_material(const struct hs_problem *problem, int ci, int cj)
{
  return problem->classes[problem->cell[(size_t)cj * (size_t)problem->cells_x + (size_t)ci]].material;
}

#endif
