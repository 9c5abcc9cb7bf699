#include "io/h5_guard.h"

#include <stdio.h>

/* --- types and spaces ---------------------------------------------------------------------------- */

static bool float_is_sound(hid_t type, size_t precision)
{
  size_t sign, exponent, exponent_bits, mantissa, mantissa_bits;
  if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) < 0) return false;
  return sign < precision && exponent_bits > 0 && exponent_bits < 32 && mantissa_bits > 0 && exponent < precision &&
         exponent_bits <= precision - exponent && mantissa < precision && mantissa_bits <= precision - mantissa;
}

enum hs_h5_numbers hs_h5_guard_type(hid_t type)
{
  const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
  const size_t bits = type < 0 ? 0 : 8 * H5Tget_size(type);
  const size_t precision = class == H5T_INTEGER || class == H5T_FLOAT ? H5Tget_precision(type) : 0;
  const int offset = precision > 0 ? H5Tget_offset(type) : -1;
  if (bits > 128 || precision > bits || offset < 0 || (size_t)offset > bits - precision) return HS_H5_NO_NUMBERS;
  if (class == H5T_INTEGER) return HS_H5_INTEGERS;
  return float_is_sound(type, (size_t)offset + precision) ? HS_H5_FLOATS : HS_H5_NO_NUMBERS;
}

int64_t hs_h5_guard_space(hid_t space, int *rank, uint64_t extent[2])
{
  hsize_t sizes[H5S_MAX_RANK];
  double product = 1.0;
  extent[0] = extent[1] = 0;
  *rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  if (*rank < 0) return -1;
  if (H5Sget_simple_extent_type(space) == H5S_NULL) return 0;
  if (*rank > 0 && H5Sget_simple_extent_dims(space, sizes, NULL) != *rank) return -1;
  for (int k = 0; k < *rank; k++) product *= (double)sizes[k];
  if (*rank == 2) {
    extent[0] = sizes[0];
    extent[1] = sizes[1];
  }
  return product <= 0x1p53 ? (int64_t)product : -1;
}

/* --- datasets ------------------------------------------------------------------------------------ */

/* Filters that come with the library; others are programs to be loaded from elsewhere. One of each: a few that unpack, one
 * behind the other, make any amount of memory from a small file. */
static bool filters_are_refused(hid_t plist, char reason[HS_H5_REASON])
{
  const int count = H5Pget_nfilters(plist);
  bool seen[H5Z_FILTER_SCALEOFFSET + 1] = {false};
  for (int k = 0; k < count; k++) {
    size_t values = 0;
    unsigned flags = 0, config = 0;
    const H5Z_filter_t filter = H5Pget_filter2(plist, (unsigned)k, &flags, &values, NULL, 0, NULL, &config);
    if (filter < H5Z_FILTER_DEFLATE || filter > H5Z_FILTER_SCALEOFFSET || H5Zfilter_avail(filter) <= 0) {
      snprintf(
          reason, HS_H5_REASON,
          "is packed by filter %d, which the HDF5 library here does not have; h5repack -f GZIP=4 where it was made "
          "packs it anew",
          (int)filter);
      return true;
    }
    if (seen[filter]) {
      snprintf(reason, HS_H5_REASON, "is packed by filter %d more than once", (int)filter);
      return true;
    }
    seen[filter] = true;
  }
  return false;
}

/* The library takes memory for a whole chunk, and time for each one. */
static bool chunks_are_refused(hid_t dataset, hid_t plist, char reason[HS_H5_REASON])
{
  const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  hsize_t sizes[H5S_MAX_RANK] = {0}, chunk[H5S_MAX_RANK] = {0};
  const int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, sizes, NULL);
  double bytes = type < 0 ? 0.0 : (double)H5Tget_size(type), count = 1.0;
  const bool known = rank > 0 && H5Pget_chunk(plist, rank, chunk) == rank;
  for (int k = 0; known && k < rank; k++) {
    bytes *= (double)chunk[k];
    if (chunk[k] > 0) count *= (double)(sizes[k] / chunk[k] + (sizes[k] % chunk[k] > 0));
  }
  if (type >= 0) (void)H5Tclose(type);
  if (space >= 0) (void)H5Sclose(space);
  if (known && bytes > 0.0 && bytes <= HS_H5_CHUNK_BYTES && count <= HS_H5_CHUNKS) return false;
  snprintf(reason, HS_H5_REASON,
           "has %.0f chunks of %.3g GB; at most %.0f of at most %.3g GB can be read; h5repack -l changes them", count,
           1e-9 * bytes, HS_H5_CHUNKS, 1e-9 * HS_H5_CHUNK_BYTES);
  return true;
}

static bool layout_is_refused(hid_t dataset, hid_t plist, char reason[HS_H5_REASON])
{
  switch (H5Pget_layout(plist)) {
  case H5D_COMPACT: return false;
  case H5D_CONTIGUOUS:
    if (H5Pget_external_count(plist) == 0) return false;
    snprintf(reason, HS_H5_REASON, "keeps its numbers in another file; h5repack puts them into its own");
    return true;
  case H5D_CHUNKED: return chunks_are_refused(dataset, plist, reason) || filters_are_refused(plist, reason);
  case H5D_VIRTUAL:
    snprintf(reason, HS_H5_REASON,
             "is a virtual dataset, whose numbers lie in other files; h5repack -l CONTI makes a plain one of it");
    return true;
  default: snprintf(reason, HS_H5_REASON, "is laid out in a way that is not known here"); return true;
  }
}

bool hs_h5_guard_dataset(hid_t dataset, char reason[HS_H5_REASON])
{
  const hid_t plist = H5Dget_create_plist(dataset);
  bool refused = true;
  snprintf(reason, HS_H5_REASON, "has a description that the HDF5 library cannot read; is the file complete?");
  if (plist < 0) return true;
  refused = layout_is_refused(dataset, plist, reason);
  if (!refused) reason[0] = '\0';
  (void)H5Pclose(plist);
  return refused;
}

/* --- links --------------------------------------------------------------------------------------- */

/* Called by the library before it opens the file that a link leads to: it does not. */
static herr_t link_meet(const char *parent_file, const char *parent_group, const char *child_file,
                        const char *child_object, unsigned *flags, hid_t access, void *met)
{
  (void)parent_file;
  (void)parent_group;
  (void)child_file;
  (void)child_object;
  (void)flags;
  (void)access;
  *(bool *)met = true;
  return -1;
}

hid_t hs_h5_guard_open(hid_t file, const char *name, H5I_type_t kind, char reason[HS_H5_REASON])
{
  const hid_t access = H5Pcreate(H5P_LINK_ACCESS);
  bool met = false;
  hid_t object = -1;
  H5L_info_t link;
  reason[0] = '\0';
  if (access >= 0 && H5Pset_elink_cb(access, link_meet, &met) >= 0) object = H5Oopen(file, name, access);
  if (object >= 0 && H5Iget_type(object) != kind) {
    (void)H5Oclose(object);
    object = -1;
  }
  if (object < 0 && !met && H5Lget_info(file, name, &link, access) >= 0 && link.type != H5L_TYPE_HARD)
    snprintf(reason, HS_H5_REASON, "is a link that leads nowhere, in a circle or to something else");
  if (object < 0 && met)
    snprintf(reason, HS_H5_REASON, "is reached by a link to another file, which is not followed; h5copy copies it");
  if (access >= 0) (void)H5Pclose(access);
  return object;
}
