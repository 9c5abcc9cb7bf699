/* The rows of the table of keys, and the kinds of sections that they belong to; see table.h.
 *
 * What looks rows up is in lookup.c, what turns text into values in value.c.
 */
#include "config/table.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "config/names.h"

/* Columns of the table, by the name of what they say. */
#define INTEGER(low, high) HS_KEY_INT, NULL, low, high, false
#define INTEGER_OR_AUTO(low, high) HS_KEY_AUTO, NULL, low, high, false
#define BYTES HS_KEY_BYTES, NULL, 0, 1e18, false
#define LONG(low, high) HS_KEY_INT64, NULL, low, high, false
#define NUMBER HS_KEY_REAL, NULL, -INFINITY, INFINITY, false
#define NOT_NEGATIVE HS_KEY_REAL, NULL, 0, INFINITY, false
#define POSITIVE HS_KEY_REAL, NULL, 0, INFINITY, true
#define SHARE HS_KEY_REAL, NULL, 0, 1, true
#define CHOICE(names) HS_KEY_CHOICE, names, 0, 0, false
#define SET(names) HS_KEY_SET, names, 0, 0, false
#define SHAPE HS_KEY_CHOICE, hs_names_shape + HS_SHAPE_RECTANGLE, HS_SHAPE_RECTANGLE, 0, false
#define YES_NO HS_KEY_YES_NO, NULL, 0, 0, false
#define NAME(bytes) HS_KEY_NAME, NULL, 1, bytes, false
#define TEXT(bytes) HS_KEY_TEXT, NULL, 0, bytes, false
#define COLOR HS_KEY_COLOR, NULL, 7, 7, false
#define DATASET HS_KEY_DATASET, NULL, 3, 3000, false
#define VALUE HS_KEY_VALUE, NULL, -INFINITY, INFINITY, false
#define VALUE_NOT_NEGATIVE HS_KEY_VALUE, NULL, 0, INFINITY, false
#define WALL HS_KEY_WALL, NULL, -INFINITY, INFINITY, false
#define INVERSE HS_KEY_INVERSE, NULL, 0, INFINITY, true
#define TIMES HS_KEY_TIMES, NULL, 0, INFINITY, false
#define POINTS HS_KEY_POINTS, NULL, -INFINITY, INFINITY, false
#define REQUIRED(example) true, 0, NULL, example, true
#define EITHER(example) false, 0, NULL, example, true
#define OPTIONAL(example) false, 0, NULL, example, false
#define DEFAULT(value) false, 0, value, value, true
#define REQUIRED_BY(kinds, example) true, kinds, NULL, example, true
#define EITHER_BY(kinds, example) false, kinds, NULL, example, true
#define OPTIONAL_BY(kinds, example) false, kinds, NULL, example, false
#define DEFAULT_BY(kinds, value) false, kinds, value, value, true
#define HIDDEN_BY(kinds, value) false, kinds, value, value, false
#define BIT(kind) (1u << (kind))

#define NODE BIT(HS_SHAPE_NODE)
#define RECTANGLE BIT(HS_SHAPE_RECTANGLE)
#define CIRCLE BIT(HS_SHAPE_CIRCLE)
#define ELLIPSE BIT(HS_SHAPE_ELLIPSE)
#define POLYGON BIT(HS_SHAPE_POLYGON)
#define LINE BIT(HS_SHAPE_LINE)
#define HELD BIT(HS_WALL_TEMPERATURE)
#define FLUX BIT(HS_WALL_FLUX)
#define CONVECTION BIT(HS_WALL_CONVECTION)

#define AT(member) offsetof(struct hs_config, member)
#define IN(what, member) offsetof(struct hs_config_##what, member)
#define SIDE(side) (sizeof(struct hs_config_boundary) * (side) + offsetof(struct hs_config_boundary, temperature))

/* clang-format off */
static const struct hs_config_key shape_keys[] = {
  {"i", "", INTEGER(0, 999999), REQUIRED_BY(NODE, "50"), IN(shape, i),
   "node: its column, 0 to nx-1 from the west"},
  {"j", "", INTEGER(0, 999999), REQUIRED_BY(NODE, "50"), IN(shape, j),
   "node: its row, 0 to ny-1 from the south"},
  {"x0", "m", NUMBER, REQUIRED_BY(RECTANGLE | LINE, "0.4"), IN(shape, x0_m),
   "rectangle: west edge, measured from the west wall; line: first end"},
  {"x1", "m", NUMBER, REQUIRED_BY(RECTANGLE | LINE, "0.6"), IN(shape, x1_m),
   "rectangle: east edge, x0 < x1; line: other end"},
  {"y0", "m", NUMBER, REQUIRED_BY(RECTANGLE | LINE, "0.4"), IN(shape, y0_m),
   "rectangle: south edge, measured from the south wall; line: first end"},
  {"y1", "m", NUMBER, REQUIRED_BY(RECTANGLE | LINE, "0.6"), IN(shape, y1_m),
   "rectangle: north edge, y0 < y1; line: other end"},
  {"x", "m", NUMBER, REQUIRED_BY(CIRCLE | ELLIPSE, "0.5"), IN(shape, x_m),
   "circle, ellipse: centre, from the west wall"},
  {"y", "m", NUMBER, REQUIRED_BY(CIRCLE | ELLIPSE, "0.5"), IN(shape, y_m),
   "circle, ellipse: centre, from the south wall"},
  {"radius", "m", POSITIVE, REQUIRED_BY(CIRCLE, "0.1"), IN(shape, radius_m),
   "circle: radius"},
  {"rx", "m", POSITIVE, REQUIRED_BY(ELLIPSE, "0.2"), IN(shape, rx_m),
   "ellipse: half axis that angle turns away from the x axis"},
  {"ry", "m", POSITIVE, REQUIRED_BY(ELLIPSE, "0.1"), IN(shape, ry_m),
   "ellipse: the other half axis"},
  {"angle", "degrees", NUMBER, DEFAULT_BY(ELLIPSE, "0"), IN(shape, angle_deg),
   "ellipse: turn, counterclockwise"},
  {"points", "m", POINTS, REQUIRED_BY(POLYGON, "0.4 0.4, 0.6 0.4, 0.5 0.6"), IN(shape, points),
   "polygon: its corners in order, each as x y; given again, the key goes on with the list"},
  {"width", "m", POSITIVE, REQUIRED_BY(LINE, "0.05"), IN(shape, width_m),
   "line: its thickness; the ends are cut square"},
  {"inside", "", CHOICE(hs_names_inside), DEFAULT_BY(RECTANGLE | CIRCLE | ELLIPSE | POLYGON | LINE, "yes"),
   IN(shape, part),
   "no: all outside of the shape is meant, instead of its inside"},
};

static const struct hs_config_key grid_keys[] = {
  {"nx", "nodes", INTEGER(2, HS_NODES_MOST), REQUIRED("101"), AT(grid.nx),
   "nodes from west to east, in the vertex layout both walls included"},
  {"ny", "nodes", INTEGER(2, HS_NODES_MOST), REQUIRED("101"), AT(grid.ny),
   "nodes from south to north, in the vertex layout both walls included"},
  {"lx", "m", POSITIVE, EITHER("1"), AT(grid.lx_m),
   "length from west to east wall"},
  {"ly", "m", POSITIVE, EITHER("1"), AT(grid.ly_m),
   "length from south to north wall"},
  {"dx", "m", POSITIVE, OPTIONAL("0.01"), AT(grid.dx_m),
   "instead of lx: distance between columns"},
  {"dy", "m", POSITIVE, OPTIONAL("0.01"), AT(grid.dy_m),
   "instead of ly: distance between rows"},
  {"layout", "", CHOICE(hs_names_layout), DEFAULT("vertex"), AT(grid.layout),
   "vertex: nodes on the corners of cells, the outermost on the walls; cell: nodes in the middle of cells, the walls "
   "half a spacing beyond the outermost"},
  {"face_mean", "", CHOICE(hs_names_face_mean), HIDDEN_BY(BIT(HS_LAYOUT_CELL), "harmonic"), AT(grid.face_mean),
   "layout = cell: mean of the conductivities of two neighbouring cells"},
};

static const struct hs_config_key material_keys[] = {
  {"conductivity", "W/(m K)", POSITIVE, EITHER("1"), IN(material, conductivity_x_w_mk),
   "thermal conductivity"},
  {"conductivity_x", "W/(m K)", POSITIVE, OPTIONAL("2"), IN(material, conductivity_x_w_mk),
   "instead of conductivity, with conductivity_y: along x"},
  {"conductivity_y", "W/(m K)", POSITIVE, OPTIONAL("0.5"), IN(material, conductivity_y_w_mk),
   "instead of conductivity, with conductivity_x: along y"},
  {"density", "kg/m3", POSITIVE, OPTIONAL("7800"), IN(material, density_kg_m3),
   "mass per volume; needed when time counts"},
  {"heat_capacity", "J/(kg K)", POSITIVE, OPTIONAL("490"), IN(material, heat_capacity_j_kgk),
   "heat per mass and degree; needed when time counts"},
  {"color", "", COLOR, OPTIONAL("#8090a0"), IN(material, color),
   "colour of the material in the picture that [map] materials names, and in drawings"},
};

static const struct hs_config_key shape_section_keys[] = {
  {"shape", "", SHAPE, REQUIRED("rectangle"), IN(region, shape.kind),
   "kind of shape; the keys of a shape describe it"},
  {"material", "", NAME(90), EITHER("steel"), IN(region, material),
   "what the shape is made of: a [material NAME], or background"},
  {"initial", "K", NUMBER, OPTIONAL("350"), IN(region, initial_k),
   "temperature at which the shape's cells start"},
  {"temperature", "K", VALUE, OPTIONAL("400"), IN(region, temperature),
   "temperature at which the nodes inside the shape are held"},
};

static const struct hs_config_key source_keys[] = {
  {"shape", "", CHOICE(hs_names_shape), REQUIRED("rectangle"), IN(source, shape.kind),
   "kind of shape, or one node; the keys of a shape describe it"},
  {"density", "W/m3", NUMBER, EITHER("1000"), IN(source, density_w_m3),
   "heat released per volume; negative for a sink"},
  {"power", "W/m", NUMBER, OPTIONAL("40"), IN(source, power_w_m),
   "instead of density: heat released by the whole shape, per metre of depth"},
  {"replace", "", YES_NO, DEFAULT("no"), IN(source, replaces),
   "take the place of earlier sources instead of adding to them"},
};

static const struct hs_config_key loss_keys[] = {
  {"shape", "", SHAPE, DEFAULT("everywhere"), IN(loss, shape.kind),
   "kind of shape; the keys of a shape describe it"},
  {"h", "W/(m2 K)", NOT_NEGATIVE, REQUIRED("10"), IN(loss, h_w_m2k),
   "heat transfer coefficient, of both faces together"},
  {"ambient", "K", NUMBER, REQUIRED("300"), IN(loss, ambient_k),
   "temperature of what takes the heat"},
  {"thickness", "m", POSITIVE, REQUIRED("0.01"), IN(loss, thickness_m),
   "of the plate; the loss per volume is h / thickness"},
};

static const struct hs_config_key side_keys[] = {
  {"west", "K", WALL, EITHER("300"), SIDE(HS_WEST),
   "temperature of the west wall, or a word"},
  {"east", "K", WALL, EITHER("350"), SIDE(HS_EAST),
   "temperature of the east wall, or a word"},
  {"south", "K", WALL, EITHER("insulated"), SIDE(HS_SOUTH),
   "temperature of the south wall, or a word"},
  {"north", "K", WALL, EITHER("insulated"), SIDE(HS_NORTH),
   "temperature of the north wall, or a word"},
};

static const struct hs_config_key boundary_keys[] = {
  {"side", "", CHOICE(hs_names_side), REQUIRED("north"), IN(boundary, side),
   "wall that it is a part of"},
  {"kind", "", CHOICE(hs_names_wall), REQUIRED("convection"), IN(boundary, kind),
   "what happens there; periodic: joined to the opposite wall"},
  {"from", "m", NUMBER, EITHER("0.2"), IN(boundary, from_m),
   "where it begins along the wall, from the west or south end; default: the west or south end"},
  {"to", "m", NUMBER, EITHER("0.8"), IN(boundary, to_m),
   "where it ends; default: the east or north end"},
  {"temperature", "K", VALUE, REQUIRED_BY(HELD, "350"), IN(boundary, temperature),
   "kind = temperature: of the wall"},
  {"flux", "W/m2", VALUE, REQUIRED_BY(FLUX, "100"), IN(boundary, flux),
   "kind = flux: heat per area, positive into the domain"},
  {"h", "W/(m2 K)", VALUE_NOT_NEGATIVE, EITHER_BY(CONVECTION, "10"), IN(boundary, h),
   "kind = convection: heat transfer coefficient"},
  {"resistance", "m2 K/W", INVERSE, OPTIONAL_BY(CONVECTION, "0.1"), IN(boundary, h),
   "instead of h: 1 / h"},
  {"ambient", "K", VALUE, REQUIRED_BY(CONVECTION, "300"), IN(boundary, temperature),
   "kind = convection: temperature of the fluid"},
};

static const struct hs_config_key map_keys[] = {
  {"materials", "", NAME(3000), OPTIONAL("parts.png"), AT(map.materials),
   "PNG file, one pixel a cell, first row in the north, whose colours are those of the materials; one pixel may "
   "stand for k x l cells"},
  {"conductivity", "", DATASET, OPTIONAL("maps.h5:/conductivity"), AT(map.conductivity),
   "conductivity of each cell in W/(m K), rows from the south; in place of the materials'"},
  {"source", "", DATASET, OPTIONAL("maps.h5:/source"), AT(map.source),
   "heat released in each cell in W/m3, rows from the south; added to the sources"},
  {"initial", "", DATASET, OPTIONAL("maps.h5:/initial"), AT(map.initial),
   "start temperature of each node in K, rows from the south; FILE:last and FILE:t=600 are the last snapshot of a "
   "snapshots.h5 and that at 600 s"},
};

static const struct hs_config_key initial_keys[] = {
  {"temperature", "K", NUMBER, DEFAULT("0"), AT(initial.temperature_k),
   "start temperature of the nodes inside; a guess near the answer saves sweeps"},
};

static const struct hs_config_key probe_keys[] = {
  {"x", "m", NUMBER, REQUIRED("0.5"), IN(probe, x_m),
   "place, from the west wall; of a line: its first end"},
  {"y", "m", NUMBER, REQUIRED("0.5"), IN(probe, y_m),
   "place, from the south wall; of a line: its first end"},
  {"x1", "m", NUMBER, OPTIONAL("0.9"), IN(probe, x1_m),
   "line: other end; a line needs x1, y1 and points"},
  {"y1", "m", NUMBER, OPTIONAL("0.5"), IN(probe, y1_m),
   "line: other end"},
  {"points", "", INTEGER(2, 1e6), OPTIONAL("41"), IN(probe, points),
   "line: number of points, both ends included"},
  {"material", "", NAME(90), OPTIONAL("steel"), IN(probe, material),
   "side of a material's edge on which the temperature is taken: a [material NAME], or background"},
};

static const struct hs_config_key expect_keys[] = {
  {"quantity", "", NAME(200), REQUIRED("probe.centre"), IN(expect, quantity),
   "what is compared, one of " HS_QUANTITY_NAMES ". report.json lists all that a run has under \"quantities\""},
  {"value", "", NUMBER, REQUIRED("321.5"), IN(expect, value),
   "the known value, in the quantity's unit"},
  {"allowed", "", NOT_NEGATIVE, REQUIRED("0.1"), IN(expect, allowed),
   "largest difference that passes, in the quantity's unit"},
  {"relative", "", YES_NO, DEFAULT("no"), IN(expect, relative),
   "yes: allowed is a share of the value"},
  {"source", "", TEXT(255), OPTIONAL("handbook, table 3"), IN(expect, source),
   "where the value stands"},
};

static const struct hs_config_key time_keys[] = {
  {"scheme", "", CHOICE(hs_names_scheme), DEFAULT("steady"), AT(time.scheme),
   "steady: the state after a long time; otherwise the temperatures are followed through time by this scheme"},
  {"start", "s", NOT_NEGATIVE, DEFAULT("0"), AT(time.start_s),
   "time at which the run begins, with the values of the walls at that time; for a run that begins with a snapshot of "
   "another one"},
  {"end", "s", POSITIVE, OPTIONAL("3600"), AT(time.end_s),
   "time to reach; needed unless steady"},
  {"step", "s", POSITIVE, OPTIONAL("10"), AT(time.step_s),
   "time step, the first one when adaptive; or steps, for equal ones; explicit, without both: the largest stable one"},
  {"steps", "", LONG(1, HS_STEPS_MOST), OPTIONAL("360"), AT(time.steps),
   "number of equal steps from start to end; snapshots between two of them add steps"},
  {"damped_steps", "", INTEGER(0, 1e6), DEFAULT("2"), AT(time.damped_steps),
   "crank_nicolson, not adaptive: each of the first so many steps is made as two of backward Euler of half its length, which "
   "damps what jumps at the start and keeps the order; 0: a jump rings from step to step"},
  {"adaptive", "", YES_NO, DEFAULT("no"), AT(time.adaptive),
   "implicit schemes: choose each step by its error"},
  {"step_tolerance", "K", POSITIVE, DEFAULT("0.01"), AT(time.step_tolerance_k),
   "adaptive: error of a step to aim at"},
  {"step_min", "s", POSITIVE, OPTIONAL("0.001"), AT(time.step_min_s),
   "adaptive: smallest step; absent: a billionth of end"},
  {"step_max", "s", POSITIVE, OPTIONAL("600"), AT(time.step_max_s),
   "adaptive: largest step; absent: end"},
  {"inner_tolerance", "K", POSITIVE, DEFAULT("1e-8"), AT(time.inner_tolerance_k),
   "implicit schemes: bound on the error of each step's solution"},
  {"snapshots", "s", TIMES, OPTIONAL("60, 600, 1800"), AT(time.snapshots_s),
   "times at which the field is kept, ascending; given again, the key goes on with the list"},
  {"snapshot_every", "s", POSITIVE, OPTIONAL("300"), AT(time.snapshot_every_s),
   "keep the field at the multiples of this time too"},
};

static const struct hs_config_key solver_keys[] = {
  {"method", "", CHOICE(hs_names_method), DEFAULT("auto"), AT(solver.method),
   "kind of iteration: plain sweeps, sweeps of which a share is applied, sweeps accelerated by Chebyshev "
   "polynomials, or multigrid cycles, of which about ten solve a grid of any size; auto: the one that is expected to "
   "take the least work, jacobi where the criterion is one of updates; explicit time steps need none"},
  {"weight", "", SHARE, DEFAULT("0.8"), AT(solver.weight),
   "method = weighted: share of a sweep's change that is applied"},
  {"criterion", "", CHOICE(hs_names_criterion), DEFAULT("error"), AT(solver.criterion),
   "what is tested: update_l2, update_max: 2-norm or largest entry of what a sweep changed, K, not with multigrid; "
   "residual: its 2-norm relative to the start; error: estimated distance to the steady state, K"},
  {"tolerance", "", POSITIVE, DEFAULT("1e-3"), AT(solver.tolerance),
   "run until the criterion is below it; K, or a plain ratio below 1 for criterion = residual"},
  {"balance_tolerance", "", POSITIVE, DEFAULT("1e-4"), AT(solver.balance_tolerance),
   "the run ends only when heat in and heat out differ by at most this share; 1 or more: no such test"},
  {"max_iterations", "sweeps", LONG(1, 9e15), DEFAULT("1000000"), AT(solver.max_iterations),
   "give up after so many; cycles with multigrid"},
  {"check_every", "sweeps", INTEGER_OR_AUTO(1, 1e6), DEFAULT("auto"), AT(solver.check_every),
   "sweeps between two tests; auto: 256 on small grids, up to 2050 on large ones, the same on every backend "
   "(`heatsolve check` says how many); an odd number becomes the next even one with criterion = error. Multigrid looks "
   "after every cycle"},
  {"precision", "", CHOICE(hs_names_precision), DEFAULT("double"), AT(solver.precision),
   "number format of the temperatures: 64 or 32 bits"},
  {"backend", "", NAME(64), DEFAULT("auto"), AT(solver.backend),
   "what carries out the sweeps: auto, or a name that `heatsolve backends` lists"},
  {"threads", "", INTEGER(0, 4096), DEFAULT("0"), AT(solver.threads),
   "CPU threads at most; 0: all that this process may use. Never more than it has processors, fewer on small grids"},
  {"gpus", "", NAME(64), DEFAULT("1"), AT(solver.gpus),
   "GPUs that share the grid: how many, all, or their numbers (0,2). Under mpirun or srun each rank has one"},
  {"device_memory", "", BYTES, DEFAULT("0"), AT(solver.device_memory_bytes),
   "limit of a GPU's memory that a run may use; 0: all that is free"},
};

static const struct hs_config_key run_keys[] = {
  {"checkpoint_every", "s", NOT_NEGATIVE, OPTIONAL("600"), AT(run.checkpoint_every_s),
   "wall time between two checkpoints, from which a run that was ended can go on; 0: only when a signal asks for one; "
   "absent: 600, or longer so that they take 1 % of the time at most"},
  {"restart", "", CHOICE(hs_names_restart), DEFAULT("no"), AT(run.restart),
   "yes: go on from the checkpoint in output.directory; auto: if there is one, else from the start; no: from the "
   "start"},
};

static const struct hs_config_key output_keys[] = {
  {"directory", "", NAME(3000), DEFAULT("heatsolve-output"), AT(output.directory),
   "folder for the files, made when absent"},
  {"field", "", YES_NO, DEFAULT("yes"), AT(output.field),
   "write field.h5, the temperatures"},
  {"flux", "", CHOICE(hs_names_wish), DEFAULT("auto"), AT(output.flux),
   "write the heat flux, too, into field.h5 and field.vti; auto: up to 1048576 nodes"},
  {"xdmf", "", CHOICE(hs_names_xdmf), DEFAULT("yes"), AT(output.xdmf),
   "write field.xdmf, which opens field.h5 in ParaView and PyVista; no when field is no. mesh: as quadrilaterals, which "
   "carry materials and heat flux and which meshio reads, too; grid: temperatures on an image of nodes, which adds nothing "
   "to field.h5; yes: mesh up to 1048576 nodes, else grid"},
  {"vti", "", CHOICE(hs_names_wish), DEFAULT("auto"), AT(output.vti),
   "write field.vti, an image for VTK, ParaView and PyVista; auto: beside field.h5, up to 1048576 nodes"},
  {"picture", "", YES_NO, DEFAULT("yes"), AT(output.picture),
   "draw the field: temperature.png"},
  {"pictures", "", SET(hs_names_picture), DEFAULT("png"), AT(output.pictures),
   "formats of the pictures of the field, of convergence and of the problem: png: pixels; svg, pdf: sharp at every size"},
  {"convergence", "", YES_NO, DEFAULT("yes"), AT(output.convergence),
   "draw the norms against sweeps: convergence.png"},
  {"report", "", YES_NO, DEFAULT("yes"), AT(output.report),
   "write report.json"},
  {"page", "", YES_NO, DEFAULT("yes"), AT(output.page),
   "write report.html, the report as a page to open in a browser"},
  {"csv", "", YES_NO, DEFAULT("yes"), AT(output.csv),
   "write probes, heat flows and materials as CSV files"},
  {"animation", "", CHOICE(hs_names_animation), DEFAULT("none"), AT(output.animation),
   "draw the snapshots: apng: one animated PNG file; series: one picture each"},
  {"title", "", TEXT(255), DEFAULT(""), AT(output.title),
   "heading of the picture; may be empty"},
  {"unit", "", NAME(32), DEFAULT("K"), AT(output.unit),
   "unit of temperatures as written in pictures and reports, such as degC; it converts nothing"},
  {"colormap", "", NAME(64), DEFAULT("inferno"), AT(output.colormap),
   "colours of the picture: viridis, inferno, magma, plasma, cividis, cool-warm or gray"},
  {"range_min", "K", NUMBER, OPTIONAL("300"), AT(output.range_min_k),
   "where the colours begin; absent: the coldest node"},
  {"range_max", "K", NUMBER, OPTIONAL("400"), AT(output.range_max_k),
   "where the colours end; absent: the hottest node"},
  {"isotherms", "", INTEGER(0, 100), DEFAULT("0"), AT(output.isotherms),
   "lines of equal temperature in the picture, at most, at round values; 0: none"},
};
/* clang-format on */

#define ROWS(rows) rows, sizeof rows / sizeof rows[0]
#define ARRAY(member, length, what) true, AT(member), AT(length), sizeof(struct hs_config_##what)
#define NO_ARRAY false, 0, 0, 0
#define NO_SHAPE false, 0
#define PLAIN(name) name, NULL, NULL

static const struct hs_config_section sections[] = {
    {PLAIN("grid"), ROWS(grid_keys), "layout", "layout", NO_ARRAY, NO_SHAPE,
     "Nodes and size of the rectangle. Give lx and ly, or dx and dy, not both."},
    {PLAIN("material"), ROWS(material_keys), NULL, NULL, ARRAY(materials, material_count, material), NO_SHAPE,
     "The background: what the rectangle is made of where no shape and no map says otherwise."},
    {"material", "material", "steel", ROWS(material_keys), NULL, NULL, ARRAY(materials, material_count, material),
     NO_SHAPE, "Another material, for the shapes and the map of materials."},
    {PLAIN("boundary"), ROWS(side_keys), NULL, NULL, ARRAY(boundaries, boundary_count, boundary), NO_SHAPE,
     "The walls: a held temperature, or one of the words insulated and periodic. A key may be absent where sections "
     "[boundary NAME] cover the wall. Degrees Celsius or differences may be used throughout instead of K."},
    {"boundary", "boundary", "top", ROWS(boundary_keys), "kind", "a boundary of kind",
     ARRAY(boundaries, boundary_count, boundary), NO_SHAPE,
     "A part of a wall; any number of them, which must not overlap. It takes precedence over the key of its side in "
     "[boundary], which then holds for the rest of the side."},
    {"shape", "shape", "bar", ROWS(shape_section_keys), "shape", "a section of shape",
     ARRAY(regions, region_count, region), true, IN(region, shape),
     "A shape that has a material, a start temperature or a held temperature; any number of them. Later ones lie over "
     "earlier ones."},
    {"source", "source", "heater", ROWS(source_keys), "shape", "a source of shape",
     ARRAY(sources, source_count, source), true, IN(source, shape),
     "A heat source; any number of sections, each with its own name. They add up. Give density or power."},
    {"loss", "loss", "faces", ROWS(loss_keys), "shape", "a loss of shape", ARRAY(losses, loss_count, loss), true,
     IN(loss, shape), "Heat lost out of the plane, through the faces of a plate or to a coolant. Losses add up."},
    {PLAIN("map"), ROWS(map_keys), NULL, NULL, NO_ARRAY, NO_SHAPE,
     "Files that say what lies in each cell; shapes and sources come on top. Paths are relative to this file. HDF5 "
     "datasets are written FILE:DATASET."},
    {PLAIN("initial"), ROWS(initial_keys), NULL, NULL, NO_ARRAY, NO_SHAPE, "Where the iteration starts from."},
    {"probe", "probe", "centre", ROWS(probe_keys), NULL, NULL, ARRAY(probes, probe_count, probe), NO_SHAPE,
     "A place whose temperature is reported, or a line of them."},
    {"expect", "expectation", "centre", ROWS(expect_keys), NULL, NULL, ARRAY(expects, expect_count, expect), NO_SHAPE,
     "A known value that the result must meet; `heatsolve validate` compares."},
    {PLAIN("time"), ROWS(time_keys), NULL, NULL, NO_ARRAY, NO_SHAPE, "Steady state, or a course through time."},
    {PLAIN("solver"), ROWS(solver_keys), NULL, NULL, NO_ARRAY, NO_SHAPE,
     "How the steady state, or each implicit step, is found, and when it is good enough."},
    {PLAIN("run"), ROWS(run_keys), NULL, NULL, NO_ARRAY, NO_SHAPE,
     "What happens when the run is ended before it is done."},
    {PLAIN("output"), ROWS(output_keys), NULL, NULL, NO_ARRAY, NO_SHAPE, "What is left behind."},
};

#define SHAPE_KEYS (sizeof shape_keys / sizeof shape_keys[0])
#define BEGINS_WITH_HEAD(what)                                                                                         \
  static_assert(IN(what, name) == 0 && IN(what, line) == offsetof(struct hs_config_head, line),                        \
                "elements of named sections begin with struct hs_config_head")

static_assert(sizeof source_keys / sizeof source_keys[0] + SHAPE_KEYS <= HS_CONFIG_KEY_MAX,
              "HS_CONFIG_KEY_MAX is too small");
static_assert(sizeof sections / sizeof sections[0] <= HS_CONFIG_SECTION_MAX, "HS_CONFIG_SECTION_MAX is too small");
static_assert(IN(shape, point_count) == IN(shape, points) + sizeof(void *), "a list is followed by its length");
static_assert(AT(time.snapshot_count) == AT(time.snapshots_s) + sizeof(void *), "a list is followed by its length");
BEGINS_WITH_HEAD(material);
BEGINS_WITH_HEAD(region);
BEGINS_WITH_HEAD(source);
BEGINS_WITH_HEAD(loss);
BEGINS_WITH_HEAD(boundary);
BEGINS_WITH_HEAD(probe);
BEGINS_WITH_HEAD(expect);

const struct hs_config_section *hs_config_sections(size_t *count)
{
  *count = sizeof sections / sizeof sections[0];
  return sections;
}

const struct hs_config_key *hs_config_shape_keys(size_t *count)
{
  *count = SHAPE_KEYS;
  return shape_keys;
}
