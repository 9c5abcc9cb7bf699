/* Why a file driver of our own: a disk that fills up.
 *
 * When a write fails, HDF5 keeps the data that it could not write, fails again in H5Fclose, leaves the file open, and at
 * the end of the process tries once more, prints "infinite loop closing library" and leaks. So this driver notes the first
 * failure and from then on accepts all data without writing any: the library closes the file normally, and the caller,
 * who finds the failure in the sink, removes the file. Bytes that are read but were never written are zero.
 *
 * In an ordered file (h5_order.h) raw data goes to the disk at once, to places to which nothing refers yet; structures are
 * held back. The file is never made shorter than its superblock says.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/h5_sink.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#define CLASS_IDENTITY .version = H5FD_CLASS_VERSION, .value = (H5FD_class_value_t)512,
#else
#define CLASS_IDENTITY
#endif

#define LARGEST_ADDRESS ((haddr_t)INT64_MAX)

/* The library's view of an open file; the public part must come first. */
struct sink_file {
  H5FD_t public_part;
  struct hs_h5_sink *sink;
  haddr_t end_of_addresses, end_of_file;
};

/* What H5Pset_driver copies into the access list. */
struct sink_reference {
  struct hs_h5_sink *sink;
};

static H5FD_t *sink_open(const char *name, unsigned flags, hid_t access, haddr_t largest)
{
  const struct sink_reference *reference = H5Pget_driver_info(access);
  struct sink_file *file = reference ? calloc(1, sizeof *file) : NULL;
  struct stat facts;
  (void)name;
  (void)flags;
  (void)largest;
  if (!file) return NULL;
  file->sink = reference->sink;
  if (fstat(reference->sink->fd, &facts) == 0) file->end_of_file = (haddr_t)facts.st_size;
  return &file->public_part;
}

static herr_t sink_close(H5FD_t *file)
{
  free(file);
  return 0;
}

/* The accumulator would join structures of several kinds. */
static herr_t sink_query(const H5FD_t *file, unsigned long *features)
{
  const struct sink_file *target = (const struct sink_file *)file;
  *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
              H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  if (target && !target->sink->order) *features |= H5FD_FEAT_ACCUMULATE_METADATA;
  return 0;
}

static haddr_t sink_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return ((const struct sink_file *)file)->end_of_addresses;
}

static herr_t sink_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
  struct sink_file *target = (struct sink_file *)file;
  (void)type;
  if (target->sink->reserve && !target->sink->failure && address > target->end_of_addresses)
    target->sink->failure =
        posix_fallocate(target->sink->fd, (off_t)target->end_of_addresses, (off_t)(address - target->end_of_addresses));
  target->end_of_addresses = target->sink->end = address;
  return 0;
}

static haddr_t sink_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return ((const struct sink_file *)file)->end_of_file;
}

static herr_t sink_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *buffer)
{
  struct hs_h5_sink *sink = ((struct sink_file *)file)->sink;
  char *next = buffer;
  const haddr_t wanted = address;
  const size_t whole = size;
  (void)type;
  (void)transfer;
  while (size > 0) {
    const ssize_t got = pread(sink->fd, next, size, (off_t)address);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && !sink->failure) sink->failure = errno;
    if (got <= 0) break;
    next += got;
    address += (haddr_t)got;
    size -= (size_t)got;
  }
  memset(next, 0, size);
  if (sink->order) hs_h5_order_overlay(sink->order, wanted, buffer, whole);
  return 0;
}

static herr_t sink_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         const void *buffer)
{
  struct sink_file *target = (struct sink_file *)file;
  struct hs_h5_sink *sink = target->sink;
  const char *next = buffer;
  (void)transfer;
  if (address + size > target->end_of_file) target->end_of_file = address + size;
  if (sink->order && type != H5FD_MEM_DRAW) {
    if (!sink->failure) sink->failure = hs_h5_order_hold(sink->order, type, address, buffer, size);
    return 0;
  }
  while (size > 0 && !sink->failure) {
    const ssize_t put = pwrite(sink->fd, next, size, (off_t)address);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      sink->failure = errno;
      break;
    }
    next += put;
    address += (haddr_t)put;
    size -= (size_t)put;
  }
  return 0;
}

static herr_t sink_truncate(H5FD_t *file, hid_t transfer, hbool_t closing)
{
  struct sink_file *target = (struct sink_file *)file;
  (void)transfer;
  (void)closing;
  if (target->sink->order && target->end_of_addresses <= target->end_of_file) return 0;
  if (!target->sink->failure && ftruncate(target->sink->fd, (off_t)target->end_of_addresses) != 0)
    target->sink->failure = errno;
  target->end_of_file = target->end_of_addresses;
  return 0;
}

static const H5FD_class_t sink_class = {CLASS_IDENTITY.name = "heatsolve-sink",
                                        .maxaddr = LARGEST_ADDRESS,
                                        .fc_degree = H5F_CLOSE_STRONG,
                                        .fapl_size = sizeof(struct sink_reference),
                                        .open = sink_open,
                                        .close = sink_close,
                                        .query = sink_query,
                                        .get_eoa = sink_get_eoa,
                                        .set_eoa = sink_set_eoa,
                                        .get_eof = sink_get_eof,
                                        .read = sink_read,
                                        .write = sink_write,
                                        .truncate = sink_truncate,
                                        .fl_map = H5FD_FLMAP_DICHOTOMY};

/* Has H5Fcreate with this access list write to the sink. Returns the driver, or -1. */
static hid_t driver_register(hid_t access, struct hs_h5_sink *sink)
{
  const struct sink_reference reference = {sink};
  const hid_t driver = H5FDregister(&sink_class);
  if (driver < 0) return -1;
  if (H5Pset_driver(access, driver, &reference) >= 0) return driver;
  (void)H5FDunregister(driver);
  return -1;
}

enum { ENTRIES_LEAST = 8, ENTRIES_MOST = 4096, NAME_BYTES = 8 };

static int entries_in_table(const struct hs_h5_sink *sink)
{
  const int wanted = sink->group_entries > ENTRIES_LEAST ? sink->group_entries : ENTRIES_LEAST;
  return wanted < ENTRIES_MOST ? wanted : ENTRIES_MOST;
}

hid_t hs_h5_sink_large_group(const struct hs_h5_sink *sink)
{
  const size_t names = sink->group_entries > 0 ? (size_t)sink->group_entries + 8 : 16;
  const hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
  if (creation >= 0 && H5Pset_local_heap_size_hint(creation, NAME_BYTES * (names < 65536 ? names : 65536)) >= 0)
    return creation;
  if (creation >= 0) (void)H5Pclose(creation);
  return -1;
}

/* H5Fcreate, with the header's room. */
static hid_t file_create(const struct hs_h5_sink *sink, const char *name)
{
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  hid_t file = -1;
  if (creation >= 0 && H5Pset_userblock(creation, sink->header_bytes) >= 0 &&
      (!sink->order || H5Pset_sym_k(creation, 0, (unsigned)(entries_in_table(sink) + 1) / 2) >= 0))
    file = H5Fcreate(name, H5F_ACC_TRUNC, creation, sink->access);
  if (creation >= 0) (void)H5Pclose(creation);
  return file;
}

/* The library does not survive it where memory runs out within. It needs less than this besides what it is given. */
enum { ROOM_BYTES = 4 << 20 };

/* The driver, in an access list. */
static bool driver_begin(struct hs_h5_sink *sink)
{
  void *room = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  hs_h5_silence(&sink->printing);
  sink->open = true;
  sink->file = sink->driver = sink->access = -1;
  if (room == MAP_FAILED) sink->failure = ENOMEM;
  if (room == MAP_FAILED) return false;
  (void)munmap(room, ROOM_BYTES);
  sink->access = H5Pcreate(H5P_FILE_ACCESS);
  if (sink->ordered) {
    sink->order = hs_h5_order_create(sink->fd);
    if (!sink->order) sink->failure = ENOMEM;
    if (!sink->order) return false;
  }
  if (sink->access >= 0) sink->driver = driver_register(sink->access, sink);
  return sink->driver >= 0;
}

herr_t hs_h5_sink_open(struct hs_h5_sink *sink, const char *name)
{
  if (driver_begin(sink)) sink->file = file_create(sink, name);
  return sink->file < 0 ? -1 : 0;
}

herr_t hs_h5_sink_reopen(struct hs_h5_sink *sink, const char *name)
{
  if (driver_begin(sink)) sink->file = H5Fopen(name, H5F_ACC_RDWR, sink->access);
  if (sink->order) hs_h5_order_found(sink->order, sink->end);
  return sink->file < 0 ? -1 : 0;
}

bool hs_h5_sink_settle(struct hs_h5_sink *sink, bool removing)
{
  bool listed = false;
  if (sink->order && !sink->failure) sink->failure = hs_h5_order_settle(sink->order, removing, &listed);
  return listed;
}

hs_status hs_h5_sink_close(struct hs_h5_sink *sink, const char *path, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (!sink->open) return HS_OK;
  if (sink->file >= 0 && H5Fclose(sink->file) < 0) status = hs_h5_fail("complete", path, err);
  (void)hs_h5_sink_settle(sink, false);
  hs_h5_order_destroy(sink->order);
  sink->order = NULL;
  if (sink->driver >= 0) (void)H5FDunregister(sink->driver);
  if (sink->access >= 0) (void)H5Pclose(sink->access);
  sink->open = false;
  hs_h5_restore(&sink->printing);
  return status;
}
