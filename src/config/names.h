/* The words of a configuration file for the enums of config.h, in the order of their values.
 *
 * Each list ends in NULL. The functions hs_criterion_name and so on, declared in config.h, read them.
 */
#ifndef HS_CONFIG_NAMES_H
#define HS_CONFIG_NAMES_H

#include "config/config.h"

extern const char *const hs_names_side[];
extern const char *const hs_names_layout[];
extern const char *const hs_names_face_mean[];
extern const char *const hs_names_shape[];
extern const char *const hs_names_inside[];
extern const char *const hs_names_wall[];
extern const char *const hs_names_scheme[];
extern const char *const hs_names_method[];
extern const char *const hs_names_criterion[];
extern const char *const hs_names_precision[];
extern const char *const hs_names_animation[];
extern const char *const hs_names_picture[];
extern const char *const hs_names_xdmf[];
extern const char *const hs_names_wish[];
extern const char *const hs_names_restart[];

/* The numbers of a result, as [expect NAME] quantity and report.json name them (run/quantity.h finds them). */
#define HS_QUANTITY_NAMES                                                                                              \
  "min, max, min.x, min.y, max.x, max.y, mean, center; probe.NAME, and of point K (from 0) of a line probe.NAME.K; "   \
  "side.west, side.east, side.south, side.north and surface.NAME, with .mean per area; shape.NAME.out, held, source, " \
  "loss, heat_in, heat_out, storage, imbalance; material.NAME.mean, .min, .max and .area, content, mass_temperature, " \
  "material_integral.density; sweeps, stop_index, error_estimate, update_max, update_l2, residual_relative, "          \
  "history.update_max.K (of sweep K, from 0); time, steps"

#endif
