/* Components of a plate's conductances, and the outlines of those that are pieces; see forest.h. */
#include "solve/pieces/forest.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "numerics/total_terms.h"

static const char WHAT[] = "the pieces of a plate";

enum {
  APART = 10,             /* powers of two by which a piece conducts better than it exchanges */
  EXPONENT_LEAST = -1100, /* none is smaller */
  EXPONENTS = 2200,
  NEVER = SHRT_MIN, /* the exponent of no conductance */
  OUTLINE_LEAST = 4096,
  OUTLINE_SHARE = 64, /* contacts: so many, or one for so many nodes */
  WORK_MOST = 16      /* runs looked at for outlines, for each one */
};

/* --- components ------------------------------------------------------------------------------- */

/* Where two runs touch. */
struct touch {
  int32_t a, b;
  int16_t exponent;
};

/* A run: where it lies, and, if it is its own parent, a component. */
struct tree {
  int32_t parent, next;       /* next: around the runs of a component */
  int32_t piece;              /* the last one that it is in; -1 */
  int32_t band, below, above; /* the latter two: the first run that it touches in the bands in the south and north */
  int16_t largest;            /* exponent of the component's conductances, */
  int16_t asked;              /* and at which it was looked at last */
  bool holds;                 /* has it a held node? */
};

struct forest {
  const struct hs_system *system;
  struct hs_rectangle given, own; /* nodes of the grid */
  const struct hs_piece_run *run;
  int count;
  struct tree *tree;
  int most;       /* the largest exponent of any conductance */
  int32_t *first; /* run of each band, [bands + 1] */
  int bands;
  struct touch *touch; /* by exponents, the largest first */
  int touches;
  int64_t outline, outline_most, looked_at, contacts_room;
  bool known, short_of_memory;
};

/* Of a conductance between 2^(exponent - 1) and 2^exponent, both of them normal numbers. */
static int exponent_of(double conductance)
{
  uint64_t bits;
  if (!(conductance >= 0x1p-1022) || !isfinite(conductance)) return NEVER;
  memcpy(&bits, &conductance, sizeof bits);
  return (int)(bits >> 52) - 1022;
}

static int32_t root_of(const struct forest *f, int32_t a)
{
  while (f->tree[a].parent != a) a = f->tree[a].parent = f->tree[f->tree[a].parent].parent;
  return a;
}

/* Between neighbouring runs, a in the west of b, or in the south. A held node keeps conductances that do not count. */
static double between(const struct hs_piece_run *a, const struct hs_piece_run *b, bool along_x)
{
  if (a->held && b->held) return 0.0;
  if (a->held) return along_x ? b->west : b->south;
  return along_x ? a->east : a->north;
}

static void touch_add(struct forest *f, int a, int b, bool along_x)
{
  const int exponent = exponent_of(between(&f->run[a], &f->run[b], along_x));
  if (exponent == NEVER) return;
  if (exponent > f->most) f->most = exponent;
  f->touch[f->touches++] = (struct touch){a, b, (int16_t)exponent};
}

static void touches_walk(struct forest *f)
{
  f->touches = 0;
  for (int j = 0; j < f->bands; j++) {
    int above = f->first[j + 1];
    const int end = j + 1 < f->bands ? f->first[j + 2] : above;
    for (int a = f->first[j]; a < f->first[j + 1]; a++) {
      if (a + 1 < f->first[j + 1]) touch_add(f, a, a + 1, true);
      while (above < end && f->run[above].x1 <= f->run[a].x0) above++;
      f->tree[a].above = above;
      for (int b = above; b < end && f->run[b].x0 < f->run[a].x1; b++) {
        if (f->run[b].x0 >= f->run[a].x0) f->tree[b].below = a;
        touch_add(f, a, b, false);
      }
    }
  }
}

static void touches_sort(const struct forest *f, struct touch *sorted, int *first)
{
  memset(first, 0, (EXPONENTS + 1) * sizeof *first);
  for (int k = 0; k < f->touches; k++) first[EXPONENTS - (f->touch[k].exponent - EXPONENT_LEAST)]++;
  for (int k = 0; k < EXPONENTS; k++) first[k + 1] += first[k];
  for (int k = f->touches - 1; k >= 0; k--)
    sorted[--first[EXPONENTS - (f->touch[k].exponent - EXPONENT_LEAST)]] = f->touch[k];
}

static void join(struct forest *f, int32_t a, int32_t b, int exponent)
{
  const int32_t next = f->tree[a].next;
  f->tree[a].parent = b;
  f->tree[a].next = f->tree[b].next;
  f->tree[b].next = next;
  if (f->tree[a].largest > f->tree[b].largest) f->tree[b].largest = f->tree[a].largest;
  if (exponent > f->tree[b].largest) f->tree[b].largest = (int16_t)exponent;
  f->tree[b].holds = f->tree[a].holds || f->tree[b].holds;
}

/* Exponent of the least conductance that holds the nodes of a run together. */
static int within(const struct hs_piece_run *run)
{
  const int along = run->x1 - run->x0 > 1 ? exponent_of(run->east) : SHRT_MAX;
  const int across = run->y1 - run->y0 > 1 ? exponent_of(run->north) : SHRT_MAX;
  return along < across ? along : across;
}

/* Where nodes of a run conduct much better to others than to each other, its rows or columns may be parts of different pieces. */
static bool runs_hold_together(const struct forest *f)
{
  for (int k = 0; k < f->count; k++) {
    const struct hs_piece_run *run = &f->run[k];
    const int without = exponent_of(fmax(fmax(run->west, run->east), fmax(run->south, run->north)));
    if (!run->held && without - within(run) >= APART) return false;
  }
  return true;
}

/* --- outlines --------------------------------------------------------------------------------- */

static bool is_own(const struct forest *f, int row, int column)
{
  return row >= f->own.y0 && row < f->own.y0 + f->own.ny && column >= f->own.x0 && column < f->own.x0 + f->own.nx;
}

static int64_t node_of(const struct forest *f, int row, int column)
{
  return (int64_t)(row - f->given.y0) * f->system->nx + (column - f->given.x0);
}

/* Is there room for one contact more? */
static bool contacts_room(struct forest *f, struct hs_piece_outlines *p)
{
  const int64_t used = p->first[p->count + 1];
  struct hs_piece_contact *more;
  if (used < f->contacts_room) return true;
  more = realloc(p->contact, (size_t)(2 * used + 1024) * sizeof *more);
  f->short_of_memory = !more;
  if (!more) return false;
  p->contact = more;
  f->contacts_room = 2 * used + 1024;
  return true;
}

/* One contact more of the latest piece; with the ambient, where both nodes are the same. */
static void contact_add(struct forest *f, struct hs_piece_outlines *p, int row, int column, int row_to, int column_to,
                        double conductance)
{
  const bool ambient = row == row_to && column == column_to;
  if (!(conductance > 0.0) || f->outline > f->outline_most) return;
  f->outline++;
  p->all_exits[p->count] += conductance;
  if (!ambient) p->exit[p->count] = fmax(p->exit[p->count], conductance);
  if (!is_own(f, row, column) || !contacts_room(f, p)) return;
  p->contact[p->first[p->count + 1]++] =
      (struct hs_piece_contact){node_of(f, row, column), node_of(f, row_to, column_to), conductance};
}

/* What a run of the latest piece exchanges with runs in its south (step -1) or north (1) that are not in it. */
static void outline_across(struct forest *f, struct hs_piece_outlines *p, int32_t k, int step)
{
  const struct hs_piece_run *run = &f->run[k];
  const int band = f->tree[k].band + step, row = step > 0 ? run->y1 - 1 : run->y0;
  if (band < 0 || band >= f->bands) return;
  for (int b = step > 0 ? f->tree[k].above : f->tree[k].below; b < f->first[band + 1] && f->run[b].x0 < run->x1; b++) {
    const struct hs_piece_run *other = &f->run[b];
    const double conductance = step > 0 ? between(run, other, false) : between(other, run, false);
    const int from = other->x0 > run->x0 ? other->x0 : run->x0, to = other->x1 < run->x1 ? other->x1 : run->x1;
    f->looked_at++;
    if (f->tree[b].piece == p->count) continue;
    for (int i = from; i < to; i++) contact_add(f, p, row, i, row + step, i, conductance);
  }
}

static void outline_along(struct forest *f, struct hs_piece_outlines *p, int32_t k)
{
  const struct hs_piece_run *run = &f->run[k];
  const bool west = k > f->first[f->tree[k].band] && f->tree[k - 1].piece != p->count;
  const bool east = k + 1 < f->first[f->tree[k].band + 1] && f->tree[k + 1].piece != p->count;
  for (int j = run->y0; j < run->y1 && f->outline <= f->outline_most; j++) {
    if (west) contact_add(f, p, j, run->x0, j, run->x0 - 1, between(&f->run[k - 1], run, true));
    if (east) contact_add(f, p, j, run->x1 - 1, j, run->x1, between(run, &f->run[k + 1], true));
    for (int i = run->x0; run->ambient > 0.0 && i < run->x1 && f->outline <= f->outline_most; i++)
      contact_add(f, p, j, i, j, i, run->ambient);
  }
}

static void heat_add(const struct hs_piece_run *run, struct hs_total *heat, double *sizes)
{
  const double of_law = run->heat * ((double)(run->x1 - run->x0) * (double)(run->y1 - run->y0));
  const double terms[2] = {of_law, run->sources};
  if (of_law == 0.0 && run->sizes == 0.0) return;
  hs_total_add(heat, terms, 2);
  *sizes += fabs(of_law) + run->sizes;
}

/* The component of a root becomes a piece. */
static void piece_add(struct forest *f, struct hs_piece_outlines *p, int32_t root)
{
  struct hs_total heat = hs_total_zero();
  int32_t k = root;
  p->first[p->count + 1] = p->first[p->count];
  p->sizes[p->count] = p->exit[p->count] = p->all_exits[p->count] = 0.0;
  do {
    f->tree[k].piece = p->count;
    heat_add(&f->run[k], &heat, &p->sizes[p->count]);
    k = f->tree[k].next;
  } while (k != root);
  p->heat[p->count] = hs_total_value(&heat);
  do {
    outline_along(f, p, k);
    outline_across(f, p, k, -1);
    outline_across(f, p, k, 1);
    f->looked_at++;
    k = f->tree[k].next;
  } while (k != root && f->outline <= f->outline_most);
  p->count++;
  f->known = f->outline <= f->outline_most && f->looked_at <= (int64_t)WORK_MOST * f->count;
}

/* Is the component of a run, which is about to get conductances of this exponent, a piece? It is asked once. */
static void piece_ask(struct forest *f, struct hs_piece_outlines *p, int32_t root, int exponent)
{
  if (f->tree[root].asked == exponent) return;
  f->tree[root].asked = (int16_t)exponent;
  if (f->tree[root].holds || f->tree[root].largest == NEVER || f->tree[root].largest - exponent < APART) return;
  piece_add(f, p, root);
  f->tree[root].largest = NEVER;
}

/* The components of the runs of a touch, if they are two. */
static bool components_of(const struct forest *f, const struct touch *touch, int32_t *a, int32_t *b)
{
  if (f->tree[touch->a].parent == f->tree[touch->b].parent) return false;
  *a = root_of(f, touch->a);
  *b = root_of(f, touch->b);
  return *a != *b;
}

/* touch: those of one exponent. All components as they are before are asked first. */
static void exponent_take(struct forest *f, struct hs_piece_outlines *p, const struct touch *touch, int count)
{
  int32_t a, b;
  for (int k = 0; k < count && f->known && f->most - touch[k].exponent >= APART; k++) {
    if (!components_of(f, &touch[k], &a, &b)) continue;
    piece_ask(f, p, a, touch[k].exponent);
    if (f->known) piece_ask(f, p, b, touch[k].exponent);
  }
  for (int k = 0; k < count && f->known; k++)
    if (components_of(f, &touch[k], &a, &b)) join(f, a, b, touch[k].exponent);
}

/* What is left once all conductances are taken: components that only give heat to ambients, and hardly any. */
static void rest_take(struct forest *f, struct hs_piece_outlines *p)
{
  for (int k = 0; k < f->count; k++) f->tree[k].asked = NEVER;
  for (int k = 0; k < f->count; k++) { /* the largest conductance to an ambient of each component */
    const int32_t root = root_of(f, k);
    const int exponent = exponent_of(f->run[k].ambient);
    if (exponent > f->tree[root].asked) f->tree[root].asked = (int16_t)exponent;
  }
  for (int k = 0; k < f->count && f->known; k++)
    if (f->tree[k].parent == k && !f->tree[k].holds && f->tree[k].asked != NEVER &&
        f->tree[k].largest - f->tree[k].asked >= APART)
      piece_add(f, p, k);
}

/* --- making ----------------------------------------------------------------------------------- */

static void forest_clear(struct forest *f)
{
  free(f->tree);
  free(f->first);
  free(f->touch);
}

/* Each run by itself. */
static hs_status forest_create(struct forest *f, struct hs_error *err)
{
  const size_t n = (size_t)f->count;
  hs_status status = hs_array_reserve((void **)&f->tree, n, sizeof *f->tree, WHAT, err);
  if (!status) status = hs_array_reserve((void **)&f->first, n + 1, sizeof *f->first, WHAT, err);
  if (status) return status;
  f->first[0] = 0;
  for (int k = 0; k < f->count; k++) {
    const struct hs_piece_run *run = &f->run[k];
    const int along = run->x1 - run->x0 > 1 ? exponent_of(run->east) : NEVER;
    const int across = run->y1 - run->y0 > 1 ? exponent_of(run->north) : NEVER;
    if (k > 0 && run->y0 > f->run[k - 1].y0) f->first[++f->bands] = k;
    f->tree[k].band = f->bands;
    f->tree[k].parent = f->tree[k].next = k;
    f->tree[k].largest = (int16_t)(run->held ? NEVER : along > across ? along : across);
    f->tree[k].holds = run->held;
    if (f->tree[k].largest > f->most) f->most = f->tree[k].largest;
    f->tree[k].piece = -1;
    f->tree[k].asked = SHRT_MAX;
  }
  f->first[++f->bands] = f->count;
  return HS_OK;
}

/* Bands are rows of runs, so that there are fewer pairs of neighbours than three times as many runs. */
static hs_status touches_create(struct forest *f, int *first, struct hs_error *err)
{
  struct touch *sorted = NULL;
  hs_status status = hs_array_reserve((void **)&f->touch, 3 * (size_t)f->count, sizeof *f->touch, WHAT, err);
  if (status) return status;
  touches_walk(f);
  status = hs_array_reserve((void **)&sorted, (size_t)f->touches + 1, sizeof *sorted, WHAT, err);
  if (status) return status;
  touches_sort(f, sorted, first);
  free(f->touch);
  f->touch = sorted;
  return HS_OK;
}

/* Room for as many pieces as there can be, of which there are few. */
static hs_status pieces_room(const struct forest *f, struct hs_piece_outlines *p, struct hs_error *err)
{
  const size_t most = (size_t)f->count + 1; /* each piece joins another component */
  hs_status status = hs_array_reserve((void **)&p->first, most + 1, sizeof *p->first, WHAT, err);
  if (!status) status = hs_array_reserve((void **)&p->heat, most, sizeof *p->heat, WHAT, err);
  if (!status) status = hs_array_reserve((void **)&p->sizes, most, sizeof *p->sizes, WHAT, err);
  if (!status) status = hs_array_reserve((void **)&p->exit, most, sizeof *p->exit, WHAT, err);
  if (!status) status = hs_array_reserve((void **)&p->all_exits, most, sizeof *p->all_exits, WHAT, err);
  if (!status) p->first[0] = 0;
  return status;
}

/* The pieces of a forest of single runs; f->known says whether they are all there. */
static hs_status pieces_find(struct forest *f, struct hs_piece_outlines *p, struct hs_error *err)
{
  int *first = NULL;
  hs_status status = pieces_room(f, p, err);
  if (!status) status = forest_create(f, err);
  if (!status) status = hs_array_create((void **)&first, EXPONENTS + 2, sizeof *first, WHAT, err);
  if (!status) f->known = runs_hold_together(f);
  if (!status && f->known) status = touches_create(f, first, err);
  for (int k = 0; !status && k < EXPONENTS && f->known; k++)
    exponent_take(f, p, f->touch + first[k], first[k + 1] - first[k]);
  if (!status && f->known) rest_take(f, p);
  free(first);
  if (!status && f->short_of_memory) status = hs_error_set(err, HS_ERR_MEMORY, "no memory for %s", WHAT);
  return status;
}

hs_status hs_piece_outlines_find(const struct hs_system *system, const struct hs_rectangle *given, double grid_nodes,
                                 const struct hs_piece_run *run, int count, struct hs_piece_outlines *outlines,
                                 bool *known, struct hs_error *err)
{
  const struct hs_rectangle own = hs_system_own(system);
  struct forest f = {.system = system,
                     .given = *given,
                     .own = {given->x0 + own.x0, given->y0 + own.y0, own.nx, own.ny},
                     .run = run,
                     .count = count,
                     .most = NEVER,
                     .outline_most = fmax(OUTLINE_LEAST, grid_nodes / OUTLINE_SHARE)};
  const hs_status status = pieces_find(&f, outlines, err);
  *known = !status && f.known;
  forest_clear(&f);
  return status;
}

void hs_piece_outlines_clear(struct hs_piece_outlines *outlines)
{
  free(outlines->first);
  free(outlines->heat);
  free(outlines->sizes);
  free(outlines->exit);
  free(outlines->all_exits);
  free(outlines->contact);
}
