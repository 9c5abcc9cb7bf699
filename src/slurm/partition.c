#include "slurm/partition.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "slurm/call.h"
#include "slurm/duration.h"

static const double SINFO_S = 30.0;

/* Takes a field up to a bar or the end of the line at *text, which moves behind it; a longer one is cut. */
static void field_take(const char **text, char *field, size_t size)
{
  const size_t length = strcspn(*text, "|\n");
  snprintf(field, size, "%.*s", (int)length, *text);
  *text += length + ((*text)[length] == '|');
}

static void line_take(const char *line, struct hs_slurm_partitions *partitions)
{
  char name[HS_PARTITION_NAME], limit[HS_DURATION_TEXT], gres[256], cpus[16];
  struct hs_slurm_partition *partition = NULL;
  size_t length;
  field_take(&line, name, sizeof name);
  field_take(&line, limit, sizeof limit);
  field_take(&line, gres, sizeof gres);
  field_take(&line, cpus, sizeof cpus);
  length = strlen(name);
  if (!length) return;
  const bool usual = name[length - 1] == '*';
  if (usual) name[length - 1] = '\0';
  for (int k = 0; k < partitions->count && !partition; k++)
    if (!strcmp(partitions->partition[k].name, name)) partition = &partitions->partition[k];
  if (!partition) {
    partition = &partitions->partition[partitions->count++];
    *partition = (struct hs_slurm_partition){.limit_s = INFINITY, .cpus = INT_MAX};
    memcpy(partition->name, name, sizeof name);
    if (!hs_duration_read(limit, &partition->limit_s)) partition->limit_s = INFINITY;
  }
  if (atoi(cpus) > 0 && atoi(cpus) < partition->cpus) partition->cpus = atoi(cpus);
  partition->usual = partition->usual || usual;
  partition->gpus = partition->gpus || !strncmp(gres, "gpu", 3) || strstr(gres, ",gpu") != NULL;
}

hs_status hs_slurm_partitions_read(const char *text, struct hs_slurm_partitions *partitions, struct hs_error *err)
{
  size_t lines = 1;
  hs_status status;
  *partitions = (struct hs_slurm_partitions){NULL, 0};
  for (const char *c = text; *c; c++) lines += *c == '\n';
  status = hs_array_create((void **)&partitions->partition, lines, sizeof *partitions->partition, "partitions", err);
  while (!status && *text) {
    const size_t length = strcspn(text, "\n");
    line_take(text, partitions);
    text += length + (text[length] == '\n');
  }
  return status;
}

hs_status hs_slurm_partitions_ask(struct hs_slurm_partitions *partitions, struct hs_error *err)
{
  const char *const command[] = {"sinfo", "--noheader", "--all", "--format=%P|%l|%G|%c", NULL};
  struct hs_call call;
  hs_status status = hs_call_run(command, SINFO_S, &call, err);
  *partitions = (struct hs_slurm_partitions){NULL, 0};
  if (!status && call.exit_code) status = hs_error_set(err, HS_ERR_IO, "sinfo failed: %s", hs_call_reason(&call));
  if (!status) status = hs_slurm_partitions_read(call.out.text ? call.out.text : "", partitions, err);
  hs_call_clear(&call);
  return status;
}

const struct hs_slurm_partition *hs_slurm_partitions_find(const struct hs_slurm_partitions *partitions,
                                                          const char *name)
{
  for (int k = 0; k < partitions->count; k++) {
    const struct hs_slurm_partition *partition = &partitions->partition[k];
    if (name ? !strcmp(partition->name, name) : partition->usual) return partition;
  }
  return NULL;
}

void hs_slurm_partitions_clear(struct hs_slurm_partitions *partitions)
{
  free(partitions->partition);
  *partitions = (struct hs_slurm_partitions){NULL, 0};
}
