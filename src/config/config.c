/* Reading a configuration from start to end: the file's bytes, its keys, the overrides, the checks.
 *
 * The text is kept unchanged and written with the results. A file above FILE_BYTES_MAX is refused: it must be something
 * else, given by mistake.
 */
#include "config/config.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input.h"
#include "base/memory.h"
#include "config/draft.h"
#include "config/near.h"
#include "config/text.h"

enum { FILE_BYTES_MAX = 16 * 1024 * 1024, CHUNK_BYTES = 64 * 1024 };

/* Takes the place of the path "-" in messages and reports. It has no folder, so files that the text names are looked
 * for in the present one. */
static const char standard_input[] = "standard input";

/* Reads an open file to its end. *text is zero-terminated and owned by the caller, also on failure. */
static hs_status stream_read(FILE *file, const char *path, char **text, size_t *length, struct hs_error *err)
{
  size_t room = 0, got;
  char *grown;

  *length = 0;
  do {
    if (room - *length < CHUNK_BYTES + 1) {
      room = 2 * room + 2 * CHUNK_BYTES;
      grown = realloc(*text, room);
      if (!grown) return hs_error_set(err, HS_ERR_MEMORY, "%s: no memory is left to read it.", path);
      *text = grown;
    }
    errno = 0;
    got = fread(*text + *length, 1, CHUNK_BYTES, file);
    *length += got;
    if (*length > FILE_BYTES_MAX) {
      return hs_error_set(err, HS_ERR_CONFIG, "%s: the file has more than %d MiB; is it a configuration?", path,
                          FILE_BYTES_MAX / (1024 * 1024));
    }
  } while (got == CHUNK_BYTES);
  (*text)[*length] = '\0';
  if (!ferror(file)) return HS_OK;
  return hs_error_set(err, HS_ERR_IO, "%s: the configuration cannot be read: %s.", path, strerror(errno));
}

/* Refuses a text that is not UTF-8 or has control characters. */
static hs_status text_check(const char *path, const char *text, size_t length, struct hs_error *err)
{
  const char *bad, *at;
  int line = 1;

  if (hs_text_is_plain(text, length, &bad)) return HS_OK;
  for (at = text; at < bad; at++) line += *at == '\n';
  if (*bad == '\r')
    return hs_error_set(
        err, HS_ERR_CONFIG,
        "%s:%d: the line ends with a carriage return alone, as on old Macs. Save the file with line feeds "
        "(Unix) or both (Windows) at the ends of lines; `tr '\\r' '\\n' < OLD.ini > NEW.ini` makes such a "
        "file.",
        path, line);
  return hs_error_set(err, HS_ERR_CONFIG,
                      "%s:%d: byte 0x%02x is no text in UTF-8. A configuration is a plain text file; save it as UTF-8.",
                      path, line, (unsigned)(unsigned char)*bad);
}

/* There is no such file; perhaps one of a similar name is. */
static hs_status absent_refuse(const char *path, const char *reason, struct hs_error *err)
{
  char *near = hs_near_file(path, ".ini");

  hs_error_set(err, HS_ERR_IO,
               "%s: the configuration cannot be opened: %s; `heatsolve --print-config > FILE.ini` makes one to start "
               "from.",
               path, reason);
  if (near) hs_error_append(err, "Did you mean %s?", near);
  free(near);
  return HS_ERR_IO;
}

static hs_status file_open(const char *path, FILE **file, struct hs_error *err)
{
  char reason[HS_INPUT_REASON];
  int fd;
  const enum hs_input_kind kind = hs_input_open(path, &fd, reason);

  *file = fd < 0 ? NULL : fdopen(fd, "rb");
  if (*file) return HS_OK;
  if (fd >= 0) {
    (void)close(fd);
    return hs_error_set(err, HS_ERR_MEMORY, "%s: no memory is left to read it.", path);
  }
  if (kind == HS_INPUT_OTHER) return hs_error_set(err, HS_ERR_CONFIG, "%s: %s as a configuration.", path, reason);
  if (kind == HS_INPUT_FOLDER)
    return hs_error_set(err, HS_ERR_IO, "%s: the configuration cannot be read: %s; give a file in it.", path, reason);
  if (errno == ENOENT) return absent_refuse(path, reason, err);
  return hs_error_set(err, HS_ERR_IO, "%s: the configuration cannot be opened: %s.", path, reason);
}

/* The text of the file, or of standard input where path is that name. */
static hs_status file_read(const char *path, char **text, struct hs_error *err)
{
  FILE *file = stdin;
  hs_status status = path == standard_input ? HS_OK : file_open(path, &file, err);
  size_t length;

  if (status != HS_OK) return status;
  status = stream_read(file, path, text, &length, err);
  if (file != stdin) fclose(file);
  return status == HS_OK ? text_check(path, *text, length, err) : status;
}

/* Appends the overrides to the text as comment lines. */
static hs_status text_append_overrides(char **text, const char *const *overrides, int count, struct hs_error *err)
{
  int k;

  for (k = 0; k < count; k++) {
    const size_t length = strlen(*text);
    const bool open = length > 0 && (*text)[length - 1] != '\n';
    char *longer = hs_text_format(err, "%s%s; --set %s\n", *text, open ? "\n" : "", overrides[k]);
    if (!longer) return HS_ERR_MEMORY;
    free(*text);
    *text = longer;
  }
  return HS_OK;
}

static hs_status config_fill(struct hs_config *config, const char *path, const char *text, const char *const *overrides,
                             int count, struct hs_error *err)
{
  struct hs_draft draft = {
      .path = path, .overrides = overrides, .override_count = count, .config = config, .error = err};
  hs_status status;

  config->path = hs_text_copy(path, err);
  config->text = hs_text_copy(text, err);
  if (!config->path || !config->text) return HS_ERR_MEMORY;
  status = hs_draft_start(&draft);
  if (status == HS_OK) status = hs_draft_read_text(&draft, config->text);
  if (status == HS_OK) status = hs_draft_read_overrides(&draft);
  if (status == HS_OK) status = hs_draft_complete(&draft);
  if (status == HS_OK) status = hs_draft_hand_over(&draft);
  if (status == HS_OK) status = text_append_overrides(&config->text, overrides, count, err);
  hs_draft_clear(&draft);
  return status;
}

hs_status hs_config_load(const char *path, char **text, struct hs_error *err)
{
  hs_status status;

  *text = NULL;
  status = file_read(strcmp(path, "-") == 0 ? standard_input : path, text, err);
  if (status == HS_OK) return HS_OK;
  free(*text);
  *text = NULL;
  return status;
}

hs_status hs_config_parse(const char *path, const char *text, const char *const *overrides, int override_count,
                          const struct hs_config_array *arrays, struct hs_config **config, struct hs_error *err)
{
  locale_t plain = (locale_t)0, before = (locale_t)0;
  struct hs_error unread;
  hs_status status = HS_ERR_MEMORY;

  if (!err) err = &unread;
  if (strcmp(path, "-") == 0) path = standard_input;
  *config = calloc(1, sizeof **config);
  plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!*config || !plain) {
    hs_error_set(err, HS_ERR_MEMORY, "%s: no memory is left to read the configuration.", path);
    goto out;
  }
  for (int k = 0; arrays && k < HS_MAPS; k++) (*config)->arrays[k] = arrays[k];
  before = uselocale(plain);
  status = text_check(path, text, strlen(text), err);
  if (status == HS_OK) status = config_fill(*config, path, text, overrides, override_count, err);
  uselocale(before);
out:
  if (plain) freelocale(plain);
  if (status != HS_OK) {
    hs_config_destroy(*config);
    *config = NULL;
  }
  return status;
}

hs_status hs_config_read(const char *path, const char *const *overrides, int override_count, struct hs_config **config,
                         struct hs_error *err)
{
  char *text;
  hs_status status = hs_config_load(path, &text, err);

  *config = NULL;
  if (status == HS_OK) status = hs_config_parse(path, text, overrides, override_count, NULL, config, err);
  free(text);
  return status;
}

bool hs_config_is_standard_input(const struct hs_config *config)
{
  return strcmp(config->path, standard_input) == 0;
}

bool hs_config_is_given(const struct hs_config *config)
{
  return strcmp(config->path, HS_CONFIG_GIVEN) == 0;
}

/* Frees what the keys of one section, or of one element of its array, own. */
static void keys_free(const struct hs_config_section *section, void *base)
{
  const size_t count = hs_config_key_count(section);
  size_t k;

  for (k = 0; k < count; k++) {
    hs_config_key_free(hs_config_key_at(section, k), hs_config_key_base(section, k, base));
  }
}

/* Frees an array that named sections fill. */
static void array_free(const struct hs_config_section *section, const struct hs_config *config)
{
  char *array = hs_config_array(section, config);
  const int count = hs_config_array_count(section, config);
  int k;

  for (k = 0; k < count; k++) {
    void *element = array + (size_t)k * section->element;
    keys_free(section, element);
    free(((struct hs_config_head *)element)->name);
  }
  free(array);
}

void hs_config_destroy(struct hs_config *config)
{
  size_t count, k;
  const struct hs_config_section *sections = hs_config_sections(&count);

  if (!config) return;
  for (k = 0; k < count; k++) {
    if (!sections[k].in_array) keys_free(&sections[k], config);
    if (sections[k].noun) array_free(&sections[k], config);
  }
  for (int g = 0; g < config->given_count; g++) {
    free(config->given[g].section);
    free(config->given[g].value);
  }
  free(config->given);
  free(config->text);
  free(config->path);
  free(config);
}
