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
extern const char *const hs_names_wall[];
extern const char *const hs_names_scheme[];
extern const char *const hs_names_method[];
extern const char *const hs_names_criterion[];
extern const char *const hs_names_precision[];
extern const char *const hs_names_animation[];
extern const char *const hs_names_restart[];

#endif
