/* What was solved, as `heatsolve check` draws it: an SVG file in the page. */
#include <stdlib.h>

#include "output/page/parts.h"
#include "output/page/thin.h"
#include "output/picture/drawing/drawing.h"
#include "output/share.h"

enum { DRAWING_MOST = 600000 }; /* bytes of base64; a picture of more cells than that is drawn as PNG */

static hs_status put_file(json_t *page, const char *type, const struct hs_png_bytes *file, struct hs_error *err)
{
  struct hs_text text = {0};
  int failed;
  hs_text_add(&text, "data:%s;base64,", type);
  hs_base64(file->data, file->size, &text);
  failed = text.failed || json_object_set_new(page, "drawing", json_string(text.text));
  free(text.text);
  return failed ? hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the drawing of the page.") : HS_OK;
}

hs_status hs_page_put_drawing(json_t *page, const struct hs_problem *problem, struct hs_error *err)
{
  static const char *const types[] = {"image/svg+xml", "image/png"};
  static const enum hs_picture_format formats[] = {HS_SVG, HS_PNG};
  for (int k = 0; problem && k < 2; k++) {
    const struct hs_share share = hs_share_of(problem);
    struct hs_png_bytes file = {NULL, 0, 0};
    hs_status status = hs_drawing_encode(problem, formats[k], 1, &file, err);
    bool fits = file.size / 3 * 4 < DRAWING_MOST;
    if (!status && fits && hs_share_writes(&share)) status = put_file(page, types[k], &file, err);
    free(file.data);
    status = hs_comm_agree(share.comm, status, err);
    if (!status) status = hs_comm_broadcast(share.comm, 0, &fits, sizeof fits, err);
    if (status || fits) return status;
  }
  return HS_OK;
}
