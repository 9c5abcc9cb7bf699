/* Rows are converted into a block of memory and written by pwrite; where a rank has whole rows, many at once. */
#include "io/h5_room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"
#include "io/h5_put.h"

enum { BLOCK_BYTES = 1 << 23 };

hid_t hs_h5_room_create(hid_t place, const char *name, const hsize_t dims[2], hid_t file_type, const char *units)
{
  const hid_t space = H5Screate_simple(2, dims, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
  hid_t dataset = -1;
  if (space >= 0 && creation >= 0 && H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) >= 0 &&
      H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0)
    dataset = H5Dcreate2(place, name, file_type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (dataset >= 0 && hs_h5_put_text(dataset, "units", units) < 0) {
    (void)H5Dclose(dataset);
    dataset = -1;
  }
  if (creation >= 0) (void)H5Pclose(creation);
  if (space >= 0) (void)H5Sclose(space);
  return dataset;
}

/* *native: numbers lie in the file as in memory. */
static enum hs_room_type type_of(hid_t dataset, bool *native)
{
  const hid_t type = H5Dget_type(dataset);
  const size_t bytes = type < 0 ? 0 : H5Tget_size(type);
  const bool real = type >= 0 && H5Tget_class(type) == H5T_FLOAT;
  *native = bytes == 1 || (bytes > 0 && H5Tget_order(type) == H5Tget_order(H5T_NATIVE_DOUBLE));
  if (type >= 0) (void)H5Tclose(type);
  if (real) return bytes == sizeof(float) ? HS_ROOM_F32 : HS_ROOM_F64;
  return bytes == 1 ? HS_ROOM_U8 : HS_ROOM_U16;
}

herr_t hs_h5_room_find(hid_t dataset, struct hs_h5_room *room)
{
  const hid_t space = H5Dget_space(dataset);
  const haddr_t offset = H5Dget_offset(dataset);
  hsize_t extent[2] = {0, 0};
  bool native;
  const enum hs_room_type type = type_of(dataset, &native);
  const bool known = native && offset != HADDR_UNDEF && space >= 0 &&
                     H5Sget_simple_extent_dims(space, extent, NULL) == 2 && extent[1] > 0;
  if (space >= 0) (void)H5Sclose(space);
  *room = (struct hs_h5_room){offset, extent[1], (int32_t)type, 1};
  return known ? 0 : -1;
}

static size_t bytes_of(enum hs_room_type type)
{
  static const size_t bytes[] = {
      [HS_ROOM_F64] = sizeof(double), [HS_ROOM_F32] = sizeof(float), [HS_ROOM_U16] = 2, [HS_ROOM_U8] = 1};
  return bytes[type];
}

static void convert(enum hs_room_type type, const void *values, size_t count, void *out)
{
  const double *reals = values;
  const uint16_t *integers = values;
  float *singles = out;
  unsigned char *bytes = out;
  switch (type) {
  case HS_ROOM_F64:
  case HS_ROOM_U16: memcpy(out, values, count * bytes_of(type)); break;
  case HS_ROOM_F32:
    for (size_t n = 0; n < count; n++) singles[n] = (float)reals[n];
    break;
  case HS_ROOM_U8:
    for (size_t n = 0; n < count; n++) bytes[n] = (unsigned char)integers[n];
    break;
  }
}

int hs_h5_room_write(int fd, const struct hs_h5_room *room, const struct hs_rectangle *where, const void *values,
                     size_t stride)
{
  const enum hs_room_type type = (enum hs_room_type)room->type;
  const size_t from_bytes = type == HS_ROOM_F64 || type == HS_ROOM_F32 ? sizeof(double) : sizeof(uint16_t);
  const size_t count = (size_t)where->nx * (size_t)room->parts, row_bytes = count * bytes_of(type);
  const bool whole_rows = (uint64_t)where->nx == room->columns;
  const int most = whole_rows && row_bytes > 0 && row_bytes < BLOCK_BYTES ? (int)(BLOCK_BYTES / row_bytes) : 1;
  char *block;
  int failure = 0;
  if (count == 0 || where->ny <= 0) return 0;
  block = malloc((size_t)most * row_bytes);
  if (!block) return ENOMEM;
  for (int j = 0; !failure && j < where->ny; j += most) {
    const int rows = where->ny - j < most ? where->ny - j : most;
    const uint64_t first = ((uint64_t)(where->y0 + j) * room->columns + (uint64_t)where->x0) * (uint64_t)room->parts;
    for (int r = 0; r < rows; r++)
      convert(type, (const char *)values + (size_t)(j + r) * stride * from_bytes, count, block + (size_t)r * row_bytes);
    failure = hs_file_write_at(fd, block, (size_t)rows * row_bytes, room->offset + first * bytes_of(type));
  }
  free(block);
  return failure;
}
