/* Plain sweeps of some rows together, for one precision; included by cpu_rows_body.h where there are vectors.
 *
 * The rows have one plan. In a run of uniform nodes they are swept side by side, a group of each at a time: every group
 * is loaded once, for itself and for the rows north and south of it, and its neighbours west and east come from
 * registers: 6 loads for 4 groups, where single rows need 16. The update is hs_node_uniform of node.h, a vector at a
 * time. Other runs go row by row: with their six coefficients they would not fit into the registers of AVX2.
 */

/* Groups of uniform nodes, all with the constant c_k. */
static NOT_INLINED void PRECISION(tile_stretch)(REAL c_k, const REAL *const *in, REAL *const *out, size_t from,
                                                size_t to)
{
  typedef PRECISION(vector) vector;
  const vector quarter = PRECISION(vector_all)((REAL)0.25), c = PRECISION(vector_all)(c_k);
  const ptrdiff_t width = PRECISION(WIDTH), first = (ptrdiff_t)from * width, end = (ptrdiff_t)to * width;
  vector before[HS_TILE_ROWS], middle[HS_TILE_ROWS], here[HS_TILE_ROWS];
  const REAL *row[HS_TILE_ROWS + 2]; /* kept in registers: in itself might be what out points to */
  REAL *to_row[HS_TILE_ROWS];
  for (int m = 0; m < HS_TILE_ROWS + 2; m++) row[m] = in[m];
  for (int m = 0; m < HS_TILE_ROWS; m++) {
    to_row[m] = out[m];
    before[m] = PRECISION(vector_load)(row[m + 1] + first - width);
    here[m] = PRECISION(vector_load)(row[m + 1] + first);
    middle[m] = PRECISION(vector_middle)(before[m], here[m]);
  }
  for (ptrdiff_t i = first; i < end; i += width) {
    vector south = PRECISION(vector_load)(row[0] + i);
    for (int m = 0; m < HS_TILE_ROWS; m++) {
      const bool inside = m + 1 < HS_TILE_ROWS;
      const vector north = inside ? here[inside ? m + 1 : m] : PRECISION(vector_load)(row[m + 2] + i);
      const vector next = PRECISION(vector_load)(row[m + 1] + i + width);
      const vector between = PRECISION(vector_middle)(here[m], next);
      const vector west = PRECISION(vector_west)(before[m], middle[m], here[m]);
      const vector east = PRECISION(vector_east)(here[m], between, next);
      PRECISION(vector_store)(to_row[m] + i, PRECISION(vector_fma)(quarter, (north + east) + (south + west), c));
      south = before[m] = here[m];
      middle[m] = between;
      here[m] = next;
    }
  }
}

/* What comes between two runs of uniform nodes, in one row: turned groups, and the run after them. */
static void PRECISION(tile_row)(const struct PRECISION(hs_stencil) * palette, const struct hs_row_plan *plan,
                                const struct hs_row_turned *turned, const struct hs_row_turned *beyond,
                                const struct hs_row_run *run, const struct PRECISION(hs_rows) * rows, REAL *out)
{
  PRECISION(turned)(HS_FORM_JACOBI, false, plan->groups, turned, beyond, rows, 1, out);
  if (!run || run->kind == HS_RUN_EQUAL) return;
  if (run->kind == HS_RUN_MIXED)
    PRECISION(jacobi_mixed)(palette, plan, rows, 1, out, run->from * PRECISION(WIDTH),
                            PRECISION(column)(plan, run->to));
  else
    PRECISION(stretch)(false, HS_FORM_JACOBI, false, &palette[run->entry], rows, 1, out, (size_t)run->from,
                       (size_t)run->to);
}

static void PRECISION(sweep_tile)(const struct hs_system *system, const struct hs_row_plan *plan, const REAL *const *in,
                                  REAL *const *out)
{
  const struct PRECISION(hs_stencil) *palette = system->STENCIL;
  const struct hs_row_turned *turned = plan->turned;
  for (int k = 0; k <= plan->run_count; k++) {
    const struct hs_row_run *run = k < plan->run_count ? &plan->runs[k] : NULL;
    const struct hs_row_turned *beyond = plan->turned + (run ? run->turned : plan->turned_count);
    for (int m = 0; m < HS_TILE_ROWS; m++) {
      const struct PRECISION(hs_rows) rows = {in[m], in[m + 1], in[m + 2], NULL};
      PRECISION(tile_row)(palette, plan, turned, beyond, run, &rows, out[m]);
    }
    if (run && run->kind == HS_RUN_EQUAL)
      PRECISION(tile_stretch)(palette[run->entry].c, in, out, (size_t)run->from, (size_t)run->to);
    turned = beyond;
  }
  for (int m = 0; m < HS_TILE_ROWS && plan->nx % PRECISION(WIDTH); m++)
    memset(out[m] + plan->nx, 0, PRECISION(WIDTH) * sizeof **out);
}
