#include "output/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "io/file.h"
#include "output/page/embedded.h"
#include "output/page/fields.h"
#include "output/page/lines.h"
#include "output/page/parts.h"

/* What the frame names as {{...}}. */
struct page {
  const struct hs_result *result;
  unsigned files;
  char *data;            /* JSON, owned */
  struct hs_text fields; /* JSON */
};

/* --- text in HTML -------------------------------------------------------------------------------- */

/* Text as content of an element: no markup, no control characters but line ends. */
static void add_html(struct hs_text *html, const char *text)
{
  while (*text) {
    const size_t length = hs_utf8_length(text, strnlen(text, 4));
    const unsigned char c = (unsigned char)*text;
    if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'')
      hs_text_add(html, "&#%d;", c);
    else if (length == 0 || (c < 0x20 && c != '\n') || c == 0x7f)
      hs_text_add(html, "\xef\xbf\xbd");
    else
      hs_text_add_bytes(html, text, length);
    text += length ? length : 1;
  }
}

/* JSON in an element of a script, which a "<" in a text could end. */
static void add_json(struct hs_text *html, const char *json)
{
  for (const char *less; (less = strchr(json, '<')) != NULL; json = less + 1) {
    hs_text_add_bytes(html, json, (size_t)(less - json));
    hs_text_add(html, "\\u003c");
  }
  hs_text_add_bytes(html, json, strlen(json));
}

/* The configured title, or the file's name. */
static const char *title_of(const struct hs_config *config)
{
  const char *path = config->path ? config->path : "", *slash = strrchr(path, '/');
  return config->output.title && config->output.title[0] ? config->output.title : slash ? slash + 1 : path;
}

static void add_report(struct hs_text *html, const struct page *page)
{
  struct hs_text text = {0};
  hs_page_text(page->result, page->files, &text);
  add_html(html, text.text ? text.text : "");
  html->failed |= text.failed;
  free(text.text);
}

/* --- the frame ----------------------------------------------------------------------------------- */

/* What stands for a name of the frame. */
static void add_named(struct hs_text *html, const char *name, size_t length, const struct page *page)
{
  const char *const names[] = {"title", "style", "text", "data", "fields", "script"};
  size_t k = 0;
  while (k < sizeof names / sizeof *names && (strlen(names[k]) != length || strncmp(names[k], name, length) != 0)) k++;
  switch (k) {
  case 0: add_html(html, title_of(page->result->config)); break;
  case 1: hs_text_add_bytes(html, hs_page_css, hs_page_css_size); break;
  case 2: add_report(html, page); break;
  case 3: add_json(html, page->data); break;
  case 4: add_json(html, page->fields.text); break;
  case 5: hs_text_add_bytes(html, hs_page_js, hs_page_js_size); break;
  default: html->failed = true; break;
  }
}

/* The frame with everything in its place. */
static void add_frame(struct hs_text *html, const struct page *page)
{
  const char *at = (const char *)hs_page_html, *const end = at + hs_page_html_size;
  const char *open, *close;
  while ((open = memmem(at, (size_t)(end - at), "{{", 2)) != NULL &&
         (close = memmem(open, (size_t)(end - open), "}}", 2)) != NULL) {
    hs_text_add_bytes(html, at, (size_t)(open - at));
    add_named(html, open + 2, (size_t)(close - open) - 2, page);
    at = close + 2;
  }
  hs_text_add_bytes(html, at, (size_t)(end - at));
}

/* The page's numbers but the fields, as JSON; only rank 0 has the text. */
static hs_status data_text(const struct hs_result *result, unsigned files, bool writes, char **text,
                           struct hs_error *err)
{
  json_t *data = json_object();
  hs_status status = hs_page_put_drawing(data, result->problem, err);
  int failed = 0;
  if (writes) failed = hs_page_put_report(data, result, files) | hs_page_put_settings(data, result->config);
  if (writes && !status && !failed) *text = hs_json_text(data, JSON_COMPACT | JSON_REAL_PRECISION(9));
  if (writes && !status && !*text)
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the numbers of the page.");
  json_decref(data);
  return status;
}

/* Bytes that are left for the fields when all else is in the page. */
static size_t room_for_fields(const struct page *page)
{
  struct hs_text html = {0};
  size_t used;
  add_frame(&html, page);
  used = html.size;
  free(html.text);
  return used + HS_PAGE_FIELD_LEAST < HS_PAGE_BYTES ? HS_PAGE_BYTES - used : HS_PAGE_FIELD_LEAST;
}

static hs_status page_put(const char *path, const struct page *page, struct hs_error *err)
{
  struct hs_text html = {0};
  hs_status status;
  add_frame(&html, page);
  if (html.failed || !html.text)
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path);
  else
    status = hs_file_put_text(path, html.text, err);
  free(html.text);
  return status;
}

hs_status hs_page_write(const char *path, const struct hs_result *result, unsigned files, struct hs_error *err)
{
  struct hs_comm *ranks = result->problem ? result->problem->subdomain.comm : NULL;
  struct hs_comm *comm = ranks ? ranks : hs_comm_alone();
  const bool writes = hs_comm_rank(comm) == 0;
  struct page page = {.result = result, .files = files};
  size_t room = 0;
  hs_status status = data_text(result, files, writes, &page.data, err);
  hs_text_add(&page.fields, "%s", "");
  if (!status && page.fields.failed)
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the fields of the page.");
  status = hs_comm_agree(comm, status, err);
  if (status) goto out;
  if (writes) room = room_for_fields(&page);
  status = hs_comm_broadcast(comm, 0, &room, sizeof room, err);
  if (!status) status = hs_page_fields(result, files & 1u << HS_FILE_SNAPSHOTS, room, &page.fields, err);
  if (!status && writes) status = page_put(path, &page, err);
  status = hs_comm_agree(comm, status, err);
out:
  free(page.fields.text);
  free(page.data);
  return status;
}
