#include "output/field/field_fill.h"

#include <errno.h>
#include <stdlib.h>

#include "answers/flux.h"

enum { ROWS = 32 };

int hs_fill_field(int fd, const struct hs_h5_room *room, const struct hs_share *share, const double *field_k)
{
  const struct hs_rectangle *own = &share->nodes;
  if (own->nx == 0 || own->ny == 0) return 0;
  return hs_h5_room_write(fd, room, own, field_k + hs_share_node(share, own->x0, own->y0), (size_t)share->row_nodes);
}

/* Rows j .. j + ROWS - 1 of the own cells, as far as there are any. */
static struct hs_rectangle block_of(const struct hs_share *share, int j)
{
  struct hs_rectangle block = share->cells;
  const int left = block.ny - j;
  block.y0 += j;
  block.ny = left < ROWS ? left : ROWS;
  return block;
}

int hs_fill_materials(int fd, const struct hs_h5_room *room, const struct hs_share *share,
                      const struct hs_problem *problem)
{
  const size_t columns = (size_t)share->cells.nx;
  uint16_t *material = malloc((ROWS * columns + 1) * sizeof *material);
  int failure = material ? 0 : ENOMEM;
  for (int j = 0; !failure && j < share->cells.ny; j += ROWS) {
    const struct hs_rectangle block = block_of(share, j);
    for (int r = 0; r < block.ny; r++) {
      const uint16_t *row = problem->cell + hs_share_cell(share, block.x0, block.y0 + r);
      for (size_t c = 0; c < columns; c++)
        material[(size_t)r * columns + c] = (uint16_t)problem->classes[row[c]].material;
    }
    failure = hs_h5_room_write(fd, room, &block, material, columns);
  }
  free(material);
  return failure;
}

int hs_fill_flux(int fd, const struct hs_h5_room room[2], const struct hs_share *share,
                 const struct hs_problem *problem, const double *field_k)
{
  const size_t columns = (size_t)share->row_cells;
  double *flux_w_m2 = malloc((2 * ROWS * columns + 1) * sizeof *flux_w_m2);
  int failure = flux_w_m2 ? 0 : ENOMEM;
  for (int j = 0; !failure && j < share->cells.ny; j += ROWS) {
    const struct hs_rectangle block = block_of(share, j);
    double *y_w_m2 = flux_w_m2 + (size_t)block.ny * columns;
    const size_t first = (size_t)(block.x0 - share->first_x);
    hs_answers_flux_rows(problem, field_k, block.y0 - share->first_y, block.ny, flux_w_m2, y_w_m2);
    failure = hs_h5_room_write(fd, &room[0], &block, flux_w_m2 + first, columns);
    if (!failure) failure = hs_h5_room_write(fd, &room[1], &block, y_w_m2 + first, columns);
  }
  free(flux_w_m2);
  return failure;
}

bool hs_part_read(const struct hs_h5_dataset *dataset, const struct hs_problem *problem, double *field_k)
{
  const size_t nx = (size_t)problem->nx;
  struct hs_stretch across[HS_STRETCHES], up[HS_STRETCHES];
  const int columns = hs_problem_node_stretches(problem, true, false, across);
  const int rows = hs_problem_node_stretches(problem, false, false, up);
  bool read = true;
  for (int r = 0; read && r < rows; r++)
    for (int c = 0; read && c < columns; c++) {
      const struct hs_h5_block block = {(uint64_t)up[r].grid, (uint64_t)across[c].grid, (uint64_t)up[r].count,
                                        (uint64_t)across[c].count};
      read = hs_h5_dataset_read_block(dataset, &block, field_k + (size_t)up[r].from * nx + (size_t)across[c].from, nx);
    }
  return read;
}
