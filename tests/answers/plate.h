/* Problems and systems made by hand, for tests of what is computed from them.
 *
 * A plate of materials between four walls, each of one kind, with held rectangles, sources and losses; its discrete
 * system is written out here from the definitions in problem/system.h, apart from the code that the program uses, and
 * solved by over-relaxed Gauss-Seidel until nothing moves any more. Failures end the running test.
 */
#ifndef HS_TESTS_ANSWERS_PLATE_H
#define HS_TESTS_ANSWERS_PLATE_H

#include "support.h"

#include "answers/answers.h"

enum { PLATE_MATERIALS = 4, PLATE_SHAPES = 4, PLATE_SOURCES = 4, PLATE_PROBES = 8, PLATE_CLASSES = 16 };

struct plate_wall {
  enum hs_wall kind;
  double value; /* temperature, flux, or ambient */
  double h;
};

struct plate {
  struct hs_config config;
  struct hs_problem problem;
  struct hs_system *system; /* after plate_solve */
  double *field_k;          /* the same */
  struct plate_wall wall[HS_SIDES];
  double dirichlet_k[PLATE_SHAPES]; /* temperature of a shape that holds, else NaN */
  struct hs_material materials[PLATE_MATERIALS];
  struct hs_config_region regions[PLATE_SHAPES];
  struct hs_config_source sources[PLATE_SOURCES];
  struct hs_config_probe probes[PLATE_PROBES];
  struct hs_cell_class classes[PLATE_CLASSES];
  struct hs_segment segments[HS_SIDES];
  struct hs_held held[PLATE_SHAPES];
  struct hs_surface surfaces[HS_SIDES + PLATE_SHAPES];
};

/* A plate of nx x ny nodes or cells, lx by ly metres, of one material of conductivity 1, all walls insulated. It must stay
 * where it is: it points to itself. */
void plate_create(struct plate *plate, enum hs_layout layout, int nx, int ny, double lx_m, double ly_m);
void plate_destroy(struct plate *plate);

void plate_wall(struct plate *plate, enum hs_side side, enum hs_wall kind, double value, double h);

/* Adds a material and gives it, a source density or a loss to the cells whose centres lie in the rectangle. */
int plate_material(struct plate *plate, const char *name, double conductivity);
void plate_paint(struct plate *plate, double x0, double x1, double y0, double y1, struct hs_cell_class content);

/* Adds a [shape NAME]; held_k NaN: it holds nothing. */
int plate_shape(struct plate *plate, const char *name, struct hs_config_shape shape, double dirichlet_k);
struct hs_config_shape plate_rectangle(double x0, double x1, double y0, double y1);
struct hs_config_shape plate_circle(double x, double y, double radius);

/* Adds a source on control volumes (a node or a rectangle); density or power is NaN. */
void plate_source(struct plate *plate, struct hs_config_shape shape, double density, double power);

void plate_point(struct plate *plate, const char *name, double x, double y, const char *material);
void plate_line(struct plate *plate, const char *name, double x0, double y0, double x1, double y1, int points);

/* Both layouts, and the nodes that divide a length into n spacings. */
extern const enum hs_layout PLATE_LAYOUTS[2];
int plate_nodes(enum hs_layout layout, int n);

/* Every kind of wall, two materials, sources of every form, a loss and a held shape. */
void plate_mixed(struct plate *plate, enum hs_layout layout);

/* Makes the system, and a field that solves it to rounding. */
void plate_assemble(struct plate *plate);
void plate_solve(struct plate *plate);

/* The answers; hs_answers_clear them. */
struct hs_answers plate_answers(const struct plate *plate);

#endif
