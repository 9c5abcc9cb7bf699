/* From HDF5's stack of error records to one reason.
 *
 * The library records a chain of failures from the innermost to the outermost function. Where a system call
 * failed the innermost record holds "errno = 28, error message = 'No space left on device', ..."; that message is
 * what a user can act on. Otherwise the innermost description is taken as it is.
 */
#include <stdio.h>
#include <string.h>

#include "io/h5_error.h"

bool hs_h5_is_for_threads(void)
{
  hbool_t is = 0;
  return H5is_library_threadsafe(&is) >= 0 && is;
}

void hs_h5_silence(struct hs_h5_printing *saved)
{
  (void)H5Eget_auto2(H5E_DEFAULT, &saved->function, &saved->data);
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void hs_h5_restore(const struct hs_h5_printing *saved)
{
  (void)H5Eset_auto2(H5E_DEFAULT, saved->function, saved->data);
}

static herr_t find_reason(unsigned depth, const H5E_error2_t *record, void *context)
{
  static const char mark[] = "error message = '";
  char *reason = context;
  const char *message = record->desc ? strstr(record->desc, mark) : NULL;
  if (message) {
    message += sizeof mark - 1;
    snprintf(reason, HS_H5_REASON, "%.*s", (int)strcspn(message, "'"), message);
    return 1;
  }
  if (depth == 0 && record->desc) snprintf(reason, HS_H5_REASON, "%s", record->desc);
  return 0;
}

void hs_h5_reason(char reason[HS_H5_REASON])
{
  reason[0] = '\0';
  (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_reason, reason);
  if (!reason[0]) snprintf(reason, HS_H5_REASON, "the HDF5 library gives no reason");
}

hs_status hs_h5_fail(const char *action, const char *path, struct hs_error *err)
{
  char reason[HS_H5_REASON];
  hs_h5_reason(reason);
  return hs_error_set(err, HS_ERR_IO, "cannot %s %s: %s.", action, path, reason);
}
