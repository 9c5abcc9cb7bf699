#include "output/page/lines.h"

#include <stdio.h>
#include <string.h>

#include "output/report/json_put.h"

enum { LABEL = 2, WORDS = 25 }; /* columns where labels and texts begin */

static ssize_t take(void *text, const char *part, size_t size)
{
  hs_text_add_bytes(text, part, size);
  return ((struct hs_text *)text)->failed ? 0 : (ssize_t)size;
}

/* A stream whose output is added to text; NULL: memory is short. One of open_memstream would not tell that memory was. */
static FILE *stream_open(struct hs_text *text)
{
  FILE *stream = fopencookie(text, "w", (cookie_io_functions_t){.write = take});
  text->failed |= !stream;
  return stream;
}

static void stream_close(FILE *stream, struct hs_text *text)
{
  if (stream && fclose(stream) != 0) text->failed = true;
}

/* The text of columns [start, end) without blanks around it. */
static json_t *columns(const char *line, size_t start, size_t end)
{
  while (start < end && line[start] == ' ') start++;
  while (end > start && line[end - 1] == ' ') end--;
  return json_stringn(line + start, end - start);
}

static int line_add(json_t *lines, const char *line, size_t length)
{
  const size_t end = length < WORDS ? length : WORDS;
  json_t *pair;
  if (length == 0 || line[0] != ' ') return 0; /* an empty line, or the heading */
  pair = json_array();
  if (json_array_append_new(pair, columns(line, LABEL, end)) ||
      json_array_append_new(pair, columns(line, end, length))) {
    json_decref(pair);
    return -1;
  }
  return json_array_append_new(lines, pair);
}

json_t *hs_page_lines(const struct hs_result *result, enum hs_report_part part)
{
  struct hs_text text = {0};
  FILE *stream = stream_open(&text);
  json_t *lines = json_array();
  int failed = 0;
  if (stream) hs_report_part_print(stream, result, part);
  stream_close(stream, &text);
  for (const char *at = text.text; !text.failed && at && *at; at += at[0] == '\n') {
    const size_t length = strcspn(at, "\n");
    failed |= line_add(lines, at, length);
    at += length;
  }
  free(text.text);
  if (!failed && !text.failed) return lines;
  json_decref(lines);
  return NULL;
}

void hs_page_text(const struct hs_result *result, unsigned files, struct hs_text *text)
{
  FILE *stream = stream_open(text);
  if (stream) hs_output_report_print(stream, result, files);
  stream_close(stream, text);
}
