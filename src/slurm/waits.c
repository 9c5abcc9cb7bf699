#include "slurm/waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hs_waits_begin(struct hs_waits *waits, bool by_memory, double first, double factor)
{
  memset(waits, 0, sizeof *waits);
  waits->by_memory = by_memory;
  for (int k = 0; k < HS_WAIT_CLASSES - 1; k++) waits->bound[k] = first * pow(factor, k);
}

/* Where the name is among the rows, or would be. */
static int row_place(const struct hs_waits *waits, const char *name)
{
  int low = 0, high = waits->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (strcmp(waits->row[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct hs_waits_row *hs_waits_find(const struct hs_waits *waits, const char *name)
{
  const int place = row_place(waits, name);
  return place < waits->count && !strcmp(waits->row[place].name, name) ? &waits->row[place] : NULL;
}

struct hs_waits_row *hs_waits_row(struct hs_waits *waits, const char *name, struct hs_error *err)
{
  const int place = row_place(waits, name);
  struct hs_waits_row *longer;
  if (place < waits->count && !strcmp(waits->row[place].name, name)) return &waits->row[place];
  if (waits->count == waits->room) {
    const int room = waits->room ? 2 * waits->room : 16;
    longer = realloc(waits->row, (size_t)room * sizeof *longer);
    if (!longer) {
      hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the partitions.");
      return NULL;
    }
    waits->row = longer;
    waits->room = room;
  }
  memmove(&waits->row[place + 1], &waits->row[place], (size_t)(waits->count - place) * sizeof *waits->row);
  waits->count++;
  memset(&waits->row[place], 0, sizeof waits->row[place]);
  strncpy(waits->row[place].name, name, sizeof waits->row[place].name - 1);
  return &waits->row[place];
}

int hs_waits_class(const struct hs_waits *waits, double size)
{
  int k = 0;
  while (k < HS_WAIT_CLASSES - 1 && size >= waits->bound[k]) k++;
  return k;
}

static hs_status record_add(struct hs_waits *waits, const struct hs_record *record, struct hs_error *err)
{
  const double size = waits->by_memory ? record->gb_hours : record->cpu_hours;
  struct hs_waits_row *row = hs_waits_row(waits, record->partition, err);
  struct hs_wait *wait;
  if (!row) return HS_ERR_MEMORY;
  row->gpus = row->gpus || record->gpus;
  if (isnan(size)) {
    waits->unsized++;
    return HS_OK;
  }
  wait = &row->of[hs_waits_class(waits, size)];
  wait->sum_s += record->wait_s;
  wait->jobs++;
  waits->jobs++;
  return HS_OK;
}

hs_status hs_waits_read(struct hs_waits *waits, char *text, struct hs_error *err)
{
  struct hs_record_columns columns;
  struct hs_record record;
  bool first = true;
  hs_status status = HS_OK;
  while (!status && text && *text) {
    char *line = text, *end = strchr(text, '\n');
    text = end ? end + 1 : NULL;
    if (end) *end = '\0';
    line[strcspn(line, "\r")] = '\0';
    if (first) {
      status = hs_record_columns_read(line, &columns, err);
      first = false;
      continue;
    }
    if (!*line) continue;
    switch (hs_record_read(&columns, line, &record)) {
    case HS_RECORD_JOB: status = record_add(waits, &record, err); break;
    case HS_RECORD_STEP: waits->steps++; break;
    case HS_RECORD_UNSTARTED:
      waits->unstarted++;
      if (!strchr(record.partition, ',') && !hs_waits_row(waits, record.partition, err)) status = HS_ERR_MEMORY;
      break;
    case HS_RECORD_UNREADABLE: waits->unreadable++; break;
    }
  }
  return first && !status ? hs_error_set(err, HS_ERR_CONFIG, "it is empty") : status;
}

double hs_wait_mean_s(const struct hs_wait *wait)
{
  return wait->jobs ? wait->sum_s / (double)wait->jobs : NAN;
}

void hs_waits_clear(struct hs_waits *waits)
{
  free(waits->row);
  waits->row = NULL;
  waits->count = waits->room = 0;
}
