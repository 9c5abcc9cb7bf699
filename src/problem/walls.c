/* Walls: named segments take precedence over the key of their side.
 *
 * The named segments of a side are sorted; the rest of the side belongs to its key. Ends that differ by less than
 * HS_WALL_SLACK of the side's length are made equal, so that segments given in decimal fractions meet. Overlaps, gaps and
 * sides that are periodic without their opposite are refused by name: a forgotten segment must not become an insulated
 * one.
 */
#include "problem/walls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/value.h"

enum { LABEL_SIZE = 256 };

/* From where to where a section of the configuration applies to a side. */
struct span {
  const struct hs_config_boundary *boundary;
  double from_m, to_m;
};

struct merger {
  struct hs_problem *problem;
  enum hs_side side;
  double length_m, slack_m;
  const struct hs_config_boundary *plain; /* the key of the side, or NULL */
  struct span *named;                     /* [count] ascending */
  int count;
};

double hs_wall_length(const struct hs_problem *problem, enum hs_side side)
{
  return side == HS_WEST || side == HS_EAST ? problem->ly_m : problem->lx_m;
}

double hs_surface_length(const struct hs_problem *problem, int surface)
{
  const int k = problem->surfaces[surface].segment;
  return k < 0 ? NAN : problem->segments[k].to_m - problem->segments[k].from_m;
}

bool hs_wall_is_periodic(const struct hs_problem *problem, enum hs_side side)
{
  for (int k = 0; k < problem->segment_count; k++)
    if (problem->segments[k].side == side && problem->segments[k].kind == HS_WALL_PERIODIC) return true;
  return false;
}

static bool says_something(const struct hs_config_boundary *b)
{
  return b->kind != HS_WALL_TEMPERATURE || b->temperature.text || b->temperature.is_number;
}

static int span_compare(const void *a, const void *b)
{
  const struct span *p = a, *q = b;
  if (p->from_m != q->from_m) return p->from_m < q->from_m ? -1 : 1;
  return (p->boundary > q->boundary) - (p->boundary < q->boundary);
}

/* Ends near those of the side become exactly those. */
static struct span span_of(const struct merger *m, const struct hs_config_boundary *b)
{
  struct span s = {b, b->from_m, b->to_m};
  if (b->to_m <= b->from_m && b->from_m == 0.0) s.to_m = m->length_m; /* not given */
  if (fabs(s.from_m) <= m->slack_m) s.from_m = 0.0;
  if (fabs(s.to_m - m->length_m) <= m->slack_m) s.to_m = m->length_m;
  return s;
}

static bool whole_side(const struct merger *m, const struct hs_config_boundary *b)
{
  return b->to_m <= b->from_m || (b->from_m <= m->slack_m && b->to_m >= m->length_m - m->slack_m);
}

/* A section that is named after its side and covers it stands for what others leave of the side, as its key does. Where another
 * one covers the side, too, they overlap. */
static bool stands_for_rest(const struct merger *m, const struct hs_config_boundary *b)
{
  const struct hs_config *config = m->problem->config;
  if (strcmp(b->name, hs_side_name(b->side)) != 0 || !whole_side(m, b)) return false;
  for (int k = config->side_count; k < config->boundary_count; k++) {
    const struct hs_config_boundary *other = &config->boundaries[k];
    if (other != b && other->side == b->side && whole_side(m, other)) return false;
  }
  return true;
}

/* Keys come first; the one of a side may say nothing. */
static void collect(struct merger *m)
{
  const struct hs_config *config = m->problem->config;
  for (int k = 0; k < config->boundary_count; k++) {
    const struct hs_config_boundary *b = &config->boundaries[k];
    if (b->side != m->side) continue;
    if (k < config->side_count ? says_something(b) : stands_for_rest(m, b))
      m->plain = b;
    else if (k >= config->side_count)
      m->named[m->count++] = span_of(m, b);
  }
  if (m->count) qsort(m->named, (size_t)m->count, sizeof *m->named, span_compare);
}

static hs_status overlap_fail(const struct merger *m, const struct span *a, const struct span *b, struct hs_error *err)
{
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s:%d: [boundary %s] and [boundary %s] (line %d) overlap on the %s side, from %.10g m to %.10g m; "
      "a place on a wall has one condition: change from or to of one of them",
      m->problem->config->path, b->boundary->line, b->boundary->name, a->boundary->name, a->boundary->line,
      hs_side_name(m->side), b->from_m, fmin(a->to_m, b->to_m));
}

static hs_status spans_check(struct merger *m, struct hs_error *err)
{
  for (int k = 0; k < m->count; k++) {
    struct span *s = &m->named[k];
    if (!(s->from_m >= 0.0 && s->to_m <= m->length_m && s->to_m - s->from_m > m->slack_m))
      return hs_error_set(err, HS_ERR_CONFIG,
                          "%s:%d: [boundary %s] goes from %.10g m to %.10g m; it must lie on the %s side, from 0 "
                          "to %.10g m",
                          m->problem->config->path, s->boundary->line, s->boundary->name, s->from_m, s->to_m,
                          hs_side_name(m->side), m->length_m);
    if (k == 0) continue;
    if (s->from_m < s[-1].to_m - m->slack_m) return overlap_fail(m, &s[-1], s, err);
    if (s->from_m < s[-1].to_m + m->slack_m) s->from_m = s[-1].to_m;
  }
  return HS_OK;
}

/* --- segments ------------------------------------------------------------------------------------ */

static hs_status value_make(const struct merger *m, const struct span *s, const struct hs_config_value *text,
                            const char *key, struct hs_value **value, struct hs_error *err)
{
  const double across = m->side == HS_EAST ? m->problem->lx_m : m->side == HS_NORTH ? m->problem->ly_m : 0.0;
  char label[LABEL_SIZE];
  hs_status status;
  if (s->boundary - m->problem->config->boundaries < m->problem->config->side_count)
    snprintf(label, sizeof label, "[boundary] %s", s->boundary->name);
  else
    snprintf(label, sizeof label, "[boundary %s] %s", s->boundary->name, key);
  if (!text->text && !text->is_number)
    return hs_error_set(err, HS_ERR_CONFIG, "%s:%d: %s is missing; a wall of kind %s needs it",
                        m->problem->config->path, s->boundary->line, label, hs_wall_name(s->boundary->kind));
  status = hs_value_create(m->problem->config, text, label, value, err);
  if (status) return status;
  if (m->side == HS_WEST || m->side == HS_EAST)
    return hs_value_check_range(*value, across, across, s->from_m, s->to_m, err);
  return hs_value_check_range(*value, s->from_m, s->to_m, across, across, err);
}

/* Appends a segment, for which there is room. */
static hs_status segment_add(struct merger *m, const struct span *s, struct hs_error *err)
{
  const struct hs_config_boundary *b = s->boundary;
  struct hs_segment *segment = &m->problem->segments[m->problem->segment_count++];
  hs_status status = HS_OK;
  segment->name = b->name;
  segment->line = b->line;
  segment->side = m->side;
  segment->from_m = s->from_m;
  segment->to_m = s->to_m;
  segment->kind = b->kind;
  if (b->kind == HS_WALL_TEMPERATURE)
    status = value_make(m, s, &b->temperature, "temperature", &segment->temperature, err);
  if (b->kind == HS_WALL_FLUX) status = value_make(m, s, &b->flux, "flux", &segment->flux, err);
  if (b->kind != HS_WALL_CONVECTION) return status;
  status = value_make(m, s, &b->h, "h", &segment->h, err);
  return status ? status : value_make(m, s, &b->temperature, "ambient", &segment->temperature, err);
}

/* The part from..to belongs to the side's key. */
static hs_status gap_fill(struct merger *m, double from_m, double to_m, struct hs_error *err)
{
  const struct span s = {m->plain, from_m, to_m};
  const char *side = hs_side_name(m->side);
  if (to_m - from_m <= m->slack_m) return HS_OK;
  if (m->plain) return segment_add(m, &s, err);
  if (from_m == 0.0 && to_m == m->length_m)
    return hs_error_set(
        err, HS_ERR_CONFIG,
        "%s: the %s side has no condition; add %s = TEMPERATURE, insulated or periodic to [boundary], or "
        "a section [boundary NAME] with side = %s",
        m->problem->config->path, side, side, side);
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: the %s side has no condition from %.10g m to %.10g m; add a section [boundary NAME] with side "
      "= %s for this part, or %s = TEMPERATURE or insulated to [boundary], which holds for the rest of a "
      "side",
      m->problem->config->path, side, from_m, to_m, side, side);
}

static hs_status side_merge(struct merger *m, struct hs_error *err)
{
  double reached_m = 0.0;
  hs_status status;
  collect(m);
  status = spans_check(m, err);
  for (int k = 0; !status && k < m->count; k++) {
    status = gap_fill(m, reached_m, m->named[k].from_m, err);
    if (!status) status = segment_add(m, &m->named[k], err);
    reached_m = m->named[k].to_m;
  }
  return status ? status : gap_fill(m, reached_m, m->length_m, err);
}

/* --- periodic walls ------------------------------------------------------------------------------ */

static enum hs_side opposite(enum hs_side side)
{
  static const enum hs_side sides[HS_SIDES] = {HS_EAST, HS_WEST, HS_NORTH, HS_SOUTH};
  return sides[side];
}

static hs_status periodic_check(const struct hs_problem *problem, const struct hs_segment *s, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  const double length_m = hs_wall_length(problem, s->side);
  const bool in_x = s->side == HS_WEST || s->side == HS_EAST;
  if (s->to_m - s->from_m < length_m * (1.0 - HS_WALL_SLACK))
    return hs_error_set(
        err, HS_ERR_CONFIG,
        "%s:%d: the %s side is periodic (\"%s\") from %.10g m to %.10g m only; a periodic wall is a whole "
        "side, 0 to %.10g m",
        config->path, s->line, hs_side_name(s->side), s->name, s->from_m, s->to_m, length_m);
  if (!hs_wall_is_periodic(problem, opposite(s->side)))
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s:%d: the %s side is periodic (\"%s\") and the %s side is not; heat that leaves through one "
                        "enters through the other, so both must be periodic",
                        config->path, s->line, hs_side_name(s->side), s->name, hs_side_name(opposite(s->side)));
  if (problem->layout == HS_LAYOUT_VERTEX && (in_x ? problem->grid_nx : problem->grid_ny) < 3)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s:%d: the %s side is periodic (\"%s\") with %s = 2: the two walls are the same nodes, so one "
                        "column or row would be left; take %s = 3 at least",
                        config->path, s->line, hs_side_name(s->side), s->name, in_x ? "nx" : "ny", in_x ? "nx" : "ny");
  return HS_OK;
}

/* --- all of it ----------------------------------------------------------------------------------- */

hs_status hs_walls_merge(struct hs_problem *problem, struct hs_error *err)
{
  const size_t count = (size_t)problem->config->boundary_count;
  struct span *named = NULL;
  hs_status status = hs_array_create((void **)&named, count + 1, sizeof *named, "the walls", err);
  if (!status) /* every named segment, one of the key before each, and one behind the last of each side */
    status =
        hs_array_create((void **)&problem->segments, 2 * count + HS_SIDES, sizeof *problem->segments, "the walls", err);
  for (int side = 0; !status && side < HS_SIDES; side++) {
    struct merger m = {.problem = problem, .side = (enum hs_side)side, .named = named};
    m.length_m = hs_wall_length(problem, m.side);
    m.slack_m = HS_WALL_SLACK * m.length_m;
    status = side_merge(&m, err);
  }
  for (int k = 0; !status && k < problem->segment_count; k++)
    if (problem->segments[k].kind == HS_WALL_PERIODIC) status = periodic_check(problem, &problem->segments[k], err);
  free(named);
  return status;
}

void hs_walls_clear(struct hs_problem *problem)
{
  for (int k = 0; k < problem->segment_count; k++) {
    hs_value_destroy(problem->segments[k].temperature);
    hs_value_destroy(problem->segments[k].flux);
    hs_value_destroy(problem->segments[k].h);
  }
  free(problem->segments);
  problem->segments = NULL;
  problem->segment_count = 0;
}
