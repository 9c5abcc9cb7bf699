/* Text attributes, read without the library's heap of variable-length values.
 *
 * Such a text lies in a "global heap collection" of the file: a block with a header, then objects of a header and data
 * each. Reading it, the library trusts what the block says of itself: one changed byte may keep it busy for ever, or let it
 * write behind its memory (1.10.8). So it is asked for the place of the text alone, by a conversion that does nothing, and
 * the block is read here. Format: "HDF5 File Format Specification", III.E. Limit: files with addresses and lengths of 8
 * bytes, which is what all programs write; other texts count as missing. */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "io/h5_read.h"

enum { REFERENCE = 16, HEAD = 16, OBJECTS_MOST = 65536 }; /* bytes, and indices of 16 bits */

static uint64_t number_at(const unsigned char *bytes, int count)
{
  uint64_t number = 0;
  for (int k = count - 1; k >= 0; k--) number = number << 8 | bytes[k];
  return number;
}

/* --- the place of a text ------------------------------------------------------------------------- */

/* A conversion of variable-length values into bytes: they stay what they are. */
static herr_t bytes_keep(hid_t from, hid_t to, H5T_cdata_t *data, size_t count, size_t stride, size_t background_stride,
                         void *values, void *background, hid_t plist)
{
  (void)count;
  (void)stride;
  (void)background_stride;
  (void)values;
  (void)background;
  (void)plist;
  data->need_bkg = H5T_BKG_NO;
  return data->command != H5T_CONV_INIT || H5Tget_size(to) == REFERENCE || from < 0 ? 0 : -1;
}

/* Length, address and index of the only text of an attribute. */
static bool reference_read(hid_t attribute, hid_t type, unsigned char reference[REFERENCE])
{
  const hid_t bytes = H5Tcreate(H5T_OPAQUE, REFERENCE);
  bool read = false;
  if (bytes >= 0 && H5Aget_storage_size(attribute) == REFERENCE &&
      H5Tregister(H5T_PERS_SOFT, "place of a text", type, bytes, bytes_keep) >= 0) {
    read = H5Aread(attribute, bytes, reference) >= 0;
    (void)H5Tunregister(H5T_PERS_SOFT, "place of a text", -1, -1, bytes_keep);
  }
  if (bytes >= 0) (void)H5Tclose(bytes);
  return read;
}

/* --- the block ----------------------------------------------------------------------------------- */

/* An open file, and where its addresses count from. */
struct image {
  int fd;
  uint64_t base, bytes;
};

static bool image_find(hid_t object, struct image *image)
{
  const hid_t file = H5Iget_file_id(object), plist = file < 0 ? -1 : H5Fget_create_plist(file);
  hsize_t bytes = 0, base = 0;
  size_t address = 0, length = 0;
  void *handle = NULL;
  const bool found = plist >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle &&
                     H5Fget_filesize(file, &bytes) >= 0 && H5Pget_userblock(plist, &base) >= 0 &&
                     H5Pget_sizes(plist, &address, &length) >= 0 && address == 8 && length == 8;
  if (found) *image = (struct image){*(const int *)handle, base, bytes};
  if (plist >= 0) (void)H5Pclose(plist);
  if (file >= 0) (void)H5Fclose(file);
  return found;
}

static bool bytes_read(const struct image *image, uint64_t at, void *bytes, size_t count)
{
  if (at > image->bytes || image->base > image->bytes - at || count > image->bytes - at - image->base) return false;
  return pread(image->fd, bytes, count, (off_t)(image->base + at)) == (ssize_t)count;
}

/* The object of that index in the block at `at`: its bytes, and where they begin. false: there is none. */
static bool object_find(const struct image *image, uint64_t at, uint64_t index, uint64_t *place, uint64_t *bytes)
{
  unsigned char head[HEAD];
  uint64_t left;
  if (!bytes_read(image, at, head, HEAD) || memcmp(head, "GCOL\1", 5) != 0) return false;
  left = number_at(head + 8, 8);
  if (left < HEAD || left > image->bytes) return false;
  left -= HEAD;
  at += HEAD;
  for (int seen = 0; seen < OBJECTS_MOST && left >= HEAD && bytes_read(image, at, head, HEAD); seen++) {
    const uint64_t size = number_at(head + 8, 8), padded = size + (8 - size % 8) % 8;
    if (number_at(head, 2) == 0 || size > left - HEAD) return false;
    *place = at + HEAD;
    *bytes = size;
    if (number_at(head, 2) == index) return true;
    if (padded > left - HEAD) return false;
    left -= HEAD + padded;
    at += HEAD + padded;
  }
  return false;
}

/* Cuts a text at a whole UTF-8 character. */
static void cut(char *text, size_t length, bool more)
{
  while (more && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
  text[length] = '\0';
}

/* --- both ---------------------------------------------------------------------------------------- */

static void text_read(hid_t object, const unsigned char *reference, char *text, size_t size)
{
  const uint64_t length = number_at(reference, 4);
  uint64_t place, bytes;
  struct image image;
  size_t count;
  if (length == 0 || !image_find(object, &image) ||
      !object_find(&image, number_at(reference + 4, 8), number_at(reference + 12, 4), &place, &bytes) || length > bytes)
    return;
  count = length < size ? (size_t)length : size; /* one byte beyond what fits shows whether a character is whole */
  if (bytes_read(&image, place, text, count))
    cut(text, count < size ? count : size - 1, count == size);
  else
    text[0] = '\0';
}

void hs_h5_text(hid_t object, const char *name, char *text, size_t size)
{
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  const hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute), space = attribute < 0 ? -1 : H5Aget_space(attribute);
  unsigned char reference[REFERENCE];
  uint64_t extent[2];
  int rank;
  text[0] = '\0';
  if (type >= 0 && hs_h5_guard_space(space, &rank, extent) == 1 && H5Tis_variable_str(type) > 0 &&
      reference_read(attribute, type, reference))
    text_read(object, reference, text, size);
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  if (attribute >= 0) (void)H5Aclose(attribute);
}
