/* Parts of configurations made in code, what is looked up in their systems, and how they are refused. Texts must outlive
 * the configuration. */
#ifndef HS_TESTS_PROBLEM_PARTS_H
#define HS_TESTS_PROBLEM_PARTS_H

#include "problem/shapes.h"

/* --- configurations ------------------------------------------------------------------------------ */

extern const struct hs_config_value NO_VALUE;

/* A plate of conductivity 1 whose walls are all insulated. */
struct hs_config insulated(int nx, int ny, double dx, double dy);

/* Walls at 10 (west), 20 (east), 40 (south) and 80 K (north). */
struct hs_config walled_config(int nx, int ny);

/* An insulated plate of 6 x 5 nodes over time, 10 s in steps of 0.1 s. */
struct hs_config timed_config(void);

/* Makes the layout that of cells; spacings stay. */
void cell_layout(struct hs_config *config);

void conductivity_set(struct hs_config *config, double kx, double ky);

/* Named segments need more room than the four sides of test_config; these are reused after 64 calls. */
void segment_add(struct hs_config *config, struct hs_config_boundary segment);
struct hs_config_boundary held_segment(const char *name, int line, enum hs_side side, double from, double to, double k);
struct hs_config_boundary convective_segment(const char *name, enum hs_side side, double from, double to, double h,
                                             double ambient);

/* A shape of a material ("" for none), or held at a value (NO_VALUE: not). */
struct hs_config_region region(const char *name, struct hs_config_shape shape, const char *material,
                               struct hs_config_value temperature);

/* --- systems ------------------------------------------------------------------------------------- */

/* The system of config with these sources. */
struct hs_system *system_with(struct hs_config *config, struct hs_config_source *sources, int count);

const struct hs_node_law *law_at(const struct hs_system *s, int i, int j);
const struct hs_stencil_f64 *stencil_at(const struct hs_system *s, int i, int j);

/* Heat released in all control volumes or in the free ones, W/m. */
double total_source(const struct hs_system *s, bool held_too);

/* What a node of walled_config is held at; -1 for a free one. */
double wall_temperature(const struct hs_system *s, int i, int j);

/* Every coefficient index is used by a node, no two are equal, and the two precisions agree. */
void assert_table_sound(const struct hs_system *s);

/* --- refusals ------------------------------------------------------------------------------------ */

/* The configuration is refused, by the problem or by its system, and the sentence contains the words (NULL ends them). */
void expect_refusal(const struct hs_config *config, hs_status wanted, const char *const words[]);

#define EXPECT_REFUSAL(config, ...) expect_refusal((config), HS_ERR_CONFIG, (const char *const[]){__VA_ARGS__, NULL})

#endif
