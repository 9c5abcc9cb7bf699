/* The file's text into the draft, line by line through libinih.
 *
 * libinih asks for each line by a callback and hands out each key by another, so the number of the
 * line handed to it last is the number of the key's line. What libinih would ignore without a message is
 * refused here, where whole lines are at hand: section headers without keys, and text behind a header.
 * Of a line that does not fit its buffer (200 bytes by default) it gets the key alone, and the value goes past it.
 * Its continuation lines (a line that begins with a blank extends the value before) are switched off by handing
 * out lines without their leading blanks: indentation has no meaning. A byte order mark and CR LF line ends are
 * accepted.
 */
#include <ini.h>
#include <stdio.h>
#include <string.h>

#include "config/draft.h"
#include "config/text.h"

enum { LINE_MOST = 65535 }; /* bytes of a line, but for comments, which may be longer */

struct reader {
  struct hs_draft *draft;
  const char *next;                 /* the rest of the text */
  int line;                         /* number of the line handed out last */
  const char *start;                /* that line, without the blanks around it */
  size_t length;                    /* its bytes */
  char text[LINE_MOST + 1];         /* a copy, unless it is a comment */
  const char *value;                /* the value in it where libinih's buffer does not hold the line; else NULL */
  struct hs_draft_section *section; /* begun last; NULL before the first */
  hs_status status;
};

static struct hs_where reader_where(const struct reader *reader)
{
  return (struct hs_where){reader->line, 0};
}

/* Takes the next line of the text, without its end and the blanks around it. */
static void line_take(struct reader *reader)
{
  const char *end = strchr(reader->next, '\n');
  const char *start = reader->next;

  if (!end) end = start + strlen(start);
  reader->next = *end ? end + 1 : end;
  if (reader->line == 0 && strncmp(start, "\xef\xbb\xbf", 3) == 0) start += 3;
  start += strspn(start, " \t");
  while (end > start && strchr(" \t\r", end[-1])) end--;
  reader->start = start < end ? start : end;
  reader->length = (size_t)(end - reader->start);
  reader->line++;
}

/* Begins the section of a header line. A header without a closing bracket is left to libinih. */
static hs_status header_read(struct reader *reader, const char *text)
{
  const char *closing = strchr(text, ']');
  char title[4096];
  size_t length, behind;

  if (!closing) return HS_OK;
  behind = 1 + strspn(closing + 1, " \t");
  if (closing[behind] != '\0' && closing[behind] != ';' && closing[behind] != '#') {
    return hs_draft_fail(reader->draft, reader_where(reader),
                         "\"%s\" stands behind a section's header; a key needs a line of its own.",
                         hs_text_clip(closing + behind).text);
  }
  length = (size_t)(closing - text) - 1;
  if (length >= sizeof title) length = sizeof title - 1;
  memcpy(title, text + 1, length);
  title[length] = '\0';
  return hs_draft_begin(reader->draft, title, reader_where(reader), &reader->section);
}

/* The first of `wanted` in text, or the comment behind a blank, or the end. */
static char *find_or_comment(char *text, const char *wanted)
{
  while (*text && !strchr(wanted, *text) && !((*text == ' ' || *text == '\t') && text[1] == ';')) text++;
  return text;
}

/* Hands out a line that is too long: a header without its name, which header_read has read; a key with a stand-in for its
 * value; or the beginning of a line that is neither. */
static void line_shorten(struct reader *reader, char *line, int room)
{
  char *equals = find_or_comment(reader->text, "=:");
  if (*reader->text == '[' && strchr(reader->text, ']')) {
    strcpy(line, "[]\n");
  } else if (*equals == '=' || *equals == ':') {
    *equals = '\0';
    *find_or_comment(equals + 1, "") = '\0';
    reader->value = hs_text_trim(equals + 1);
    snprintf(line, (size_t)room, "%.*s= .\n", room - 5, reader->text);
  } else {
    snprintf(line, (size_t)room, "%.*s\n", room - 2, reader->text);
  }
}

/* libinih's callback for a line: at most room - 2 bytes, a line end and a zero. */
static char *line_hand_out(char *line, int room, void *context)
{
  struct reader *reader = context;

  if (reader->status != HS_OK || *reader->next == '\0') return NULL;
  line_take(reader);
  reader->value = NULL;
  if (reader->length == 0 || *reader->start == ';' || *reader->start == '#') return strcpy(line, "\n");
  if (reader->length > LINE_MOST) {
    reader->status = hs_draft_fail(reader->draft, reader_where(reader),
                                   "the line has %zu bytes, and one with a key or a section may have %d; shorten it, "
                                   "or move its comment to a line of its own.",
                                   reader->length, LINE_MOST);
    return NULL;
  }
  memcpy(reader->text, reader->start, reader->length);
  reader->text[reader->length] = '\0';
  if (*reader->text == '[') reader->status = header_read(reader, reader->text);
  if (reader->status != HS_OK) return NULL;
  if (reader->length + 2 > (size_t)room)
    line_shorten(reader, line, room);
  else
    strcat(strcpy(line, reader->text), "\n");
  return line;
}

/* libinih's callback for a key. The section is the one that header_read began. */
static int key_take(void *context, const char *section, const char *name, const char *value)
{
  struct reader *reader = context;
  const struct hs_where where = reader_where(reader);

  (void)section;
  if (reader->status != HS_OK) return 0;
  if (!name || !value) return 1;
  if (name[0] == '\0') {
    reader->status = hs_draft_fail(reader->draft, where, "no key stands before the equals sign.");
  } else if (!reader->section) {
    reader->status = hs_draft_fail(reader->draft, where,
                                   "the key \"%s\" stands before the first section; write [grid], [material] or "
                                   "another section's header above it.",
                                   hs_text_clip(name).text);
  } else {
    reader->status = hs_draft_set(reader->draft, reader->section, name, reader->value ? reader->value : value, where);
  }
  return reader->status == HS_OK;
}

/* A line that libinih could not take: takes the lines again up to it for the message. */
static hs_status line_refuse(struct reader *reader, const char *text, int line)
{
  struct hs_clip clip;
  char copy[sizeof clip.text + 1];
  size_t length;

  reader->next = text;
  reader->line = 0;
  while (reader->line < line) line_take(reader);
  length = reader->length < sizeof copy - 1 ? reader->length : sizeof copy - 1;
  memcpy(copy, reader->start, length);
  copy[length] = '\0';
  clip = hs_text_clip(copy);
  if (copy[0] == '[') {
    return hs_draft_fail(reader->draft, reader_where(reader), "\"%s\" has no closing bracket; write it as [grid].",
                         clip.text);
  }
  return hs_draft_fail(reader->draft, reader_where(reader),
                       "\"%s\" is not a key with a value; write key = value, or begin a comment with ;", clip.text);
}

hs_status hs_draft_read_text(struct hs_draft *draft, const char *text)
{
  struct reader reader = {.draft = draft, .next = text, .status = HS_OK};
  const int first_bad = ini_parse_stream(line_hand_out, &reader, key_take, &reader);

  if (first_bad < 0) return hs_draft_fail_memory(draft);
  if (first_bad > 0 && (reader.status == HS_OK || first_bad < reader.line)) {
    return line_refuse(&reader, text, first_bad);
  }
  return reader.status;
}
