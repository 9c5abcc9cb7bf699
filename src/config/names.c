/* The words for the enums of config.h. */
#include "config/names.h"

#include <assert.h>
#include <stddef.h>

static_assert(sizeof(enum hs_criterion) == sizeof(int), "choices are stored as int");

const char *const hs_names_side[] = {
    [HS_WEST] = "west", [HS_EAST] = "east", [HS_SOUTH] = "south", [HS_NORTH] = "north", NULL};

const char *const hs_names_layout[] = {[HS_LAYOUT_VERTEX] = "vertex", [HS_LAYOUT_CELL] = "cell", NULL};

const char *const hs_names_face_mean[] = {[HS_FACE_HARMONIC] = "harmonic", [HS_FACE_ARITHMETIC] = "arithmetic", NULL};

const char *const hs_names_shape[] = {[HS_SHAPE_NODE] = "node",
                                      [HS_SHAPE_RECTANGLE] = "rectangle",
                                      [HS_SHAPE_CIRCLE] = "circle",
                                      [HS_SHAPE_ELLIPSE] = "ellipse",
                                      [HS_SHAPE_POLYGON] = "polygon",
                                      [HS_SHAPE_LINE] = "line",
                                      [HS_SHAPE_EVERYWHERE] = "everywhere",
                                      NULL};

const char *const hs_names_inside[] = {[HS_PART_INSIDE] = "yes", [HS_PART_OUTSIDE] = "no", NULL};

const char *const hs_names_wall[] = {
    [HS_WALL_TEMPERATURE] = "temperature", [HS_WALL_FLUX] = "flux",         [HS_WALL_INSULATED] = "insulated",
    [HS_WALL_CONVECTION] = "convection",   [HS_WALL_PERIODIC] = "periodic", NULL};

const char *const hs_names_scheme[] = {[HS_SCHEME_STEADY] = "steady",
                                       [HS_SCHEME_EXPLICIT] = "explicit",
                                       [HS_SCHEME_BACKWARD_EULER] = "backward_euler",
                                       [HS_SCHEME_CRANK_NICOLSON] = "crank_nicolson",
                                       NULL};

const char *const hs_names_method[] = {
    [HS_METHOD_JACOBI] = "jacobi",       [HS_METHOD_WEIGHTED] = "weighted", [HS_METHOD_CHEBYSHEV] = "chebyshev",
    [HS_METHOD_MULTIGRID] = "multigrid", [HS_METHOD_AUTO] = "auto",         NULL};

const char *const hs_names_criterion[] = {[HS_CRITERION_UPDATE_L2] = "update_l2",
                                          [HS_CRITERION_UPDATE_MAX] = "update_max",
                                          [HS_CRITERION_RESIDUAL] = "residual",
                                          [HS_CRITERION_ERROR] = "error",
                                          NULL};

const char *const hs_names_precision[] = {[HS_DOUBLE] = "double", [HS_SINGLE] = "single", NULL};

const char *const hs_names_restart[] = {
    [HS_RESTART_NO] = "no", [HS_RESTART_AUTO] = "auto", [HS_RESTART_YES] = "yes", NULL};

const char *const hs_names_xdmf[] = {
    [HS_XDMF_NO] = "no", [HS_XDMF_YES] = "yes", [HS_XDMF_GRID] = "grid", [HS_XDMF_MESH] = "mesh", NULL};

const char *const hs_names_wish[] = {[HS_WISH_NO] = "no", [HS_WISH_YES] = "yes", [HS_WISH_AUTO] = "auto", NULL};

const char *const hs_names_animation[] = {
    [HS_ANIMATION_NONE] = "none", [HS_ANIMATION_APNG] = "apng", [HS_ANIMATION_SERIES] = "series", NULL};

const char *const hs_names_picture[] = {[HS_PNG] = "png", [HS_SVG] = "svg", [HS_PDF] = "pdf", NULL};

const char *hs_criterion_name(enum hs_criterion criterion)
{
  return hs_names_criterion[criterion];
}

const char *hs_precision_name(enum hs_precision precision)
{
  return hs_names_precision[precision];
}

const char *hs_method_name(enum hs_method method)
{
  return hs_names_method[method];
}

const char *hs_side_name(enum hs_side side)
{
  return hs_names_side[side];
}

const char *hs_scheme_name(enum hs_scheme scheme)
{
  return hs_names_scheme[scheme];
}

const char *hs_wall_name(enum hs_wall wall)
{
  return hs_names_wall[wall];
}

const char *hs_shape_part_note(const struct hs_config_shape *shape)
{
  return shape->part == HS_PART_OUTSIDE ? ", inside = no" : "";
}

const char *hs_shape_name(enum hs_shape_kind kind)
{
  return hs_names_shape[kind];
}

const char *hs_layout_name(enum hs_layout layout)
{
  return hs_names_layout[layout];
}
